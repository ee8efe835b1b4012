// Runs, orders, rows, steps and search: all that decides what is drawn, without drawing.

import assert from "node:assert/strict";
import test from "node:test";
import { eventName, eventPlace, isFolded, lanesText, makeOrder, partOf, readRun } from "../viewer/run.js";
import { foldedParts, groupsOf } from "../viewer/groups.js";
import { ROW_EVENT, ROW_GAP, ROW_LOOP, ROW_MOMENT, flagsOfMatter, makeRows } from "../viewer/rows.js";
import { endsOfParts, lastAtMost, speaksOf, truthAt, valuesAlong } from "../viewer/steps.js";
import { searchEvents } from "../viewer/search.js";
import { firstChoice, ordersOf, viewsOf } from "../viewer/choice.js";
import { hostile, largeRun, model, twoPhaseCommit } from "./pictures.js";

/** @param {any} picture */
const runOf = (picture) => readRun(picture);
const everything = { only: null, folded: new Set(), opened: new Set(), moment: null, cycle: null };

/** @param {import("../viewer/run.js").Run} run @param {Uint8Array | null} flags */
function named(run, flags) {
  return [...(flags ?? [])].flatMap((flag, event) => (flag ? [run.picture.strings[run.picture.events.id[event]]] : []));
}

test("a lane has a column for each of its chains", () => {
  const run = runOf(largeRun(300, 4, 3));
  assert.equal(run.columns.length, 12);
  assert.deepEqual(run.lanes.map((lane) => lane.first), [0, 3, 6, 9]);
  run.column.forEach((column, event) => {
    assert.equal(run.columns[column].lane, run.picture.events.lane[event]);
    assert.equal(run.columns[column].chain, run.picture.events.chain?.[event]);
  });
});

test("a chain beyond what its lane says gets a column all the same", () => {
  const picture = largeRun(50, 2, 2);
  picture.lanes[1].chains = 1;
  const run = runOf(picture);
  assert.equal(run.lanes[1].chains, 2);
});

test("causes and effects are the edges of both ends", () => {
  const run = runOf(twoPhaseCommit());
  const ends = (/** @type {import("../viewer/run.js").Neighbours} */ { start, edges }, /** @type {Int32Array} */ other, /** @type {number} */ event) =>
    [...edges.subarray(start[event], start[event + 1])].map((edge) => other[edge]);
  assert.deepEqual(ends(run.effects, run.to, 0), [1, 2]);
  assert.deepEqual(ends(run.causes, run.from, 7), [5]);
  assert.deepEqual(ends(run.causes, run.from, 0), []);
});

test("a path is completed to an order of all events", () => {
  const rest = makeOrder(5, [4, 3, 2, 1, 0], null);
  const order = makeOrder(5, [2, 0], rest);
  assert.deepEqual([...order.events], [2, 0, 4, 3, 1]);
  assert.deepEqual([...order.place], [1, 4, 0, 3, 2]);
  assert.equal(order.length, 2);
});

test("numbers that are no events and events that come twice are left out of an order", () => {
  assert.deepEqual([...makeOrder(3, [1, 1, 7, -1, 0], null).events], [1, 0, 2]);
});

test("names and places of events", () => {
  const picture = twoPhaseCommit();
  picture.events.name[0] = -1;
  const run = runOf(picture);
  assert.equal(eventName(run, 0), "prepare");
  assert.equal(eventName(run, 5), "vote");
  assert.equal(eventPlace(run, 5), "line 7");
  picture.events.file = picture.events.id;
  assert.equal(eventPlace(run, 5), "i-vote:7");
  picture.events.line = null;
  assert.equal(eventPlace(run, 5), "i-vote");
});

test("every event has a row, and the moment has its own", () => {
  const run = runOf(twoPhaseCommit());
  const rows = makeRows(run, run.recorded, { ...everything, moment: 6 });
  assert.equal(rows.count, 11);
  assert.equal(rows.kind[6], ROW_MOMENT);
  assert.deepEqual([...rows.rowOf], [0, 1, 2, 3, 4, 5, 7, 8, 9, 10]);
  assert.equal(makeRows(run, run.recorded, { ...everything, moment: 0 }).kind[0], ROW_MOMENT);
  assert.equal(makeRows(run, run.recorded, { ...everything, moment: 10 }).kind[10], ROW_MOMENT);
});

test("events that are left out become gaps that count them", () => {
  const run = runOf(twoPhaseCommit());
  const only = Uint8Array.from([0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  const rows = makeRows(run, run.recorded, { ...everything, only });
  assert.deepEqual([...rows.kind], [ROW_GAP, ROW_EVENT, ROW_GAP, ROW_EVENT, ROW_GAP]);
  assert.deepEqual([...rows.extra], [2, 0, 3, 0, 3]);
  assert.deepEqual([...rows.rowAt], [0, 0, 1, 2, 2, 2, 3, 4, 4, 4]);
  assert.equal(rows.shown, 2);
  const opened = makeRows(run, run.recorded, { ...everything, only, opened: new Set([3]) });
  assert.equal(opened.shown, 5);
  assert.equal(opened.rowOf[1], -1);
  assert.equal(opened.rowOf[4], 3);
});

test("a gap is cut in two by the moment", () => {
  const run = runOf(twoPhaseCommit());
  const rows = makeRows(run, run.recorded, { ...everything, only: new Uint8Array(10), moment: 4 });
  assert.deepEqual([...rows.kind], [ROW_GAP, ROW_MOMENT, ROW_GAP]);
  assert.deepEqual([...rows.extra], [4, 0, 6]);
});

test("folded lanes have no rows, opened gaps or not", () => {
  const run = runOf(twoPhaseCommit());
  const rows = makeRows(run, run.recorded, { ...everything, folded: new Set([0]), opened: new Set([0]) });
  assert.equal(rows.shown, 6);
  assert.equal(rows.rowOf[6], -1);
});

test("a loop closes in a row at the end", () => {
  const run = runOf(model());
  const rows = makeRows(run, run.recorded, { ...everything, cycle: 4 });
  assert.equal(rows.kind[rows.count - 1], ROW_LOOP);
  assert.equal(rows.value[rows.count - 1], 4);
});

test("what matters: mentions, the swap, what is missing and the event of the moment", () => {
  const run = runOf(twoPhaseCommit());
  const [result] = run.picture.results;
  const flags = flagsOfMatter(run.size, { ...result, mentions: [1], swapped: null, missing: [[5, 6]] });
  assert.deepEqual(named(run, flags), ["p-prepare", "i-vote", "decide"]);
});

test("values along an order, and where they were set", () => {
  const run = runOf(twoPhaseCommit());
  const { other } = ordersOf(run, run.picture.results[0]);
  assert.ok(other);
  const values = valuesAlong(run, other);
  assert.deepEqual(values.names, ["decision", "inventory", "payment"]);
  assert.deepEqual([0, 1, 2].map((variable) => values.at(variable, 0)), ['"none"', '"idle"', '"idle"']);
  assert.deepEqual([0, 1, 2].map((variable) => values.at(variable, 6)), ['"commit"', '"working"', '"prepared"']);
  assert.equal(values.changed(0, 6), true);
  assert.equal(values.changed(0, 7), false);
  assert.equal(values.changed(1, 0), false);
});

test("a variable has no value before it is set", () => {
  const picture = twoPhaseCommit();
  picture.initial = [];
  const run = runOf(picture);
  const values = valuesAlong(run, run.recorded);
  assert.equal(values.at(0, 6), null);
  assert.equal(values.at(0, 7), '"commit"');
});

test("the last number at most a limit", () => {
  for (const [limit, index] of [[-1, -1], [0, 0], [3, 0], [4, 2], [9, 3], [99, 3]]) assert.equal(lastAtMost([0, 4, 4, 9], limit), index);
});

test("truth of parts: a value stays until the next, and there is none before the first position", () => {
  const parts = { formulas: [{ text: "p", depth: 0 }], first: 1, changes: [[1, 0, 4, 1, 6, -1]] };
  assert.deepEqual([0, 1, 3, 4, 5, 6, 9].map((step) => truthAt(parts, 0, step)), [null, 0, 0, 1, 1, -1, -1]);
});

test("the descendants of a part", () => {
  const formulas = [0, 1, 2, 2, 1, 2].map((depth) => ({ text: "", depth }));
  assert.deepEqual(endsOfParts({ formulas, first: 0, changes: [] }), [6, 4, 3, 4, 6, 6]);
});

test("a formula speaks of a variable by its whole name", () => {
  assert.equal(speaksOf("G (state.1 == 1)", "state.1"), true);
  assert.equal(speaksOf("G (state.10 == 1)", "state.1"), false);
  assert.equal(speaksOf("G (state[1] == 1)", "state"), false);
  assert.equal(speaksOf("G my.state", "state"), false);
  assert.equal(speaksOf("G x10 && x1", "x1"), true);
  assert.equal(speaksOf("G x", ""), false);
});

test("search by name, id, lane, value, attribute, and by key=value", () => {
  const run = runOf(twoPhaseCommit());
  const found = (/** @type {string} */ question) => named(run, searchEvents(run, question));
  assert.deepEqual(found("apply"), ["p-apply", "i-apply"]);
  assert.deepEqual(found("I-VOTE"), ["i-vote", "i-vote-in"]);
  assert.deepEqual(found("inventory start"), ["i-prepare"]);
  assert.deepEqual(found("decision=commit"), ["decide"]);
  assert.deepEqual(found("late=true"), ["i-vote-in"]);
  assert.deepEqual(found("nobody voted"), ["decide"]);
  assert.deepEqual(found("no such thing"), []);
  assert.equal(searchEvents(run, "  "), null);
  assert.deepEqual(found("property:apply_after"), ["decide", "p-apply", "i-apply"]);
});

test("the first view: the failing order, two orders where there is room, the slice where the run is large", () => {
  const small = runOf(twoPhaseCommit());
  assert.equal(firstChoice(small, 0, false).mode, "other");
  assert.equal(firstChoice(small, 0, true).mode, "both");
  assert.equal(firstChoice(small, 1, true).mode, "recorded");
  assert.equal(firstChoice(small, 0, true).matters, false);
  assert.equal(firstChoice(small, 99, true).result, -1);
  const large = runOf(largeRun(1000, 5));
  assert.equal(firstChoice(large, 0, false).matters, true);
  assert.equal(firstChoice(large, 1, false).matters, false);
});

test("an order that is the recorded one is shown once", () => {
  const run = runOf(partOf(/** @type {any} */ (model()), 0));
  const orders = ordersOf(run, run.picture.results[0]);
  assert.equal(orders.itself, true);
  const views = viewsOf(run, orders, firstChoice(run, 0, true));
  assert.equal(views.other, null);
  assert.equal(views.recorded?.title, "A run that violates it");
  assert.equal(views.recorded?.cycle, 4);
});

test("both orders: the moment belongs to the failing one alone", () => {
  const run = runOf(twoPhaseCommit());
  const views = viewsOf(run, ordersOf(run, run.picture.results[0]), firstChoice(run, 0, true));
  assert.equal(views.recorded?.moment, null);
  assert.equal(views.other?.moment, 6);
  assert.equal(views.recorded?.rows.count, 10);
  assert.equal(views.other?.rows.count, 11);
});

test("lanes without anything that matters are folded where lanes are many", () => {
  const run = runOf(largeRun(2000, 60));
  const views = viewsOf(run, ordersOf(run, run.picture.results[0]), firstChoice(run, 0, false));
  assert.ok((views.other?.folded.size ?? 0) > 30);
  const [a, b] = run.picture.results[0].swapped ?? [0, 0];
  for (const event of [a, b]) assert.ok(!views.other?.folded.has(run.picture.events.lane[event]));
});

test("names that look like markup are ordinary names", () => {
  const run = runOf(hostile());
  assert.match(eventName(run, 0), /<script>/);
  assert.equal(named(run, searchEvents(run, "decide")).length > 0, true);
});

test("each result of a model has its own part of the picture", () => {
  const picture = /** @type {any} */ (model());
  const part = partOf(picture, 1);
  assert.deepEqual(part.order, [0]);
  assert.deepEqual(part.events.also, [[2]]);
  assert.deepEqual(part.results.map((result) => result.order), [null, [0], null]);
  assert.equal(part.initial.length, 1);
  const run = readRun(part);
  assert.equal(lanesText(run, 0), "right, fork");
  assert.equal(isFolded(run, 0, new Set([1])), false, "another lane of it is open");
  assert.equal(isFolded(run, 0, new Set([1, 2])), true);
  assert.equal(readRun(partOf(picture, 2)).size, 0);
});

test("groups are those of a group, or of names that differ in a number", () => {
  const lane = (/** @type {string} */ name, /** @type {string | null} */ group = null) => ({ name, group });
  const lanes = [lane("P1"), lane("db-eu", "eu"), lane("P2"), lane("web/eu", "eu"), lane("Fork[0]"), lane("Fork[1]"), lane("alone"), lane("7"), lane("8"), lane("shop", "shop")];
  assert.deepEqual(groupsOf(lanes), [{ name: "P", lanes: [0, 2] }, { name: "eu", lanes: [1, 3] }, { name: "Fork", lanes: [4, 5] }]);
  assert.deepEqual(foldedParts(lanes, new Set([6, 2, 0, 4])), [{ name: "P", lanes: [0, 2] }, { name: "Fork[0]", lanes: [4] }, { name: "alone", lanes: [6] }]);
});
