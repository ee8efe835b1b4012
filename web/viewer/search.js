// Search over the events of a run: by name, id, lane, variable, value and attribute.
//
// Words are looked up in the string table once, and events are then compared by index: a search over 100,000 events touches each
// string once. Several words must all occur in the event, each anywhere. `key=value` asks for an assignment or attribute, and
// `property:NAME` for the events that a property speaks about.

import { laneOf, textOf } from "./run.js";

/**
 * Flags of the events that match; null when the question is empty.
 *
 * @param {import("./run.js").Run} run
 * @param {string} question
 * @returns {Uint8Array | null}
 */
export function searchEvents(run, question) {
  const words = question.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return null;
  const found = new Uint8Array(run.size).fill(1);
  for (const word of words) {
    const matches = matcherOf(run, word);
    for (let event = 0; event < run.size; event++) {
      if (found[event] && !matches(event)) found[event] = 0;
    }
  }
  return found;
}

/**
 * @param {import("./run.js").Run} run
 * @param {string} word
 * @returns {(event: number) => boolean}
 */
function matcherOf(run, word) {
  const { picture } = run;
  const { events } = picture;
  if (word.startsWith("property:")) {
    const name = word.slice("property:".length);
    const spoken = new Set(picture.results.filter((result) => result.property.toLowerCase().includes(name)).flatMap((result) => result.mentions ?? []));
    return (event) => spoken.has(event);
  }
  const equals = word.search(/[=:]/);
  if (equals > 0) {
    const key = stringsWith(picture, word.slice(0, equals));
    const value = stringsWith(picture, word.slice(equals + 1));
    const whole = stringsWith(picture, word);
    return (event) =>
      hasPair(events.sets[event], key, value) ||
      hasPair(events.about?.[event], key, value) ||
      whole[events.id[event]] === 1 ||
      (events.name[event] >= 0 && whole[events.name[event]] === 1);
  }
  const hit = stringsWith(picture, word);
  const lanes = run.lanes.map((lane) => lane.name.toLowerCase().includes(word));
  return (event) =>
    hit[events.id[event]] === 1 ||
    (events.name[event] >= 0 && hit[events.name[event]] === 1) ||
    lanes[laneOf(run, event)] ||
    hasAny(events.sets[event], hit) ||
    hasAny(events.about?.[event], hit);
}

/**
 * @param {import("./types.js").Picture} picture
 * @param {string} word
 */
function stringsWith(picture, word) {
  const flags = new Uint8Array(picture.strings.length);
  for (let index = 0; index < flags.length; index++) {
    if (textOf(picture, index).toLowerCase().includes(word)) flags[index] = 1;
  }
  return flags;
}

/**
 * @param {number[] | null | undefined} flat
 * @param {Uint8Array} hit
 */
function hasAny(flat, hit) {
  return flat !== null && flat !== undefined && flat.some((index) => hit[index] === 1);
}

/**
 * @param {number[] | null | undefined} flat
 * @param {Uint8Array} key
 * @param {Uint8Array} value
 */
function hasPair(flat, key, value) {
  if (!flat) return false;
  for (let index = 0; index + 1 < flat.length; index += 2) {
    if (key[flat[index]] === 1 && value[flat[index + 1]] === 1) return true;
  }
  return false;
}
