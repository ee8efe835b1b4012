// What is known so far: a line for each verdict as it comes, what is being done, and what the program said.

import { counted, grouped, make } from "../viewer/dom.js";

/** As shapes, because not everybody sees the colours. */
const SIGNS = /** @type {Record<string, string>} */ ({ holds: "✓", violated: "✗", unknown: "?", open: "…" });

/**
 * @typedef {object} Verdict
 * @property {string} property
 * @property {string} verdict
 * @property {string} [sentence]
 * @property {string} [subject]
 */

export class Verdicts {
  /** @param {(index: number) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    /** @type {Verdict[]} */
    this.all = [];
    this.chosen = -1;
    this.list = make("ol", { class: "verdicts", "aria-label": "Verdicts" });
    this.doing = make("p", { class: "doing" });
    this.bar = make("progress", { "aria-label": "Progress", hidden: true });
    this.notes = make("div", { class: "notes" });
    this.element = make("section", { class: "answers", "aria-label": "Answers" }, this.bar, this.doing, this.list, this.notes);
  }

  clear() {
    this.all = [];
    this.chosen = -1;
    this.bar.hidden = true;
    this.doing.textContent = "";
    this.notes.replaceChildren();
    this.list.replaceChildren();
  }

  /** @param {Verdict} verdict */
  add(verdict) {
    const known = this.all.findIndex((one) => one.property === verdict.property && one.subject === verdict.subject);
    if (known < 0) this.all.push(verdict);
    else this.all[known] = verdict;
    this.show();
  }

  /** @param {Verdict[]} all */
  set(all) {
    this.all = all;
    this.show();
  }

  /** @param {number} index */
  choose(index) {
    if (index === this.chosen) return;
    this.chosen = index;
    this.show();
  }

  show() {
    const focused = [...this.list.querySelectorAll("button")].indexOf(/** @type {any} */ (document.activeElement));
    const items = this.all.map((one, index) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: `verdict ${one.verdict}`,
            "aria-current": index === this.chosen ? "true" : null,
            onclick: () => this.onChoose(index),
          },
          make("span", { class: "sign", "aria-hidden": "true" }, SIGNS[one.verdict] ?? "?"),
          make("span", { class: "property" }, one.property, one.subject === undefined ? null : make("span", { class: "quiet" }, ` ${one.subject}`)),
          make("span", { class: "word" }, one.verdict),
          make("span", { class: "sentence" }, one.sentence ?? ""),
        ),
      ),
    );
    this.list.replaceChildren(...items);
    if (focused >= 0) this.list.querySelectorAll("button")[focused]?.focus();
  }

  /** What is being done. @param {any} progress */
  progress(progress) {
    this.bar.hidden = false;
    if (typeof progress.of === "number" && progress.of > 0) {
      this.bar.max = progress.of;
      this.bar.value = progress.decided ?? 0;
    } else this.bar.removeAttribute("value");
    const seconds = `${progress.seconds.toFixed(1)} s`;
    const explored = progress.explored > 0 ? `${grouped(progress.explored)} explored, ` : "";
    const far = progress.of > 0 ? `${progress.decided} of ${progress.of} decided; ` : "";
    this.doing.textContent = `${far}${progress.what}: ${explored}${seconds}`;
  }

  /** @param {string} text */
  say(text) {
    this.bar.hidden = true;
    this.doing.textContent = text;
  }

  /** What the program said, as it drew it: a mistake with its line and its place. @param {string} text */
  note(text) {
    const severity = text.startsWith("error") ? "error" : text.startsWith("warning") ? "warning" : "remark";
    const last = this.notes.lastElementChild;
    if (severity === "remark" && last !== null) last.append(`\n${text}`);
    else this.notes.append(make("pre", { class: `note ${severity}`, tabindex: "0" }, text.trimEnd()));
  }

  /** All of it in a sentence. */
  summary() {
    const of = (/** @type {string} */ word) => this.all.filter((one) => one.verdict === word).length;
    const parts = [];
    if (of("violated") > 0) parts.push(`${counted(of("violated"), "property").replace(/propertys$/, "properties")} violated`);
    if (of("unknown") > 0) parts.push(`${of("unknown")} unknown`);
    if (of("holds") > 0) parts.push(`${of("holds")} ${of("holds") === 1 ? "holds" : "hold"}`);
    return parts.join(", ");
  }
}
