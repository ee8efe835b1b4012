// Pages that the program itself makes, of the examples. POSETTA_PROGRAM names the program; without it, that of a debug build is used.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, leave, openFile, seriousFindings } from "./browser.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = process.env.POSETTA_PROGRAM ?? join(root, "target/debug/posetta");
const folder = mkdtempSync(join(tmpdir(), "posetta-show-"));

/** @type {any} */
let browser;
before(async () => {
  assert.ok(existsSync(program), `${program} is not there: cargo build, or POSETTA_PROGRAM`);
  browser = await launch();
});
after(async () => {
  await leave();
  rmSync(folder, { recursive: true });
});

/**
 * Runs `posetta show` and opens what it made; nothing may be logged, thrown or requested, and axe-core must have nothing serious to say.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {Parameters<typeof openFile>[2]} options
 * @param {(page: any) => Promise<void>} use
 */
async function show(name, args, options, use) {
  const file = join(folder, `${name}.html`);
  execFileSync(program, ["show", ...args, "-o", file], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const { page, problems, shot, close } = await openFile(browser, file, options);
  await use(page);
  await shot(`show-${name}`);
  assert.deepEqual(await seriousFindings(page), []);
  assert.deepEqual(problems, []);
  await close();
}

test("the example of the README: the failing order, its values and parts", async () => {
  const args = ["examples/two-phase-commit/run.jsonl", "--spec", "examples/two-phase-commit/two-phase-commit.props"];
  await show("two-phase-commit", args, { width: 1600 }, async (page) => {
    assert.match(await page.locator(".pv-story").innerText(), /no_early_commit[^]*nothing orders/);
    assert.equal(await page.locator(".pv-pane").count(), 2);
    assert.equal(await page.locator(".pv-where").innerText(), "After decide on coordinator");
    assert.match(await page.locator(".pv-values").innerText(), /inventory\s+"?working"?/);
    const parts = await page.locator(".pv-parts li").allInnerTexts();
    assert.ok(parts.some((/** @type {string} */ text) => /✗\s*inventory == "prepared"/.test(text)), parts.join("\n"));
    assert.equal(await page.locator(".pv-row.pv-swapped:visible").count(), 4);
    assert.equal(await page.locator(".pv-row.pv-moment:visible").count(), 1);
    for (const result of await page.locator(".pv-result").all()) await result.click();
    await page.locator(".pv-result").first().click();
  });
});

test("a path to a cut", async () => {
  const formula = 'AG !(payment == "prepared" && inventory == "prepared" && decision == "none")';
  await show("cut", ["examples/two-phase-commit/run.jsonl", "--ctl", formula], {}, async (page) => {
    assert.equal(await page.getByLabel("Path to the failing cut").isChecked(), true);
    assert.match(await page.locator(".pv-legend").innerText(), /the cut/);
    assert.match(await page.locator(".pv-values").innerText(), /decision\s+"?none"?/);
  });
});

test("a run of a model that goes round, with the parts of its property at each step", async () => {
  const args = ["examples/systems/handshake.sys", "--spec", "examples/systems/handshake.props"];
  await show("model", args, { dark: true }, async (page) => {
    const slider = page.getByLabel("Step", { exact: true });
    await slider.focus();
    await page.keyboard.press("Home");
    const parts = () => page.locator(".pv-parts li").allInnerTexts();
    assert.match((await parts())[0], /G \(ask -> F answer\)/);
    await page.keyboard.press("ArrowRight");
    const truth = async () => (await parts()).map((/** @type {string} */ text) => text.replace(/\s+/g, " ").replace(/ [▾▸]/, "").trim());
    assert.deepEqual(await truth(), ["✗ G (ask -> F answer)", "✗ ask -> F answer", "✓ ask", "✗ F answer", "✗ answer"]);
  });
});

test("a waveform", async () => {
  const file = join(folder, "handshake.vcd");
  writeFileSync(file, handshake());
  const args = [file, "--clock", "clk", "--ltl", "G (req -> X (ack || X (ack || X ack)))"];
  await show("waveform", args, { height: 600 }, async (page) => {
    assert.ok(await page.locator(".pv-wave").isVisible());
    assert.match(await page.locator(".pv-signals").innerText(), /req/);
    const before = await page.locator(".pv-step").innerText();
    await page.locator(".pv-wave-scroller").focus();
    await page.keyboard.press("Home");
    assert.notEqual(await page.locator(".pv-step").innerText(), before);
  });
});

/** Two requests; the second one gets no answer. */
function handshake() {
  const lines = ["$timescale 1ns $end", "$scope module top $end"];
  for (const [sign, name] of [["!", "clk"], ["r", "req"], ["a", "ack"]]) lines.push(`$var wire 1 ${sign} ${name} $end`);
  lines.push("$upscope $end", "$enddefinitions $end");
  const high = (/** @type {number} */ cycle, /** @type {number[]} */ cycles) => (cycles.includes(cycle) ? 1 : 0);
  for (let cycle = 0; cycle < 16; cycle++) {
    lines.push(`#${10 * cycle}`, "0!", `${high(cycle, [2, 9])}r`, `${high(cycle, [4])}a`, `#${10 * cycle + 5}`, "1!");
  }
  return `${lines.join("\n")}\n`;
}

test("spans of services: concurrent chains in a lane, assumed edges", async () => {
  const trace = execFileSync(program, ["info", "examples/otel-shop/traces", "--json"], { cwd: root, encoding: "utf8" });
  const label = JSON.parse(trace).runs[0].trace;
  await show("spans", [label, "--spec", "examples/otel-shop/shop.props"], { width: 1600 }, async (page) => {
    assert.ok((await page.locator(".pv-head:visible").count()) > 1);
    assert.ok((await page.locator(".pv-row:visible").count()) > 4);
  });
});

test("10,000 events make a page of less than 5 MB that opens at what matters", async () => {
  const run = join(folder, "many.jsonl");
  execFileSync(program, ["gen", "random", "--processes", "8", "--events", "10000", "--seed", "4", "-o", run], { cwd: root });
  await show("many", [run], {}, async (page) => {
    assert.match(await page.locator(".pv-facts").innerText(), /events/);
    await page.locator(".pv-row:visible").first().waitFor();
  });
  const size = statSync(join(folder, "many.html")).size;
  console.log(`page of 10,000 events: ${(size / 1e6).toFixed(2)} MB`);
  assert.ok(size < 5_000_000, `${size} bytes`);
});
