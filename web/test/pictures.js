// Pictures for tests, made without the program: a small violated run, one with a cut, a waveform, a model with a loop, a monitor,
// and a large run. Everything is deterministic.

/** @returns {(text: string) => number} */
function stringTable(/** @type {string[]} */ strings) {
  const known = new Map();
  return (text) => {
    if (!known.has(text)) {
      known.set(text, strings.length);
      strings.push(text);
    }
    return known.get(text);
  };
}

/** The fields that every picture has. */
function emptyPicture(/** @type {string} */ title, /** @type {string} */ kind) {
  return {
    schema: "posetta-show/1", title, kind, orders: "many", facts: /** @type {string[]} */ ([]), strings: /** @type {string[]} */ ([]),
    lanes: /** @type {any[]} */ ([]),
    events: /** @type {any} */ ({ lane: [], chain: null, id: [], name: [], line: null, file: null, time: null, sets: [], about: null }),
    edges: /** @type {any} */ ({ from: [], to: [], reason: [] }), reasons: /** @type {any[]} */ ([]),
    order: /** @type {number[]} */ ([]), recorded: true, initial: /** @type {any[]} */ ([]), results: /** @type {any[]} */ ([]),
    wave: /** @type {any} */ (null),
  };
}

/** The fields that every result has. */
function emptyResult(/** @type {Record<string, unknown>} */ fields) {
  return {
    property: "", logic: "ltl", formula: "", verdict: "holds", word: "holds", sentence: "every possible order satisfies it", story: [],
    heading: "", order: null, moment: null, note: null, moved: { earlier: [], later: [] }, swapped: null, missing: [], cut: null,
    mentions: [], parts: null, recorded_parts: null, relies_on: [], warnings: [], ...fields,
  };
}

/** The two-phase commit of the README. */
export function twoPhaseCommit() {
  const picture = emptyPicture("run.jsonl", "run");
  const s = stringTable(picture.strings);
  picture.facts = ["3 processes", "10 events"];
  picture.lanes = ["coordinator", "payment", "inventory"].map((name) => ({ name: s(name), group: null, chains: 1 }));
  /** @type {[number, string, string, string[], string[], number[]][]} */
  const events = [
    [0, "prepare", "prepare", [], ["order", '"4711"'], []],
    [1, "p-prepare", "start", ["payment", '"working"'], [], [0]],
    [2, "i-prepare", "start", ["inventory", '"working"'], [], [0]],
    [1, "p-vote", "vote", ["payment", '"prepared"'], ["vote", '"yes"'], []],
    [0, "p-vote-in", "vote-in", [], ["from", '"payment"'], [3]],
    [2, "i-vote", "vote", ["inventory", '"prepared"'], ["vote", '"yes"', "fsync_ms", "45.9"], []],
    [0, "decide", "decide", ["decision", '"commit"'], ["reason", '"50 ms are over, nobody voted no"'], []],
    [0, "i-vote-in", "vote-in", [], ["from", '"inventory"', "late", "true"], [5]],
    [1, "p-apply", "apply", ["payment", '"committed"'], [], [6]],
    [2, "i-apply", "apply", ["inventory", '"committed"'], [], [6]],
  ];
  const times = [0, 1.5, 1.9, 4.7, 5.6, 48.3, 50, 50.5, 51.2, 51.6];
  picture.reasons = [
    { name: s("message"), assumed: false, text: s("named in `after`") },
    { name: s("same clock"), assumed: true, text: s("assumed: both on one clock") },
  ];
  picture.events.line = [];
  picture.events.time = times;
  picture.events.about = [];
  events.forEach(([lane, id, name, sets, about, after], event) => {
    picture.events.lane.push(lane);
    picture.events.id.push(s(id));
    picture.events.name.push(s(name));
    picture.events.line.push(event + 2);
    picture.events.sets.push(sets.map(s));
    picture.events.about.push(about.map(s));
    for (const cause of after) {
      picture.edges.from.push(cause);
      picture.edges.to.push(event);
      picture.edges.reason.push(0);
    }
  });
  picture.order = events.map((_, event) => event);
  picture.initial = [[s("decision"), s('"none"'), s("payment"), s('"idle"'), s("inventory"), s('"idle"')]];
  const formula = 'G (on(decision == "commit") -> inventory == "prepared" && payment == "prepared")';
  const parts = {
    formulas: [
      { text: formula, depth: 0 },
      { text: 'on(decision == "commit") -> inventory == "prepared" && payment == "prepared"', depth: 1 },
      { text: 'on(decision == "commit")', depth: 2 },
      { text: 'inventory == "prepared" && payment == "prepared"', depth: 2 },
      { text: 'inventory == "prepared"', depth: 3 },
      { text: 'payment == "prepared"', depth: 3 },
    ],
    first: 0,
    changes: [[0, 0, 7, 1], [0, 1, 6, 0, 7, 1], [0, 0, 6, 1, 7, 0], [0, 0, 7, 1, 9, 0], [0, 0, 7, 1, 10, 0], [0, 0, 4, 1, 9, 0]],
  };
  picture.results = [
    emptyResult({
      property: "no_early_commit", formula, verdict: "violated", word: "violated",
      sentence: "some possible orders satisfy it, others do not",
      story: [
        "The recorded order is fine. But nothing orders `vote` on inventory (line 7) before `decide` on coordinator (line 8): if `decide` comes first and all else stays, `no_early_commit` fails. An edge (a message, a lock, a wait) from `vote` to `decide` would rule that out.",
      ],
      heading: "The closest order that fails, 1 adjacent swap away from the recorded one",
      order: [0, 1, 2, 3, 4, 6, 5, 7, 8, 9], moment: { at: 6 },
      note: 'decision = "commit", inventory = "working", payment = "prepared"',
      moved: { earlier: [6], later: [5] }, swapped: [5, 6], missing: [[5, 6]], mentions: [1, 2, 3, 5, 6, 8, 9], parts,
      recorded_parts: {
        ...parts, changes: [[0, 1], [0, 1], [0, 0, 7, 1, 8, 0], [0, 0, 6, 1, 9, 0], [0, 0, 6, 1, 10, 0], [0, 0, 4, 1, 9, 0]],
      },
    }),
    emptyResult({ property: "apply_after_decision", formula: "G (event(apply) -> O event(decide))", mentions: [6, 8, 9] }),
    emptyResult({
      property: "never_ready", logic: "ctl", verdict: "violated", word: "violated", sentence: "",
      formula: 'AG !(payment == "prepared" && inventory == "prepared" && decision == "none")',
      story: ["The property fails in a global state that could have occurred."], heading: "A path to the cut where it fails",
      order: [0, 1, 2, 3, 5], moment: { at: 5 }, note: 'payment = "prepared", inventory = "prepared", decision = "none"',
      cut: [1, 2, 2], mentions: [3, 5, 6],
    }),
    emptyResult({ property: "too_hard", verdict: "unknown", word: "unknown", sentence: "out of time", formula: "F (a U b)" }),
  ];
  return picture;
}

/** A handshake with a missing answer. */
export function waveform() {
  const picture = emptyPicture("handshake.vcd", "waveform");
  const s = stringTable(picture.strings);
  const positions = 40;
  picture.orders = "one";
  picture.facts = ["4 signals", `${positions} samples`];
  const signal = (/** @type {string} */ name, /** @type {(string | number)[]} */ values) => ({
    name: s(name), values: values.map((value, index) => (index % 2 === 0 ? value : s(String(value)))),
  });
  picture.wave = {
    positions, unit: "ns", times: Array.from({ length: positions }, (_, index) => 10 * index),
    signals: [
      signal("top.clk_en", [0, 0, 2, 1]),
      signal("top.req", [0, 0, 4, 1, 7, 0, 20, 1, 23, 0]),
      signal("top.ack", [0, 0, 6, 1, 8, 0]),
      signal("top.data[7:0]", [0, "x", 4, "a5", 9, "00", 20, "3c", 26, "ff"]),
    ],
  };
  picture.results = [
    emptyResult({
      property: "answered", logic: "psl", formula: "always (top.req -> next_e[1..4] top.ack)", verdict: "violated", word: "violated",
      sentence: "", story: ["`top.req` rises at 200 ns, and `top.ack` does not follow within 4 samples."], moment: { at: 24 }, note: "top.ack = 0",
    }),
  ];
  return picture;
}

/** A philosopher who waits for ever. */
export function model() {
  const picture = emptyPicture("philosophers.sys", "model");
  const s = stringTable(picture.strings);
  picture.recorded = false;
  picture.lanes = ["left", "right", "fork"].map((name) => ({ name: s(name), group: null, chains: 1 }));
  /** @type {[number, string, string[], number[]?][]} */
  const steps = [
    [0, "take", ["fork", "1"], [2]], [2, "taken", []], [0, "eat", ["left", "eat"]], [0, "put", ["fork", "0", "left", "think"]],
    [0, "take", ["fork", "1", "left", "hungry"], [2]], [0, "eat", ["left", "eat"]], [0, "put", ["fork", "0", "left", "think"], [2]],
    // Of another result.
    [1, "take", ["fork", "1"], [2]],
  ];
  picture.events.also = [];
  steps.forEach(([lane, name, sets, also], step) => {
    picture.events.lane.push(lane);
    picture.events.also.push(also ?? []);
    picture.events.id.push(s(`${step + 1}`));
    picture.events.name.push(s(name));
    picture.events.sets.push(sets.map(s));
  });
  picture.order = steps.map((_, step) => step);
  picture.facts = ["3 components", "7 steps"];
  picture.results = [
    emptyResult({
      property: "eats", formula: 'F right == "eat"', verdict: "violated", word: "violated", sentence: "",
      heading: "A run that violates it", order: [0, 1, 2, 3, 4, 5, 6], moment: { waits: 4 }, cycle: 4, mentions: [0, 1, 2, 3, 4, 5, 6],
      story: ["The right philosopher never eats: from step 4 on the same steps repeat for ever."],
    }),
    emptyResult({
      property: "no deadlock", logic: "deadlock", formula: "", verdict: "violated", word: "violated", sentence: "",
      heading: "A run to a deadlock", order: [7], moment: { at: 1 }, note: "no action can take place", cycle: null,
    }),
    emptyResult({ property: "thinks", formula: 'F left == "think"' }),
  ];
  picture.initial = [["left", "think"], ["right", "hungry"], []].map((pairs) => pairs.map(s));
  return picture;
}

/** A monitor with all three verdicts. */
export function monitor() {
  const picture = emptyPicture("reply.props", "monitor");
  picture.facts = ["1 monitor", "4 states"];
  const automaton = /** @type {any} */ ({
    states: [
      { name: "idle", verdict: "open", initial: true }, { name: "waiting", verdict: "open", initial: false },
      { name: "done", verdict: "holds", initial: false }, { name: "failed", verdict: "violated", initial: false },
    ],
    arcs: [
      { from: 0, to: 0, guard: "!req" }, { from: 0, to: 1, guard: "req" }, { from: 1, to: 0, guard: "ack" }, { from: 1, to: 3, guard: "!ack && req" },
      { from: 0, to: 2, guard: "end" }, { from: 1, to: 1, guard: "!ack && !req" }, { from: 2, to: 2, guard: "true" }, { from: 3, to: 3, guard: "true" },
    ],
  });
  picture.results = [emptyResult({ property: "reply", logic: "psl", formula: "always (req -> next ack)", verdict: "unknown", word: "open", sentence: "", automaton })];
  return picture;
}

/** A small generator of numbers: the same for the same seed, everywhere. @param {number} seed */
export function numbers(seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * A run of services that send messages, with a violated property.
 *
 * @param {number} size
 * @param {number} lanes
 * @param {number} [chains]
 */
export function largeRun(size, lanes, chains = 1) {
  const picture = emptyPicture(`large-${size}.jsonl`, "run");
  const s = stringTable(picture.strings);
  const below = numbers(size + lanes);
  picture.facts = [`${lanes} processes`, `${size} events`];
  picture.lanes = Array.from({ length: lanes }, (_, lane) => ({ name: s(`service-${lane}`), group: lane % 3 === 0 ? s("eu") : null, chains }));
  picture.reasons = [
    { name: s("message"), assumed: false, text: s("message") },
    { name: s("same clock"), assumed: true, text: s("assumed: both on one clock") },
  ];
  const names = ["request", "reply", "lock", "unlock", "write", "read", "commit", "retry"].map(s);
  const variables = Array.from({ length: lanes }, (_, lane) => s(`state.${lane}`));
  const values = ["idle", "busy", "waiting", "done"].map(s);
  const key = s("order");
  const { events, edges } = picture;
  events.line = [];
  events.about = [];
  events.time = [];
  if (chains > 1) events.chain = [];
  for (let event = 0; event < size; event++) {
    const lane = below(lanes);
    events.lane.push(lane);
    events.chain?.push(below(chains));
    events.id.push(s(`e${event}`));
    events.name.push(names[below(names.length)]);
    events.line.push(event + 2);
    events.time.push(event * 0.25);
    events.sets.push(below(3) === 0 ? [variables[lane], values[below(values.length)]] : []);
    events.about.push(below(8) === 0 ? [key, s(`${below(5000)}`)] : []);
    if (event > 0 && below(2) === 0) {
      const cause = Math.max(0, event - 1 - (below(20) === 0 ? below(2000) : below(40)));
      if (events.lane[cause] !== lane) {
        edges.from.push(cause);
        edges.to.push(event);
        edges.reason.push(below(12) === 0 ? 1 : 0);
      }
    }
  }
  picture.order = Array.from({ length: size }, (_, event) => event);
  picture.initial = [variables.flatMap((variable) => [variable, values[0]])];
  const swap = swappable(picture, Math.floor(size * 0.62));
  const order = picture.order.slice();
  [order[swap], order[swap + 1]] = [order[swap + 1], order[swap]];
  const mentions = picture.order.filter((event) => event % 997 === 0 || (event >= swap - 6 && event <= swap + 8));
  const formula = 'G (state.0 == "busy" -> state.1 != "busy")';
  picture.results = [
    emptyResult({
      property: "not_both_busy", formula, verdict: "violated", word: "violated", sentence: "some possible orders satisfy it, others do not",
      story: [`The recorded order is fine. But nothing orders \`e${swap}\` before \`e${swap + 1}\`.`],
      heading: "The closest order that fails, 1 adjacent swap away from the recorded one", order, moment: { at: swap + 1 },
      note: 'state.0 = "busy", state.1 = "busy"', moved: { earlier: [swap + 1], later: [swap] }, swapped: [swap, swap + 1],
      missing: [[swap, swap + 1]], mentions,
      parts: { formulas: [{ text: formula, depth: 0 }, { text: 'state.0 == "busy"', depth: 1 }], first: 0, changes: [[0, 0, swap + 2, 1], [0, 0, swap + 1, 1, swap + 9, 0]] },
    }),
    emptyResult({ property: "replies", formula: "G (request -> F reply)" }),
  ];
  return picture;
}

/** The first event from `start` on which the next one does not come after. @param {any} picture @param {number} start */
function swappable({ events, edges }, start) {
  for (let event = start; ; event++) {
    const ordered = edges.from.some((/** @type {number} */ from, /** @type {number} */ index) => from === event && edges.to[index] === event + 1);
    if (events.lane[event] !== events.lane[event + 1] && !ordered) return event;
  }
}

/** Names that would be markup or script if anything took them for more than text. */
export function hostile() {
  const picture = twoPhaseCommit();
  const bad = '</script><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
  picture.title = bad;
  picture.facts = [bad];
  picture.strings = picture.strings.map((text) => `${bad}${text}\u2028`);
  for (const result of picture.results) {
    Object.assign(result, { property: bad, formula: bad, sentence: bad, story: [bad], heading: bad, note: bad, warnings: [bad], relies_on: [bad] });
  }
  return picture;
}
