// What could stand at the cursor: a list beside it, chosen from with the arrow keys.

import { make } from "../viewer/dom.js";
import { offsetOf, placeOf } from "./editor.js";

/**
 * A completion, as language servers say it.
 *
 * @typedef {object} Item
 * @property {string} label
 * @property {string} [detail] What it is.
 * @property {{range: {start: import("./editor.js").TextPlace, end: import("./editor.js").TextPlace}, newText: string}} textEdit
 */

/** So many are shown. */
const MOST = 50;

export class Completion {
  /**
   * @param {string} id
   * @param {HTMLTextAreaElement} field
   * @param {HTMLElement} well
   * @param {(text: string, place: import("./editor.js").TextPlace, signal: AbortSignal) => Promise<Item[]>} ask
   */
  constructor(id, field, well, ask) {
    this.field = field;
    this.ask = ask;
    this.id = `${id}-choices`;
    /** @type {Item[]} */
    this.items = [];
    this.chosen = 0;
    this.list = make("ul", { id: this.id, class: "choices", role: "listbox", "aria-label": "Completions", hidden: true });
    this.asked = new AbortController();
    well.append(this.list);
    field.setAttribute("aria-controls", this.id);
    field.addEventListener("input", (event) => {
      const typed = event instanceof InputEvent && event.inputType === "insertText" ? (event.data ?? "") : "";
      if (/^[\p{L}_.]$/u.test(typed)) void this.open();
      else this.close();
    });
    field.addEventListener("blur", () => window.setTimeout(() => this.close(), 150));
  }

  get isOpen() {
    return !this.list.hidden;
  }

  close() {
    this.asked.abort();
    this.list.hidden = true;
    this.field.removeAttribute("aria-activedescendant");
  }

  async open() {
    this.asked.abort();
    this.asked = new AbortController();
    const { signal } = this.asked;
    const text = this.field.value;
    const items = await this.ask(text, placeOf(text, this.field.selectionStart), signal).catch(() => []);
    if (signal.aborted || this.field.value !== text) return;
    this.items = items.filter((item) => this.fits(text, item)).slice(0, MOST);
    this.chosen = 0;
    if (this.items.length === 0) return this.close();
    this.show();
  }

  /** Whether a completion begins as what it would replace. @param {string} text @param {Item} item */
  fits(text, item) {
    const started = text.slice(offsetOf(text, item.textEdit.range.start), this.field.selectionStart).toLowerCase();
    const begins = (/** @type {string} */ name) => name.toLowerCase().startsWith(started) && name.toLowerCase() !== started;
    return begins(item.label) || begins(item.textEdit.newText);
  }

  show() {
    const choices = this.items.map((item, index) =>
      make(
        "li",
        {
          id: `${this.id}-${index}`,
          role: "option",
          "aria-selected": String(index === this.chosen),
          onmousedown: (/** @type {MouseEvent} */ event) => {
            event.preventDefault();
            this.chosen = index;
            this.accept();
          },
        },
        make("span", {}, item.label),
        make("span", { class: "quiet" }, item.detail ?? ""),
      ),
    );
    this.list.replaceChildren(...choices);
    this.list.hidden = false;
    this.field.setAttribute("aria-activedescendant", `${this.id}-${this.chosen}`);
    const place = this.items[this.chosen].textEdit.range.start;
    const style = window.getComputedStyle(this.field);
    const line = parseFloat(style.lineHeight);
    const width = this.columnWidth(style.font);
    const top = parseFloat(style.paddingTop) + (place.line + 1) * line - this.field.scrollTop;
    const left = parseFloat(style.paddingLeft) + place.character * width - this.field.scrollLeft;
    this.list.style.top = `${top}px`;
    this.list.style.left = `${Math.max(0, Math.min(left, this.field.clientWidth - this.list.offsetWidth))}px`;
    choices[this.chosen].scrollIntoView({ block: "nearest" });
  }

  /** @param {string} font */
  columnWidth(font) {
    const context = document.createElement("canvas").getContext("2d");
    if (context === null) return 8;
    context.font = font;
    return context.measureText("0".repeat(100)).width / 100;
  }

  accept() {
    const { range, newText } = this.items[this.chosen].textEdit;
    const text = this.field.value;
    this.close();
    this.field.setRangeText(newText, offsetOf(text, range.start), offsetOf(text, range.end), "end");
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Whether a key was for the list. @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      void this.open();
      return true;
    }
    if (!this.isOpen) return false;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      this.chosen = (this.chosen + step + this.items.length) % this.items.length;
      this.show();
    } else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") this.accept();
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    return true;
  }
}
