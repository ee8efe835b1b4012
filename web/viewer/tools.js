// The tool bar: which order, which step, what is shown, and the search.

import { make, counted, grouped } from "./dom.js";

/**
 * @typedef {object} ToolHooks
 * @property {(mode: "recorded" | "other" | "both") => void} onMode
 * @property {(step: number) => void} onStep
 * @property {() => void} onMoment
 * @property {(matters: boolean) => void} onMatters
 * @property {(question: string) => void} onSearch
 * @property {(by: number) => void} onNext
 * @property {(by: number) => void} onZoom
 * @property {(lanes: number[], folded: boolean) => void} onFold
 */

/**
 * @typedef {object} ToolState
 * @property {[string, string] | string[] | null} modes Names of the recorded order and the other; null if there is only one.
 * @property {"recorded" | "other" | "both"} mode
 * @property {number} last
 * @property {string | null} moment The text of the button that goes there.
 * @property {boolean | null} matters Null if there is nothing to choose.
 * @property {number} left How many events are not shown.
 * @property {{name: string, lanes: number[]}[]} folded What can be unfolded: groups and single lanes.
 * @property {{name: string, lanes: number[]}[]} open Groups that can be folded.
 * @property {boolean} search
 * @property {number | null} hits
 */

let toolBars = 0;

/** @param {ToolHooks} hooks */
export function makeTools(hooks) {
  const group = `pv-mode-${++toolBars}`;
  const modes = make("fieldset", { class: "pv-modes" }, make("legend", { class: "pv-hidden" }, "Order"));
  const slider = make("input", {
    type: "range", class: "pv-slider", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => hooks.onStep(Number(slider.value)),
  });
  const step = make("output", { class: "pv-step" });
  /** @param {string} label @param {string} mark @param {number} by */
  const stepButton = (label, mark, by) =>
    make("button", { type: "button", class: "pv-button", "aria-label": label, title: label, onclick: () => hooks.onStep(Number(slider.value) + by) }, mark);
  const moment = make("button", { type: "button", class: "pv-button pv-moment-button", onclick: hooks.onMoment }, "");
  const matters = make("input", { type: "checkbox", onchange: () => hooks.onMatters(matters.checked) });
  const mattersText = make("span", {}, "Only what matters");
  const mattersBox = make("label", { class: "pv-check" }, matters, mattersText);
  const search = make("input", {
    type: "search", class: "pv-search", placeholder: "Search events", "aria-label": "Search events by name, id, lane, value or key=value",
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      hooks.onNext(event.shiftKey ? -1 : 1);
    },
  });
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => hooks.onSearch(search.value), 120);
  });
  const hits = make("span", { class: "pv-hits", role: "status" });
  /** @param {string} label @param {string} mark @param {number} by */
  const zoomButton = (label, mark, by) =>
    make("button", { type: "button", class: "pv-button", "aria-label": label, title: label, onclick: () => hooks.onZoom(by) }, mark);
  const searchBox = make("div", { class: "pv-searching" }, search, hits);
  const zooming = make("div", { class: "pv-zooming" }, zoomButton("Zoom out", "−", -1), zoomButton("Zoom in", "+", 1));
  const stepping = make(
    "div",
    { class: "pv-stepping" },
    stepButton("One step back", "◂", -1), slider, stepButton("One step on", "▸", 1), step,
  );
  const folded = make("div", { class: "pv-folded" });
  const groups = make("select", {
    class: "pv-groups", "aria-label": "Fold a group of lanes",
    onchange: () => {
      const chosen = foldable[groups.selectedIndex - 1];
      groups.selectedIndex = 0;
      if (chosen !== undefined) hooks.onFold(chosen.lanes, true);
    },
  });
  /** @type {{name: string, lanes: number[]}[]} */
  let foldable = [];
  const element = make(
    "div",
    { class: "pv-tools" },
    make("div", { class: "pv-bar", role: "group", "aria-label": "Steps" }, modes, stepping, moment),
    make("div", { class: "pv-bar", role: "group", "aria-label": "What is shown" }, mattersBox, searchBox, zooming, groups, folded),
  );

  /** @param {ToolState} state */
  function show(state) {
    modes.hidden = state.modes === null;
    if (state.modes !== null) fillModes(state.modes, state.mode);
    slider.max = String(state.last);
    moment.hidden = state.moment === null;
    moment.textContent = state.moment;
    mattersBox.hidden = state.matters === null;
    matters.checked = state.matters === true;
    mattersText.textContent = state.matters ? `Only what matters (${counted(state.left, "event")} left out)` : "Only what matters";
    searchBox.hidden = !state.search;
    hits.textContent = state.hits === null ? "" : state.hits === 0 ? "nothing found" : `${grouped(state.hits)} found`;
    folded.hidden = state.folded.length === 0;
    folded.replaceChildren(
      ...state.folded.map(({ lanes, name }) =>
        make(
          "button",
          {
            type: "button", class: "pv-button pv-unfold", onclick: () => hooks.onFold(lanes, false),
            "aria-label": lanes.length > 1 ? `Unfold ${lanes.length} lanes of ${name}` : `Unfold lane ${name}`,
          },
          lanes.length > 1 ? `▸ ${name} (${grouped(lanes.length)})` : `▸ ${name}`,
        ),
      ),
    );
    foldable = state.open;
    groups.hidden = foldable.length === 0;
    const choices = foldable.map(({ name, lanes }) => make("option", {}, `${name} (${grouped(lanes.length)})`));
    groups.replaceChildren(make("option", {}, "Fold a group…"), ...choices);
  }

  /** @param {string[]} names @param {"recorded" | "other" | "both"} chosen */
  function fillModes([recorded, other], chosen) {
    const choices = /** @type {["recorded" | "other" | "both", string][]} */ ([
      ["recorded", recorded], ["other", other], ["both", "Side by side"],
    ]);
    if (modes.children.length === 1) {
      for (const [mode] of choices) {
        const input = make("input", { type: "radio", name: group, value: mode, onchange: () => hooks.onMode(mode) });
        modes.append(make("label", { class: "pv-mode" }, input, make("span", {})));
      }
    }
    choices.forEach(([mode, name], index) => {
      const label = modes.children[index + 1];
      /** @type {HTMLInputElement} */ (label.children[0]).checked = mode === chosen;
      label.children[1].textContent = name;
    });
  }

  return {
    element,
    show,
    /** @param {number} value @param {string} text */
    setStep(value, text) {
      slider.value = String(value);
      slider.setAttribute("aria-valuetext", text);
      step.textContent = text;
    },
    focusSearch: () => search.focus(),
    pressMatters: () => !mattersBox.hidden && matters.click(),
  };
}
