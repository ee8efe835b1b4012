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
 * @typedef {{variables: string[], events: string[], processes: string[], attributes: string[]}} Names
 */

/** @type {Names} */
export const NO_NAMES = { variables: [], events: [], processes: [], attributes: [] };

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
    hover: async (text, place, signal) => (text.trim() === "" ? null : (await ask({ do: "hover", text, place }, signal)).text),
    format: async (text) => (await ask({ do: "format", text }, undefined)).text,
  };
}

/** So many names of each sort are offered. */
const MOST = 500;

/**
 * The names of a run, from its picture.
 *
 * @param {any} picture
 * @returns {Names}
 */
export function namesIn(picture) {
  const { strings = [], events, lanes = [], initial = [], wave } = picture;
  const variables = new Set();
  const named = new Set();
  const attributes = new Set();
  const firsts = (/** @type {Set<any>} */ into, /** @type {number[]} */ pairs) => {
    for (let index = 0; index < pairs.length; index += 2) into.add(pairs[index]);
  };
  for (const pairs of [...initial, ...(events?.sets ?? [])]) firsts(variables, pairs);
  for (const pairs of events?.about ?? []) firsts(attributes, pairs);
  for (const name of events?.name ?? []) if (name >= 0) named.add(name);
  for (const signal of wave?.signals ?? []) variables.add(signal.name);
  const texts = (/** @type {Set<any>} */ all) => [...all].slice(0, MOST).map((text) => strings[text]).filter((text) => text !== undefined);
  const processes = lanes.slice(0, MOST).map((/** @type {any} */ lane) => strings[lane.name]);
  return { variables: texts(variables), events: texts(named), processes, attributes: texts(attributes) };
}
