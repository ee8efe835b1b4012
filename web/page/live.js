// A stream while it grows: what is known of each property now, and every change of that, the newest first.

import { make } from "../viewer/dom.js";

/** So many changes are shown. */
const MOST = 200;

export class Live {
  constructor() {
    /** @type {Map<string, any>} */
    this.now = new Map();
    this.changes = 0;
    this.table = make("tbody", {});
    this.log = make("ol", { class: "changes", "aria-label": "Changes, the newest first" });
    const head = ["Property", "Now", "Satisfied so far", "Line"].map((title) => make("th", { scope: "col" }, title));
    this.element = make(
      "div",
      { class: "live" },
      make("table", {}, make("caption", {}, "What is known now"), make("thead", {}, make("tr", {}, ...head)), this.table),
      make("h3", {}, "Changes"),
      this.log,
    );
  }

  /** A line of the monitor. @param {any} line @returns {string | null} What is worth being read aloud. */
  take(line) {
    if (line.error !== undefined || line.warning !== undefined) {
      const told = line.error ?? line.warning.warning;
      this.add(`line ${told.line ?? "?"}: ${told.message}`, "unknown");
      return null;
    }
    const name = line.key === undefined ? line.property : `${line.property} [${line.key}]`;
    this.now.set(name, line);
    this.show();
    this.add(`line ${line.line}: ${name} ${line.verdict}`, line.verdict);
    return line.verdict === "open" ? null : `${name} ${line.verdict}`;
  }

  /** @param {string} text @param {string} verdict */
  add(text, verdict) {
    this.changes += 1;
    this.log.prepend(make("li", { class: `change ${verdict}` }, text));
    while (this.log.childElementCount > MOST) this.log.lastElementChild?.remove();
  }

  show() {
    const rows = [...this.now].map(([name, line]) =>
      make(
        "tr",
        { class: line.verdict },
        make("th", { scope: "row" }, name),
        make("td", {}, line.verdict),
        make("td", {}, line.satisfied === null ? "unknown" : line.satisfied ? "yes" : "no"),
        make("td", {}, String(line.line ?? "")),
      ),
    );
    this.table.replaceChildren(...rows);
  }
}
