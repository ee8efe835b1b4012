// What the diagrams show for the choices that a reader made. Pure: state in, views out.

import { makeOrder } from "./run.js";
import { flagsOfMatter, makeRows, momentOf } from "./rows.js";

/** Runs with more events than this show first what matters only. */
const LARGE = 200;

/** With more lanes than this, lanes without anything that matters are folded while only that is shown. */
const MANY_LANES = 8;

/**
 * @typedef {object} Choice
 * @property {number} result Index of the result, -1 if there is none.
 * @property {"recorded" | "other" | "both"} mode Which orders are shown; `other` is the one that the result has.
 * @property {boolean} matters Only what matters.
 * @property {Set<number>} folded
 * @property {Set<number>} opened
 * @property {Uint8Array | null} hits
 */

/**
 * @typedef {object} Orders
 * @property {import("./run.js").Order} recorded
 * @property {import("./run.js").Order | null} other The order of the result, where it is another than the recorded one.
 * @property {boolean} itself Whether the recorded order is that of the result.
 */

/**
 * @param {import("./run.js").Run} run
 * @param {import("./types.js").Result | null} result
 * @returns {Orders}
 */
export function ordersOf(run, result) {
  const { recorded } = run;
  if (!result?.order) return { recorded, other: null, itself: false };
  const other = makeOrder(run.size, result.order, recorded);
  const same = other.length === run.size && other.events.every((event, place) => recorded.events[place] === event);
  return same ? { recorded, other: null, itself: true } : { recorded, other, itself: false };
}

/**
 * What is chosen when a result is opened: the failing order, at the failing moment; of a large run only what matters.
 *
 * @param {import("./run.js").Run} run
 * @param {number} index
 * @param {boolean} wide Whether there is room for two diagrams.
 * @returns {Choice}
 */
export function firstChoice(run, index, wide) {
  const result = run.picture.results[index] ?? null;
  const orders = ordersOf(run, result);
  const large = run.size > LARGE && result !== null && (result.mentions?.length ?? 0) > 0;
  return {
    result: result === null ? -1 : index,
    mode: orders.other === null ? "recorded" : wide ? "both" : "other",
    matters: large,
    folded: new Set(),
    opened: new Set(),
    hits: null,
  };
}

/**
 * The words for the order of a result.
 *
 * @param {import("./types.js").Result} result
 */
export function orderName(result) {
  if (result.cut) return result.verdict === "violated" ? "Path to the failing cut" : "Path to the cut";
  return result.verdict === "violated" ? "Failing order" : "Order found";
}

/**
 * @param {import("./run.js").Run} run
 */
export function recordedName(run) {
  if (run.picture.kind === "model") return "Steps";
  return run.picture.recorded ? "Recorded order" : "One possible order";
}

/**
 * The views of the diagrams.
 *
 * @param {import("./run.js").Run} run
 * @param {Orders} orders
 * @param {Choice} choice
 * @returns {{recorded: import("./diagram.js").View | null, other: import("./diagram.js").View | null}}
 */
export function viewsOf(run, orders, choice) {
  const result = run.picture.results[choice.result] ?? null;
  const matter = result !== null && (result.mentions?.length ?? 0) > 0 ? flagsOfMatter(run.size, result) : null;
  const only = choice.matters && matter !== null ? united(matter, choice.hits) : null;
  const folded = only === null || run.lanes.length <= MANY_LANES ? choice.folded : foldEmpty(run, only, choice.folded);
  /** @type {Map<number, "↑" | "↓">} */
  const moved = new Map();
  for (const event of result?.moved?.earlier ?? []) moved.set(event, "↑");
  for (const event of result?.moved?.later ?? []) moved.set(event, "↓");
  const shared = {
    folded, matter, moved, hits: choice.hits, swapped: new Set(result?.swapped ?? []), failing: result?.verdict !== "holds",
    note: noteOf(result), cut: result?.cut ?? null,
  };
  /** @param {import("./run.js").Order} order @param {boolean} own Whether it is the order that the result is about. @param {string} title */
  const view = (order, own, title) => {
    const moment = own && result !== null ? momentOf(result) : null;
    const cycle = own ? (result?.cycle ?? null) : null;
    const rows = makeRows(run, order, { only, folded, opened: choice.opened, moment, cycle });
    return { ...shared, title, order, rows, moment, cycle, missing: result?.missing ?? [] };
  };
  const both = choice.mode === "both";
  return {
    recorded: both || choice.mode === "recorded" ? view(orders.recorded, orders.itself, titleOfRecorded(run, orders, result)) : null,
    other: result !== null && orders.other !== null && choice.mode !== "recorded"
      ? view(orders.other, true, result.heading || orderName(result))
      : null,
  };
}

/**
 * @param {import("./run.js").Run} run
 * @param {Orders} orders
 * @param {import("./types.js").Result | null} result
 */
function titleOfRecorded(run, orders, result) {
  return orders.itself && result !== null && result.heading ? result.heading : recordedName(run);
}

/**
 * @param {import("./types.js").Result | null} result
 */
function noteOf(result) {
  if (result === null) return "";
  const words = result.moment?.waits === undefined ? "" : "from here on it waits in vain. ";
  return `${words}${result.note ?? ""}` || (result.verdict === "holds" ? "decided here" : "fails here");
}

/**
 * @param {Uint8Array} flags
 * @param {Uint8Array | null} more
 */
function united(flags, more) {
  return more === null ? flags : flags.map((flag, index) => flag | more[index]);
}

/**
 * @param {import("./run.js").Run} run
 * @param {Uint8Array} only
 * @param {Set<number>} folded
 */
function foldEmpty(run, only, folded) {
  const used = new Set();
  only.forEach((flag, event) => {
    if (flag) used.add(run.columns[run.column[event]].lane);
  });
  const all = new Set(folded);
  run.lanes.forEach((_, lane) => {
    if (!used.has(lane)) all.add(lane);
  });
  return all;
}
