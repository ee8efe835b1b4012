// One run, stream or model at a time: its editors, the button that asks, and the answers as they come.

import { make } from "../viewer/dom.js";
import { Editor } from "./editor.js";
import { Live } from "./live.js";
import { NO_NAMES, makeLanguage } from "./language.js";
import { Verdicts } from "./verdicts.js";
import { job, output, post } from "./server.js";

/** Seconds that can be chosen. */
const TIMES = [10, 30, 60, 300, 600];

/**
 * @typedef {object} WorkHooks
 * @property {(picture: any | null, result: number) => void} onPicture
 * @property {(result: number) => void} onResult
 * @property {(element: Element | null) => void} onLive
 * @property {(stale: boolean) => void} onStale The picture is about a question before this one, or not any more.
 * @property {(text: string) => void} say Reads something aloud.
 */

/** Which run of its file a name means. @param {string | undefined} name */
function labelOf(name) {
  const at = name?.indexOf("#") ?? -1;
  return at < 0 ? undefined : name?.slice(at + 1);
}

export class Work {
  /**
   * @param {HTMLElement} root
   * @param {{seconds: number}} limits
   * @param {WorkHooks} hooks
   */
  constructor(root, limits, hooks) {
    this.root = root;
    this.hooks = hooks;
    /** @type {import("./files.js").FileEntry | null} */
    this.subject = null;
    /** The file of the properties. @type {string | null} */
    this.spec = null;
    this.loaded = "";
    this.names = NO_NAMES;
    /** @type {AbortController | null} */
    this.running = null;
    this.number = 0;
    this.answered = 0;
    /** The runs of a file that has several. @type {string[]} */
    this.labels = [];
    const editing = { onRun: () => void this.run("check"), onChange: () => this.buttons() };
    const about = (/** @type {string} */ language, /** @type {() => string | null} */ path) => () => ({ language, path: path(), names: this.names });
    this.properties = new Editor("properties", "Properties", makeLanguage(about("props", () => this.spec)), editing);
    const modelLanguage = () => (this.subject !== null && /\.smv$/i.test(this.subject.name) ? "smv" : "sys");
    const model = makeLanguage(() => about(modelLanguage(), () => this.subject?.path ?? null)());
    this.model = new Editor("model", "Model", model, editing);
    this.verdicts = new Verdicts((index) => this.choose(index));
    this.build(limits);
  }

  /** @param {{seconds: number}} limits */
  build(limits) {
    const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ onclick) =>
      make("button", { type: "button", class: "button", title, onclick }, text);
    this.go = button("Run", "Check the properties (Ctrl+Enter)", () => void this.run("check"));
    this.go.classList.add("first");
    this.stop = button("Cancel", "End the check", () => void this.cancel());
    this.watch = button("Watch", "Follow the file while it grows, and tell every change", () => void this.run("monitor"));
    this.tidy = button("Format", "Write the properties in their usual form (Shift+Alt+F)", () => void this.properties.format());
    this.share = button("Save as a page", "Save the picture and the answers as one HTML file that needs nothing else", () => void this.save());
    const times = TIMES.filter((seconds) => seconds <= limits.seconds);
    const options = (times.length > 0 ? times : [limits.seconds]).map((seconds) =>
      make("option", { value: seconds, selected: seconds === 30 }, seconds < 60 ? `${seconds} s` : `${seconds / 60} min`),
    );
    this.time = make("select", {}, ...options);
    this.specs = make("select", { onchange: () => this.specs && this.hooksOnSpec(this.specs.value) });
    this.runs = make("select", { onchange: () => void this.run("check") });
    this.runsLabel = make("label", { class: "inline", hidden: true }, "Run ", this.runs);
    const tools = make(
      "div",
      { class: "tools", role: "group", "aria-label": "Check" },
      this.go,
      this.stop,
      this.watch,
      this.runsLabel,
      make("label", { class: "inline" }, "Time limit ", this.time),
      make("label", { class: "inline" }, "Property file ", this.specs),
      this.tidy,
      this.share,
    );
    this.editors = make("div", { class: "editors" }, this.model.element, this.properties.element);
    this.root.replaceChildren(tools, make("div", { class: "bench" }, this.editors, this.verdicts.element));
    this.buttons();
  }

  /** Somebody chose another property file; whoever owns the files loads it. @type {(path: string) => void} */
  hooksOnSpec = () => {};

  /** @param {string[]} paths */
  setSpecs(paths) {
    const options = ["", ...paths].map((path) => make("option", { value: path, selected: path === (this.spec ?? "") }, path === "" ? "(new)" : path));
    this.specs?.replaceChildren(...options);
  }

  /** @param {string | null} path @param {string} text */
  setProperties(path, text) {
    this.spec = path;
    this.properties.set(text);
    this.loaded = text;
    if (this.specs !== undefined) this.specs.value = path ?? "";
  }

  /** Somebody has written what no file has. */
  get wasEdited() {
    return this.properties.text !== this.loaded && this.properties.text.trim() !== "";
  }

  /** @param {import("./files.js").FileEntry} subject @param {string | null} text The text of a model. */
  open(subject, text) {
    void this.cancel();
    this.subject = subject;
    this.names = NO_NAMES;
    this.answered = 0;
    this.root.hidden = false;
    this.setRuns([]);
    this.model.element.hidden = subject.kind !== "model";
    this.editors?.classList.toggle("two", subject.kind === "model");
    if (text !== null) this.model.set(text);
    this.verdicts.clear();
    this.hooks.onPicture(null, -1);
    this.hooks.onLive(null);
    this.buttons();
  }

  buttons() {
    const { go, stop, watch, share } = this;
    if (go === undefined || stop === undefined || watch === undefined || share === undefined) return;
    const busy = this.running !== null;
    go.disabled = busy || this.subject === null;
    stop.disabled = !busy;
    watch.hidden = this.subject?.kind !== "run" || this.subject.path === null;
    watch.disabled = busy || this.properties.text.trim() === "";
    share.disabled = busy || this.answered === 0;
  }

  /** The runs of a file that has several. @param {string[]} labels */
  setRuns(labels) {
    this.labels = labels;
    const options = labels.map((label) => make("option", { value: label }, label));
    this.runs?.replaceChildren(make("option", { value: "" }, `all ${labels.length}`), ...options);
    if (this.runs !== undefined && labels.length > 0) this.runs.value = labels[0];
    if (this.runsLabel !== undefined) this.runsLabel.hidden = labels.length < 2;
  }

  /** Which runs the file has, if it has several: then the first one is chosen. */
  async findRuns() {
    const { subject } = this;
    if (subject === null || subject.kind !== "run" || this.labels.length > 0 || this.answered > 0) return false;
    const notes = [...this.verdicts.notes.children];
    const told = this.verdicts.doing.textContent ?? "";
    const ended = await this.follow("/api/jobs", { ...this.question("check"), do: "runs", properties: null }, () => {});
    /** @type {{trace: string}[]} */
    const runs = ended?.output === true ? (await (await output(this.number)).json()).runs : [];
    if (runs.length < 2) {
      this.verdicts.notes.replaceChildren(...notes);
      this.verdicts.say(told);
      return false;
    }
    this.setRuns(runs.map((run) => labelOf(run.trace) ?? run.trace));
    return true;
  }

  /** What the server is asked. @param {"check" | "monitor" | "runs"} what */
  question(what) {
    const { subject } = this;
    if (subject === null) return null;
    const place = subject.path === null ? { dropped: subject.dropped } : { path: subject.path };
    const label = this.runs?.value ?? "";
    const isModel = subject.kind === "model";
    const all = what === "check" && this.labels.length > 1 && label === "" ? "all" : what;
    return {
      do: isModel ? "verify" : all,
      subject: label === "" ? place : { ...place, label },
      ...(isModel ? { text: this.model.text } : {}),
      properties: { path: this.spec, text: this.properties.text },
      seconds: Number(this.time?.value ?? 30),
    };
  }

  /** @param {"check" | "monitor"} what */
  async run(what) {
    const question = this.question(what);
    if (question === null || this.running !== null) return;
    this.verdicts.clear();
    this.hooks.onLive(null);
    const live = what === "monitor" ? new Live() : null;
    if (live !== null) {
      this.hooks.onPicture(null, -1);
      this.hooks.onLive(live.element);
    }
    this.hooks.onStale(true);
    const ended = await this.follow("/api/jobs", question, (line) => {
      if (live === null || line.line === undefined) return;
      const aloud = live.take(line.line);
      if (aloud !== null) this.hooks.say(aloud);
    });
    if (ended?.output === true) await this.show(this.number);
    else if (what === "check" && ended?.status === 2 && (await this.findRuns())) await this.run("check");
  }

  /**
   * Begins a job and passes its lines on.
   *
   * @param {string} path
   * @param {object} question
   * @param {(line: any) => void} onLine
   * @returns {Promise<any>} How it ended.
   */
  async follow(path, question, onLine) {
    const running = new AbortController();
    this.running = running;
    this.buttons();
    this.verdicts.say("Starting…");
    let ended = null;
    try {
      for await (const line of job(path, question, running.signal)) {
        if (this.running !== running) return null;
        if (line.job !== undefined) this.number = line.job;
        else if (line.state === "waiting") this.verdicts.say("Waiting for another check to end…");
        else if (line.state === "running") this.verdicts.say("Working…");
        else if (line.progress !== undefined) this.verdicts.progress(line.progress);
        else if (line.decided !== undefined) this.verdicts.add({ ...line.decided, subject: labelOf(line.decided.subject) });
        else if (line.note !== undefined) this.verdicts.note(line.note);
        else if (line.end !== undefined) ended = line.end;
        else onLine(line);
      }
      if (ended === null) throw new Error("The server ended before the check did.");
      this.tell(ended);
    } catch (error) {
      if (running.signal.aborted) this.verdicts.say("Cancelled.");
      else this.verdicts.say(error instanceof Error ? error.message : String(error));
    } finally {
      if (this.running === running) this.running = null;
      this.buttons();
    }
    return ended;
  }

  /** @param {any} ended */
  tell(ended) {
    const seconds = `${ended.seconds.toFixed(1)} s`;
    const failed = ended.status === 2 ? "There are mistakes; nothing is decided about what they concern." : "";
    const how = ended.how === "done" ? failed : ended.how === "cancelled" ? "Cancelled." : `Ended (${ended.how}).`;
    const text = [this.verdicts.summary(), how, seconds].filter((part) => part !== "").join(" · ");
    this.verdicts.say(text);
    this.hooks.say(text);
  }

  /** @param {number} number */
  async show(number) {
    try {
      const picture = await (await output(number)).json();
      this.answered = number;
      const results = picture.results ?? [];
      if (results.length > 0) this.verdicts.set(results.map((/** @type {any} */ result) => ({ subject: labelOf(result.trace), ...result })));
      if (picture.schema?.startsWith("posetta-check/")) return this.hooks.onPicture(null, -1);
      const violated = results.findIndex((/** @type {any} */ result) => result.verdict === "violated");
      const chosen = Math.max(0, violated);
      this.verdicts.choose(results.length > 0 ? chosen : -1);
      this.hooks.onPicture(picture, chosen);
    } catch (error) {
      this.verdicts.note(`error: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.buttons();
  }

  /** @param {number} index */
  choose(index) {
    const { subject } = this.verdicts.all[index];
    if (this.runs !== undefined && this.runs.value === "" && subject !== undefined && this.labels.includes(subject)) {
      // Of all runs, the one that this verdict is about.
      this.runs.value = subject;
      void this.run("check");
      return;
    }
    this.verdicts.choose(index);
    this.hooks.onResult(index);
  }

  async cancel() {
    const { running, number } = this;
    if (running === null) return;
    this.running = null;
    running.abort();
    this.buttons();
    await post(`/api/jobs/${number}/cancel`, {}).catch(() => null);
  }

  /** The picture as a file of its own. */
  async save() {
    const from = this.answered;
    const ended = await this.follow(`/api/jobs/${from}/share`, {}, () => {});
    if (ended?.output !== true) return;
    const bytes = await (await output(this.number)).blob();
    const link = make("a", { href: URL.createObjectURL(bytes), download: `${this.subject?.name.split("/").pop() ?? "picture"}.html` });
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    this.hooks.say("Saved.");
  }
}
