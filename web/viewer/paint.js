// Draws the visible part of a diagram on a canvas: columns, edges, marks, and at small scales how many events there are where.
//
// Shape and dash carry every meaning that colour does: an edge that is assumed is dashed, one that is missing is dotted with an
// empty tip, an event that the property speaks about is filled, others are empty, and those that moved have a ring.

import { isAssumed } from "./run.js";
import { ROW_EVENT } from "./rows.js";
import { edgesBetween } from "./edges.js";
import { edgePoints } from "./geometry.js";

/** Rows lower than this have no room for marks: events are then drawn as density. */
export const DENSE = 4;

/** No frame draws more edges than this. At that number they are a grey area anyway. */
const MOST_EDGES = 2500;

/**
 * @typedef {object} Colours
 * @property {string} ink
 * @property {string} paper
 * @property {string} edge
 * @property {string} accent
 * @property {string} fail
 * @property {string} band
 * @property {string[]} lanes
 */

/**
 * @typedef {object} Scene
 * @property {CanvasRenderingContext2D} context
 * @property {Colours} colours
 * @property {import("./run.js").Run} run
 * @property {import("./run.js").Order} order
 * @property {import("./rows.js").Rows} rows
 * @property {import("./edges.js").EdgeIndex} edges
 * @property {import("./geometry.js").Geometry} geometry
 * @property {Set<number>} folded
 * @property {number} left Where the columns begin.
 * @property {number} pan
 * @property {number} height
 * @property {number} rowHeight
 * @property {number} top How far the rows are scrolled, in pixels.
 * @property {number} first The first and the last row that are visible.
 * @property {number} last
 * @property {Uint8Array | null} matter Events that the property speaks about.
 * @property {Uint8Array | null} hits Events that a search found.
 * @property {ReadonlyMap<number, string>} moved
 * @property {Set<number>} swapped
 * @property {[number, number][]} missing
 * @property {Int32Array | null} cut
 * @property {number | null} loop The row to which a loop goes back.
 * @property {number} moment The row of the moment where rows have no text for it, else -1.
 * @property {string} sign
 * @property {number} selected The event under the cursor, or -1.
 * @property {number} hovered The edge under the pointer, or -1.
 */

/**
 * What was drawn, for finding what is under the pointer.
 *
 * @typedef {{edge: number, points: [number, number][]}[]} Drawn
 */

/**
 * @param {Scene} scene
 * @returns {{drawn: Drawn, left: number}} `left` edges were left out.
 */
export function paintScene(scene) {
  const { context, geometry, left } = scene;
  context.save();
  context.beginPath();
  context.rect(left, 0, geometry.width, scene.height);
  context.clip();
  paintColumns(scene);
  /** @type {Drawn} */
  const drawn = [];
  let over = 0;
  if (scene.rowHeight < DENSE) {
    paintDensity(scene);
  } else {
    over = paintEdges(scene, drawn);
    paintMarks(scene);
  }
  paintMissing(scene);
  paintMoment(scene);
  paintCut(scene);
  paintLoop(scene);
  context.restore();
  return { drawn, left: over };
}

/** @param {Scene} scene @param {number} column */
function columnX(scene, column) {
  return scene.left + scene.geometry.x[column] - scene.pan;
}

/** @param {Scene} scene @param {number} row */
function rowY(scene, row) {
  return (row + 0.5) * scene.rowHeight - scene.top;
}

/** @param {Scene} scene @param {number} column */
function columnColour(scene, column) {
  const { lanes } = scene.colours;
  return lanes[scene.run.columns[column].lane % lanes.length];
}

/** @param {Scene} scene @param {number} column */
function columnSeen(scene, column) {
  const x = scene.geometry.x[column] - scene.pan;
  return x > -20 && x < scene.geometry.width + 20 && !scene.folded.has(scene.run.columns[column].lane);
}

/** @param {Scene} scene */
function paintColumns(scene) {
  const { context, colours, run, geometry } = scene;
  const bottom = Math.min(scene.height, scene.rows.count * scene.rowHeight - scene.top);
  run.lanes.forEach((lane, index) => {
    if (lane.chains < 2 || scene.folded.has(index)) return;
    const { left, right } = geometry.lanes[index];
    context.fillStyle = colours.band;
    context.fillRect(scene.left + left - scene.pan + 3, 0, right - left - 6, bottom);
  });
  context.lineWidth = 1.5;
  context.globalAlpha = 0.4;
  run.columns.forEach((_, column) => {
    if (!columnSeen(scene, column)) return;
    const x = Math.round(columnX(scene, column)) + 0.5;
    context.strokeStyle = columnColour(scene, column);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, bottom);
    context.stroke();
  });
  context.globalAlpha = 1;
}

/** @param {Scene} scene */
function markRadius(scene) {
  return Math.max(1.5, Math.min(5.5, scene.rowHeight * 0.28));
}

/** @param {Scene} scene @param {Drawn} drawn */
function paintEdges(scene, drawn) {
  const { context, run, edges, rows, colours } = scene;
  const radius = markRadius(scene);
  const detailed = scene.rowHeight >= 9;
  /** Edges that look alike are one path. An edge that only passes by is not what one looks at, so it is pale. */
  const groups = [false, true].flatMap((assumed) =>
    [false, true].map((passes) => ({ assumed, passes, lines: /** @type {[number, number][][]} */ ([]) })),
  );
  /** @type {Drawn} */
  const strong = [];
  const over = edgesBetween(edges, scene.first, scene.last, MOST_EDGES, (item) => {
    const edge = edges.edge[item];
    const source = run.from[edge];
    const target = run.to[edge];
    const points = edgePoints(
      columnX(scene, run.column[source]),
      rowY(scene, rows.rowOf[source]),
      columnX(scene, run.column[target]),
      rowY(scene, rows.rowOf[target]),
      edges.slot[item],
      radius,
    );
    drawn.push({ edge, points });
    const touches = edge === scene.hovered || source === scene.selected || target === scene.selected;
    const passes = edges.upper[item] < scene.first && edges.lower[item] > scene.last;
    if (touches) strong.push({ edge, points });
    else groups[(isAssumed(run, edge) ? 2 : 0) + (passes ? 1 : 0)].lines.push(points);
  });
  context.lineWidth = 1.25;
  for (const { assumed, passes, lines } of groups) {
    context.globalAlpha = passes ? 0.3 : 1;
    paintLines(context, lines, colours.edge, assumed, detailed, radius);
  }
  context.globalAlpha = 1;
  context.lineWidth = 2;
  for (const { edge, points } of strong) paintLines(context, [points], colours.accent, isAssumed(run, edge), detailed, radius);
  return over;
}

/**
 * Edges that look alike.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {[number, number][][]} lines
 * @param {string} colour
 * @param {boolean} assumed
 * @param {boolean} detailed
 * @param {number} radius
 */
function paintLines(context, lines, colour, assumed, detailed, radius) {
  if (lines.length === 0) return;
  context.strokeStyle = context.fillStyle = colour;
  context.setLineDash(assumed ? [5, 4] : []);
  context.beginPath();
  for (const points of lines) tracePath(context, points, detailed ? Math.min(6, radius + 1) : 0);
  context.stroke();
  context.setLineDash([]);
  if (!detailed) return;
  context.beginPath();
  for (const points of lines) traceTip(context, points);
  if (assumed) context.stroke();
  else context.fill();
}

/**
 * A line with rounded corners.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {[number, number][]} points
 * @param {number} corner
 */
function tracePath(context, points, corner) {
  context.moveTo(points[0][0], points[0][1]);
  for (let index = 1; index + 1 < points.length; index++) {
    const [x, y] = points[index];
    if (corner > 0) context.arcTo(x, y, points[index + 1][0], points[index + 1][1], corner);
    else context.lineTo(x, y);
  }
  const [x, y] = points[points.length - 1];
  context.lineTo(x, y);
}

/**
 * The tip of an arrow.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {[number, number][]} points
 */
function traceTip(context, points) {
  const [x, y] = points[points.length - 1];
  const back = points[points.length - 2][0] < x ? -1 : 1;
  context.moveTo(x + back * 7, y - 3.8);
  context.lineTo(x, y);
  context.lineTo(x + back * 7, y + 3.8);
}

/** @param {Scene} scene */
function paintMarks(scene) {
  const { context, run, rows, colours } = scene;
  const radius = markRadius(scene);
  for (let row = scene.first; row <= scene.last; row++) {
    if (rows.kind[row] !== ROW_EVENT) continue;
    const event = rows.value[row];
    const all = [run.column[event], ...(run.also?.[event] ?? [])].filter((column) => columnSeen(scene, column));
    if (all.length === 0) continue;
    const column = all[0];
    const x = columnX(scene, column);
    const y = rowY(scene, row);
    const colour = columnColour(scene, column);
    const filled = scene.matter === null || scene.matter[event] === 1;
    if (all.length > 1) paintBar(scene, all, y, radius, filled);
    context.lineWidth = 2;
    context.fillStyle = filled ? colour : colours.paper;
    context.strokeStyle = colour;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    if (!filled || radius > 3) context.stroke();
    if (scene.moved.has(event) || scene.swapped.has(event)) paintRing(context, x, y, radius + 4, colours.fail);
    else if (event === scene.selected) paintRing(context, x, y, radius + 4, colours.accent);
    if (scene.hits !== null && scene.hits[event] === 1) paintHit(context, x, y, radius, colours.accent);
  }
}

/**
 * A step of several components: a bar through their columns, with a mark on each.
 *
 * @param {Scene} scene
 * @param {number[]} columns Those in sight.
 * @param {number} y
 * @param {number} radius
 * @param {boolean} filled
 */
function paintBar(scene, columns, y, radius, filled) {
  const { context, colours } = scene;
  const places = columns.map((column) => columnX(scene, column));
  context.strokeStyle = colours.edge;
  context.lineWidth = Math.max(1.5, radius * 0.7);
  context.beginPath();
  context.moveTo(Math.min(...places), y);
  context.lineTo(Math.max(...places), y);
  context.stroke();
  columns.slice(1).forEach((column, index) => {
    context.strokeStyle = columnColour(scene, column);
    context.fillStyle = filled ? context.strokeStyle : colours.paper;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(places[index + 1], y, radius, 0, 2 * Math.PI);
    context.fill();
    if (!filled || radius > 3) context.stroke();
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {string} colour
 */
function paintRing(context, x, y, radius, colour) {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

/**
 * A square around the mark: found by the search.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {string} colour
 */
function paintHit(context, x, y, radius, colour) {
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.strokeRect(x - radius - 3.5, y - radius - 3.5, 2 * radius + 7, 2 * radius + 7);
}

/** @param {Scene} scene */
function paintDensity(scene) {
  const { context, run, rows, geometry } = scene;
  const bin = 2;
  const bins = Math.ceil(scene.height / bin) + 1;
  const columns = run.columns.length;
  const counts = new Uint16Array(bins * columns);
  for (let row = scene.first; row <= scene.last; row++) {
    if (rows.kind[row] !== ROW_EVENT) continue;
    const at = Math.floor((row * scene.rowHeight - scene.top) / bin);
    if (at >= 0 && at < bins) counts[at * columns + run.column[rows.value[row]]]++;
  }
  const full = Math.max(1, bin / scene.rowHeight / Math.max(1, columns / 2));
  const wide = columns < 2 ? 30 : Math.max(3, Math.min(30, (geometry.content - 16) / columns - 3));
  for (let column = 0; column < columns; column++) {
    if (!columnSeen(scene, column)) continue;
    context.fillStyle = columnColour(scene, column);
    const x = columnX(scene, column);
    for (let at = 0; at < bins; at++) {
      const count = counts[at * columns + column];
      if (count === 0) continue;
      const share = Math.min(1, count / full);
      const length = 2 + (wide - 2) * share;
      context.fillRect(x - length / 2, at * bin, length, bin);
    }
  }
}

/** @param {Scene} scene */
function paintMissing(scene) {
  const { context, run, rows, colours } = scene;
  const radius = markRadius(scene);
  context.strokeStyle = colours.fail;
  context.lineWidth = 2.2;
  context.lineCap = "round";
  for (const [source, target] of scene.missing) {
    const from = rows.rowOf[source];
    const to = rows.rowOf[target];
    if (from < 0 || to < 0 || Math.max(from, to) < scene.first || Math.min(from, to) > scene.last) continue;
    const [x1, x2] = [columnX(scene, run.column[source]), columnX(scene, run.column[target])];
    const points = edgePoints(x1, rowY(scene, from), x2, rowY(scene, to), 2, radius + 4);
    context.setLineDash([0.5, 5]);
    context.beginPath();
    tracePath(context, points, 6);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    traceTip(context, points);
    context.stroke();
  }
  context.lineCap = "butt";
}

/** Where rows have no text, the row of the moment is a line with its sign. @param {Scene} scene */
function paintMoment(scene) {
  if (scene.moment < 0) return;
  const { context, colours } = scene;
  const y = rowY(scene, scene.moment);
  context.fillStyle = colours.fail;
  context.fillRect(scene.left + 14, y - 1, scene.geometry.width, 2);
  context.font = "bold 13px system-ui, sans-serif";
  context.fillText(scene.sign, scene.left, y + 5);
}

/** The cut as a line through the columns. @param {Scene} scene */
function paintCut(scene) {
  if (scene.cut === null) return;
  const { context, run, colours } = scene;
  context.strokeStyle = colours.fail;
  context.lineWidth = 2.5;
  context.setLineDash([10, 4]);
  context.beginPath();
  let began = false;
  run.columns.forEach((place, column) => {
    if (scene.folded.has(place.lane)) return;
    const x = columnX(scene, column);
    const y = (/** @type {Int32Array} */ (scene.cut)[column] + 1) * scene.rowHeight - scene.top;
    if (!began) context.moveTo(x - 30, y);
    context.lineTo(x - 9, y);
    context.lineTo(x + 9, y);
    began = true;
  });
  context.stroke();
  context.setLineDash([]);
}

/** A bracket beside the rows that repeat for ever. @param {Scene} scene */
function paintLoop(scene) {
  if (scene.loop === null) return;
  const { context, colours } = scene;
  const top = scene.loop * scene.rowHeight - scene.top + 4;
  const bottom = rowY(scene, scene.rows.count - 1);
  const x = scene.left + 5;
  context.strokeStyle = context.fillStyle = colours.accent;
  context.lineWidth = 2;
  context.beginPath();
  tracePath(context, [[x + 12, bottom], [x, bottom], [x, top], [x + 10, top]], 6);
  context.stroke();
  context.beginPath();
  traceTip(context, [[x, top], [x + 13, top]]);
  context.fill();
}
