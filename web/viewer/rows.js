// The rows of a diagram: one for each event that is shown, in the order that is shown. A row may also stand for events that are
// left out, for the moment at which a property fails, or for the place where a loop closes.
//
// Rows come in the order of positions. `rowOf` maps every position to the row that shows it, so a cursor never gets lost: the
// position of an event that is left out maps to the row that stands for it.

import { isFolded } from "./run.js";

export const ROW_EVENT = 0;
export const ROW_GAP = 1;
export const ROW_MOMENT = 2;
export const ROW_LOOP = 3;

/**
 * @typedef {object} Rows
 * @property {number} count
 * @property {Uint8Array} kind
 * @property {Int32Array} value The event; the position of the first event of a gap; the position of a moment.
 * @property {Int32Array} extra How many events a gap leaves out.
 * @property {Int32Array} rowOf The row of each event, -1 if it is left out.
 * @property {Int32Array} rowAt The row of each position of the order.
 * @property {number} shown How many events have a row.
 */

/**
 * @typedef {object} RowChoice
 * @property {Uint8Array | null} only Flags of the events to be shown; null for all.
 * @property {Set<number>} folded Lanes whose events are left out.
 * @property {Set<number>} opened Gaps that were opened, by the event that they begin with.
 * @property {number | null} moment The position after which the row of the moment comes; 0 is the start.
 * @property {number | null} cycle The position where a loop begins; its row comes last.
 */

/**
 * @param {import("./run.js").Run} run
 * @param {import("./run.js").Order} order
 * @param {RowChoice} choice
 * @returns {Rows}
 */
export function makeRows(run, order, choice) {
  const size = run.size;
  const shown = flagsOfShown(run, order, choice);
  const most = size + 3;
  const kind = new Uint8Array(2 * most);
  const value = new Int32Array(2 * most);
  const extra = new Int32Array(2 * most);
  const rowOf = new Int32Array(size).fill(-1);
  const rowAt = new Int32Array(size);
  let count = 0;
  let visible = 0;
  /** @param {number} rowKind @param {number} rowValue */
  const push = (rowKind, rowValue) => {
    kind[count] = rowKind;
    value[count] = rowValue;
    return count++;
  };
  if (choice.moment === 0) push(ROW_MOMENT, 0);
  let gap = -1;
  for (let position = 0; position < size; position++) {
    const event = order.events[position];
    if (shown[event]) {
      gap = -1;
      rowOf[event] = rowAt[position] = push(ROW_EVENT, event);
      visible++;
    } else {
      if (gap < 0) gap = push(ROW_GAP, position);
      extra[gap]++;
      rowAt[position] = gap;
    }
    if (choice.moment === position + 1) {
      push(ROW_MOMENT, position + 1);
      gap = -1;
    }
  }
  if (choice.cycle !== null && choice.cycle !== undefined) push(ROW_LOOP, choice.cycle);
  return {
    count,
    kind: kind.slice(0, count),
    value: value.slice(0, count),
    extra: extra.slice(0, count),
    rowOf,
    rowAt,
    shown: visible,
  };
}

/**
 * @param {import("./run.js").Run} run
 * @param {import("./run.js").Order} order
 * @param {RowChoice} choice
 */
function flagsOfShown(run, order, { only, folded, opened }) {
  const shown = only === null ? new Uint8Array(run.size).fill(1) : only.slice();
  if (folded.size > 0) {
    for (let event = 0; event < run.size; event++) {
      if (isFolded(run, event, folded)) shown[event] = 0;
    }
  }
  for (const first of opened) {
    // A gap ends at the next event that was shown when it was opened. Folded lanes stay folded.
    for (let position = order.place[first]; position < run.size; position++) {
      const event = order.events[position];
      if (shown[event]) break;
      if (!isFolded(run, event, folded)) shown[event] = 1;
    }
  }
  return shown;
}

/**
 * Flags of the events that a result is about: those that its property mentions, those that moved, and both ends of what is missing.
 *
 * @param {number} size
 * @param {import("./types.js").Result} result
 */
export function flagsOfMatter(size, result) {
  const flags = new Uint8Array(size);
  for (const event of result.mentions ?? []) flags[event] = 1;
  for (const event of result.swapped ?? []) flags[event] = 1;
  for (const pair of result.missing ?? []) {
    for (const event of pair) flags[event] = 1;
  }
  const moment = momentOf(result);
  if (moment !== null && moment > 0 && result.order) flags[result.order[moment - 1]] = 1;
  return flags;
}

/**
 * The position at which the result is decided, or from which on it waits in vain.
 *
 * @param {import("./types.js").Result} result
 * @returns {number | null}
 */
export function momentOf(result) {
  return result.moment?.at ?? result.moment?.waits ?? null;
}
