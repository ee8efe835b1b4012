/**
 * The JSON that the viewer draws, `posetta-show/1`. This file is for the type checker alone; nothing loads it.
 *
 * Everything called `Text` is an index into `Picture.strings`. `-1` stands for "none" where a column needs a number.
 */

export type Text = number;

/** Flat pairs: key, value, key, value, ... */
export type Pairs = Text[];

export interface Picture {
  schema: string;
  title: string;
  kind: "run" | "waveform" | "model" | "monitor";
  orders: "many" | "one";
  facts: string[];
  strings: string[];
  lanes: { name: Text; group: Text | null; chains?: number }[];
  events: {
    lane: number[];
    /** Models: the other lanes that take part in a step. */
    also?: number[][] | null;
    chain: number[] | null;
    id: Text[];
    name: Text[];
    line: number[] | null;
    file: Text[] | null;
    time: number[] | null;
    sets: Pairs[];
    about: Pairs[] | null;
  };
  edges: { from: number[]; to: number[]; reason: number[] };
  reasons: { name: Text; assumed: boolean; text: Text }[];
  order: number[] | null;
  recorded: boolean;
  /** One list; of a model one for each result. */
  initial: Pairs[];
  /** Of `events.time`, if it is known. */
  time_unit?: string | null;
  results: Result[];
  wave: Wave | null;
}

export type Verdict = "holds" | "violated" | "unknown";

export interface Result {
  property: string;
  logic: string;
  formula: string;
  verdict: Verdict;
  word: string;
  sentence: string;
  story: string[];
  heading: string;
  /** The failing (or satisfying) order; for CTL the path to the cut. */
  order: number[] | null;
  moment: { at?: number; waits?: number } | null;
  note: string | null;
  moved: { earlier: number[]; later: number[] } | null;
  swapped: [number, number] | null;
  missing: [number, number][];
  cut: number[] | null;
  mentions: number[];
  parts: Parts | null;
  recorded_parts: Parts | null;
  /** Of a monitor. */
  automaton?: Automaton | null;
  relies_on: string[];
  warnings: string[];
  /** Models: the position where the loop begins. */
  cycle?: number | null;
}

/** Truth of subformulas along an order. */
export interface Parts {
  formulas: { text: string; depth: number }[];
  first: number;
  /** For each formula flat pairs position, value: 1 true, 0 false, -1 open. A value stays until the next pair. */
  changes: number[][];
}

export interface Wave {
  signals: { name: Text; values: number[] }[];
  positions: number;
  times: number[] | null;
  unit: string | null;
}

export interface Automaton {
  states: { name: string; verdict: "open" | "holds" | "violated"; initial: boolean; x?: number; y?: number }[];
  arcs: { from: number; to: number; guard: string }[];
}

/** What `mount` may be told. */
export interface Options {
  /** The result that is chosen first; the first violated one if nothing is said. */
  result?: number;
  /** Told about every other choice of a result. */
  onResult?: (index: number) => void;
  /** The page around it has the title, the theme and the list of results. */
  embedded?: boolean;
}

/** What `mount` returns. */
export interface Mounted {
  /** Removes the viewer and all that listens. */
  destroy(): void;
  /** Shows another result. */
  choose(index: number): void;
  /** auto, light or dark. */
  setTheme(theme: string): void;
}
