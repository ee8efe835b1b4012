// A counterexample of a model, step by step: what happens, the values then, and which of them changed.

import { make } from "../viewer/dom.js";

/**
 * @typedef {object} Step
 * @property {string} name What leads to it.
 * @property {Map<string, string>} values What holds then.
 */

/** @param {any} value @param {string} prefix @param {Map<string, string>} into */
function gather(value, prefix, into) {
  if (value !== null && typeof value === "object") {
    for (const [name, inner] of Object.entries(value)) gather(inner, prefix === "" ? name : `${prefix}.${name}`, into);
  } else into.set(prefix, String(value));
}

/** @param {any} state */
function valuesOf(state) {
  /** @type {Map<string, string>} */
  const values = new Map();
  gather(state ?? {}, "", values);
  return values;
}

/** What changes in a step. @param {Map<string, string>} before @param {Map<string, string>} after */
function changesOf(before, after) {
  const changes = [...after].filter(([name, value]) => before.get(name) !== value).map(([name, value]) => `${name} = ${value}`);
  return changes.length === 0 ? "nothing changes" : changes.join(", ");
}

/**
 * The steps of a witness, and where its loop begins.
 *
 * @param {any} witness
 * @returns {{steps: Step[], loop: number | null}}
 */
function stepsOf(witness) {
  const prefix = witness.prefix ?? [];
  const cycle = witness.cycle ?? [];
  const all = [...prefix, ...cycle];
  if (all.every((step) => typeof step === "string")) {
    const states = witness.trail ?? [];
    const steps = [{ name: "start", values: valuesOf(states[0]) }, ...all.map((name, index) => ({ name, values: valuesOf(states[index + 1]) }))];
    return { steps, loop: cycle.length > 0 ? prefix.length : null };
  }
  const states = all.map(valuesOf);
  const steps = states.map((values, index) => ({ name: index === 0 ? "start" : changesOf(states[index - 1], values), values }));
  return { steps, loop: cycle.length > 0 ? prefix.length : null };
}

export class Trail {
  /** @param {any[]} results */
  constructor(results) {
    this.results = results;
    this.step = 0;
    /** @type {Step[]} */
    this.steps = [];
    /** @type {number | null} */
    this.loop = null;
    this.title = make("h3", {});
    this.formula = make("p", { class: "trail-formula" });
    this.slider = make("input", { type: "range", min: 0, "aria-label": "Step", oninput: () => this.go(Number(this.slider.value)) });
    this.where = make("output", { class: "quiet" });
    this.list = make("ol", { class: "trail-steps", "aria-label": "Steps" });
    this.values = make("tbody", {});
    const heads = ["Variable", "Value", "Before"].map((text) => make("th", { scope: "col" }, text));
    const table = make("table", {}, make("caption", {}, "Values"), make("thead", {}, make("tr", {}, ...heads)), this.values);
    this.body = make("div", { class: "trail-body" }, this.list, table);
    this.tools = make("div", { class: "tools" }, this.slider, this.where);
    this.element = make("section", { class: "trail live", "aria-label": "Counterexample" }, this.title, this.formula, this.tools, this.body);
  }

  /** @param {number} index */
  choose(index) {
    const result = this.results[index];
    if (result === undefined) return;
    const { steps, loop } = result.witness === null || result.witness === undefined ? { steps: [], loop: null } : stepsOf(result.witness);
    this.steps = steps;
    this.loop = loop;
    this.title.textContent = `${result.property}: ${result.verdict}`;
    this.formula.textContent = result.formula ?? "";
    this.tools.hidden = this.body.hidden = steps.length === 0;
    this.slider.max = String(Math.max(0, steps.length - 1));
    const items = steps.map((step, place) =>
      make("li", {}, make("button", { type: "button", class: "file", onclick: () => this.go(place) }, place === loop ? `${step.name} (from here on over and over)` : step.name)),
    );
    this.list.replaceChildren(...items);
    this.go(Math.min(result.fails_at ?? steps.length - 1, steps.length - 1));
  }

  /** @param {number} step */
  go(step) {
    if (this.steps[step] === undefined) return;
    this.step = step;
    this.slider.value = String(step);
    this.where.textContent = `step ${step} of ${this.steps.length - 1}`;
    [...this.list.querySelectorAll("button")].forEach((button, index) => {
      if (index === step) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    const before = this.steps[step - 1]?.values;
    const rows = [...this.steps[step].values].map(([name, value]) => {
      const old = before?.get(name) ?? "";
      const changed = before !== undefined && old !== value;
      return make("tr", { class: changed ? "changed" : null }, make("th", { scope: "row" }, name), make("td", {}, value), make("td", { class: "quiet" }, changed ? old : ""));
    });
    this.values.replaceChildren(...rows);
  }
}
