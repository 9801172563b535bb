// A profile as the views ask for it: functions with their figures, call trees and edges, of one
// thread or of all. All times are nanoseconds. Figures, trees and edges are computed once, and
// kept.

import { Edges } from "./edges.js";
import { madeOnce } from "./made_once.js";
import { merged, Nodes, NO_ROW } from "./nodes.js";
import { COUNTED, Samples } from "./samples.js";
import { patternOf } from "./search_pattern.js";
import { count, shortCount } from "./ui/format.js";
import { waitedWithin } from "./waits.js";

/**
 * @typedef {import("./container.js").Container} Container
 * @typedef {import("./container.js").PackedProfile} PackedProfile
 */

/** The chosen threads: all, or one by its place. @typedef {"all" | number} Threads */

/** How often a function was called: short, in full, and how far that is known. @typedef {{short: string, full: string, about: string}} CallsTold */

/** Keys, and the places of the things that have them. @typedef {{of: string[], places: Map<string, number>}} Keys */

/** By name of a figure: its values, by row. @typedef {Record<string, Float64Array>} Columns */

/**
 * Figures of functions: the figures that views know by name, and all figures in `columns`.
 * `present` is 1 for the rows that have figures. `total` is the sum of their tottime, the whole of
 * all shares; `totalWaited` is what of it was waited.
 * @typedef {{ncalls: Float64Array, primitive: Float64Array, tottime: Float64Array,
 *   cumtime: Float64Array, resumes: Float64Array, suspended: Float64Array, waited: Float64Array,
 *   longest: Float64Array, longest_at: Float64Array, columns: Columns, present: Uint8Array,
 *   total: number, totalWaited: number, totalCalls: number, limits: import("./container.js").Limits}} Figures
 */

/** How the figures of two threads become one. No figure is negative, so that 0 stands for none. */
const MERGES = {
  /** @type {(known: number, more: number) => number} */
  sum: (known, more) => known + more,
  /** @type {(known: number, more: number) => number} */
  max: (known, more) => Math.max(known, more),
  /** @type {(known: number, more: number, isLarger: boolean) => number} */
  with: (known, more, isLarger) => (isLarger ? more : known),
};

/** What the data says of a function, as bits: see tracer/results/flags.py. */
export const FLAGS = { own: 1, holds: 2, waits: 4, works: 8 };

/** The name of the row that stands for calls whose path was not kept. */
export const NOT_KEPT = "<paths not kept>";

export class Profile {
  /** @type {string[] | null} by row: the text that a search looks in */
  #texts = null;

  /**
   * @param {Container} container
   * @param {PackedProfile} packed
   */
  constructor(container, packed) {
    this.container = container;
    this.packed = packed;
    this.kinds = container.header.figures;
    this.name = packed.name;
    this.facts = packed.facts;
    this.rule = packed.rule;
    this.files = packed.files;
    this.threads = packed.threads;
    this.lines = packed.lines;
    this.memoryLines = packed.memory?.lines ?? [];
    this.sources = packed.sources;
    this.timeline = packed.timeline ?? []; // of each process
    this.rows = {
      file: container.integers(packed.rows.file),
      line: container.integers(packed.rows.line),
      name: packed.rows.name,
    };
    this.rowCount = packed.rows.name.length;
    /** By row, those of FLAGS. */
    this.flags = container.bytes(packed.flags);
    /** What times that come from samples have besides; null where each call was recorded. */
    this.samples = packed.sampled ? new Samples(packed.sampled, container) : null;
    /** @type {Map<Threads, Nodes>} */
    this.trees = new Map();
    /** @type {Map<Threads, Figures>} */
    this.figuresOf = new Map();
    /** @type {Map<Threads, Float64Array>} */
    this.waitsOf = new Map();
    /** @type {Map<Threads, Edges>} */
    this.edgesOf = new Map();
    /** @type {Keys | null} */
    this.rowKeys = null;
    /** @type {Keys | null} */
    this.threadKeys = null;
    /** @type {{pattern: string, found: Uint8Array} | null} */
    this.latestMatch = null;
  }

  /**
   * @param {Threads} threads
   * @returns {Nodes}
   */
  tree(threads) {
    return madeOnce(this.trees, threads, () => {
      if (threads !== "all") {
        return this.treeOf(threads);
      }
      return this.threads.length === 1 ? this.tree(0) : merged(this.threads.map((_, thread) => this.tree(thread)));
    });
  }

  /** @param {number} thread */
  treeOf(thread) {
    const { container } = this;
    const { depth, row, calls, resumes, time, waited } = this.threads[thread].nodes;
    const figures = [calls, resumes, time, waited].map((block) => container.floats(block));
    return new Nodes(container.integers(depth), container.integers(row), figures[0], figures[1], figures[2], figures[3]);
  }

  /**
   * @param {Threads} threads
   * @returns {Figures}
   */
  figures(threads) {
    return madeOnce(this.figuresOf, threads, () => {
      const sums = this.noFigures();
      const chosen = threads === "all" ? this.threads : [this.threads[threads]];
      for (const { figures } of chosen) {
        this.#add(sums, figures);
      }
      this.#addCounts(sums, threads);
      return sums;
    });
  }

  /**
   * Whether calls were counted beside samples: that was done for all threads together.
   * @param {Threads} threads
   */
  #hasCounts(threads) {
    return this.samples !== null && (threads === "all" || this.threads.length === 1);
  }

  /**
   * @param {Figures} sums
   * @param {Threads} threads
   */
  #addCounts(sums, threads) {
    if (this.samples === null || !this.#hasCounts(threads)) {
      return;
    }
    sums.totalCalls = sum(this.samples.calls);
    this.samples.calls.forEach((calls, row) => {
      sums.ncalls[row] = calls;
      sums.present[row] ||= Number(calls > 0);
    });
  }

  /**
   * How often a function was called, with what is known of that, as texts: short and in full. Null where nothing is.
   * @param {number} row
   * @param {Threads} threads
   * @returns {CallsTold | null}
   */
  callsTold(row, threads) {
    const { ncalls, primitive } = this.figures(threads);
    const calls = ncalls[row];
    if (this.samples === null) {
      const recursive = calls - primitive[row];
      return { short: shortCount(calls), full: count(calls), about: recursive > 0 ? `${shortCount(recursive)} of them recursive` : "none recursive" };
    }
    const counted = this.#hasCounts(threads) ? this.samples.counted[row] : COUNTED.unknown;
    if (counted === COUNTED.unknown) {
      return null;
    }
    const plus = counted === COUNTED.atLeast ? "+" : "";
    return { short: shortCount(calls) + plus, full: count(calls) + plus, about: plus === "" ? "counted" : "at least: counted in part" };
  }

  /** @returns {Figures} */
  noFigures() {
    const count = this.rowCount;
    const columns = Object.fromEntries(this.kinds.map(({ name }) => [name, new Float64Array(count)]));
    const { ncalls, primitive, tottime, cumtime, resumes, suspended, waited, longest, longest_at } = columns;
    const known = { ncalls, primitive, tottime, cumtime, resumes, suspended, waited, longest, longest_at };
    return { ...known, columns, present: new Uint8Array(count), total: 0, totalWaited: 0, totalCalls: 0, limits: this.container.header.limits };
  }

  /**
   * The time, what of it was waited, and the calls of one thread. Its figures by row are not kept: there may be many
   * threads.
   * @param {number} thread
   */
  sums(thread) {
    const { tottime, waited, ncalls } = this.threads[thread].figures;
    const [total, totalWaited, totalCalls] = [tottime, waited, ncalls].map((block) => sum(this.container.floats(block)));
    return { total, totalWaited, totalCalls };
  }

  /**
   * By row: what was waited in a function and in all that it called.
   * @param {Threads} threads
   */
  waitedWithin(threads) {
    return madeOnce(this.waitsOf, threads, () => waitedWithin(this.tree(threads), this.rowCount));
  }

  /**
   * @param {Figures} sums
   * @param {import("./container.js").FigureBlocks} blocks
   */
  #add(sums, blocks) {
    const rows = this.container.integers(blocks.row);
    let isLarger = new Float64Array(rows.length); // of the figure before, this thread's is
    for (const { name, merge } of this.kinds) {
      const more = this.container.floats(blocks[name]);
      const column = sums.columns[name];
      const merged = MERGES[merge];
      const before = isLarger;
      isLarger = more.map((value, i) => Number(value > column[rows[i]]));
      for (let i = 0; i < rows.length; i++) {
        column[rows[i]] = merged(column[rows[i]], more[i], before[i] === 1);
      }
      if (name === "tottime") {
        sums.total += sum(more);
      } else if (name === "waited") {
        sums.totalWaited += sum(more);
      } else if (name === "ncalls") {
        sums.totalCalls += sum(more);
      }
    }
    for (const row of rows) {
      sums.present[row] = 1;
    }
  }

  /**
   * @param {Threads} threads
   * @returns {Edges}
   */
  edges(threads) {
    return madeOnce(this.edgesOf, threads, () => this.edgesFrom(threads));
  }

  /** @param {Threads} threads */
  edgesFrom(threads) {
    const edges = new Edges();
    const nobody = this.rows.name.indexOf(NOT_KEPT);
    const chosen = threads === "all" ? this.threads.keys() : [threads];
    for (const thread of chosen) {
      if (this.rule === null) {
        edges.addTree(this.tree(thread), nobody);
      } // else all edges are stored, and the tree is estimated from them
      edges.addStored(this.#stored(thread));
    }
    if (this.samples !== null && this.#hasCounts(threads)) {
      const { caller, callee, calls } = this.samples.edges;
      const none = new Float64Array(calls.length);
      edges.addStored({ caller, callee, calls, primitive: none, resumes: none, time: none, cumtime: none });
    }
    return edges;
  }

  /**
   * What stands out; of a thread that matters little, nothing is said.
   * @param {Threads} threads
   * @returns {import("./container.js").Finding[]}
   */
  findings(threads) {
    return this.packed.findings[this.threads.length === 1 ? "all" : threads] ?? [];
  }

  /** @param {number} thread */
  #stored(thread) {
    const { container } = this;
    const blocks = this.threads[thread].edges;
    return {
      caller: container.integers(blocks.caller),
      callee: container.integers(blocks.callee),
      calls: container.floats(blocks.calls),
      primitive: container.floats(blocks.primitive),
      resumes: container.floats(blocks.resumes),
      time: container.floats(blocks.time),
      cumtime: container.floats(blocks.cumtime),
    };
  }

  /**
   * The qualified name of a function, "" for NO_ROW.
   * @param {number} row
   */
  nameOf(row) {
    return row === NO_ROW ? "" : this.rows.name[row];
  }

  /** @param {number} row */
  fileOf(row) {
    return this.files[this.rows.file[row]];
  }

  /** @param {number} row */
  moduleOf(row) {
    return this.fileOf(row).module;
  }

  /** @param {number} row */
  packageOf(row) {
    return this.fileOf(row).package;
  }

  /** @param {number} row */
  kindOf(row) {
    return this.fileOf(row).kind;
  }

  /**
   * "module.qualified.name"; for a builtin its name alone, which says where the builtin is from.
   * @param {number} row
   */
  label(row) {
    const { module, kind } = this.fileOf(row);
    return kind === "builtin" || module === "" ? this.nameOf(row) : `${module}.${this.nameOf(row)}`;
  }

  /**
   * "file:line"; "" for a builtin.
   * @param {number} row
   */
  place(row) {
    const { path, kind } = this.fileOf(row);
    return kind === "builtin" ? "" : `${path}:${this.rows.line[row]}`;
  }

  /**
   * The key by which a link names a function: its label. Where several functions have that label,
   * all but the first have their line added, and a number where that is not enough.
   * @param {number} row
   */
  key(row) {
    return this.#keys().of[row];
  }

  /**
   * The row of a key or label; -1 where there is none.
   * @param {string | undefined} key
   */
  rowOf(key) {
    return key === undefined || key === "" ? -1 : (this.#keys().places.get(key) ?? -1);
  }

  /**
   * The row of the function that begins at a line of a file; -1 where there is none.
   * @param {string} path
   * @param {number} line
   */
  rowAt(path, line) {
    for (let row = 0; row < this.rowCount; row++) {
      if (this.rows.line[row] === line && this.fileOf(row).path === path) {
        return row;
      }
    }
    return -1;
  }

  #keys() {
    this.rowKeys ??= distinct(this.rowCount, (row) => [this.label(row), `${this.label(row)}:${this.rows.line[row]}`]);
    return this.rowKeys;
  }

  /**
   * By row: 1 for a function that matches, else 0. Text, or /a regular expression/, is sought in
   * the qualified name, in the label, and in file:line.
   * @param {string} pattern
   * @returns {Uint8Array}
   */
  matches(pattern) {
    if (this.latestMatch?.pattern !== pattern) {
      this.latestMatch = { pattern, found: this.#match(pattern) };
    }
    return this.latestMatch.found;
  }

  /** @param {string} pattern */
  #match(pattern) {
    const found = new Uint8Array(this.rowCount);
    const { wanted, expression } = patternOf(pattern);
    if (wanted !== null) {
      this.#texts ??= Array.from(found, (_, row) => `${this.label(row)}\n${this.place(row)}`.toLowerCase());
      this.#texts.forEach((text, row) => (found[row] = text.includes(wanted) ? 1 : 0));
    } else if (expression !== null) {
      for (let row = 0; row < this.rowCount; row++) {
        const texts = [this.nameOf(row), this.label(row), this.place(row)];
        found[row] = texts.some((text) => expression.test(text)) ? 1 : 0;
      }
    }
    return found;
  }

  /**
   * The key by which a link names a thread: its name. Where several threads have that name, all but
   * the first have their place added.
   * @param {number} thread
   */
  threadKey(thread) {
    return this.#namesOfThreads().of[thread];
  }

  #namesOfThreads() {
    this.threadKeys ??= distinct(this.threads.length, (thread) => [this.threads[thread].name, `${this.threads[thread].name}#${thread}`]);
    return this.threadKeys;
  }

  /**
   * @param {string | undefined} key
   * @returns {Threads}
   */
  threadOf(key) {
    if (key === undefined || key === "") {
      return "all";
    }
    return this.#namesOfThreads().places.get(key) ?? "all";
  }
}

/**
 * A key for each of so many things: of the two that it may have, the first that none before it has; else the second with a
 * number.
 * @param {number} count
 * @param {(place: number) => [usual: string, longer: string]} keysOf
 * @returns {Keys}
 */
function distinct(count, keysOf) {
  const places = new Map();
  const numbers = new Map(); // by longer key: the next one
  const of = Array.from({ length: count }, (_, place) => {
    const [usual, longer] = keysOf(place);
    let key = places.has(usual) ? longer : usual;
    for (let number = numbers.get(longer) ?? 2; places.has(key); number++) {
      key = `${longer}#${number}`;
      numbers.set(longer, number + 1);
    }
    places.set(key, place);
    return key;
  });
  return { of, places };
}

/** @param {Float64Array} numbers */
function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}

/**
 * Names that functions have in common, such as packages, with their own time, the longest first; "" is none.
 * @param {Profile} profile
 * @param {(row: number) => string} nameOf
 */
export function timesOf(profile, nameOf) {
  const { tottime } = profile.figures("all");
  /** @type {Map<string, number>} */
  const times = new Map();
  for (let row = 0; row < profile.rowCount; row++) {
    times.set(nameOf(row), (times.get(nameOf(row)) ?? 0) + tottime[row]);
  }
  times.delete("");
  return [...times].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
