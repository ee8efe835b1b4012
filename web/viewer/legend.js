// What the signs of a diagram mean: those that occur in it.

import { make, makeSvg } from "./dom.js";

/**
 * @param {import("./run.js").Run} run
 * @param {{recorded: import("./diagram.js").View | null, other: import("./diagram.js").View | null}} views
 * @returns {HTMLElement[]}
 */
export function legendOf(run, { recorded, other }) {
  const view = other ?? recorded;
  if (view === null || run.size === 0 || run.picture.wave) return [];
  const { picture } = run;
  const assumed = picture.edges.reason.some((reason) => picture.reasons[reason]?.assumed === true);
  /** @type {[boolean, Node, string][]} */
  const entries = [
    [view.matter !== null, dot("pv-ink-filled"), "matters for the property"],
    [view.matter !== null, dot("pv-ink"), "another event"],
    [run.also?.some((others) => others.length > 0) === true, bar(), "a step of several components"],
    [picture.edges.from.length > 0, arrow("pv-ink", "", true), "came before"],
    [assumed, arrow("pv-ink", "4 3", false), "assumed to come before"],
    [view.missing.length > 0, arrow("pv-ink-fail", "0.5 4", false), "missing: would rule it out"],
    [view.swapped.size > 0, sign("⇅"), "the two that changed places"],
    [view.moved.size > view.swapped.size, sign("↑ ↓"), "earlier or later than recorded"],
    [view.cut !== null, arrow("pv-ink-fail", "8 3", null), "the cut: what is above has happened"],
    [view.moment !== null, sign(view.failing ? "✗" : "✓"), view.failing ? "where it fails" : "where it shows"],
  ];
  return entries.filter(([occurs]) => occurs).map(([, shape, text]) => make("li", {}, shape, text));
}

/** @param {string} text */
function sign(text) {
  return make("span", { class: "pv-sign" }, text);
}

function bar() {
  const ends = [5, 25].map((x) => makeSvg("circle", { cx: x, cy: 6, r: 4, class: "pv-ink-filled" }));
  return makeSvg("svg", { width: 30, height: 12, "aria-hidden": "true" }, makeSvg("path", { d: "M5 6 H25", class: "pv-ink" }), ...ends);
}

/** @param {string} style */
function dot(style) {
  return makeSvg("svg", { width: 12, height: 12, "aria-hidden": "true" }, makeSvg("circle", { cx: 6, cy: 6, r: 4.5, class: style }));
}

/**
 * @param {string} style
 * @param {string} dash
 * @param {boolean | null} filled The tip; null for none.
 */
function arrow(style, dash, filled) {
  return makeSvg(
    "svg",
    { width: 30, height: 12, "aria-hidden": "true" },
    makeSvg("path", { d: "M2 6 H27", class: style, "stroke-dasharray": dash }),
    filled === null ? null : makeSvg("path", { d: filled ? "M21 2 L28 6 L21 10 Z" : "M21 2 L28 6 L21 10", class: filled ? "pv-ink-filled" : style }),
  );
}
