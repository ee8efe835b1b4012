// The page of `posetta serve`: everything that a person does there. POSETTA_PROGRAM names the program; without it, that of a debug build
// is used.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { appendFile, cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, leave, seriousFindings, shots } from "./browser.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = process.env.POSETTA_PROGRAM ?? join(root, "target/debug/posetta");

/** What a slow machine may take. */
const PATIENCE = 60_000;

const SIZE = { width: 1360, height: 900 };
const HOSTILE = "<img src=x onerror=window.hit=1>.jsonl";
/** @type {string} */
let folder;
/** @type {import("node:child_process").ChildProcess} */
let server;
/** @type {any} */
let browser;
/** @type {any} */
let page;
let address = "";
/** What the browser complained about: nothing may be there in the end. @type {string[]} */
const complaints = [];

function wide() {
  const chain = (/** @type {number} */ process) => Array.from({ length: 29 }, (_, i) => `x${process}=${i + 1}`).join(" -> ");
  return Array.from({ length: 12 }, (_, process) => `P${process}: ${chain(process)}\n`).join("");
}

/** A formula that nobody decides on it. */
const HOPELESS = `G (${Array.from({ length: 6 }, (_, p) => `x${p} * x${p + 6}`).join(" + ")} != 77777)`;

async function start() {
  folder = await mkdtemp(join(tmpdir(), "posetta-e2e-"));
  for (const name of ["mutex", "models", "otel-shop", "two-phase-commit"]) {
    await cp(join(root, "examples", name), join(folder, name), { recursive: true });
  }
  await writeFile(join(folder, "wide.trace"), wide());
  await writeFile(join(folder, "growing.jsonl"), '{"x":1}\n');
  const event = { process: "</script><script>window.hit=2</script>", name: "<b onclick=window.hit=3>", set: { x: "<img src=x onerror=window.hit=4>" } };
  await writeFile(join(folder, HOSTILE), `${JSON.stringify(event)}\n`);
  server = spawn(program, ["serve", folder], { stdio: ["ignore", "pipe", "inherit"] });
  const first = await new Promise((tell, fail) => {
    server.stdout?.once("data", (data) => tell(String(data)));
    server.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
  });
  address = /http:\/\/\S+/.exec(first)?.[0] ?? "";
}

before(async () => {
  mkdirSync(shots, { recursive: true });
  await start();
  browser = await launch();
});

after(async () => {
  await page?.context().close();
  await leave();
  server?.kill("SIGTERM");
  if (server?.exitCode === null) await new Promise((ended) => server.once("exit", ended));
  await rm(folder, { recursive: true, force: true });
});

/** Opens the page anew, in the same tab: another one would be another process. */
async function begin() {
  if (page === undefined) await openTab();
  await page.setViewportSize(SIZE);
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(address);
  await page.getByTitle("mutex/race.trace").waitFor();
}

async function openTab() {
  const context = await browser.newContext({ acceptDownloads: true });
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (/** @type {any} */ message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (/** @type {any} */ error) => complaints.push(String(error)));
  page.on("dialog", (/** @type {any} */ dialog) => {
    complaints.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (/** @type {any} */ request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) complaints.push(`asks ${url}`);
  });
}

/** A test that begins with the page, where nothing is open. @param {string} name @param {() => Promise<void>} use */
function onPage(name, use) {
  test(name, async () => {
    await begin();
    await use();
  });
}

const shot = (/** @type {string} */ name) => page.screenshot({ path: join(shots, `serve-${name}.png`), fullPage: true });
const verdict = (/** @type {string} */ name, /** @type {string} */ word) => page.locator(".verdict", { hasText: name }).filter({ hasText: word });
const properties = () => page.getByLabel("Properties", { exact: true });
const run = () => page.getByRole("button", { name: "Run", exact: true });
const done = () => page.locator(".doing", { hasText: /\d\.\d s$/ }).waitFor();

/** @param {string} name */
async function open(name) {
  await page.getByTitle(name, { exact: true }).click();
  await page.getByRole("heading", { level: 2, name }).waitFor();
}

/** @param {string} name @param {string} text */
async function drop(name, text) {
  const make = (/** @type {string[]} */ [called, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], called));
    return data;
  };
  const transfer = await page.evaluateHandle(make, [name, text]);
  for (const event of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", event, { dataTransfer: transfer });
}

onPage("a run, its violation, the slider and the toggle", async () => {
  await open("mutex/race.trace");
  await page.locator(".verdict.violated").first().waitFor();
  await page.locator(".pv").waitFor();
  await done();
  await shot("violation");
  const slider = page.locator(".pv input[type=range]").first();
  const before = await slider.inputValue();
  await slider.focus();
  await page.keyboard.press("Home");
  assert.notEqual(await slider.inputValue(), before);
  await page.keyboard.press("ArrowRight");
  assert.equal(await slider.inputValue(), "1");
});

onPage("two orders of one run", async () => {
  await open("two-phase-commit/run.jsonl");
  await page.locator(".verdict.violated").first().waitFor();
  await done();
  const modes = page.locator(".pv input[type=radio]");
  await modes.first().waitFor({ state: "attached" });
  assert.ok((await modes.count()) > 1, "recorded and failing");
  await shot("orders");
  await modes.first().check({ force: true });
  assert.ok(await modes.first().isChecked());
  await page.locator(".verdict.holds").first().click();
  await page.locator(".pv-story.pv-holds").waitFor();
});

onPage("a property with a mistake, mended", async () => {
  await open("mutex/race.trace");
  await page.locator(".verdict").first().waitFor();
  await done();
  await properties().fill("property p = ltl G !(c0 == 1 && c1 == ");
  await page.locator(".mistake.error").first().waitFor();
  assert.ok((await page.locator(".squiggle").count()) > 0);
  assert.equal(await properties().getAttribute("aria-invalid"), "true");
  await properties().press("Control+Enter");
  const note = page.locator(".note.error");
  await note.waitFor();
  assert.match(await note.innerText(), /\^/);
  await shot("mistake");
  await properties().fill("property p = ltl G !(c0 == 1 && c1 == 1)");
  await page.locator(".mistake").first().waitFor({ state: "detached" });
  await run().click();
  await verdict("p", "violated").waitFor();
  assert.equal(await page.locator(".note.error").count(), 0);
});

onPage("completion by keyboard", async () => {
  await open("mutex/race.trace");
  await page.locator(".pv").waitFor();
  await done();
  await properties().fill("property p = ltl G ");
  await properties().press("End");
  await page.keyboard.type("c");
  const list = page.getByRole("listbox", { name: "Completions" });
  await list.waitFor();
  await list.getByRole("option", { name: /^c0/ }).waitFor();
  await shot("completion");
  for (let presses = 0; !(await list.locator("[aria-selected=true]").innerText()).startsWith("c0"); presses++) {
    assert.ok(presses < 60, "c0 is reached");
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  assert.match(await properties().inputValue(), /G c0$/);
});

onPage("a long check is cancelled, and its process is gone", async () => {
  await open("wide.trace");
  await done();
  await properties().fill(`property p = ltl ${HOPELESS}`);
  await run().click();
  await page.locator(".doing", { hasText: "explored" }).waitFor();
  await shot("working");
  const children = async () => {
    const tasks = await readdir(`/proc/${server.pid}/task`);
    const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${server.pid}/task/${task}/children`, "utf8").catch(() => "")));
    return lists.join(" ").split(/\s+/).filter((pid) => pid !== "");
  };
  assert.equal((await children()).length, 1);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".doing", { hasText: "Cancelled" }).waitFor();
  for (const end = Date.now() + PATIENCE; (await children()).length > 0; ) {
    assert.ok(Date.now() < end, "the process is still there");
    await new Promise((again) => setTimeout(again, 50));
  }
  assert.ok(await run().isEnabled());
});

onPage("a broken file that is dropped", async () => {
  await drop("broken.jsonl", '{"process":"a","name":"x"}\n{"process":\n');
  const note = page.locator(".note.error").first();
  await note.waitFor();
  assert.match(await note.innerText(), /broken\.jsonl/);
  await done();
  await shot("broken");
});

onPage("spans of OpenTelemetry that are dropped", async () => {
  await drop("order.json", await readFile(join(folder, "otel-shop/traces/order-1042.json"), "utf8"));
  await page.locator(".pv").waitFor();
  await done();
  await shot("spans");
});

onPage("names are text", async () => {
  await open(HOSTILE);
  await page.locator(".pv").waitFor();
  await done();
  await shot("names");
  await drop("<script>window.hit=5</script>.jsonl", '{"process":"a","name":"x","set":{"<b>":1}}\n');
  await page.getByRole("heading", { level: 2, name: /script/ }).waitFor();
  await done();
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).hit), undefined);
});

onPage("a model, verified and stepped through", async () => {
  await open("models/peterson-faulty.smv");
  await page.locator(".verdict.violated").first().waitFor();
  await done();
  // A lane for each instance; the last step is where it fails.
  assert.deepEqual(await page.locator("#picture .pv-head").allInnerTexts(), ["main", "left", "right"]);
  assert.match(await page.locator("#picture .pv-row.pv-moment").innerText(), /here it is broken/);
  assert.match(await page.locator("#picture .pv-values").innerText(), /left\.at\s+critical/);
  await page.locator("#picture .pv-slider").focus();
  await page.keyboard.press("Home");
  assert.equal(await page.locator("#picture .pv-where").innerText(), "At the start");
  assert.doesNotMatch(await page.locator("#picture .pv-values").innerText(), /critical/);
  await shot("model");
  // What holds has no run.
  await page.locator(".verdict.holds").first().click();
  assert.equal(await page.locator("#picture .pv-row").count(), 0);
  const model = page.getByLabel("Model", { exact: true });
  await model.fill("MODULE main\nVAR x : boolean\nASSIGN init(x) := FALSE;\n");
  await page.locator(".mistake.error").first().waitFor();
  await model.fill("MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE; next(x) := FALSE;\nLTLSPEC NAME never := G !x\n");
  await run().click();
  await verdict("never", "holds").waitFor();
});

onPage("a stream that is followed", async () => {
  await open("growing.jsonl");
  await done();
  await properties().fill("property low = ltl G x < 3");
  await page.getByRole("button", { name: "Watch" }).click();
  await page.locator(".live tr.open", { hasText: "low" }).waitFor();
  await appendFile(join(folder, "growing.jsonl"), '{"x":2}\n{"x":3}\n');
  await page.locator(".live tr.violated", { hasText: "low" }).waitFor();
  await shot("stream");
});

onPage("a page to keep, which asks nobody", async () => {
  await open("mutex/race.trace");
  await page.locator(".verdict.violated").first().waitFor();
  await done();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as a page" }).click()]);
  const place = join(folder, download.suggestedFilename());
  await download.saveAs(place);
  const kept = await page.context().newPage();
  /** @type {string[]} */
  const asked = [];
  kept.on("request", (/** @type {any} */ request) => asked.push(request.url()));
  await kept.goto(`file://${place}`);
  await kept.locator(".pv").first().waitFor();
  assert.deepEqual(asked.filter((url) => !/^(file|data):/.test(url)), []);
  await kept.close();
});

onPage("dark, as the system says and as somebody chooses", async () => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await ground();
  assert.notEqual(light, dark);
  await open("mutex/race.trace");
  await page.locator(".pv").waitFor();
  await done();
  await shot("dark");
  const theme = page.getByRole("button", { name: /^Theme/ });
  await theme.click();
  assert.equal(await ground(), light);
  assert.equal(await page.locator(".pv").evaluate((/** @type {Element} */ element) => getComputedStyle(element).backgroundColor), light);
  await theme.click();
  assert.equal(await ground(), dark);
});

onPage("with the keyboard alone", async () => {
  await page.getByLabel("Find a file").focus();
  await page.keyboard.type("race");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".verdict").first().waitFor();
  await done();
  const isInEditor = () => properties().evaluate((/** @type {Element} */ field) => field === document.activeElement);
  for (let presses = 0; !(await isInEditor()); presses++) {
    assert.ok(presses < 60, "the editor is reached");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Control+a");
  await page.keyboard.type("property mine = ltl F c0 == 1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Enter");
  await verdict("mine", "holds").waitFor();
  await page.keyboard.press("Tab");
  assert.ok(!(await isInEditor()), "the editor is left");
  for (let presses = 0; !(await page.evaluate(() => document.activeElement?.closest(".pv") !== null)); presses++) {
    assert.ok(presses < 60, "the picture is reached");
    await page.keyboard.press("Tab");
  }
});

onPage("no serious findings of axe", async () => {
  const findings = () => seriousFindings(page);
  assert.deepEqual(await findings(), []);
  await open("mutex/race.trace");
  await page.locator(".pv").waitFor();
  await done();
  assert.deepEqual(await findings(), []);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await findings(), []);
  await properties().fill("property p = ltl G !(");
  await page.locator(".mistake.error").first().waitFor();
  assert.deepEqual(await findings(), []);
});

onPage("small windows", async () => {
  await page.setViewportSize({ width: 420, height: 800 });
  await open("mutex/race.trace");
  await page.locator(".pv").waitFor();
  await done();
  await shot("small");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth + 1), "nothing is wider than the window");
});

test("the browser had nothing to complain about", () => {
  assert.deepEqual(complaints, []);
});
