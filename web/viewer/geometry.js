// Where the columns of a diagram lie, and along which points an edge goes. Nothing here draws.

import { ROW_MOMENT } from "./rows.js";

const LANE_WIDEST = 92;
const LANE_NARROWEST = 12;
const CHAIN_NARROWEST = 9;
const CHAIN_WIDEST = 34;
/** Chains of one lane are closer to each other than lanes are. */
const CHAIN_SHARE = 0.5;
const SLOT_STEP = 5;

/**
 * @typedef {object} Geometry
 * @property {number} numbers Room for the numbers of rows.
 * @property {number} margin Room left of the columns: the numbers and a sign.
 * @property {Float64Array} x The middle of each column, from the left edge of the pane, before panning.
 * @property {{left: number, right: number}[]} lanes
 * @property {number} width What is visible of the columns.
 * @property {number} content What all columns need; more than `width` if one has to pan.
 * @property {boolean} slanted Whether the names of lanes do not fit beside each other.
 */

/**
 * Spreads the columns of lanes over what the texts leave of the pane, which is not less than two fifths of it.
 *
 * @param {import("./run.js").Run} run
 * @param {Set<number>} folded
 * @param {number} paneWidth
 * @param {number} texts How wide the texts of rows are; 0 where rows have none.
 * @returns {Geometry}
 */
export function layOut(run, folded, paneWidth, texts) {
  const numbers = 10 + 7.5 * String(run.size).length + (run.size > 999 ? 4 : 0);
  const margin = numbers + 24;
  const wide = Math.max(160, paneWidth - margin);
  const room = clamp(wide - texts, wide * 0.4, texts === 0 ? wide : wide * 0.68);
  const open = run.lanes.filter((_, lane) => !folded.has(lane)).length;
  const extra = run.lanes.reduce((sum, lane, index) => sum + (folded.has(index) ? 0 : lane.chains - 1), 0);
  const laneStep = clamp((room - 16) / Math.max(1, open + extra * CHAIN_SHARE), LANE_NARROWEST, LANE_WIDEST);
  const chainStep = clamp(laneStep * CHAIN_SHARE, CHAIN_NARROWEST, CHAIN_WIDEST);
  const x = new Float64Array(run.columns.length);
  /** @type {Geometry["lanes"]} */
  const lanes = [];
  let left = 8;
  let slanted = false;
  run.lanes.forEach((lane, index) => {
    const width = folded.has(index) ? 0 : laneStep + (lane.chains - 1) * chainStep;
    for (let chain = 0; chain < lane.chains; chain++) {
      x[lane.first + chain] = left + (width === 0 ? 0 : laneStep / 2 + chain * chainStep);
    }
    lanes.push({ left, right: left + width });
    left += width;
    slanted ||= width > 0 && width < Math.min(90, lane.name.length * 7.4 + 5);
  });
  const content = left + 8;
  // Many lanes rather take room from the texts than being panned.
  return { numbers, margin, x, lanes, content, width: Math.min(content, Math.max(room, wide * 0.64)), slanted: slanted && open > 1 };
}

/**
 * The points of an edge: along the row of its source, down beside the column of its target, and into the target.
 *
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {number} slot
 * @param {number} radius
 * @returns {[number, number][]}
 */
export function edgePoints(x1, y1, x2, y2, slot, radius) {
  const side = x2 > x1 ? -1 : 1;
  const wide = Math.abs(x2 - x1);
  if (wide < 1) {
    // Within one column: a bow to the right.
    const bow = x1 + 14 + slot * SLOT_STEP;
    return [[x1 + radius, y1], [bow, y1], [bow, y2], [x2 + radius + 2, y2]];
  }
  const distance = Math.min(radius + 11 + slot * SLOT_STEP, Math.max(wide * 0.72, radius + 4));
  const down = x2 + side * distance;
  return [[x1 - side * radius, y1], [down, y1], [down, y2], [x2 + side * (radius + 1), y2]];
}

/**
 * How far a point is from a line of segments.
 *
 * @param {[number, number][]} points
 * @param {number} x
 * @param {number} y
 */
export function distanceTo(points, x, y) {
  let best = Infinity;
  for (let index = 1; index < points.length; index++) {
    const [ax, ay] = points[index - 1];
    const [bx, by] = points[index];
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const share = length === 0 ? 0 : clamp(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0, 1);
    best = Math.min(best, Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay)));
  }
  return best;
}

/**
 * The line of a cut: for each column the row after which it runs, -1 for before all rows. It is straight where the order has all
 * events of the cut before all others.
 *
 * @param {import("./run.js").Run} run
 * @param {import("./run.js").Order} order
 * @param {import("./rows.js").Rows} rows
 * @param {number[]} cut How many events of each column are inside.
 */
export function cutRows(run, order, rows, cut) {
  const inside = cut.reduce((sum, count) => sum + count, 0);
  const last = new Int32Array(run.columns.length).fill(-1);
  let furthest = -1;
  const seen = new Int32Array(run.columns.length);
  for (let position = 0; position < run.size; position++) {
    const column = run.column[order.events[position]];
    if (seen[column] < (cut[column] ?? 0)) {
      seen[column]++;
      last[column] = rows.rowAt[position];
      furthest = position;
    }
  }
  if (furthest >= 0 && furthest === inside - 1) {
    const row = rows.rowAt[furthest];
    last.fill(rows.kind[row + 1] === ROW_MOMENT ? row + 1 : row);
  }
  return last;
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
export function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
