// What the server knows about a text that is being written.

import { post } from "./server.js";

/**
 * @typedef {object} About
 * @property {string} language props, sys or smv.
 * @property {string | null} path The file that the text belongs to: imports are found beside it.
 * @property {Names} names
 */

/**
 * What the run has, so that its names can be completed.
 *
 * @typedef {{source: string, variables: {name: string, values: string[]}[], events: string[], processes: string[], attributes: string[]}} Names
 */

/** @type {Names} */
export const NO_NAMES = { source: "", variables: [], events: [], processes: [], attributes: [] };

/**
 * @param {() => About} about
 * @returns {import("./editor.js").Language}
 */
export function makeLanguage(about) {
  const ask = (/** @type {object} */ question, /** @type {AbortSignal | undefined} */ signal) =>
    post("/api/language", { ...about(), ...question }, signal);
  return {
    diagnose: async (text, signal) => (text.trim() === "" ? [] : (await ask({ do: "diagnose", text }, signal)).marks),
    complete: async (text, place, signal) => (await ask({ do: "complete", text, place }, signal)).items,
    hover: async (text, place, signal) =>
      text.trim() === "" ? null : ((await ask({ do: "hover", text, place }, signal)).hover?.contents.value ?? null),
    format: async (text) => (await ask({ do: "format", text }, undefined)).text,
  };
}

/** So many names of each sort, and so many values of a variable, are offered. */
const MOST = 500;
const VALUES = 12;

/**
 * The names of a run, from its picture.
 *
 * @param {any} picture
 * @returns {Names}
 */
export function namesIn(picture) {
  const { strings = [], events, lanes = [], initial = [], wave } = picture;
  /** @type {Map<number, Set<number>>} */
  const variables = new Map();
  const value = (/** @type {number} */ name, /** @type {number} */ text) => {
    const known = variables.get(name) ?? new Set();
    if (known.size < VALUES) known.add(text);
    variables.set(name, known);
  };
  const attributes = new Set();
  const named = new Set();
  for (const pairs of [...initial, ...(events?.sets ?? [])]) {
    for (let index = 0; index + 1 < pairs.length; index += 2) value(pairs[index], pairs[index + 1]);
  }
  for (const pairs of events?.about ?? []) {
    for (let index = 0; index < pairs.length; index += 2) attributes.add(pairs[index]);
  }
  for (const name of events?.name ?? []) if (name >= 0) named.add(name);
  for (const signal of wave?.signals ?? []) {
    for (let index = 1; index < signal.values.length && index < 2 * VALUES; index += 2) value(signal.name, signal.values[index]);
  }
  const texts = (/** @type {Iterable<any>} */ all) => [...all].slice(0, MOST).flatMap((text) => strings[text] ?? []);
  return {
    source: picture.title ?? "the run",
    variables: [...variables].slice(0, MOST).flatMap(([name, values]) => ({ name: strings[name] ?? "", values: texts(values) })),
    events: texts(named),
    processes: texts(lanes.map((/** @type {any} */ lane) => lane.name)),
    attributes: texts(attributes),
  };
}
