// The words: the list of properties with their answers, and the story of the one that is chosen.

import { make } from "./dom.js";

const MARKS = { holds: "✓", violated: "✗", unknown: "?" };

/**
 * @param {import("./types.js").Result[]} results
 * @param {(index: number) => void} onChoose
 */
export function makeResults(results, onChoose) {
  const buttons = results.map((result, index) =>
    make(
      "button",
      { type: "button", class: `pv-result pv-${result.verdict}`, onclick: () => onChoose(index) },
      make("span", { class: "pv-verdict", "aria-hidden": "true" }, MARKS[result.verdict] ?? "?"),
      make("span", { class: "pv-result-name" }, result.property),
      make("span", { class: "pv-hidden" }, `: ${result.word || result.verdict}`),
    ),
  );
  const element = make(
    "nav",
    { class: "pv-results", "aria-label": "Properties", hidden: results.length < 2 },
    make("ul", {}, ...buttons.map((button) => make("li", {}, button))),
  );
  /** @param {number} chosen */
  function choose(chosen) {
    buttons.forEach((button, index) => {
      if (index === chosen) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
  }
  return { element, choose, focus: (/** @type {number} */ index) => buttons[index]?.focus() };
}

/**
 * @param {import("./types.js").Result | null} result
 * @returns {HTMLElement}
 */
export function makeStory(result) {
  const element = make("section", { class: "pv-story", "aria-label": "The answer" });
  if (result === null) {
    element.hidden = true;
    return element;
  }
  element.classList.add(`pv-${result.verdict}`);
  element.append(
    make(
      "h2",
      {},
      make("span", { class: "pv-verdict", "aria-hidden": "true" }, MARKS[result.verdict] ?? "?"),
      make("span", {}, result.property),
      make("span", { class: "pv-word" }, result.sentence ? `${result.word}: ${result.sentence}` : result.word),
    ),
    make(
      "p",
      { class: "pv-formula" },
      make("span", { class: "pv-logic" }, result.logic),
      // A property without a name is called by its formula; of a deadlock there is none.
      result.formula === result.property || result.formula === "" ? null : make("code", {}, result.formula),
    ),
    ...(result.story ?? []).map((paragraph) => make("p", {}, ...quoted(paragraph))),
  );
  const remarks = [
    ...(result.relies_on ?? []).map((text) => `Relies on: ${text}`),
    ...(result.warnings ?? []).map((text) => `Warning: ${text}`),
  ];
  if (remarks.length > 0) element.append(make("ul", { class: "pv-remarks" }, ...remarks.map((text) => make("li", {}, text))));
  return element;
}

/**
 * Text with what stands between back quotes as code.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function quoted(text) {
  const pieces = text.split("`");
  // An odd quote at the end belongs to the text.
  if (pieces.length % 2 === 0) return [text];
  return pieces.map((piece, index) => (index % 2 === 1 ? make("code", {}, piece) : piece));
}

/** @type {[string, string][]} */
const KEYS = [
  ["↑ ↓", "the event before and after, in the list of events"],
  ["← →", "one step back and on"],
  ["Home End", "the start and the end"],
  ["Enter", "show the events that a row leaves out"],
  ["f", "go to the moment where it fails"],
  ["m", "only what matters, or everything"],
  ["/", "search: words, key=value, property:name"],
  ["n p", "the next and the previous event that was found"],
  ["+ −", "zoom; also with Ctrl and the wheel"],
];

/** What the keys do. */
export function makeKeys() {
  return make(
    "details",
    { class: "pv-keys" },
    make("summary", {}, "Keys"),
    make("dl", {}, ...KEYS.flatMap(([keys, meaning]) => [make("dt", {}, keys), make("dd", {}, meaning)])),
  );
}
