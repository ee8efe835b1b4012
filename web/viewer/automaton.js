// The automaton of a monitor. The shape of a state tells its verdict, and so do its mark and colour.

import { make, makeSvg } from "./dom.js";

let automata = 0;

const STEP_X = 190;
/** The longest guard that is shown whole, and what a character of it takes. */
const GUARD = 34;
const CHARACTER = 7.3;
const STEP_Y = 120;
const RADIUS = 26;

/** Bigger automata are listed instead: nobody reads such a drawing. */
const MOST_STATES = 60;

const VERDICT_MARKS = { open: "?", holds: "✓", violated: "✗" };
const VERDICT_WORDS = { open: "open", holds: "holds for good", violated: "violated for good" };

/**
 * @param {import("./types.js").Automaton} automaton
 */
export function makeAutomaton(automaton) {
  const many = automaton.states.length > MOST_STATES;
  const text = make("details", { class: "pv-arcs", open: many }, make("summary", {}, "As text"), arcTable(automaton));
  return make(
    "section",
    { class: "pv-automaton", "aria-label": "The automaton of the monitor" },
    make("h3", { class: "pv-pane-title" }, "The automaton of the monitor"),
    many ? null : make("div", { class: "pv-automaton-scroller", tabindex: 0, role: "group", "aria-label": "Drawing" }, drawAutomaton(automaton)),
    many ? null : legendOfVerdicts(),
    text,
  );
}

function legendOfVerdicts() {
  const entries = /** @type {("open" | "holds" | "violated")[]} */ (["open", "holds", "violated"]);
  return make(
    "ul",
    { class: "pv-legend" },
    ...entries.map((verdict) => make("li", { class: `pv-key-${verdict}` }, `${VERDICT_MARKS[verdict]} ${VERDICT_WORDS[verdict]}`)),
  );
}

/** @param {import("./types.js").Automaton} automaton */
function arcTable({ states, arcs }) {
  return make(
    "table",
    { class: "pv-values" },
    make("thead", {}, make("tr", {}, ...["from", "when", "to", "verdict there"].map((name) => make("th", { scope: "col" }, name)))),
    make(
      "tbody",
      {},
      ...arcs.map(({ from, to, guard }) =>
        make(
          "tr",
          {},
          make("td", {}, states[from]?.name ?? ""),
          make("td", {}, make("code", {}, guard)),
          make("td", {}, states[to]?.name ?? ""),
          make("td", {}, VERDICT_WORDS[states[to]?.verdict] ?? ""),
        ),
      ),
    ),
  );
}

/**
 * Where each state lies: as told, else in columns by the number of steps from the start.
 *
 * @param {import("./types.js").Automaton} automaton
 * @returns {{x: number, y: number}[]}
 */
export function placeStates({ states, arcs }) {
  if (states.every(({ x, y }) => typeof x === "number" && typeof y === "number")) {
    return states.map(({ x, y }) => ({ x: Number(x), y: Number(y) }));
  }
  /** @type {number[]} */
  const depth = states.map(({ initial }) => (initial ? 0 : -1));
  const queue = states.map((_, state) => state).filter((state) => states[state].initial);
  for (const state of queue) {
    for (const { from, to } of arcs) {
      if (from === state && depth[to] < 0) {
        depth[to] = depth[state] + 1;
        queue.push(to);
      }
    }
  }
  // A guard has its place between two columns.
  const longest = Math.max(0, ...joinedArcs({ states, arcs }).map(({ guards }) => shortGuard(guards).length));
  const step = Math.max(STEP_X, longest * CHARACTER + 2 * RADIUS + 16);
  /** @type {number[]} */
  const used = [];
  return depth.map((known) => {
    const column = Math.max(0, known);
    const row = (used[column] = (used[column] ?? -1) + 1);
    return { x: 70 + column * step, y: 92 + row * STEP_Y };
  });
}

/** @param {import("./types.js").Automaton} automaton */
function drawAutomaton(automaton) {
  const places = placeStates(automaton);
  const width = Math.max(200, ...places.map(({ x }) => x + 110));
  const height = Math.max(120, ...places.map(({ y }) => y + 70));
  const tipId = `pv-tip-${++automata}`;
  const tip = makeSvg(
    "marker",
    { id: tipId, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto" },
    makeSvg("path", { d: "M0 0 10 5 0 10z", class: "pv-arc-tip" }),
  );
  return makeSvg(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `An automaton of ${automaton.states.length} states; the text below has its arcs` },
    makeSvg("defs", {}, tip),
    ...joinedArcs(automaton).map((arc) => drawArc(arc, places, tipId)),
    ...automaton.states.map((state, index) => drawState(state, places[index], tipId)),
  );
}

/**
 * One arc for all guards between the same two states.
 *
 * @param {import("./types.js").Automaton} automaton
 */
function joinedArcs({ arcs }) {
  /** @type {Map<string, {from: number, to: number, guards: string[]}>} */
  const joined = new Map();
  for (const { from, to, guard } of arcs) {
    const key = `${from} ${to}`;
    const arc = joined.get(key) ?? { from, to, guards: [] };
    arc.guards.push(guard);
    joined.set(key, arc);
  }
  return [...joined.values()];
}

/** @param {string[]} guards */
function wholeGuard(guards) {
  return guards.join("  or  ");
}

/** @param {string[]} guards */
function shortGuard(guards) {
  const whole = wholeGuard(guards);
  return whole.length > GUARD ? `${whole.slice(0, GUARD - 1)}…` : whole;
}

/**
 * @param {{from: number, to: number, guards: string[]}} arc
 * @param {{x: number, y: number}[]} places
 * @param {string} tip
 */
function drawArc({ from, to, guards }, places, tip) {
  const a = places[from];
  const b = places[to];
  const whole = wholeGuard(guards);
  const short = shortGuard(guards);
  if (from === to) {
    const d = `M${a.x - 12} ${a.y - RADIUS + 3} C${a.x - 34} ${a.y - 74} ${a.x + 34} ${a.y - 74} ${a.x + 12} ${a.y - RADIUS + 1}`;
    return arcOf(d, a.x, a.y - 62, short, whole, tip);
  }
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const bend = 0.14 * length;
  const middle = { x: (a.x + b.x) / 2 + dy * bend, y: (a.y + b.y) / 2 - dx * bend };
  const start = { x: a.x + dx * RADIUS, y: a.y + dy * RADIUS };
  const end = { x: b.x - dx * (RADIUS + 2), y: b.y - dy * (RADIUS + 2) };
  const label = { x: (start.x + end.x) / 4 + middle.x / 2, y: (start.y + end.y) / 4 + middle.y / 2 };
  return arcOf(`M${start.x} ${start.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}`, label.x, label.y - 7, short, whole, tip);
}

/**
 * @param {string} d
 * @param {number} x
 * @param {number} y
 * @param {string} short
 * @param {string} whole
 * @param {string} tip
 */
function arcOf(d, x, y, short, whole, tip) {
  return makeSvg(
    "g",
    {},
    makeSvg("path", { d, class: "pv-arc", "marker-end": `url(#${tip})` }),
    makeSvg("text", { x, y, class: "pv-guard", "text-anchor": "middle" }, short, makeSvg("title", {}, whole)),
  );
}

/**
 * @param {import("./types.js").Automaton["states"][number]} state
 * @param {{x: number, y: number}} place
 * @param {string} tip
 */
function drawState({ name, verdict, initial }, { x, y }, tip) {
  const style = `pv-state-${verdict}`;
  const corner = RADIUS * 0.42;
  const points = [
    [-corner, -RADIUS], [corner, -RADIUS], [RADIUS, -corner], [RADIUS, corner], [corner, RADIUS], [-corner, RADIUS], [-RADIUS, corner], [-RADIUS, -corner],
  ];
  const shape =
    verdict === "violated"
      ? makeSvg("polygon", { class: style, points: points.map(([px, py]) => `${x + px},${y + py}`).join(" ") })
      : makeSvg("circle", { class: style, cx: x, cy: y, r: RADIUS });
  return makeSvg(
    "g",
    {},
    initial ? makeSvg("path", { d: `M${x - RADIUS - 26} ${y} L${x - RADIUS - 3} ${y}`, class: "pv-arc", "marker-end": `url(#${tip})` }) : null,
    shape,
    verdict === "holds" ? makeSvg("circle", { class: style, cx: x, cy: y, r: RADIUS - 4 }) : null,
    makeSvg("text", { x, y: y + 6, class: "pv-state-mark", "text-anchor": "middle" }, VERDICT_MARKS[verdict] ?? "?"),
    makeSvg("text", { x, y: y + RADIUS + 16, class: "pv-state-name", "text-anchor": "middle" }, name),
    makeSvg("title", {}, `${name}: ${VERDICT_WORDS[verdict] ?? verdict}`),
  );
}
