// The page of `posetta serve`: files at the side, what is asked about one of them, and the picture of the answer.

import { make } from "../viewer/dom.js";
import { mount } from "../viewer/viewer.js";
import { FileList, kindOf } from "./files.js";
import { namesIn } from "./language.js";
import { drop, get, post, takeToken } from "./server.js";
import { chosenTheme, makeTheme } from "./theme.js";
import { Work } from "./work.js";

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
function part(id) {
  return /** @type {T} */ (document.getElementById(id));
}

const status = part("status");
const picture = part("picture");

/** What is shown, be it of a run or of a model. @type {{destroy: () => void, choose: (index: number) => void, setTheme: (theme: string) => void} | null} */
let mounted = null;

/** @param {string} text */
function say(text) {
  status.textContent = text;
}

/** @param {any} drawn @param {number} result */
function show(drawn, result) {
  mounted?.destroy();
  mounted = null;
  picture.replaceChildren();
  picture.classList.remove("stale");
  if (drawn === null) return;
  work.names = namesIn(drawn);
  mounted = mount(picture, drawn, { result, embedded: true });
  mounted.setTheme(chosenTheme());
  part("subject-hint").textContent = (drawn.facts ?? []).join(" · ");
}

/** @type {Work} */
let work;
/** @type {FileList} */
let files;

/** @param {string} title @param {string} hint */
function head(title, hint) {
  part("subject-name").textContent = title;
  part("subject-hint").textContent = hint;
}

/** @param {unknown} error */
function fail(error) {
  head("That did not work", error instanceof Error ? error.message : String(error));
  say("That did not work");
}

/** @param {import("./files.js").FileEntry} entry */
async function open(entry) {
  try {
    if (entry.kind === "properties") return await openProperties(entry.path);
    const text = entry.kind === "model" && entry.path !== null ? (await post("/api/read", { path: entry.path })).text : null;
    files.mark(entry);
    head(entry.name, "");
    work.open(entry, text);
    await findProperties(entry);
    await work.run("check");
  } catch (error) {
    fail(error);
  }
}

/** @param {string | null} path */
async function openProperties(path) {
  if (path === null) return;
  const { text } = path === "" ? { text: "" } : await post("/api/read", { path });
  work.setProperties(path === "" ? null : path, text);
  if (work.subject === null) head("Choose a run or a model", `The properties of ${path} are in the editor.`);
}

/** @param {string} path */
function folderOf(path) {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Properties that stand beside a run, or above it, are probably about it. @param {import("./files.js").FileEntry} entry */
async function findProperties(entry) {
  if (work.wasEdited || entry.path === null) return;
  for (let folder = folderOf(entry.path); folder !== ""; folder = folderOf(folder)) {
    const beside = files.ofKind("properties").filter(({ path }) => path !== null && folderOf(path) === folder);
    if (beside.length === 1) return await openProperties(beside[0].path);
    if (beside.length > 1) break;
  }
  work.setProperties(null, "");
}

/** @param {File} file */
async function take(file) {
  try {
    say(`Opening ${file.name}`);
    if (kindOf(file.name) === "properties") {
      work.setProperties(null, await file.text());
      return;
    }
    const kept = await drop(file);
    /** @type {import("./files.js").FileEntry} */
    const entry = { name: kept.name, kind: kindOf(kept.name), path: null, dropped: kept.dropped, size: kept.size };
    files.add(entry);
    if (entry.kind !== "model") return await open(entry);
    files.mark(entry);
    head(entry.name, "");
    work.open(entry, await file.text());
    await work.run("check");
  } catch (error) {
    fail(error);
  }
}

function listenForFiles() {
  const chosen = /** @type {HTMLInputElement} */ (part("chosen"));
  part("choose").addEventListener("click", () => chosen.click());
  chosen.addEventListener("change", () => {
    const file = chosen.files?.[0];
    if (file !== undefined) void take(file);
    chosen.value = "";
  });
  const veil = part("veil");
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") === true;
  window.addEventListener("dragenter", (event) => {
    if (hasFiles(event)) veil.hidden = false;
  });
  window.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  window.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) veil.hidden = true;
  });
  window.addEventListener("drop", (event) => {
    veil.hidden = true;
    if (!hasFiles(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) void take(file);
  });
}

async function begin() {
  takeToken();
  const about = await get("/api/about");
  part("folder").textContent = about.folder;
  document.title = `${about.folder} · Posetta`;
  work = new Work(part("work"), about.limits, {
    onPicture: show,
    onResult: (index) => mounted?.choose(index),
    onStale: (stale) => picture.classList.toggle("stale", stale),
    onLive: (element) => {
      if (element === null) return;
      picture.replaceChildren(element);
    },
    say,
  });
  work.hooksOnSpec = (path) => void openProperties(path).catch(fail);
  files = new FileList(part("files"), /** @type {HTMLInputElement} */ (part("find")), (entry) => void open(entry));
  makeTheme(part("theme"), (theme) => mounted?.setTheme(theme));
  listenForFiles();
  const listing = await get("/api/files");
  const entries = listing.files.map((/** @type {any} */ file) => ({ ...file, name: file.path, dropped: null }));
  files.set(entries, listing.cut);
  work.setSpecs(files.ofKind("properties").flatMap((entry) => (entry.path === null ? [] : [entry.path])));
  part("main").append(make("p", { class: "quiet version" }, `posetta ${about.version}`));
}

begin().catch(fail);
