// The viewer of one picture. `mount` builds it; everything else is asked for by it.
//
// There is one cursor: a step of one of the orders. The slider, the keys, a click on an event and a search all move it, and the
// diagrams and the panel follow.

import { make, grouped } from "./dom.js";
import { eventName, lanesText, partOf, readRun } from "./run.js";
import { momentOf } from "./rows.js";
import { valuesAlong } from "./steps.js";
import { searchEvents } from "./search.js";
import { foldedParts, groupsOf } from "./groups.js";
import { firstChoice, orderName, ordersOf, recordedName, viewsOf } from "./choice.js";
import { Diagram } from "./diagram.js";
import { makeInspector } from "./inspector.js";
import { legendOf } from "./legend.js";
import { makeKeys, makeResults, makeStory } from "./story.js";
import { makeTools } from "./tools.js";
import { makeWave, valuesOfWave } from "./wave.js";
import { makeAutomaton } from "./automaton.js";

const SCHEMA = "posetta-show/1";

/** From this width on there is room for two diagrams. */
const WIDE = 1420;

/**
 * Draws a picture into an element, which should be empty.
 *
 * @param {Element} root
 * @param {import("./types.js").Picture} picture
 * @param {import("./types.js").Options} [options]
 * @returns {import("./types.js").Mounted}
 */
export function mount(root, picture, options = {}) {
  if (picture === null || typeof picture !== "object" || picture.schema !== SCHEMA) {
    const message = make("p", { class: "pv-message", role: "alert" }, `This viewer shows pictures of the schema ${SCHEMA}.`);
    root.replaceChildren(message);
    return { destroy: () => message.remove(), choose: () => {}, setTheme: () => {} };
  }
  if (picture.kind === "model" && picture.results.length > 0) return mountModel(root, picture, options);
  const viewer = new Viewer(root, picture, options);
  return { destroy: () => viewer.destroy(), choose: (index) => viewer.choose(index), setTheme: (theme) => viewer.setTheme(theme) };
}

/**
 * The results of a model have runs of their own: another one is another viewer.
 *
 * @param {Element} root
 * @param {import("./types.js").Picture} picture
 * @param {import("./types.js").Options} options
 * @returns {import("./types.js").Mounted}
 */
function mountModel(root, picture, options) {
  const violated = picture.results.findIndex((result) => result.verdict === "violated");
  let chosen = options.result ?? Math.max(0, violated);
  let theme = "auto";
  /** @param {number} index */
  const open = (index) => new Viewer(root, partOf(picture, index), {
    ...options, result: index,
    onResult: (other) => {
      if (other !== chosen) choose(other);
      else options.onResult?.(other);
    },
  });
  let viewer = open(chosen);
  /** @param {number} index */
  const choose = (index) => {
    if (index === chosen) return;
    const hadFocus = viewer.results.element.contains(document.activeElement);
    theme = viewer.chosenTheme;
    chosen = index;
    viewer.destroy();
    viewer = open(index);
    viewer.setTheme(theme);
    if (hadFocus) viewer.results.focus(index);
  };
  return { destroy: () => viewer.destroy(), choose, setTheme: (name) => viewer.setTheme(name) };
}

class Viewer {
  /**
   * @param {Element} root
   * @param {import("./types.js").Picture} picture
   * @param {import("./types.js").Options} options
   */
  constructor(root, picture, options) {
    this.options = options;
    this.run = readRun(picture);
    this.last = picture.wave ? Math.max(0, picture.wave.positions - 1) : this.run.size;
    /** @type {"recorded" | "other"} */
    this.active = "recorded";
    this.step = 0;
    /** @type {Map<unknown, import("./steps.js").Values>} */
    this.values = new Map();
    this.choice = firstChoice(this.run, -1, false);
    this.orders = ordersOf(this.run, null);
    this.diagrams = {
      recorded: new Diagram(this.run, this.hooksOf("recorded")),
      other: new Diagram(this.run, this.hooksOf("other")),
    };
    this.inspector = makeInspector(this.run, { onEvent: (event) => this.goToEvent(event) });
    this.results = makeResults(picture.results, (index) => this.choose(index));
    this.tools = makeTools({
      onMode: (mode) => this.change({ mode }),
      onStep: (step) => this.moveTo(this.active, step),
      onMoment: () => this.goToMoment(),
      onMatters: (matters) => this.change({ matters, opened: new Set() }),
      onSearch: (question) => this.search(question),
      onNext: (by) => this.nextHit(by),
      onZoom: (by) => this.zoom(by),
      onFold: (lanes, folded) => this.fold(lanes, folded),
    });
    this.wave = picture.wave ? makeWave(this.run, picture.wave, { onStep: (step) => this.moveTo("recorded", step) }) : null;
    this.story = makeStory(null);
    this.panes = make("div", { class: "pv-panes" });
    this.legend = make("ul", { class: "pv-legend", "aria-label": "Legend" });
    this.automaton = make("div", {});
    this.chosenTheme = "auto";
    this.theme = make("button", { type: "button", class: "pv-button", onclick: () => this.nextTheme() }, "Theme: auto");
    this.element = this.build();
    root.replaceChildren(this.element);
    this.stop = new AbortController();
    this.listen(this.stop.signal);
    const violated = picture.results.findIndex((result) => result.verdict === "violated");
    this.choose(options.result ?? Math.max(0, violated));
  }

  /** @returns {HTMLElement} */
  build() {
    const { run } = this;
    const { picture } = run;
    const head = make(
      "header",
      { class: "pv-top" },
      make("h1", {}, picture.title),
      make("p", { class: "pv-facts" }, picture.facts.join(" · ")),
      make("button", { type: "button", class: "pv-button", onclick: () => window.print() }, "Print"),
      this.theme,
    );
    const drawing = make("div", { class: "pv-drawing" }, this.panes, this.legend, makeKeys());
    const stage = make("div", { class: "pv-stage" }, drawing, this.inspector.element);
    const drawn = run.size > 0 || this.wave !== null ? [this.tools.element, stage] : [];
    const content = make("div", { class: "pv-content" }, this.story, this.automaton, ...drawn);
    const own = this.options.embedded ? [] : [head];
    const results = this.options.embedded ? [] : [this.results.element];
    const body = make("div", { class: "pv-body" }, ...results, content);
    return make("div", { class: this.options.embedded ? "pv pv-embedded" : "pv" }, ...own, body);
  }

  /**
   * @param {"recorded" | "other"} which
   * @returns {import("./diagram.js").DiagramHooks}
   */
  hooksOf(which) {
    return {
      onStep: (step) => this.moveTo(which, step),
      onGap: (event) => this.change({ opened: new Set([...this.choice.opened, event]) }),
      onFold: (lane) => this.fold([lane], true),
    };
  }

  /** @param {AbortSignal} signal */
  listen(signal) {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.recolour(), { signal });
    window.addEventListener("beforeprint", () => this.print(true), { signal });
    window.addEventListener("afterprint", () => this.print(false), { signal });
    this.element.addEventListener("keydown", (event) => this.onKey(event), { signal });
  }

  destroy() {
    this.stop.abort();
    this.eachDiagram((diagram) => diagram.destroy());
    this.wave?.destroy();
    this.element.remove();
  }

  /** @param {(diagram: Diagram, which: "recorded" | "other") => void} visit */
  eachDiagram(visit) {
    visit(this.diagrams.recorded, "recorded");
    visit(this.diagrams.other, "other");
  }

  get result() {
    return this.run.picture.results[this.choice.result] ?? null;
  }

  /** @param {number} index */
  choose(index) {
    // Of a model, only one result is here.
    if (this.options.result !== undefined && this.run.picture.kind === "model" && index !== this.options.result) {
      this.options.onResult?.(index);
      return;
    }
    const wide = this.element.clientWidth >= WIDE;
    const hits = this.choice.hits;
    this.choice = { ...firstChoice(this.run, index, wide), hits };
    this.orders = ordersOf(this.run, this.result);
    const story = makeStory(this.result);
    this.story.replaceWith(story);
    this.story = story;
    this.results.choose(index);
    const automaton = this.result?.automaton;
    this.automaton.replaceChildren(...(automaton ? [makeAutomaton(automaton)] : []));
    this.active = this.choice.mode === "recorded" ? "recorded" : "other";
    this.step = this.result === null ? 0 : (momentOf(this.result) ?? 0);
    this.show();
    this.goToMoment();
    this.options.onResult?.(index);
  }

  /** @param {Partial<import("./choice.js").Choice>} changes */
  change(changes) {
    this.choice = { ...this.choice, ...changes };
    const { mode } = this.choice;
    const active = mode === "both" ? this.active : mode;
    if (active !== this.active) {
      this.step = this.stepIn(active);
      this.active = active;
    }
    this.show();
    this.moveTo(this.active, this.step);
  }

  /** The step of the other order that has the same event before it. @param {"recorded" | "other"} which */
  stepIn(which) {
    const from = this.orders[this.active] ?? this.orders.recorded;
    const to = this.orders[which] ?? this.orders.recorded;
    return this.step === 0 || from === to || this.wave ? this.step : to.place[from.events[this.step - 1]] + 1;
  }

  show() {
    const { tools, result, choice, run } = this;
    const moment = result === null ? null : momentOf(result);
    const views = viewsOf(run, this.orders, choice);
    tools.show({
      modes: this.orders.other === null ? null : [recordedName(run), orderName(/** @type {any} */ (result))],
      mode: choice.mode,
      last: this.last,
      moment: moment === null ? null : result?.verdict === "holds" ? "Go to the moment" : "Go to the failing moment",
      matters: (result?.mentions?.length ?? 0) > 0 && run.size > 0 && this.wave === null ? choice.matters : null,
      left: run.size - ((views.other ?? views.recorded)?.rows.shown ?? 0),
      folded: foldedParts(run.lanes, choice.folded),
      open: this.wave === null ? groupsOf(run.lanes).filter((group) => group.lanes.some((lane) => !choice.folded.has(lane))) : [],
      search: run.size > 0 && this.wave === null,
      hits: choice.hits === null ? null : choice.hits.reduce((sum, flag) => sum + flag, 0),
    });
    /** @type {Element[]} */
    const shown = [];
    if (this.wave !== null) {
      shown.push(this.wave.element);
    } else {
      this.eachDiagram((diagram, which) => views[which] !== null && shown.push(diagram.element));
    }
    if (shown.some((element, index) => this.panes.children[index] !== element) || this.panes.children.length !== shown.length) {
      this.panes.replaceChildren(...shown);
    }
    this.panes.classList.toggle("pv-two", shown.length > 1);
    this.legend.replaceChildren(...legendOf(run, views));
    if (this.wave !== null) {
      this.wave.show(result);
    } else {
      this.eachDiagram((diagram, which) => {
        const view = views[which];
        if (view !== null) diagram.show(view);
      });
    }
  }

  /** @param {"recorded" | "other"} which @param {number} step */
  moveTo(which, step) {
    const { tools, wave } = this;
    this.active = this.orders.other === null ? "recorded" : which;
    this.step = Math.max(0, Math.min(this.last, step));
    const order = this.orders[this.active] ?? this.orders.recorded;
    if (wave !== null) wave.setStep(this.step);
    else {
      this.eachDiagram((diagram, name) => {
        if (diagram.element.isConnected) diagram.setStep(name === this.active ? this.step : this.stepIn(name));
      });
    }
    const { result } = this;
    // A result without an order of its own has its parts along the recorded one.
    const own = this.active === "other" || this.orders.other === null;
    const parts = (own ? result?.parts : result?.recorded_parts) ?? null;
    tools.setStep(this.step, this.stepText(order));
    const event = this.step > 0 && wave === null ? order.events[this.step - 1] : -1;
    this.inspector.show({
      event, where: this.whereText(event), step: this.step, parts, values: this.valuesOf(order), formula: result?.formula ?? "",
    });
  }

  /** @param {number} event */
  whereText(event) {
    const { run } = this;
    if (event >= 0) return `After ${eventName(run, event)} on ${lanesText(run, event)}`;
    const { wave } = run.picture;
    if (!wave) return "At the start";
    const time = wave.times?.[this.step];
    return time === undefined || time === null ? `At position ${grouped(this.step)}` : `At ${time} ${wave.unit ?? ""}`.trim();
  }

  /** @param {import("./run.js").Order} order */
  stepText(order) {
    const text = `step ${grouped(this.step)} of ${grouped(this.last)}`;
    return this.step > order.length && this.wave === null ? `${text} (after the cut)` : text;
  }

  /** @param {import("./run.js").Order} order */
  valuesOf(order) {
    let values = this.values.get(order);
    if (values === undefined) {
      const { wave } = this.run.picture;
      values = wave ? valuesOfWave(this.run, wave) : valuesAlong(this.run, order);
      this.values.set(order, values);
    }
    return values;
  }

  goToMoment() {
    const moment = this.result === null ? null : momentOf(this.result);
    this.moveTo(this.orders.other === null ? "recorded" : this.choice.mode === "recorded" ? "recorded" : "other", this.stepOfMoment(moment));
  }

  /** @param {number | null} moment */
  stepOfMoment(moment) {
    if (moment === null) return 0;
    const shows = this.orders.other === null || this.choice.mode !== "recorded";
    if (shows || moment === 0) return moment;
    const { other, recorded } = this.orders;
    return other === null ? moment : recorded.place[other.events[moment - 1]] + 1;
  }

  /** @param {number} event */
  goToEvent(event) {
    const order = this.orders[this.active] ?? this.orders.recorded;
    this.moveTo(this.active, order.place[event] + 1);
  }

  /** @param {number[]} lanes @param {boolean} folded */
  fold(lanes, folded) {
    const all = new Set(this.choice.folded);
    for (const lane of lanes) {
      if (folded) all.add(lane);
      else all.delete(lane);
    }
    this.change({ folded: all });
  }

  /** @param {string} question */
  search(question) {
    this.change({ hits: searchEvents(this.run, question) });
    if (this.choice.hits !== null) this.nextHit(0);
  }

  /** To the next event that the search found, from the cursor on. @param {number} by -1, 1, or 0 for the nearest from here. */
  nextHit(by) {
    const { hits } = this.choice;
    const order = this.orders[this.active] ?? this.orders.recorded;
    const size = this.run.size;
    if (hits === null || size === 0) return;
    const unit = by < 0 ? -1 : 1;
    let position = this.step - 1 + by;
    for (let tried = 0; tried < size; tried++, position += unit) {
      const at = ((position % size) + size) % size;
      if (hits[order.events[at]] === 1) return this.moveTo(this.active, at + 1);
    }
  }

  /** @param {number} by */
  zoom(by) {
    if (this.wave !== null) this.wave.zoom(by);
    else this.eachDiagram((diagram) => diagram.element.isConnected && diagram.zoom(by));
  }

  nextTheme() {
    const themes = ["auto", "light", "dark"];
    this.setTheme(themes[(themes.indexOf(this.chosenTheme) + 1) % themes.length]);
  }

  /** @param {string} theme auto, light or dark */
  setTheme(theme) {
    this.chosenTheme = theme;
    this.theme.textContent = `Theme: ${theme}`;
    this.showTheme(theme);
  }

  /** Redraws for paper, which is light, or for the screen again. @param {boolean} paper */
  print(paper) {
    this.showTheme(paper ? "light" : this.chosenTheme);
    this.eachDiagram((diagram) => {
      if (diagram.element.isConnected) paper ? diagram.beforePrint() : diagram.afterPrint();
    });
  }

  /** @param {string} theme */
  showTheme(theme) {
    if (theme === "auto") this.element.removeAttribute("data-theme");
    else this.element.setAttribute("data-theme", theme);
    this.recolour();
  }

  recolour() {
    this.eachDiagram((diagram) => diagram.element.isConnected && diagram.resize());
    this.wave?.resize();
  }

  /** Keys that work wherever one is, except where one types. @param {KeyboardEvent} event */
  onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target instanceof HTMLInputElement && target.type !== "range" && target.type !== "radio" && target.type !== "checkbox";
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = /** @type {Record<string, () => void>} */ ({
      "/": () => this.tools.focusSearch(),
      f: () => this.goToMoment(),
      m: () => this.tools.pressMatters(),
      n: () => this.nextHit(1),
      p: () => this.nextHit(-1),
      "+": () => this.zoom(1),
      "=": () => this.zoom(1),
      "-": () => this.zoom(-1),
    });
    if (keys[event.key] === undefined) return;
    event.preventDefault();
    keys[event.key]();
  }
}
