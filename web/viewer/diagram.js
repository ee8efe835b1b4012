// One space-time diagram: a list of rows that scrolls, with a canvas over it for columns, marks and edges.
//
// Only the rows in sight exist as elements; they are reused while one scrolls. The list is a listbox whose active option is the
// row of the cursor, so it is read out and driven by keys without any of the canvas.

import { make, counted, grouped } from "./dom.js";
import { eventId, eventName, eventPlace, lanesText, pairsOf, reasonOf, isAssumed } from "./run.js";
import { ROW_EVENT, ROW_GAP, ROW_LOOP, ROW_MOMENT } from "./rows.js";
import { indexEdges } from "./edges.js";
import { clamp, cutRows, distanceTo, layOut } from "./geometry.js";
import { paintScene } from "./paint.js";
import { makeMinimap } from "./minimap.js";

/** Heights of a row that zooming steps through. Text needs the first two. */
const ROW_HEIGHTS = [28, 20, 12, 7, 4, 2, 1, 0.5, 0.25, 0.12, 0.06, 0.03, 0.015, 0.008];

/** Rows lower than this have no text. */
const READABLE = 18;

/** Browsers cannot scroll over much more than this many pixels. */
const TALLEST = 8_000_000;

/** Rows that are printed, at most: those around the moment. */
const PRINTED_ROWS = 300;

let diagrams = 0;

/**
 * What a diagram shows.
 *
 * @typedef {object} View
 * @property {string} title
 * @property {import("./run.js").Order} order
 * @property {import("./rows.js").Rows} rows
 * @property {Set<number>} folded
 * @property {number | null} moment
 * @property {string} note What is true at the moment.
 * @property {boolean} failing Whether the moment is one of failing.
 * @property {Uint8Array | null} matter
 * @property {Uint8Array | null} hits
 * @property {Map<number, "↑" | "↓">} moved Events that come earlier or later than recorded.
 * @property {Set<number>} swapped
 * @property {[number, number][]} missing
 * @property {number[] | null} cut
 * @property {number | null} cycle
 */

/**
 * @typedef {object} DiagramHooks
 * @property {(step: number) => void} onStep
 * @property {(event: number) => void} onGap A gap shall be opened, named by its first event.
 * @property {(lane: number) => void} onFold
 */

export class Diagram {
  /**
   * @param {import("./run.js").Run} run
   * @param {DiagramHooks} hooks
   */
  constructor(run, hooks) {
    this.run = run;
    this.hooks = hooks;
    this.name = `pv-d${++diagrams}`;
    this.step = 0;
    this.zoomed = 0;
    this.pan = 0;
    this.hovered = -1;
    this.printing = false;
    /** @type {View | null} */
    this.view = null;
    /** @type {import("./edges.js").EdgeIndex | null} */
    this.edges = null;
    /** @type {Int32Array | null} */
    this.cut = null;
    /** @type {import("./geometry.js").Geometry} */
    this.geometry = layOut(run, new Set(), 800, 0);
    /** @type {import("./paint.js").Drawn} */
    this.drawn = [];
    /** @type {HTMLElement[]} */
    this.pool = [];
    /** What the elements of the pool show, by element; a row under the cursor has a number below 0. */
    this.filled = {
      /** @type {View | null} */ view: null, first: 0, base: 0, height: 0, active: "",
      /** @type {Map<HTMLElement, number>} */ rows: new Map(),
    };
    /** @type {import("./paint.js").Colours | null} */
    this.colours = null;
    this.pending = 0;
    this.width = 0;
    this.texts = widthsOfTexts(run);
    /** What is on paper: how far the rows are scrolled, how tall they are, and the zoom to go back to. */
    this.paper = { top: 0, height: 0, zoomed: 0 };
    this.title = make("h3", { class: "pv-pane-title" });
    this.heads = make("div", { class: "pv-heads", role: "group", "aria-label": "Lanes. Press one to fold it" });
    this.canvas = make("canvas", { class: "pv-canvas", "aria-hidden": "true" });
    this.list = make("div", { class: "pv-rows", role: "presentation" });
    this.layer = make("div", { class: "pv-layer", role: "presentation" }, this.list, this.canvas);
    this.space = make("div", { class: "pv-space", role: "presentation" }, this.layer);
    this.scroller = make(
      "div",
      { class: "pv-scroller", role: "listbox", tabindex: 0, "aria-label": "Events" },
      this.space,
    );
    this.tip = make("div", { class: "pv-tip", role: "status", hidden: true });
    this.panner = make("input", {
      class: "pv-panner", type: "range", min: 0, max: 0, value: 0, "aria-label": "Pan the lanes sideways", hidden: true,
    });
    this.map = makeMinimap({ onMove: (share) => this.centre(share) });
    const side = make("div", { class: "pv-main" }, this.scroller, this.map.element);
    this.element = make("section", { class: "pv-pane" }, this.title, this.heads, this.panner, side, this.tip);
    this.observer = new ResizeObserver(() => this.resize());
    this.listen();
  }

  listen() {
    this.scroller.addEventListener("scroll", () => this.paintSoon(), { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.onKey(event));
    this.scroller.addEventListener("click", (event) => this.onClick(event));
    this.scroller.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.scroller.addEventListener("pointermove", (event) => this.onPointer(event));
    this.scroller.addEventListener("pointerleave", () => this.hover(-1, "", 0, 0));
    this.panner.addEventListener("input", () => this.panTo(Number(this.panner.value)));
    this.observer.observe(this.element);
  }

  destroy() {
    this.observer.disconnect();
    cancelAnimationFrame(this.pending);
  }

  /** @param {View} view */
  show(view) {
    const { run } = this;
    this.view = view;
    this.title.textContent = this.title.title = view.title;
    this.scroller.setAttribute("aria-label", `${view.title}: events in order`);
    this.edges = indexEdges(run, view.rows.rowOf);
    this.cut = view.cut === null ? null : cutRows(run, view.order, view.rows, view.cut);
    this.width = 0;
    this.resize();
  }

  get rowHeight() {
    return ROW_HEIGHTS[this.zoomed];
  }

  /** What the texts of rows need beside each other. Narrow panes leave some out, as the style sheet says. @param {number} width */
  textWidth(width) {
    const { name, lane, sets, place } = this.texts;
    return name + sets + (width > 640 ? place + 10 : 0) + (width > 760 ? lane + 10 : 0) + 40;
  }

  get readable() {
    return this.rowHeight >= READABLE;
  }

  /** Pixels of all rows together. */
  get tall() {
    return (this.view?.rows.count ?? 0) * this.rowHeight;
  }

  /** How far the rows are scrolled. Where they are taller than a browser scrolls, the scroll bar stands for a share of them. */
  get top() {
    const { scroller } = this;
    if (this.printing) return this.paper.top;
    if (this.tall <= TALLEST) return scroller.scrollTop;
    const most = TALLEST - scroller.clientHeight;
    return (scroller.scrollTop / most) * (this.tall - scroller.clientHeight);
  }

  /** @param {number} top */
  scrollTo(top) {
    const { scroller } = this;
    const most = this.tall - scroller.clientHeight;
    const share = this.tall <= TALLEST ? 1 : (TALLEST - scroller.clientHeight) / most;
    scroller.scrollTop = clamp(top, 0, Math.max(0, most)) * share;
    this.paintSoon();
  }

  /** @param {number} share Of all rows; it comes to the middle. */
  centre(share) {
    this.scrollTo(share * this.tall - this.scroller.clientHeight / 2);
  }

  /** Fits everything to the room that there is. The bar of the map takes some of it, so this may go twice. */
  resize() {
    this.fit();
    if (this.view !== null && !this.printing && this.scroller.clientWidth !== this.width) this.fit();
  }

  fit() {
    if (this.view === null || this.printing) return;
    const width = this.scroller.clientWidth;
    if (width !== this.width) {
      this.width = width;
      this.geometry = layOut(this.run, this.view.folded, width, this.readable ? this.textWidth(width) : 0);
      const { numbers, margin } = this.geometry;
      this.layer.style.setProperty("--pv-numbers", `${numbers}px`);
      this.layer.style.setProperty("--pv-graph", `${margin + this.geometry.width - numbers}px`);
      this.layer.style.setProperty("--pv-names", `${this.texts.name}px`);
      this.layer.style.setProperty("--pv-whose", `${this.texts.lane}px`);
      this.layer.style.setProperty("--pv-places", `${this.texts.place}px`);
      const most = Math.max(0, this.geometry.content - this.geometry.width);
      this.pan = Math.min(this.pan, most);
      this.panner.hidden = most < 1;
      this.panner.max = String(Math.ceil(most));
      this.panner.style.width = `${this.geometry.width}px`;
      this.panner.style.marginLeft = `${margin}px`;
      this.makeHeads();
    }
    this.space.style.height = `${Math.min(this.tall, TALLEST)}px`;
    const roomy = this.tall <= this.scroller.clientHeight + 1;
    this.map.element.hidden = roomy;
    this.colours = readColours(this.element);
    this.paintMap();
    this.paint();
  }

  paintMap() {
    const { view } = this;
    if (view === null || this.colours === null || this.map.element.hidden) return;
    const moment = view.moment === null ? -1 : this.rowOfStep(view.moment);
    this.map.paint(this.run, view.rows, this.colours, {
      height: this.scroller.clientHeight, hits: view.hits, moment,
      // Where only what matters is shown, it need not be marked.
      matter: view.rows.shown < this.run.size ? null : view.matter,
    });
  }

  /** The row of a step: that of the event before it. @param {number} step */
  rowOfStep(step) {
    const rows = this.view?.rows;
    if (rows === undefined || step <= 0 || rows.rowAt.length === 0) return 0;
    return rows.rowAt[Math.min(step, rows.rowAt.length) - 1];
  }

  makeHeads() {
    const { run, geometry } = this;
    const folded = /** @type {View} */ (this.view).folded;
    this.heads.classList.toggle("pv-slanted", geometry.slanted);
    this.heads.replaceChildren(
      ...run.lanes.map((lane, index) => {
        const name = lane.group === null ? lane.name : `${lane.group} / ${lane.name}`;
        const hint = lane.chains > 1 ? `${name} (${lane.chains} concurrent chains)` : name;
        const button = make(
          "button",
          { class: `pv-head pv-lane-${index % 8}`, type: "button", title: `${hint}: fold`, hidden: folded.has(index) },
          make("span", {}, lane.name),
        );
        button.setAttribute("aria-label", `Fold lane ${hint}`);
        button.addEventListener("click", () => this.hooks.onFold(index));
        return button;
      }),
    );
    this.placeHeads();
  }

  placeHeads() {
    const { geometry, heads, pan } = this;
    [...heads.children].forEach((child, index) => {
      const head = /** @type {HTMLElement} */ (child);
      const { left, right } = geometry.lanes[index];
      const middle = (left + right) / 2 - pan;
      head.style.left = `${geometry.margin + (geometry.slanted ? middle : left - pan)}px`;
      head.style.width = geometry.slanted ? "auto" : `${right - left}px`;
      head.style.visibility = middle < 0 || middle > geometry.width ? "hidden" : "visible";
    });
  }

  /** @param {number} step @param {boolean} [reveal] */
  setStep(step, reveal = true) {
    this.step = step;
    if (reveal) this.reveal(step);
    if (reveal && step > 0) this.revealColumn(this.run.column[/** @type {View} */ (this.view).order.events[step - 1]]);
    this.paintSoon();
  }

  /** @param {number} column */
  revealColumn(column) {
    const { x, width } = this.geometry;
    if (this.panner.hidden || (x[column] > this.pan + 10 && x[column] < this.pan + width - 10)) return;
    this.panTo(x[column] - width / 2);
  }

  /** @param {number} pan */
  panTo(pan) {
    this.panner.value = String(pan);
    this.pan = Number(this.panner.value);
    this.placeHeads();
    this.paintSoon();
  }

  /** Scrolls as little as needed to show the row of a step; from far away, into the middle. @param {number} step */
  reveal(step) {
    const y = this.rowOfStep(step) * this.rowHeight;
    const { clientHeight } = this.scroller;
    const margin = Math.min(clientHeight / 4, 3 * this.rowHeight);
    const top = this.top;
    if (y < top - clientHeight || y > top + 2 * clientHeight) this.scrollTo(y - clientHeight / 2);
    else if (y < top + margin) this.scrollTo(y - margin);
    else if (y + this.rowHeight > top + clientHeight - margin) this.scrollTo(y + this.rowHeight + margin - clientHeight);
  }

  /** @param {number} by Steps of zoom; positive is closer. @param {number} [anchor] What stays where it is, from the top. */
  zoom(by, anchor = this.scroller.clientHeight / 2) {
    const row = (this.top + anchor) / this.rowHeight;
    const fitting = ROW_HEIGHTS.findIndex((height) => height * (this.view?.rows.count ?? 0) <= this.scroller.clientHeight);
    const most = Math.max(fitting < 0 ? ROW_HEIGHTS.length - 1 : fitting, this.zoomed);
    this.zoomed = clamp(this.zoomed - by, 0, most);
    this.width = 0;
    this.space.style.height = `${Math.min(this.tall, TALLEST)}px`;
    this.scrollTo(row * this.rowHeight - anchor);
    this.resize();
  }

  /** @param {WheelEvent} event */
  onWheel(event) {
    if (event.ctrlKey) {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1 : -1, event.clientY - this.scroller.getBoundingClientRect().top);
    } else if ((event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) && !this.panner.hidden) {
      event.preventDefault();
      this.panTo(this.pan + (event.deltaX || event.deltaY));
    }
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const rows = this.view?.rows;
    if (rows === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight) - 2);
    const size = this.run.size;
    const moves = /** @type {Record<string, () => void>} */ ({
      ArrowDown: () => this.moveRows(1),
      ArrowUp: () => this.moveRows(-1),
      ArrowRight: () => this.hooks.onStep(Math.min(size, this.step + 1)),
      ArrowLeft: () => this.hooks.onStep(Math.max(0, this.step - 1)),
      PageDown: () => this.moveRows(page),
      PageUp: () => this.moveRows(-page),
      Home: () => this.hooks.onStep(0),
      End: () => this.hooks.onStep(size),
      Enter: () => this.openGap(this.rowOfStep(this.step)),
    });
    if (moves[event.key] === undefined) return;
    event.preventDefault();
    moves[event.key]();
  }

  /** Moves the cursor over rows that stand for events. @param {number} by */
  moveRows(by) {
    const rows = /** @type {View} */ (this.view).rows;
    const unit = Math.sign(by);
    let row = this.step <= 0 ? -1 : this.rowOfStep(this.step);
    let target = this.step;
    for (let left = Math.abs(by); left > 0; ) {
      row += unit;
      if (row < 0) target = 0;
      if (row < 0 || row >= rows.count) break;
      if (rows.kind[row] !== ROW_EVENT && rows.kind[row] !== ROW_GAP) continue;
      target = this.stepOfRow(row);
      left--;
    }
    this.hooks.onStep(target);
  }

  /** @param {number} row */
  stepOfRow(row) {
    const { rows, order } = /** @type {View} */ (this.view);
    if (rows.kind[row] === ROW_EVENT) return order.place[rows.value[row]] + 1;
    if (rows.kind[row] === ROW_GAP) return rows.value[row] + rows.extra[row];
    return rows.kind[row] === ROW_MOMENT ? rows.value[row] : this.step;
  }

  /** @param {number} row */
  openGap(row) {
    const { rows, order } = /** @type {View} */ (this.view);
    if (rows.kind[row] === ROW_GAP) this.hooks.onGap(order.events[rows.value[row]]);
  }

  /** @param {PointerEvent | MouseEvent} event */
  rowUnder(event) {
    const y = event.clientY - this.scroller.getBoundingClientRect().top + this.top;
    return Math.floor(y / this.rowHeight);
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const rows = this.view?.rows;
    const row = this.rowUnder(event);
    if (rows === undefined || row < 0 || row >= rows.count) return;
    this.hooks.onStep(this.stepOfRow(row));
    this.openGap(row);
  }

  /** @param {PointerEvent} event */
  onPointer(event) {
    const box = this.scroller.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    let best = 5;
    let found = -1;
    for (const { edge, points } of this.drawn) {
      const distance = distanceTo(points, x, y);
      if (distance < best) {
        best = distance;
        found = edge;
      }
    }
    this.hover(found, found >= 0 ? edgeText(this.run, found) : this.textWithoutRoom(event), event.clientX, event.clientY);
  }

  /** What a row would say if it had room for text. @param {PointerEvent} event */
  textWithoutRoom(event) {
    const rows = this.view?.rows;
    const row = this.rowUnder(event);
    if (this.readable || this.rowHeight < 2 || rows === undefined || row < 0 || row >= rows.count) return "";
    if (rows.kind[row] !== ROW_EVENT) return this.textOfRow(rows.kind[row], row);
    const found = rows.value[row];
    return [`${eventName(this.run, found)} on ${lanesText(this.run, found)}`, setsText(this.run, found)].filter((text) => text !== "").join(": ");
  }

  /** @param {number} edge @param {string} text @param {number} x @param {number} y */
  hover(edge, text, x, y) {
    if (edge !== this.hovered) {
      this.hovered = edge;
      this.paintSoon();
    }
    this.tip.hidden = text === "";
    if (text !== "") {
      this.tip.textContent = text;
      const box = this.element.getBoundingClientRect();
      this.tip.style.left = `${Math.min(x - box.left + 12, box.width - 240)}px`;
      this.tip.style.top = `${y - box.top + 14}px`;
    }
  }

  paintSoon() {
    if (this.pending !== 0) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.paint();
    });
  }

  paint() {
    const { view, edges, canvas, colours } = this;
    if (view === null || edges === null || colours === null) return;
    const width = this.scroller.clientWidth;
    const height = this.printing ? this.paper.height : this.scroller.clientHeight;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      this.layer.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    if (context === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const top = this.top;
    const first = clamp(Math.floor(top / this.rowHeight), 0, Math.max(0, view.rows.count - 1));
    const last = Math.min(view.rows.count - 1, Math.ceil((top + height) / this.rowHeight));
    this.fillRows(first, last, top);
    this.drawn = paintScene({
      context, colours, run: this.run, order: view.order, rows: view.rows, edges, geometry: this.geometry, folded: view.folded,
      left: this.geometry.margin, pan: this.pan, height, rowHeight: this.rowHeight, top, first, last,
      matter: view.matter, hits: view.hits, moved: view.moved, swapped: view.swapped, missing: view.missing, cut: this.cut,
      moment: this.readable || view.moment === null ? -1 : this.rowOfStep(view.moment) + (view.moment === 0 ? 0 : 1),
      sign: view.failing ? "✗" : "✓",
      loop: view.cycle === null ? null : this.rowOfStep(view.cycle + 1),
      selected: this.step > 0 ? view.order.events[this.step - 1] : -1, hovered: this.hovered,
    }).drawn;
    this.paintCursor(context, width, top);
    this.map.setView(top / this.tall, Math.min(1, (top + height) / this.tall));
  }

  /**
   * A line under the row of the cursor: what is above has happened.
   *
   * @param {CanvasRenderingContext2D} context
   * @param {number} width
   * @param {number} top
   */
  paintCursor(context, width, top) {
    const colours = /** @type {import("./paint.js").Colours} */ (this.colours);
    const row = this.step === 0 ? -1 : this.rowOfStep(this.step);
    const y = Math.max(1, (row + 1) * this.rowHeight - top);
    context.fillStyle = colours.accent;
    context.fillRect(0, y - 1, width, 1.5);
    context.beginPath();
    context.moveTo(0, y - 6);
    context.lineTo(7, y);
    context.lineTo(0, y + 6);
    context.fill();
  }

  /**
   * Puts the rows in sight into the elements of the pool. An element keeps its row as long as that is in sight, so a frame of scrolling
   * moves the list as a whole and fills the rows that have come.
   *
   * @param {number} first
   * @param {number} last
   * @param {number} top
   */
  fillRows(first, last, top) {
    const { pool, filled, rowHeight } = this;
    const needed = this.readable ? last - first + 1 : 0;
    while (pool.length < needed) {
      const row = makeRow(`${this.name}-${pool.length}`);
      pool.push(row);
      this.list.append(row);
    }
    const current = this.step > 0 ? this.rowOfStep(this.step) : -1;
    // Elements stand in the order of their rows, also for those who do not see them.
    const by = needed === 0 || filled.view !== this.view ? 0 : first - filled.first;
    if (by > 0 && by < pool.length) {
      const gone = pool.splice(0, by);
      this.list.append(...gone);
      pool.push(...gone);
    } else if (by < 0 && -by < pool.length) {
      const gone = pool.splice(by);
      this.list.prepend(...gone);
      pool.unshift(...gone);
    }
    // Far down a place would not be exact, so it is counted from a row that is not far.
    const base = first - (first % 1024);
    const same = filled.view === this.view && filled.height === rowHeight && filled.base === base;
    if (!same) filled.rows.clear();
    if (filled.height !== rowHeight) this.list.classList.toggle("pv-compact", rowHeight < 28);
    this.list.style.transform = `translateY(${base * rowHeight - top}px)`;
    let active = "";
    for (let index = 0; index < pool.length; index++) {
      const element = pool[index];
      const row = first + index;
      const shown = index < needed;
      if (element.hidden === shown) element.hidden = !shown;
      if (!shown) continue;
      const key = row === current ? -row - 1 : row;
      if (filled.rows.get(element) !== key) {
        filled.rows.set(element, key);
        element.style.transform = `translateY(${(row - base) * rowHeight}px)`;
        element.style.height = `${rowHeight}px`;
        this.fillRow(element, row);
      }
      if (row === current) active = element.id;
    }
    if (active !== filled.active) {
      if (active === "") this.scroller.removeAttribute("aria-activedescendant");
      else this.scroller.setAttribute("aria-activedescendant", active);
    }
    Object.assign(filled, { view: this.view, first, base, height: rowHeight, active });
  }

  /** @param {HTMLElement} element @param {number} row */
  fillRow(element, row) {
    const view = /** @type {View} */ (this.view);
    const { rows } = view;
    const [number, flag, name, lane, sets, place] = /** @type {HTMLElement[]} */ ([...element.children]);
    const kind = rows.kind[row];
    const current = this.step > 0 && row === this.rowOfStep(this.step);
    let classes = "pv-row";
    if (kind === ROW_EVENT) {
      const event = rows.value[row];
      const swapped = view.swapped.has(event);
      if (swapped) classes += " pv-swapped";
      if (view.matter !== null && view.matter[event] === 0) classes += " pv-aside";
      if (view.order.place[event] >= view.order.length) classes += " pv-after";
      number.textContent = grouped(view.order.place[event] + 1);
      flag.textContent = swapped ? "⇅" : (view.moved.get(event) ?? "");
      name.textContent = eventName(this.run, event);
      lane.textContent = lanesText(this.run, event);
      sets.textContent = setsText(this.run, event);
      place.textContent = eventPlace(this.run, event);
      element.title = "";
    } else {
      const text = this.textOfRow(kind, row);
      classes += kind === ROW_GAP ? " pv-gap" : kind === ROW_LOOP ? " pv-loop" : view.failing ? " pv-moment" : " pv-moment pv-good";
      number.textContent = "";
      flag.textContent = kind === ROW_MOMENT ? (view.failing ? "✗" : "✓") : kind === ROW_LOOP ? "↻" : "⋯";
      name.textContent = text;
      lane.textContent = sets.textContent = place.textContent = "";
      element.title = text;
    }
    element.className = current ? `${classes} pv-current` : classes;
    element.setAttribute("aria-selected", String(current));
    element.setAttribute("aria-setsize", String(rows.count));
    element.setAttribute("aria-posinset", String(row + 1));
  }

  /** @param {number} kind @param {number} row */
  textOfRow(kind, row) {
    const { rows, note, cycle } = /** @type {View} */ (this.view);
    if (kind === ROW_GAP) return `${counted(rows.extra[row], "other event")}, not shown`;
    if (kind === ROW_LOOP) return `from here the steps after ${cycle} repeat for ever`;
    return note;
  }

  /** Lays out a part of the rows in full height, for paper. */
  beforePrint() {
    const rows = this.view?.rows;
    if (rows === undefined) return;
    this.paper.zoomed = this.zoomed;
    this.zoomed = Math.min(this.zoomed, 1);
    const moment = this.rowOfStep(this.view?.moment ?? this.step);
    const count = Math.min(rows.count, PRINTED_ROWS);
    const first = clamp(moment - Math.floor(count / 2), 0, rows.count - count);
    this.printing = true;
    this.paper.top = first * this.rowHeight;
    this.paper.height = count * this.rowHeight;
    this.space.style.height = this.scroller.style.height = `${this.paper.height}px`;
    this.colours = readColours(this.element);
    this.paint();
  }

  afterPrint() {
    if (!this.printing) return;
    this.printing = false;
    this.zoomed = this.paper.zoomed;
    this.scroller.style.height = "";
    this.resize();
  }
}

/**
 * About how wide the names and the places of events are. All rows have the same widths, so that columns stand below each other.
 *
 * @param {import("./run.js").Run} run
 */
function widthsOfTexts(run) {
  let name = 0;
  let lane = 0;
  let sets = 0;
  let place = 0;
  for (let event = 0; event < run.size; event += Math.max(1, Math.floor(run.size / 2000))) {
    name = Math.max(name, eventName(run, event).length);
    lane = Math.max(lane, lanesText(run, event).length);
    sets = Math.max(sets, setsText(run, event).length);
    place = Math.max(place, eventPlace(run, event).length);
  }
  return {
    name: clamp(name * 7.6 + 6, 40, 190),
    lane: clamp(lane * 7 + 4, 24, 90),
    sets: Math.min(sets * 7.7, 340),
    place: clamp(place * 6.6 + 4, 0, 150),
  };
}

/** @param {string} id */
function makeRow(id) {
  const cells = ["pv-number", "pv-flag", "pv-name", "pv-lane", "pv-sets", "pv-place"];
  return make("div", { class: "pv-row", role: "option", id }, ...cells.map((name) => make("span", { class: name })));
}

/**
 * @param {import("./run.js").Run} run
 * @param {number} event
 */
function setsText(run, event) {
  return pairsOf(run, run.picture.events.sets[event]).map(([name, value]) => `${name} = ${value}`).join(", ");
}

/**
 * @param {import("./run.js").Run} run
 * @param {number} edge
 */
function edgeText(run, edge) {
  const [from, to] = [run.from[edge], run.to[edge]];
  const reason = reasonOf(run, edge);
  const assumed = isAssumed(run, edge) && !reason.startsWith("assumed") ? " (assumed)" : "";
  return `${eventId(run, from)} → ${eventId(run, to)}${reason === "" ? "" : `: ${reason}`}${assumed}`;
}

/**
 * The colours of the theme, for the canvas.
 *
 * @param {Element} element
 * @returns {import("./paint.js").Colours}
 */
export function readColours(element) {
  const style = getComputedStyle(element);
  /** @param {string} name */
  const get = (name) => style.getPropertyValue(`--pv-${name}`).trim();
  return {
    ink: get("ink"),
    paper: get("paper"),
    edge: get("edge"),
    accent: get("accent"),
    fail: get("fail"),
    band: get("band"),
    lanes: [0, 1, 2, 3, 4, 5, 6, 7].map((lane) => get(`lane-${lane}`)),
  };
}
