// Drives Debian's Chromium. Packages come from the folder that POSETTA_NODE_MODULES names (tools/test sets it), else from where
// tools/test puts them.

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("../../", import.meta.url);
const modules = process.env.POSETTA_NODE_MODULES ?? fileURLToPath(new URL("target/peers/node/node_modules", root));
export const require = createRequire(`${modules}/`);

/** Screenshots go here, for people to look at. */
export const shots = process.env.POSETTA_SCREENSHOTS ?? fileURLToPath(new URL("target/screenshots", root));
const pages = process.env.POSETTA_PAGES ?? fileURLToPath(new URL("target/pages", root));

/** The one that all tests share. @type {Promise<any> | null} */
let shared = null;
let users = 0;

/** A browser, which is started for the first who asks. */
export function launch() {
  users++;
  shared ??= start();
  return shared;
}

/** Whoever has asked for it does not need it any more. The last one ends it. */
export async function leave() {
  users--;
  if (users === 0) await (await shared)?.close();
}

async function start() {
  return await require("playwright-core").chromium.launch({
    executablePath: process.env.POSETTA_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
  });
}

/**
 * Opens a page from a file, and fails when anything is logged, thrown or requested.
 *
 * @param {any} browser
 * @param {string} file
 * @param {{width?: number, height?: number, dark?: boolean}} [options]
 */
export async function openFile(browser, file, { width = 1280, height = 900, dark = false } = {}) {
  tab ??= openTab(browser);
  const { page, problems, taken } = await tab;
  problems.length = 0;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light", media: "screen" });
  const before = await taken();
  await page.goto(pathToFileURL(file).href);
  return {
    page,
    problems,
    /** Milliseconds of processor time that the page itself has used so far, in its main thread. */
    used: async () => (await taken()) - before,
    shot: async (/** @type {string} */ name) => {
      mkdirSync(shots, { recursive: true });
      await page.screenshot({ path: `${shots}/${name}.png` });
    },
    // What it is busy with ends, and its memory is free.
    close: () => page.goto("about:blank"),
  };
}

/** The one that all files are opened in: another one would be another process. @type {ReturnType<typeof openTab> | null} */
let tab = null;

/** @param {any} browser */
async function openTab(browser) {
  const context = await browser.newContext();
  // Generous: other tests may keep the machine busy.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.addInitScript(noteFirstPaint);
  /** @type {string[]} */
  const problems = [];
  page.on("console", (/** @type {any} */ message) => problems.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (/** @type {Error} */ error) => problems.push(String(error.stack)));
  page.on("request", (/** @type {any} */ request) => {
    if (!/^(file:|about:blank$)/.test(request.url()) || request.resourceType() !== "document") problems.push(`request: ${request.url()}`);
  });
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const taken = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find((/** @type {any} */ metric) => metric.name === "TaskDuration").value;
  };
  return { page, problems, taken };
}

/**
 * Reports how long something takes, beside what it should take. Times decide no test: other work on the machine changes them.
 *
 * @param {string} what
 * @param {{clock: number, used: number, limit: number}} milliseconds
 */
export function reportTime(what, { clock, used, limit }) {
  const busy = loadavg()[0] > cpus().length ? " (the machine is busy)" : "";
  const met = clock < limit ? "met" : "missed";
  console.log(`${what}: ${clock.toFixed(1)} ms, of which the page used ${used.toFixed(1)} ms; ${limit} ms wanted: ${met}${busy}`);
}

/** Runs in the page: notes when the first frame began in which there were rows to see. */
function noteFirstPaint() {
  const look = () => {
    if (document.querySelector(".pv-row") === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => (/** @type {any} */ (window).firstPaint = performance.now()));
  };
  requestAnimationFrame(look);
}

/**
 * Writes a page where `openFile` can open it.
 *
 * @param {string} name
 * @param {string} html
 */
export function keepPage(name, html) {
  mkdirSync(pages, { recursive: true });
  const file = `${pages}/${name}.html`;
  writeFileSync(file, html);
  return file;
}

/**
 * What axe-core finds that is serious or critical. Its code is put into the page by the debugger, which no policy of the page hinders.
 *
 * @param {any} page
 * @returns {Promise<string[]>}
 */
export async function seriousFindings(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(require("axe-core").source);
  // Nothing is to be fetched for it: pages load nothing, and their policies would refuse it.
  const options = { resultTypes: ["violations"], preload: false, elementRef: false };
  const { violations } = await page.evaluate((/** @type {any} */ how) => /** @type {any} */ (window).axe.run(document, how), options);
  return violations
    .filter((/** @type {any} */ found) => found.impact === "serious" || found.impact === "critical")
    .map((/** @type {any} */ found) => `${found.id}: ${found.help}: ${found.nodes.map((/** @type {any} */ node) => node.html).join("\n    ")}`);
}
