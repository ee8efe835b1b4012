// The run of a picture, made ready for drawing: typed columns, and both directions of the edges.
//
// A lane with concurrent chains has several columns side by side. Every event lies in one column, and the events of a column are
// ordered; edges connect columns. Start at `readRun`.

/** @typedef {import("./types.js").Picture} Picture */

/**
 * @typedef {object} Run
 * @property {Picture} picture
 * @property {number} size Number of events.
 * @property {Int32Array} column The column of each event.
 * @property {(number[] | Int32Array)[] | null} also Other columns that an event is on: a step of several components of a model.
 * @property {{lane: number, chain: number}[]} columns
 * @property {{name: string, group: string | null, first: number, chains: number}[]} lanes
 * @property {Int32Array} from Source of each edge.
 * @property {Int32Array} to
 * @property {Neighbours} causes Edges that end at an event.
 * @property {Neighbours} effects Edges that begin at an event.
 * @property {Order} recorded
 */

/**
 * The edges of event `e` are `edges[start[e]] .. edges[start[e + 1] - 1]`.
 *
 * @typedef {{start: Int32Array, edges: Int32Array}} Neighbours
 */

/**
 * An order of all events. Positions count from 0 here; position p of the JSON is the moment after `events[p - 1]`.
 *
 * @typedef {object} Order
 * @property {Int32Array} events
 * @property {Int32Array} place The inverse: where each event comes.
 * @property {number} length How many of the events the order itself has. The others follow, so that the picture is whole.
 */

/**
 * @param {Picture} picture
 * @returns {Run}
 */
export function readRun(picture) {
  const { events, edges } = picture;
  const size = events.lane.length;
  const chains = chainsOfLanes(picture);
  /** @type {Run["lanes"]} */
  const lanes = [];
  /** @type {Run["columns"]} */
  const columns = [];
  picture.lanes.forEach((lane, index) => {
    const group = lane.group === null || lane.group === undefined ? null : textOf(picture, lane.group);
    lanes.push({ name: textOf(picture, lane.name), group, first: columns.length, chains: chains[index] });
    for (let chain = 0; chain < chains[index]; chain++) columns.push({ lane: index, chain });
  });
  const column = new Int32Array(size);
  for (let event = 0; event < size; event++) column[event] = lanes[events.lane[event]].first + (events.chain?.[event] ?? 0);
  const from = new Int32Array(edges.from);
  const to = new Int32Array(edges.to);
  /** @type {Run} */
  const run = {
    picture,
    size,
    column,
    also: events.also?.map((others) => others.map((lane) => lanes[lane].first)) ?? null,
    columns,
    lanes,
    from,
    to,
    causes: neighbours(to, size),
    effects: neighbours(from, size),
    // Events that no order has come in the order of their numbers.
    recorded: makeOrder(size, picture.order ?? [], null),
  };
  return run;
}

/**
 * @param {Picture} picture
 * @returns {number[]}
 */
function chainsOfLanes({ lanes, events }) {
  const chains = lanes.map((lane) => Math.max(1, lane.chains ?? 1));
  events.chain?.forEach((chain, event) => {
    const lane = events.lane[event];
    if (chain >= chains[lane]) chains[lane] = chain + 1;
  });
  return chains;
}

/**
 * @param {Int32Array} ends
 * @param {number} size
 * @returns {Neighbours}
 */
function neighbours(ends, size) {
  const start = new Int32Array(size + 1);
  for (let edge = 0; edge < ends.length; edge++) start[ends[edge] + 1]++;
  for (let event = 0; event < size; event++) start[event + 1] += start[event];
  const next = start.slice();
  const edges = new Int32Array(ends.length);
  for (let edge = 0; edge < ends.length; edge++) edges[next[ends[edge]]++] = edge;
  return { start, edges };
}

/**
 * An order from a list of events, which may be a part of them: a path to a cut. The others then follow as they do in `rest`.
 *
 * @param {number} size
 * @param {ArrayLike<number>} list
 * @param {Order | null} rest
 * @returns {Order}
 */
export function makeOrder(size, list, rest) {
  const events = new Int32Array(size);
  const place = new Int32Array(size).fill(-1);
  let length = 0;
  for (let index = 0; index < list.length; index++) {
    const event = list[index];
    if (event >= 0 && event < size && place[event] < 0) {
      place[event] = length;
      events[length++] = event;
    }
  }
  let end = length;
  for (let index = 0; index < size; index++) {
    const event = rest === null ? index : rest.events[index];
    if (place[event] < 0) {
      place[event] = end;
      events[end++] = event;
    }
  }
  return { events, place, length };
}

/**
 * @param {Picture} picture
 * @param {number | null | undefined} index
 * @returns {string}
 */
export function textOf(picture, index) {
  return index === null || index === undefined || index < 0 ? "" : (picture.strings[index] ?? "");
}

/**
 * What reports call the event: its name if it has one, else its id.
 *
 * @param {Run} run
 * @param {number} event
 */
export function eventName(run, event) {
  const { events } = run.picture;
  return textOf(run.picture, events.name[event]) || textOf(run.picture, events.id[event]);
}

/**
 * @param {Run} run
 * @param {number} event
 */
export function eventId(run, event) {
  return textOf(run.picture, run.picture.events.id[event]);
}

/**
 * Where the event stands in its file: `line 7`, `node1.jsonl:7`, or nothing.
 *
 * @param {Run} run
 * @param {number} event
 */
export function eventPlace(run, event) {
  const { line, file } = run.picture.events;
  const name = file ? textOf(run.picture, file[event]) : "";
  const number = line?.[event] ?? 0;
  if (number <= 0) return name;
  return name === "" ? `line ${number}` : `${name}:${number}`;
}

/**
 * @param {Run} run
 * @param {import("./types.js").Pairs | null | undefined} flat
 * @returns {[string, string][]}
 */
export function pairsOf(run, flat) {
  /** @type {[string, string][]} */
  const pairs = [];
  if (!flat) return pairs;
  for (let index = 0; index + 1 < flat.length; index += 2) {
    pairs.push([textOf(run.picture, flat[index]), textOf(run.picture, flat[index + 1])]);
  }
  return pairs;
}

/**
 * The names of all lanes that an event is on.
 *
 * @param {Run} run
 * @param {number} event
 */
export function lanesText(run, event) {
  const columns = [run.column[event], ...(run.also?.[event] ?? [])];
  return columns.map((column) => run.lanes[run.columns[column].lane].name).join(", ");
}

/**
 * Whether all lanes of an event are folded.
 *
 * @param {Run} run
 * @param {number} event
 * @param {Set<number>} folded
 */
export function isFolded(run, event, folded) {
  if (!folded.has(laneOf(run, event))) return false;
  return (run.also?.[event] ?? []).every((column) => folded.has(run.columns[column].lane));
}

/**
 * The part of a model's picture that one result is about: each has a run of its own. The other results keep their places, and their words.
 *
 * @param {Picture} picture
 * @param {number} index
 * @returns {Picture}
 */
export function partOf(picture, index) {
  const kept = picture.results[index]?.order ?? [];
  const { events } = picture;
  /** @template T @param {T[]} column */
  const of = (column) => kept.map((event) => column[event]);
  /** @template T @param {T[] | null | undefined} column */
  const ofSome = (column) => (column === null || column === undefined ? null : of(column));
  return {
    ...picture,
    events: {
      lane: of(events.lane), also: ofSome(events.also), chain: ofSome(events.chain), id: of(events.id), name: of(events.name),
      line: ofSome(events.line), file: ofSome(events.file), time: ofSome(events.time), sets: of(events.sets), about: ofSome(events.about),
    },
    order: kept.map((_, place) => place),
    initial: picture.initial.length === picture.results.length ? picture.initial.slice(index, index + 1) : picture.initial,
    results: picture.results.map((result, place) => {
      // Events have new numbers: those of the places in the order.
      const at = new Map(kept.map((event, step) => [event, step]));
      const mentions = place === index ? result.mentions.map((event) => at.get(event) ?? -1).filter((event) => event >= 0) : [];
      return { ...result, order: place === index && result.order !== null ? kept.map((_, step) => step) : null, mentions };
    }),
  };
}

/**
 * @param {Run} run
 * @param {number} event
 */
export function laneOf(run, event) {
  return run.columns[run.column[event]].lane;
}

/**
 * Whether the edge was assumed (by a clock, say) rather than recorded.
 *
 * @param {Run} run
 * @param {number} edge
 */
export function isAssumed(run, edge) {
  return run.picture.reasons[run.picture.edges.reason[edge]]?.assumed === true;
}

/**
 * @param {Run} run
 * @param {number} edge
 */
export function reasonOf(run, edge) {
  const reason = run.picture.reasons[run.picture.edges.reason[edge]];
  if (!reason) return "";
  return textOf(run.picture, reason.text) || textOf(run.picture, reason.name);
}
