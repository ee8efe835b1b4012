// Signals as traces over time, with the stretch where the property fails. Time goes to the right, as engineers of hardware expect.
//
// Only what is in sight is drawn; changes that are closer than a pixel become a block.

import { make } from "./dom.js";
import { textOf } from "./run.js";
import { lastAtMost, speaksOf } from "./steps.js";
import { momentOf } from "./rows.js";
import { clamp } from "./geometry.js";
import { readColours } from "./diagram.js";

const SIGNAL_HEIGHT = 34;
const AXIS_HEIGHT = 24;
/** Browsers cannot scroll over much more than this many pixels. */
const LONGEST = 8_000_000;

/** Pixels for each position: most, first of a long run, and the factor of one step of zoom. */
const WIDEST = 120;
const FIRST = 8;
const ZOOM = 1.6;

/** A signal whose values are all among these is drawn as a line, others as a bus with their values. */
const LEVELS = new Map([["0", 0], ["1", 1], ["false", 0], ["true", 1], ["x", 0.5], ["z", 0.5], ["X", 0.5], ["Z", 0.5]]);

/**
 * @typedef {object} Signal
 * @property {string} name
 * @property {number[]} starts Positions where the value changes.
 * @property {string[]} values
 * @property {boolean} line
 */

/**
 * @param {import("./run.js").Run} run
 * @param {import("./types.js").Wave} wave
 * @returns {Signal[]}
 */
export function readSignals(run, wave) {
  return wave.signals.map(({ name, values }) => {
    const starts = values.filter((_, index) => index % 2 === 0);
    const texts = values.filter((_, index) => index % 2 === 1).map((value) => textOf(run.picture, value));
    return { name: textOf(run.picture, name), starts, values: texts, line: texts.every((text) => LEVELS.has(text)) };
  });
}

/**
 * The values of signals, for the panel.
 *
 * @param {import("./run.js").Run} run
 * @param {import("./types.js").Wave} wave
 * @returns {import("./steps.js").Values}
 */
export function valuesOfWave(run, wave) {
  const signals = readSignals(run, wave);
  return {
    names: signals.map(({ name }) => name),
    at(variable, step) {
      const index = lastAtMost(signals[variable].starts, step);
      return index < 0 ? null : signals[variable].values[index];
    },
    changed(variable, step) {
      const { starts } = signals[variable];
      const index = lastAtMost(starts, step);
      return step > 0 && index >= 0 && starts[index] === step;
    },
  };
}

/**
 * @param {import("./run.js").Run} run
 * @param {import("./types.js").Wave} wave
 * @param {{onStep: (step: number) => void}} hooks
 */
export function makeWave(run, wave, hooks) {
  const all = readSignals(run, wave);
  let signals = all;
  const widest = Math.min(WIDEST, LONGEST / Math.max(1, wave.positions));
  let unit = FIRST;
  let step = 0;
  let pending = 0;
  /** @type {import("./types.js").Result | null} */
  let result = null;
  const names = make("ul", { class: "pv-signals" });
  const canvas = make("canvas", { class: "pv-wave-canvas", "aria-hidden": "true" });
  const layer = make("div", { class: "pv-wave-layer" }, canvas);
  const space = make("div", { class: "pv-wave-space" }, layer);
  const scroller = make(
    "div",
    { class: "pv-wave-scroller", tabindex: 0, role: "group", "aria-label": "Traces over time; arrow keys move the cursor" },
    space,
  );
  const title = make("h3", { class: "pv-pane-title" });
  const element = make("section", { class: "pv-pane pv-wave" }, title, make("div", { class: "pv-wave-main" }, names, scroller));
  scroller.addEventListener("scroll", () => paintSoon(), { passive: true });
  scroller.addEventListener("click", (event) => {
    const x = event.clientX - scroller.getBoundingClientRect().left + scroller.scrollLeft;
    hooks.onStep(clamp(Math.floor(x / unit), 0, wave.positions - 1));
  });
  scroller.addEventListener("keydown", (event) => {
    const moves = /** @type {Record<string, number>} */ ({
      ArrowRight: step + 1, ArrowLeft: step - 1, Home: 0, End: wave.positions - 1,
      PageDown: step + Math.ceil(scroller.clientWidth / unit / 2), PageUp: step - Math.ceil(scroller.clientWidth / unit / 2),
    });
    if (moves[event.key] === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    hooks.onStep(moves[event.key]);
  });
  scroller.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1 : -1, event.clientX - scroller.getBoundingClientRect().left);
  }, { passive: false });
  const observer = new ResizeObserver(() => resize());
  observer.observe(element);

  /** @param {import("./types.js").Result | null} chosen */
  function show(chosen) {
    result = chosen;
    const formula = chosen?.formula ?? "";
    title.textContent = chosen?.heading || "Signals";
    const spoken = (/** @type {Signal} */ { name }) => speaksOf(formula, name);
    signals = [...all.filter(spoken), ...all.filter((signal) => !spoken(signal))];
    names.replaceChildren(
      make("li", { class: "pv-axis-name" }, wave.unit ? `time (${wave.unit})` : "position"),
      ...signals.map((signal) => make("li", { class: spoken(signal) ? "pv-spoken" : null, title: signal.name }, signal.name)),
    );
    unit = clamp(fitting(), Math.min(FIRST, widest), widest);
    resize();
  }

  /** The scale at which all is in sight. */
  function fitting() {
    return Math.max(1, scroller.clientWidth - 2) / Math.max(1, wave.positions);
  }

  function resize() {
    space.style.width = `${wave.positions * unit}px`;
    space.style.height = `${AXIS_HEIGHT + signals.length * SIGNAL_HEIGHT}px`;
    paint();
  }

  /** @param {number} by @param {number} [anchor] */
  function zoom(by, anchor = scroller.clientWidth / 2) {
    const position = (scroller.scrollLeft + anchor) / unit;
    unit = clamp(unit * ZOOM ** by, Math.min(widest, fitting()), widest);
    resize();
    scroller.scrollLeft = position * unit - anchor;
    paintSoon();
  }

  /** @param {number} to */
  function setStep(to) {
    step = to;
    const x = to * unit;
    const { scrollLeft, clientWidth } = scroller;
    if (x < scrollLeft + 30 || x > scrollLeft + clientWidth - 60) scroller.scrollLeft = x - clientWidth / 2;
    paintSoon();
  }

  function paintSoon() {
    if (pending !== 0) return;
    pending = requestAnimationFrame(() => {
      pending = 0;
      paint();
    });
  }

  function paint() {
    const width = scroller.clientWidth;
    const height = AXIS_HEIGHT + signals.length * SIGNAL_HEIGHT;
    const ratio = window.devicePixelRatio || 1;
    const context = canvas.getContext("2d");
    if (width === 0 || context === null) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const colours = readColours(element);
    const left = scroller.scrollLeft;
    const frame = { context, colours, unit, left, width, first: Math.floor(left / unit), last: Math.ceil((left + width) / unit) };
    paintStretch(frame, height);
    paintAxis(frame);
    signals.forEach((signal, index) => paintSignal(frame, signal, AXIS_HEIGHT + index * SIGNAL_HEIGHT, wave.positions));
    context.fillStyle = colours.accent;
    context.fillRect((step + 0.5) * unit - left - 0.75, 0, 1.5, height);
  }

  /** @param {Frame} frame @param {number} height */
  function paintStretch({ context, colours, unit: per, left }, height) {
    const moment = result === null || result.verdict === "holds" ? null : momentOf(result);
    if (moment === null || result === null) return;
    const to = result.moment?.at === undefined ? wave.positions : moment + 1;
    const x = moment * per - left;
    const wide = Math.max(3, (to - moment) * per);
    context.globalAlpha = 0.16;
    context.fillStyle = colours.fail;
    context.fillRect(x, 0, wide, height);
    context.globalAlpha = 1;
    context.fillRect(x, 0, 1.5, height);
    context.fillRect(x + wide - 1.5, 0, 1.5, height);
    context.font = "bold 13px system-ui, sans-serif";
    context.fillText("✗", x - 13, 16);
  }

  /** @param {Frame} frame */
  function paintAxis({ context, colours, unit: per, left, first, last }) {
    const every = niceStep(90 / per);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = context.strokeStyle = colours.edge;
    context.lineWidth = 1;
    for (let position = Math.ceil(first / every) * every; position <= Math.min(last, wave.positions - 1); position += every) {
      const x = Math.round(position * per - left) + 0.5;
      context.globalAlpha = 0.25;
      context.beginPath();
      context.moveTo(x, AXIS_HEIGHT - 6);
      context.lineTo(x, AXIS_HEIGHT + signals.length * SIGNAL_HEIGHT);
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(String(wave.times?.[position] ?? position), x + 18, 15);
    }
  }

  return {
    element, show, setStep, zoom, resize,
    destroy() {
      observer.disconnect();
      cancelAnimationFrame(pending);
    },
  };
}

/**
 * @typedef {object} Frame
 * @property {CanvasRenderingContext2D} context
 * @property {import("./paint.js").Colours} colours
 * @property {number} unit Pixels for each position.
 * @property {number} left
 * @property {number} width
 * @property {number} first
 * @property {number} last
 */

/**
 * The smallest of 1, 2, 5, 10, 20, ... that is at least `least`.
 *
 * @param {number} least
 */
export function niceStep(least) {
  let power = 1;
  while (power * 10 < least) power *= 10;
  for (const factor of [1, 2, 5, 10]) {
    if (factor * power >= least) return factor * power;
  }
  return power * 10;
}

/**
 * @param {Frame} frame
 * @param {Signal} signal
 * @param {number} y
 * @param {number} positions
 */
function paintSignal(frame, signal, y, positions) {
  const { context, colours, unit, left, first, last } = frame;
  const high = y + 8;
  const low = y + SIGNAL_HEIGHT - 8;
  const { starts, values, line } = signal;
  context.strokeStyle = context.fillStyle = colours.lanes[line ? 1 : 0];
  context.lineWidth = 1.6;
  let before = -1;
  let dense = -1;
  for (let index = Math.max(0, lastAtMost(starts, first)); index < starts.length && starts[index] <= last; index++) {
    const from = starts[index] * unit - left;
    const to = (starts[index + 1] ?? positions) * unit - left;
    if (to - from < 1.5 && index + 1 < starts.length) {
      if (dense < 0) dense = from;
      continue;
    }
    if (dense >= 0) {
      context.globalAlpha = 0.55;
      context.fillRect(dense, high, Math.max(1, from - dense), low - high);
      context.globalAlpha = 1;
      dense = -1;
      before = -1;
    }
    if (line) before = paintLevel(context, low - (LEVELS.get(values[index]) ?? 0) * (low - high), from, to, before);
    else paintBus(frame, values[index], from, to, high, low);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} level
 * @param {number} from
 * @param {number} to
 * @param {number} before
 */
function paintLevel(context, level, from, to, before) {
  context.beginPath();
  context.moveTo(from, before < 0 ? level : before);
  context.lineTo(from, level);
  context.lineTo(to, level);
  context.stroke();
  return level;
}

/**
 * @param {Frame} frame
 * @param {string} value
 * @param {number} from
 * @param {number} to
 * @param {number} high
 * @param {number} low
 */
function paintBus({ context, colours, width }, value, from, to, high, low) {
  const slope = Math.min(4, (to - from) / 2);
  const middle = (high + low) / 2;
  context.beginPath();
  context.moveTo(from, middle);
  context.lineTo(from + slope, high);
  context.lineTo(to - slope, high);
  context.lineTo(to, middle);
  context.lineTo(to - slope, low);
  context.lineTo(from + slope, low);
  context.closePath();
  context.stroke();
  const start = Math.max(from, 0) + 7;
  const room = Math.min(to, width) - start - 5;
  if (room < 8) return;
  const colour = context.fillStyle;
  context.fillStyle = colours.ink;
  context.font = "12px ui-monospace, monospace";
  const fitting = Math.floor(room / 7.3);
  const text = value.length <= fitting ? value : fitting > 1 ? `${value.slice(0, fitting - 1)}…` : "";
  context.fillText(text, start, middle + 4);
  context.fillStyle = colour;
}
