// Lanes that belong together, so that they can be folded at once: those of one group, or whose names differ in a number at the end.

/**
 * @typedef {object} Group
 * @property {string} name
 * @property {number[]} lanes
 */

/**
 * The groups of at least two lanes, in the order of their first lanes.
 *
 * @param {{name: string, group: string | null}[]} lanes
 * @returns {Group[]}
 */
export function groupsOf(lanes) {
  /** @type {Map<string, Group>} */
  const found = new Map();
  lanes.forEach(({ name, group }, lane) => {
    const own = group !== null && group !== name ? group : stemOf(name);
    if (own === "") return;
    const known = found.get(own);
    if (known === undefined) found.set(own, { name: own, lanes: [lane] });
    else known.lanes.push(lane);
  });
  return [...found.values()].filter((group) => group.lanes.length > 1);
}

/** A name without the number at its end, and without what stands before that. @param {string} name */
function stemOf(name) {
  return name.replace(/\[?\d+\]?$/, "").replace(/[\s._:#/@-]+$/, "");
}

/**
 * What can be unfolded: whole groups first, then single lanes.
 *
 * @param {{name: string, group: string | null}[]} lanes
 * @param {Set<number>} folded
 * @returns {{name: string, lanes: number[]}[]}
 */
export function foldedParts(lanes, folded) {
  const whole = groupsOf(lanes).filter((group) => group.lanes.every((lane) => folded.has(lane)));
  const inGroups = new Set(whole.flatMap((group) => group.lanes));
  const single = [...folded].filter((lane) => !inGroups.has(lane)).sort((a, b) => a - b);
  return [...whole, ...single.map((lane) => ({ name: lanes[lane].name, lanes: [lane] }))];
}
