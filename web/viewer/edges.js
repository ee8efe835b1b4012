// The edges of a diagram by the rows that they span, so that those which cross what is visible are found without looking at all.
//
// An edge whose rows span fewer than 2^k lies in level k, and a level is sorted by the upper row. Those of level k that touch rows
// a..b begin in a-2^k..b: one binary search for each level, and at most about half of what is looked at is in vain.
//
// An edge leaves its source in the source's own row, where there is no other event, and goes down just beside the column of its
// target. Edges that share this gap at the same rows get different slots in it.

/**
 * @typedef {object} EdgeIndex
 * @property {Int32Array} upper The smaller row of each edge that is shown.
 * @property {Int32Array} lower
 * @property {Int32Array} edge Which edge of the run it is.
 * @property {Uint8Array} slot
 * @property {{span: number, items: Int32Array}[]} levels
 */

/** How many edges may go down side by side between two columns before they share a slot. */
export const SLOTS = 5;

/**
 * @param {import("./run.js").Run} run
 * @param {Int32Array} rowOf
 * @returns {EdgeIndex}
 */
export function indexEdges(run, rowOf) {
  const most = run.from.length;
  let upper = new Int32Array(most);
  let lower = new Int32Array(most);
  let edge = new Int32Array(most);
  let count = 0;
  for (let index = 0; index < most; index++) {
    const source = rowOf[run.from[index]];
    const target = rowOf[run.to[index]];
    if (source < 0 || target < 0) continue;
    upper[count] = Math.min(source, target);
    lower[count] = Math.max(source, target);
    edge[count++] = index;
  }
  upper = upper.slice(0, count);
  lower = lower.slice(0, count);
  edge = edge.slice(0, count);
  const byRow = sortedBy(upper);
  return { upper, lower, edge, slot: assignSlots(run, { upper, lower, edge }, byRow), levels: levelsOf(upper, lower, byRow) };
}

/**
 * The numbers 0..n-1 sorted by their keys, which are not negative.
 *
 * @param {Int32Array} keys
 */
function sortedBy(keys) {
  let most = 0;
  for (const key of keys) most = Math.max(most, key);
  const start = new Int32Array(most + 2);
  for (const key of keys) start[key + 1]++;
  for (let key = 0; key <= most; key++) start[key + 1] += start[key];
  const sorted = new Int32Array(keys.length);
  keys.forEach((key, item) => {
    sorted[start[key]++] = item;
  });
  return sorted;
}

/**
 * @param {Int32Array} upper
 * @param {Int32Array} lower
 * @param {Int32Array} byRow
 */
function levelsOf(upper, lower, byRow) {
  /** @type {number[][]} */
  const levels = [];
  for (const item of byRow) {
    const level = 32 - Math.clz32(lower[item] - upper[item]);
    (levels[level] ??= []).push(item);
  }
  /** @type {EdgeIndex["levels"]} */
  const found = [];
  levels.forEach((items, level) => {
    found.push({ span: 2 ** level, items: Int32Array.from(items) });
  });
  return found;
}

/**
 * First fit by the upper row; when all slots are taken, the one that becomes free first.
 *
 * @param {import("./run.js").Run} run
 * @param {{upper: Int32Array, lower: Int32Array, edge: Int32Array}} rows
 * @param {Int32Array} byRow
 */
function assignSlots(run, { upper, lower, edge }, byRow) {
  const slot = new Uint8Array(edge.length);
  const free = new Int32Array(2 * run.columns.length * SLOTS).fill(-1);
  for (const item of byRow) {
    const source = run.column[run.from[edge[item]]];
    const target = run.column[run.to[edge[item]]];
    const base = (2 * target + (source < target ? 0 : 1)) * SLOTS;
    let best = 0;
    for (let choice = 0; choice < SLOTS; choice++) {
      if (free[base + choice] <= upper[item]) {
        best = choice;
        break;
      }
      if (free[base + choice] < free[base + best]) best = choice;
    }
    free[base + best] = lower[item];
    slot[item] = best;
  }
  return slot;
}

/**
 * Calls `found` with the items of all edges that touch the rows `first..last`, at most `limit` of them; tells how many there are
 * beyond the limit.
 *
 * @param {EdgeIndex} index
 * @param {number} first
 * @param {number} last
 * @param {number} limit
 * @param {(item: number) => void} found
 */
export function edgesBetween(index, first, last, limit, found) {
  let seen = 0;
  for (const { span, items } of index.levels) {
    for (let at = lowerBound(items, index.upper, first - span + 1); at < items.length; at++) {
      const item = items[at];
      if (index.upper[item] > last) break;
      if (index.lower[item] < first) continue;
      if (seen++ < limit) found(item);
    }
  }
  return Math.max(0, seen - limit);
}

/**
 * @param {Int32Array} items
 * @param {Int32Array} keys
 * @param {number} key
 */
function lowerBound(items, keys, key) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[items[middle]] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
