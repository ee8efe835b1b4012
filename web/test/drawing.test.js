// What is drawn where: the index of edges, the columns, cuts, and the placing of automata.

import assert from "node:assert/strict";
import test from "node:test";
import { readRun } from "../viewer/run.js";
import { makeRows } from "../viewer/rows.js";
import { edgesBetween, indexEdges } from "../viewer/edges.js";
import { cutRows, distanceTo, edgePoints, layOut } from "../viewer/geometry.js";
import { niceStep, readSignals, valuesOfWave } from "../viewer/wave.js";
import { placeStates } from "../viewer/automaton.js";
import { ordersOf } from "../viewer/choice.js";
import { largeRun, monitor, numbers, twoPhaseCommit, waveform } from "./pictures.js";

/** @param {any} picture */
const runOf = (picture) => readRun(picture);
const everything = { only: null, folded: new Set(), opened: new Set(), moment: null, cycle: null };

test("the index finds the edges that touch the rows in sight, and no others", () => {
  const run = runOf(largeRun(3000, 9));
  const rows = makeRows(run, run.recorded, { ...everything, folded: new Set([2]) });
  const index = indexEdges(run, rows.rowOf);
  const below = numbers(7);
  for (let round = 0; round < 200; round++) {
    const first = below(rows.count);
    const last = first + below(below(2) === 0 ? 20 : 800);
    /** @type {number[]} */
    const found = [];
    const left = edgesBetween(index, first, last, Infinity, (item) => found.push(index.edge[item]));
    const expected = [...run.from.keys()].filter((edge) => {
      const ends = [rows.rowOf[run.from[edge]], rows.rowOf[run.to[edge]]];
      return Math.min(...ends) >= 0 && Math.min(...ends) <= last && Math.max(...ends) >= first;
    });
    assert.deepEqual(found.sort((a, b) => a - b), expected, `rows ${first} to ${last}`);
    assert.equal(left, 0);
  }
});

test("beyond the limit edges are counted, not drawn", () => {
  const run = runOf(largeRun(500, 4));
  const rows = makeRows(run, run.recorded, everything);
  let drawn = 0;
  const left = edgesBetween(indexEdges(run, rows.rowOf), 0, rows.count, 10, () => drawn++);
  assert.equal(drawn, 10);
  assert.equal(drawn + left, run.from.length);
});

test("edges beside each other at the same rows have different slots while there are some", () => {
  const run = runOf(twoPhaseCommit());
  const rows = makeRows(run, run.recorded, everything);
  const index = indexEdges(run, rows.rowOf);
  const slots = new Map([...index.edge].map((edge, item) => [edge, index.slot[item]]));
  // The vote of inventory comes to the coordinator while nothing else does.
  assert.equal(slots.get(3), 0);
  const crossing = runOf(crossed());
  const own = indexEdges(crossing, makeRows(crossing, crossing.recorded, everything).rowOf);
  assert.deepEqual([...own.slot].sort(), [0, 1, 2]);
});

/** Three messages that overtake each other. */
function crossed() {
  const picture = twoPhaseCommit();
  picture.events.lane = [1, 1, 1, 0, 0, 0, 2, 2, 2, 2];
  picture.edges = { from: [0, 1, 2], to: [5, 4, 3], reason: [0, 0, 0] };
  return picture;
}

test("columns fit into their share of the pane, and folded lanes take no room", () => {
  const run = runOf(twoPhaseCommit());
  const { x, width, content, slanted } = layOut(run, new Set(), 1000, 300);
  assert.ok(x[0] < x[1] && x[1] < x[2] && x[2] < width && width === content && !slanted);
  const folded = layOut(run, new Set([1]), 1000, 300);
  assert.ok(folded.content < content);
  assert.equal(folded.lanes[1].left, folded.lanes[1].right);
});

test("lanes take what the texts leave", () => {
  const run = runOf(largeRun(200, 20));
  const width = (/** @type {number} */ texts) => layOut(run, new Set(), 1200, texts).content;
  assert.ok(width(0) > width(400) && width(400) > width(600) && width(700) === width(900));
});

test("many lanes need panning, and their names are slanted", () => {
  const { width, content, slanted } = layOut(runOf(largeRun(200, 200)), new Set(), 900, 300);
  assert.ok(content > width && width < 900 && slanted);
});

test("an edge leaves in the row of its source and ends at its target", () => {
  const points = edgePoints(100, 10, 300, 90, 0, 5);
  assert.deepEqual(points[0], [105, 10]);
  assert.equal(points[1][1], 10);
  assert.deepEqual(points[3], [294, 90]);
  const back = edgePoints(300, 10, 100, 90, 0, 5);
  assert.deepEqual(back[3], [106, 90]);
  assert.ok(back[1][0] > 100 && back[1][0] < 300);
  assert.equal(distanceTo(points, points[1][0], 50), 0);
  assert.equal(Math.round(distanceTo(points, 100, 30)), 21);
});

test("a cut is a line below its events: bent in the recorded order, straight where its events come first", () => {
  const run = runOf(twoPhaseCommit());
  const result = run.picture.results[2];
  const cut = result.cut ?? [];
  const recorded = makeRows(run, run.recorded, everything);
  assert.deepEqual([...cutRows(run, run.recorded, recorded, cut)], [0, 3, 5]);
  const { other } = ordersOf(run, result);
  assert.ok(other);
  assert.deepEqual([...cutRows(run, other, makeRows(run, other, everything), cut)], [4, 4, 4]);
  assert.deepEqual([...cutRows(run, run.recorded, recorded, [0, 0, 0])], [-1, -1, -1]);
});

test("signals and their values", () => {
  const run = runOf(waveform());
  const wave = run.picture.wave;
  assert.ok(wave);
  const signals = readSignals(run, wave);
  assert.deepEqual(signals.map(({ name, line }) => [name, line]), [
    ["top.clk_en", true], ["top.req", true], ["top.ack", true], ["top.data[7:0]", false],
  ]);
  const values = valuesOfWave(run, wave);
  assert.equal(values.at(3, 19), "00");
  assert.equal(values.at(3, 20), "3c");
  assert.equal(values.changed(1, 20), true);
});

test("steps of an axis are 1, 2 or 5 times a power of ten", () => {
  assert.deepEqual([0.3, 1, 1.5, 3, 6, 11, 90, 600].map(niceStep), [1, 1, 2, 5, 10, 20, 100, 1000]);
});

test("states of an automaton lie in columns by their distance from the start, or where they are told", () => {
  const automaton = /** @type {any} */ (monitor().results[0].automaton);
  const places = placeStates(automaton);
  assert.ok(places[0].x < places[1].x && places[1].x === places[2].x && places[2].x < places[3].x);
  assert.notEqual(places[1].y, places[2].y);
  const told = automaton.states.map((/** @type {any} */ state, /** @type {number} */ index) => ({ ...state, x: index, y: 2 * index }));
  assert.deepEqual(placeStates({ ...automaton, states: told })[2], { x: 2, y: 4 });
});
