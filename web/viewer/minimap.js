// The whole run beside the diagram, as density: where the events are, what the search found, and where the property fails.

import { make } from "./dom.js";
import { ROW_EVENT } from "./rows.js";

const WIDTH = 56;

/** @param {{onMove: (share: number) => void}} hooks */
export function makeMinimap(hooks) {
  const canvas = make("canvas", { "aria-hidden": "true" });
  const view = make("div", { class: "pv-map-view" });
  const element = make("div", { class: "pv-map", "aria-hidden": "true" }, canvas, view);
  const jump = (/** @type {PointerEvent} */ event) => {
    const box = element.getBoundingClientRect();
    hooks.onMove(Math.max(0, Math.min(1, (event.clientY - box.top) / box.height)));
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    jump(event);
    event.preventDefault();
  });
  element.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) jump(event);
  });

  /**
   * @param {import("./run.js").Run} run
   * @param {import("./rows.js").Rows} rows
   * @param {import("./paint.js").Colours} colours
   * @param {{height: number, matter: Uint8Array | null, hits: Uint8Array | null, moment: number}} marks
   */
  function paint(run, rows, colours, { height, matter, hits, moment }) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(WIDTH * ratio);
    canvas.height = Math.max(1, Math.round(height * ratio));
    canvas.style.width = `${WIDTH}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    if (context === null) return;
    context.scale(ratio, ratio);
    const bins = Math.max(1, Math.floor(height / 2));
    const counts = new Uint16Array(bins * run.lanes.length);
    const found = new Uint8Array(bins);
    const mattering = new Uint8Array(bins);
    for (let row = 0; row < rows.count; row++) {
      if (rows.kind[row] !== ROW_EVENT) continue;
      const event = rows.value[row];
      const at = Math.min(bins - 1, Math.floor((row * bins) / rows.count));
      counts[at * run.lanes.length + run.columns[run.column[event]].lane]++;
      if (hits !== null && hits[event] === 1) found[at] = 1;
      if (matter !== null && matter[event] === 1) mattering[at] = 1;
    }
    paintBins(context, run, rows, colours, counts, bins, height);
    const bin = height / bins;
    for (let at = 0; at < bins; at++) {
      context.fillStyle = colours.accent;
      if (found[at]) context.fillRect(0, at * bin, 7, Math.max(bin, 2));
      context.fillStyle = colours.ink;
      if (mattering[at]) context.fillRect(WIDTH - 5, at * bin, 5, bin);
    }
    if (moment >= 0) {
      context.fillStyle = colours.fail;
      context.fillRect(0, ((moment + 0.5) * height) / rows.count - 1, WIDTH, 2.5);
    }
  }

  /** @param {number} from @param {number} to Shares of the whole. */
  function setView(from, to) {
    view.style.top = `${from * 100}%`;
    view.style.height = `${Math.max(0.8, (to - from) * 100)}%`;
  }
  return { element, paint, setView };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("./run.js").Run} run
 * @param {import("./rows.js").Rows} rows
 * @param {import("./paint.js").Colours} colours
 * @param {Uint16Array} counts
 * @param {number} bins
 * @param {number} height
 */
function paintBins(context, run, rows, colours, counts, bins, height) {
  const lanes = run.lanes.length;
  const step = (WIDTH - 16) / lanes;
  const full = Math.max(1, (2 * rows.count) / bins / lanes);
  for (let lane = 0; lane < lanes; lane++) {
    context.fillStyle = colours.lanes[lane % colours.lanes.length];
    for (let at = 0; at < bins; at++) {
      const count = counts[at * lanes + lane];
      if (count === 0) continue;
      context.globalAlpha = 0.25 + 0.75 * Math.min(1, count / full);
      context.fillRect(8 + lane * step, (at * height) / bins, Math.max(1, step - 0.5), height / bins);
    }
  }
  context.globalAlpha = 1;
}
