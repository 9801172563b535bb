// The memory of a profile: the functions and calling contexts seen by a measure, who holds most, and the curves.

import { AmountsProfile } from "../amounts_profile.js";
import { madeOnce } from "../made_once.js";
import { Nodes } from "../nodes.js";
import { FLAGS } from "../profile.js";
import { firstWhere } from "../ui/ordered.js";

/**
 * @typedef {import("../container.js").Measure} Measure
 * @typedef {import("../container.js").PackedMemory} PackedMemory
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Threads} Threads
 * @typedef {{name: string, at: Float64Array, least: Float64Array, most: Float64Array, last: Float64Array,
 *   resident: Float64Array}} Curve
 */

/** @type {Measure[]} */
export const MEASURES = ["live", "peak", "allocated", "temporary"];

/** A profile whose times are bytes of a measure, and whose calls are blocks. */
export class MemoryProfile extends AmountsProfile {
  /**
   * @param {Profile} whole
   * @param {PackedMemory} memory
   * @param {Measure} measure
   */
  constructor(whole, memory, measure) {
    const contexts = memory.measures[measure];
    const threads = whole.threads.map((thread, place) => ({ ...thread, figures: contexts[place].figures }));
    super(whole, { threads });
    this.contexts = contexts;
  }

  /** @param {number} thread */
  treeOf(thread) {
    const { container } = this;
    const { depth, row, calls, time } = this.contexts[thread].nodes;
    const blocks = container.floats(calls);
    const resumes = new Float64Array(blocks.length);
    return new Nodes(container.integers(depth), container.integers(row), blocks, resumes, container.floats(time));
  }
}

/** The memory of a profile, which has some. */
export class MemoryModel {
  /** @type {Map<Measure, MemoryProfile>} */
  #seen = new Map();
  /** @type {Curve | null} */
  #curve = null;

  /** @param {Profile} whole */
  constructor(whole) {
    this.whole = whole;
    this.facts = /** @type {PackedMemory} */ (whole.packed.memory);
  }

  /**
   * @param {Measure} measure
   * @returns {MemoryProfile}
   */
  seenBy(measure) {
    return madeOnce(this.#seen, measure, () => new MemoryProfile(this.whole, this.facts, measure));
  }

  /** Whether the program still runs: what is live at the end is live now. */
  get isRunning() {
    return this.whole.container.header.live?.running === true;
  }

  /** By which measure the view begins. @returns {Measure} */
  get first() {
    const { live, peak } = this.facts;
    return live[0] >= this.whole.container.header.limits.mostlyLive * peak[0] ? "live" : "peak";
  }

  /**
   * The measure that a text names; else the first one.
   * @param {string | undefined} text
   */
  measureOf(text) {
    return MEASURES.find((measure) => measure === text) ?? this.first;
  }

  /** The curve of the capture that had the most live. */
  get curve() {
    this.#curve ??= this.#curves().reduce((best, curve) => (highest(curve) > highest(best) ? curve : best));
    return this.#curve;
  }

  #curves() {
    const { container } = this.whole;
    return this.facts.curves.map(({ name, at, least, most, last, resident }) => ({
      name,
      at: container.floats(at),
      least: container.floats(least),
      most: container.floats(most),
      last: container.floats(last),
      resident: container.floats(resident),
    }));
  }

  /**
   * By row: what the function has with all of libraries and of C below it that no other function of the program's
   * own is between. Of a program without own code: what it has by itself.
   * @param {Measure} measure
   * @param {Threads} threads
   */
  heldBy(measure, threads) {
    const seen = this.seenBy(measure);
    const { count, parent, row, self } = seen.tree(threads);
    const held = new Float64Array(seen.rowCount);
    const { flags } = this.whole;
    const owner = new Int32Array(count).fill(-1); // by node: the row of the nearest own function above, or its own
    for (let node = 1; node < count; node++) {
      owner[node] = (flags[row[node]] & FLAGS.own) !== 0 ? row[node] : owner[parent[node]];
      if (owner[node] >= 0 && (flags[owner[node]] & FLAGS.holds) !== 0) {
        held[owner[node]] += self[node];
      }
    }
    return owner.some((row) => row >= 0) ? held : seen.figures(threads).tottime;
  }
}

/** @param {Curve} curve */
const highest = ({ most }) => most.reduce((high, live) => (live > high ? live : high), 0);

/** @type {WeakMap<Profile, MemoryModel>} */
const made = new WeakMap();

/** @param {Profile} profile */
export const hasMemory = (profile) => profile.packed.memory !== undefined;

/** @param {Profile} profile */
export const memoryOf = (profile) => madeOnce(made, profile, () => new MemoryModel(profile));

/**
 * The place of the highest value, -1 where there is none.
 * @param {Float64Array} values
 */
export function placeOfMost(values) {
  return values.reduce((best, value, at) => (value > (best < 0 ? 0 : values[best]) ? at : best), -1);
}

/**
 * The stretch of a curve that a moment is in; -1: before the first one.
 * @param {Float64Array} times
 * @param {number} moment
 */
export const stretchAt = (times, moment) => firstWhere(0, times.length, (place) => times[place] > moment) - 1;
