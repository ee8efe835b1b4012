// What is true at a step of an order: the values of variables, and the truth of the subformulas of a property.
//
// Step 0 is the start, step i is after the i-th event.

import { textOf } from "./run.js";

/**
 * @typedef {object} Values
 * @property {string[]} names Variables, sorted.
 * @property {(variable: number, step: number) => string | null} at
 * @property {(variable: number, step: number) => boolean} changed Whether the event of this very step assigned it.
 */

/**
 * The values of all variables along an order.
 *
 * @param {import("./run.js").Run} run
 * @param {import("./run.js").Order} order
 * @returns {Values}
 */
export function valuesAlong(run, order) {
  const { picture } = run;
  /** @type {Map<number, {steps: number[], values: number[]}>} */
  const history = new Map();
  /** @param {import("./types.js").Pairs} flat @param {number} step */
  const note = (flat, step) => {
    for (let index = 0; index + 1 < flat.length; index += 2) {
      let entry = history.get(flat[index]);
      if (entry === undefined) history.set(flat[index], (entry = { steps: [], values: [] }));
      entry.steps.push(step);
      entry.values.push(flat[index + 1]);
    }
  };
  for (const flat of picture.initial ?? []) note(flat, 0);
  for (let position = 0; position < run.size; position++) {
    const flat = picture.events.sets[order.events[position]];
    if (flat !== undefined && flat.length > 0) note(flat, position + 1);
  }
  const sorted = [...history.entries()]
    .map(([name, entry]) => ({ name: textOf(picture, name), entry }))
    .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  return {
    names: sorted.map(({ name }) => name),
    at(variable, step) {
      const { steps, values } = sorted[variable].entry;
      const index = lastAtMost(steps, step);
      return index < 0 ? null : textOf(picture, values[index]);
    },
    changed(variable, step) {
      const { steps } = sorted[variable].entry;
      const index = lastAtMost(steps, step);
      return step > 0 && index >= 0 && steps[index] === step;
    },
  };
}

/**
 * The index of the last number that is at most `limit`, -1 if there is none.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} limit
 */
export function lastAtMost(sorted, limit) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * The truth of a subformula at a step: 1 true, 0 false, -1 open, null where it has none (before the first position).
 *
 * @param {import("./types.js").Parts} parts
 * @param {number} formula
 * @param {number} step
 * @returns {number | null}
 */
export function truthAt(parts, formula, step) {
  if (step < parts.first) return null;
  const changes = parts.changes[formula];
  let low = 0;
  let high = changes.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[2 * middle] <= step) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : changes[2 * low - 1];
}

/**
 * Where each part of a formula stands in it: for a part that does not hold at a step, the path of parts below it that are to blame
 * is what a reader wants to see, so parts can be folded. The children of part `i` are those after it that are one deeper, up to the
 * next that is not.
 *
 * @param {import("./types.js").Parts} parts
 * @returns {number[]} For each part the index after its last descendant.
 */
export function endsOfParts(parts) {
  const ends = parts.formulas.map(() => parts.formulas.length);
  /** @type {number[]} */
  const open = [];
  parts.formulas.forEach(({ depth }, index) => {
    while (open.length > 0 && parts.formulas[open[open.length - 1]].depth >= depth) {
      ends[/** @type {number} */ (open.pop())] = index;
    }
    open.push(index);
  });
  return ends;
}

/**
 * Whether a formula speaks of a variable: has its name, not as a part of a longer one.
 *
 * @param {string} formula
 * @param {string} name
 */
export function speaksOf(formula, name) {
  for (let at = formula.indexOf(name); at >= 0 && name !== ""; at = formula.indexOf(name, at + 1)) {
    const before = formula[at - 1] ?? " ";
    const after = formula[at + name.length] ?? " ";
    if (!/[\w.]/.test(before) && !/[\w.[]/.test(after)) return true;
  }
  return false;
}
