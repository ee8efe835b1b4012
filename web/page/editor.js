// A text field with line numbers, mistakes underlined where they are, completion, and a word about what is under the cursor.
//
// It is a plain `textarea`, so that typing, undoing, selecting and reading aloud work as everywhere; what is drawn is a second layer
// behind it with the same text. Lines are not wrapped, so a place in the text is a row and a column on the screen.

import { make } from "../viewer/dom.js";
import { Completion } from "./completion.js";

/**
 * A place in a text: lines and UTF-16 units, both from 0, as language servers count.
 *
 * @typedef {{line: number, character: number}} TextPlace
 */

/**
 * A mistake, as language servers say it: severity 1 is an error, 2 a warning.
 *
 * @typedef {object} Mark
 * @property {{start: TextPlace, end: TextPlace}} range
 * @property {number} severity
 * @property {string} message
 */

/**
 * @typedef {object} Language
 * @property {(text: string, signal: AbortSignal) => Promise<Mark[]>} diagnose
 * @property {(text: string, place: TextPlace, signal: AbortSignal) => Promise<import("./completion.js").Item[]>} complete
 * @property {(text: string, place: TextPlace, signal: AbortSignal) => Promise<string | null>} hover
 * @property {(text: string) => Promise<string | null>} format
 */

/** How long nobody types before the server is asked. */
const PAUSE = 120;

/**
 * @param {string} text
 * @param {number} offset
 * @returns {TextPlace}
 */
export function placeOf(text, offset) {
  const before = text.slice(0, offset);
  const line = before.split("\n").length - 1;
  return { line, character: offset - (before.lastIndexOf("\n") + 1) };
}

/**
 * @param {string} text
 * @param {TextPlace} place
 */
export function offsetOf(text, place) {
  let start = 0;
  for (let line = 0; line < place.line; line++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + place.character, end < 0 ? text.length : end);
}

/** @param {Mark} mark */
function severityOf(mark) {
  return mark.severity === 1 ? "error" : "warning";
}

export class Editor {
  /**
   * @param {string} id
   * @param {string} label
   * @param {Language} language
   * @param {{onRun: () => void, onChange: () => void}} hooks
   */
  constructor(id, label, language, hooks) {
    this.language = language;
    this.hooks = hooks;
    /** @type {Mark[]} */
    this.marks = [];
    this.timer = 0;
    /** @type {AbortController} */
    this.asked = new AbortController();
    this.field = make("textarea", {
      id,
      class: "editor-field",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      wrap: "off",
      "aria-autocomplete": "list",
      "aria-describedby": `${id}-mistakes ${id}-word`,
      oninput: () => this.changed(),
      onscroll: () => {
        this.align();
        this.completion.close();
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
      onkeyup: () => this.moved(),
      onclick: () => this.moved(),
    });
    this.numbers = make("div", { class: "editor-numbers", "aria-hidden": "true" });
    this.drawn = make("pre", { class: "editor-drawn", "aria-hidden": "true" });
    this.mistakes = make("ul", { id: `${id}-mistakes`, class: "mistakes", "aria-label": "Mistakes" });
    this.word = make("p", { id: `${id}-word`, class: "editor-word" });
    const well = make("div", { class: "editor-well" }, this.drawn, this.field);
    this.completion = new Completion(id, this.field, well, (text, place, signal) => language.complete(text, place, signal));
    this.element = make(
      "div",
      { class: "editor" },
      make("label", { class: "editor-label", for: id }, label),
      make("div", { class: "editor-body" }, this.numbers, well),
      this.word,
      this.mistakes,
    );
    this.draw();
  }

  get text() {
    return this.field.value;
  }

  /** Another text. @param {string} text */
  set(text) {
    this.field.value = text;
    this.field.setSelectionRange(0, 0);
    this.field.scrollTop = 0;
    this.changed();
    this.completion.close();
  }

  changed() {
    this.marks = [];
    this.draw();
    this.hooks.onChange();
    this.moved();
  }

  moved() {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.ask(), PAUSE);
  }

  /** Asks what is wrong, and what is under the cursor. */
  async ask() {
    this.asked.abort();
    this.asked = new AbortController();
    const { signal } = this.asked;
    const { text } = this;
    try {
      const [marks, word] = await Promise.all([
        this.language.diagnose(text, signal),
        this.language.hover(text, placeOf(text, this.field.selectionStart), signal),
      ]);
      if (signal.aborted) return;
      this.marks = marks;
      this.word.textContent = word ?? "";
      this.draw();
    } catch (error) {
      if (!signal.aborted) this.word.textContent = error instanceof Error ? error.message : "";
    }
  }

  /** The layers show the same part of the text. */
  align() {
    this.drawn.scrollLeft = this.field.scrollLeft;
    this.drawn.scrollTop = this.field.scrollTop;
    this.numbers.scrollTop = this.field.scrollTop;
  }

  draw() {
    const { text } = this;
    const count = text.split("\n").length;
    if (this.numbers.childElementCount !== count) {
      this.numbers.replaceChildren(...Array.from({ length: count }, (_, line) => make("div", {}, String(line + 1))));
    }
    const pieces = [];
    let done = 0;
    const places = this.marks.map((mark) => ({ mark, from: offsetOf(text, mark.range.start), to: offsetOf(text, mark.range.end) }));
    for (const { mark, from, to } of places.sort((a, b) => a.from - b.from)) {
      const start = Math.max(from, done);
      // What is missing at the end of a line is underlined there, too.
      const end = Math.max(to, start + 1);
      // Spaces at the end of a line are not underlined, so others stand for them: nobody sees the letters of this layer.
      const shown = text.slice(start, end).replace(/ /g, "x").replace(/^\n/, "x\n");
      pieces.push(text.slice(done, start), make("mark", { class: `squiggle ${severityOf(mark)}` }, shown === "" ? "x" : shown));
      done = Math.min(end, text.length);
    }
    this.drawn.replaceChildren(...pieces, text.slice(done), "\n");
    const told = this.marks.map((mark) => {
      const button = make(
        "button",
        { type: "button", class: `mistake ${severityOf(mark)}`, onclick: () => this.goTo(mark.range.start) },
        make("span", { class: "quiet" }, `line ${mark.range.start.line + 1}`),
        ` ${mark.message}`,
      );
      return make("li", {}, button);
    });
    this.mistakes.replaceChildren(...told);
    this.field.setAttribute("aria-invalid", String(this.marks.some((mark) => mark.severity === 1)));
    this.align();
  }

  /** @param {TextPlace} place */
  goTo(place) {
    const offset = offsetOf(this.text, place);
    this.field.focus();
    this.field.setSelectionRange(offset, offset);
  }

  async format() {
    const { text } = this;
    const done = await this.language.format(text);
    if (done === null || done === text || this.text !== text) return;
    this.field.setRangeText(done, 0, text.length, "preserve");
    this.changed();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (this.completion.onKey(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.hooks.onRun();
    }
    if (event.key.toLowerCase() === "f" && event.shiftKey && event.altKey) {
      event.preventDefault();
      void this.format();
    }
  }
}
