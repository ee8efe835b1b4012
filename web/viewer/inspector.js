// The panel beside the diagram: what is true at the cursor, and all about the event there.

import { make, counted } from "./dom.js";
import { eventId, eventName, eventPlace, isAssumed, laneOf, pairsOf, reasonOf } from "./run.js";
import { endsOfParts, speaksOf, truthAt } from "./steps.js";

/** More variables than this are not listed; a filter finds the others. */
const MOST_VALUES = 60;

/** More causes or effects than this are counted, not listed. */
const MOST_EDGES_LISTED = 12;

const TRUTH = /** @type {const} */ ([
  ["✗", "false", "pv-false"],
  ["✓", "true", "pv-true"],
  ["?", "open: later events decide", "pv-open"],
]);

/**
 * @typedef {object} Moment What the panel shows.
 * @property {number} event The event before the cursor, -1 if there is none.
 * @property {string} where
 * @property {number} step
 * @property {import("./types.js").Parts | null} parts
 * @property {import("./steps.js").Values} values
 * @property {string} formula The formula of the property, to tell its variables.
 */

/**
 * @param {import("./run.js").Run} run
 * @param {{onEvent: (event: number) => void}} hooks
 */
export function makeInspector(run, hooks) {
  const where = make("h3", { class: "pv-where", "aria-live": "polite" });
  const parts = make("ul", { class: "pv-parts" });
  const partsBox = make("section", { "aria-label": "The property at this step" }, make("h4", {}, "The property here"), parts);
  const filter = make("input", { type: "search", placeholder: "filter variables", "aria-label": "Filter variables" });
  const table = make("tbody");
  const more = make("p", { class: "pv-more" });
  const valuesBox = make(
    "section",
    { "aria-label": "Values at this step" },
    make("h4", {}, "Values here"),
    filter,
    make("table", { class: "pv-values" }, table),
    more,
  );
  const about = make("section", { class: "pv-about", "aria-label": "The event" });
  const element = make("aside", { class: "pv-inspector", "aria-label": "At the cursor" }, where, partsBox, valuesBox, about);
  /** @type {Set<number>} */
  const foldedParts = new Set();
  /** @type {Moment | null} */
  let shown = null;
  filter.addEventListener("input", () => shown !== null && fillValues(shown));

  /** @param {Moment} moment */
  function show(moment) {
    shown = moment;
    where.textContent = moment.where;
    fillParts(moment);
    fillValues(moment);
    fillAbout(moment.event);
  }

  /** @param {Moment} moment */
  function fillParts({ parts: truths, step }) {
    partsBox.hidden = truths === null;
    if (truths === null) return;
    const ends = endsOfParts(truths);
    /** @type {HTMLElement[]} */
    const items = [];
    for (let index = 0; index < truths.formulas.length; index++) {
      const { text, depth } = truths.formulas[index];
      const value = truthAt(truths, index, step);
      const [mark, word, style] = value === null ? ["·", "has no value here", "pv-open"] : TRUTH[value === -1 ? 2 : value];
      const item = make(
        "li",
        { class: style },
        make("span", { class: "pv-truth", role: "img", "aria-label": word, title: word }, mark),
        make("code", {}, text),
      );
      item.style.paddingLeft = `${depth * 14}px`;
      const folded = foldedParts.has(index);
      if (ends[index] > index + 1) item.append(foldButton(index, folded));
      items.push(item);
      if (folded) index = ends[index] - 1;
    }
    parts.replaceChildren(...items);
  }

  /** @param {number} index @param {boolean} folded */
  function foldButton(index, folded) {
    const label = folded ? "Show its parts" : "Hide its parts";
    return make(
      "button",
      {
        type: "button", class: "pv-small", "aria-expanded": String(!folded), "aria-label": label, title: label,
        onclick: () => {
          if (folded) foldedParts.delete(index);
          else foldedParts.add(index);
          if (shown !== null) fillParts(shown);
        },
      },
      folded ? "▸" : "▾",
    );
  }

  /** @param {Moment} moment */
  function fillValues({ values, step, formula }) {
    valuesBox.hidden = values.names.length === 0;
    filter.hidden = values.names.length <= MOST_VALUES / 4;
    const question = filter.hidden ? "" : filter.value.toLowerCase();
    const all = values.names.map((name, variable) => ({ name, variable })).filter(({ name }) => name.toLowerCase().includes(question));
    // What the property speaks about first, then what has just changed.
    const rank = (/** @type {{name: string, variable: number}} */ { name, variable }) =>
      (speaksOf(formula, name) ? 0 : values.changed(variable, step) ? 1 : 2);
    const listed = all.map((entry) => ({ ...entry, rank: rank(entry) })).sort((a, b) => a.rank - b.rank).slice(0, MOST_VALUES);
    table.replaceChildren(
      ...listed.map(({ name, variable }) => {
        const changed = values.changed(variable, step);
        return make(
          "tr",
          { class: changed ? "pv-changed" : null },
          make("th", { scope: "row" }, name),
          make("td", {}, values.at(variable, step) ?? "no value yet"),
          make("td", { class: "pv-mark" }, changed ? "◂ set here" : ""),
        );
      }),
    );
    const left = all.length - listed.length;
    more.textContent = left > 0 ? `and ${counted(left, "variable")} more` : "";
    more.hidden = left === 0;
  }

  /** @param {number} event */
  function fillAbout(event) {
    if (event < 0) return about.replaceChildren();
    const { events } = run.picture;
    /** @type {[string, string][]} */
    const facts = [["id", eventId(run, event)]];
    const place = eventPlace(run, event);
    if (place !== "") facts.push(["where", place]);
    const time = events.time?.[event];
    if (time !== undefined && time !== null) facts.push(["time", `${Math.round(time * 1e6) / 1e6} ${run.picture.time_unit ?? ""}`.trim()]);
    facts.push(...pairsOf(run, events.about?.[event]));
    const list = make("dl", {}, ...facts.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, value)]));
    about.replaceChildren(make("h4", {}, "This event"), list, ...edgeLists(event));
  }

  /** @param {number} event */
  function edgeLists(event) {
    return [
      edgeList("Comes after", run.causes, run.from, event),
      edgeList("Comes before", run.effects, run.to, event),
    ].filter((list) => list !== null);
  }

  /**
   * @param {string} title
   * @param {import("./run.js").Neighbours} neighbours
   * @param {Int32Array} other
   * @param {number} event
   */
  function edgeList(title, { start, edges }, other, event) {
    const found = [...edges.subarray(start[event], start[event + 1])];
    if (found.length === 0) return null;
    const items = found.slice(0, MOST_EDGES_LISTED).map((edge) => {
      const end = other[edge];
      const reason = reasonOf(run, edge);
      const assumed = isAssumed(run, edge) && !reason.startsWith("assumed") ? "assumed: " : "";
      return make(
        "li",
        {},
        make(
          "button",
          { type: "button", class: "pv-link", onclick: () => hooks.onEvent(end) },
          `${eventName(run, end)} on ${run.lanes[laneOf(run, end)].name}`,
        ),
        reason === "" ? null : make("span", { class: "pv-reason" }, ` ${assumed}${reason}`),
      );
    });
    const left = found.length - items.length;
    if (left > 0) items.push(make("li", {}, `and ${counted(left, "other")}`));
    return make("div", {}, make("h5", {}, title), make("ul", { class: "pv-edges" }, ...items));
  }

  return { element, show };
}
