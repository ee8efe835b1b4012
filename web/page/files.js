// The list of files: those of the folder, and those that were dropped on the page.

import { make } from "../viewer/dom.js";

/**
 * @typedef {object} FileEntry
 * @property {string} name How the page calls it.
 * @property {string} kind run, properties or model.
 * @property {string | null} path In the folder.
 * @property {number | null} dropped The number of a dropped file.
 * @property {number} size In bytes.
 */

/** The groups of the list, in order. */
const GROUPS = [
  { kind: "run", title: "Runs", none: "No runs here." },
  { kind: "model", title: "Models", none: "" },
  { kind: "properties", title: "Properties", none: "" },
];

/** What the ends of names say. */
const MODELS = /\.(smv|sys|aut|pnml)$/i;
const PROPERTIES = /\.(props|hoa)$/i;

/**
 * What a dropped file is, by its name.
 *
 * @param {string} name
 */
export function kindOf(name) {
  if (MODELS.test(name)) return "model";
  return PROPERTIES.test(name) ? "properties" : "run";
}

/** @param {number} bytes */
function sizeText(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/**
 * Files by the folders that they are in.
 *
 * @param {FileEntry[]} entries
 */
function foldersOf(entries) {
  /** @type {{folder: string, entries: FileEntry[]}[]} */
  const groups = [];
  for (const entry of entries) {
    const folder = entry.name.slice(0, Math.max(0, entry.name.lastIndexOf("/")));
    const last = groups.at(-1);
    if (last !== undefined && last.folder === folder) last.entries.push(entry);
    else groups.push({ folder, entries: [entry] });
  }
  return groups;
}

export class FileList {
  /**
   * @param {HTMLElement} root
   * @param {HTMLInputElement} find
   * @param {(entry: FileEntry) => void} onOpen
   */
  constructor(root, find, onOpen) {
    this.root = root;
    this.find = find;
    this.onOpen = onOpen;
    /** @type {FileEntry[]} */
    this.entries = [];
    this.cut = false;
    /** @type {FileEntry | null} */
    this.current = null;
    find.addEventListener("input", () => this.show());
    find.addEventListener("keydown", (event) => {
      const first = this.root.querySelector("button");
      if (event.key === "ArrowDown" && first !== null) {
        event.preventDefault();
        first.focus();
      }
    });
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {FileEntry[]} entries @param {boolean} cut */
  set(entries, cut) {
    this.entries = [...this.entries.filter((entry) => entry.dropped !== null), ...entries];
    this.cut = cut;
    this.show();
  }

  /** @param {FileEntry} entry */
  add(entry) {
    this.entries = [entry, ...this.entries];
    this.show();
  }

  /** @param {FileEntry} entry */
  mark(entry) {
    this.current = entry;
    this.show();
  }

  /** @param {string} kind */
  ofKind(kind) {
    return this.entries.filter((entry) => entry.kind === kind);
  }

  show() {
    const wanted = this.find.value.toLowerCase();
    const shown = this.entries.filter((entry) => entry.name.toLowerCase().includes(wanted));
    const groups = GROUPS.map(({ kind, title, none }) => {
      const own = shown.filter((entry) => entry.kind === kind);
      if (own.length === 0) return none === "" ? null : make("p", { class: "quiet" }, wanted === "" ? none : "Nothing found.");
      return make("section", {}, make("h2", {}, title), ...foldersOf(own).map(({ folder, entries }) => this.folder(folder, entries)));
    });
    const had = this.root.contains(document.activeElement);
    this.root.replaceChildren(...groups.filter((group) => group !== null));
    if (this.cut) this.root.append(make("p", { class: "quiet" }, "There are more files than are listed."));
    if (had) /** @type {HTMLElement | null} */ (this.root.querySelector("[aria-current]"))?.focus();
  }

  /** @param {string} folder @param {FileEntry[]} entries */
  folder(folder, entries) {
    const list = make("ul", { class: "list" }, ...entries.map((entry) => make("li", {}, this.button(entry))));
    return folder === "" ? list : make("div", { class: "folder-group" }, make("h3", {}, folder), list);
  }

  /** @param {FileEntry} entry */
  button(entry) {
    const place = entry.name.lastIndexOf("/") + 1;
    return make(
      "button",
      {
        type: "button",
        class: "file",
        title: entry.name,
        "aria-description": place === 0 ? null : `in ${entry.name.slice(0, place - 1)}`,
        "aria-current": entry === this.current ? "true" : null,
        onclick: () => this.onOpen(entry),
      },
      make("span", { class: "file-name" }, entry.name.slice(place)),
      make("span", { class: "quiet" }, entry.dropped === null ? sizeText(entry.size) : "dropped"),
    );
  }

  /** Up and down go from file to file. @param {KeyboardEvent} event */
  onKey(event) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const buttons = [...this.root.querySelectorAll("button")];
    const next = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement)) + step;
    event.preventDefault();
    if (next < 0) this.find.focus();
    else buttons[next]?.focus();
  }
}
