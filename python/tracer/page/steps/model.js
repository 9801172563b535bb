// The steps of a profile: when each was, its time in each phase, medians. All times are nanoseconds. What belongs to no
// phase is the last phase, Others.

import { madeOnce } from "../made_once.js";
import { timelineOf } from "../timeline/model.js";
import { encoded } from "../ui/encoded.js";

/**
 * @typedef {import("../container.js").PackedSteps} PackedSteps
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Threads} Threads
 */

/** What the state calls the time of no phase: no phase is written so, for its name is encoded. */
const OTHERS = "+";

export class Steps {
  /** @param {Profile} profile  that has steps */
  constructor(profile) {
    const { container, timeline } = profile;
    const packed = /** @type {PackedSteps} */ (profile.packed.steps);
    this.profile = profile;
    this.process = container.integers(packed.process);
    this.thread = container.integers(packed.thread);
    this.number = container.floats(packed.number);
    this.starts = container.floats(packed.start); // ticks
    this.ends = container.floats(packed.end);
    this.slow = container.integers(packed.slow);
    this.count = this.number.length;
    this.phases = [...packed.phases, "Others"];
    const ticks = Float64Array.from(this.process, (place) => timeline[place].tick);
    this.length = this.ends.map((end, at) => (end - this.starts[at]) * ticks[at]);
    const others = this.ends.map((end, at) => end - this.starts[at]);
    /** @type {Float64Array[]} by phase */
    this.times = packed.times.map((block) => {
      const times = container.floats(block);
      times.forEach((time, at) => (others[at] -= time));
      return times.map((time, at) => time * ticks[at]);
    });
    this.times.push(others.map((time, at) => Math.max(0, time) * ticks[at]));
    /** By step, NaN where they are not known. */
    this.items = Float64Array.from(this.number, (_, at) => packed.items?.[at] ?? NaN);
    this.rates = this.items.map((items, at) => (this.length[at] > 0 ? (items / this.length[at]) * 1e9 : NaN));
    this.order = this.#byThread();
    /** @type {Map<string, number> | null} */
    this.byKey = null;
    /** @type {string[]} */
    this.keys = [];
  }

  /** The steps of one thread after those of another, by time. */
  #byThread() {
    const { process, thread, starts } = this;
    return Uint32Array.from(this.number, (_, at) => at).sort((a, b) => process[a] - process[b] || thread[a] - thread[b] || starts[a] - starts[b]);
  }

  /**
   * Whether a step is not the next one after another: of another recorded cycle, or of another thread.
   * @param {number} step
   * @param {number} before
   */
  isApart(step, before) {
    const { process, thread, number } = this;
    return process[step] !== process[before] || thread[step] !== thread[before] || number[step] !== number[before] + 1;
  }

  /**
   * Where a step is in the timeline.
   * @param {number} step
   */
  rangeOf(step) {
    const process = timelineOf(this.profile).processes[this.process[step]];
    return { from: process.at(this.starts[step]), to: process.at(this.ends[step]) };
  }

  /**
   * What the state calls a step: its number and, of several steps of that number, which one.
   * @param {number} step
   */
  keyOf(step) {
    this.#nameAll();
    return this.keys[step];
  }

  /**
   * The step that the state names, or -1.
   * @param {string | undefined} key
   */
  stepOf(key) {
    return key === undefined ? -1 : (this.#nameAll().get(key) ?? -1);
  }

  #nameAll() {
    if (this.byKey === null) {
      /** @type {Map<number, number>} */
      const often = new Map();
      this.byKey = new Map();
      for (const step of this.order) {
        const number = this.number[step];
        const nth = (often.get(number) ?? 0) + 1;
        often.set(number, nth);
        this.keys[step] = nth > 1 ? `${number}~${nth}` : String(number);
        this.byKey.set(this.keys[step], step);
      }
    }
    return this.byKey;
  }
}

/** Steps of which medians and totals are told: those of the chosen threads. */
export class Chosen {
  /**
   * @param {Steps} steps
   * @param {Threads} threads
   */
  constructor(steps, threads) {
    this.steps = steps;
    this.threads = threads;
    this.order = threads === "all" ? steps.order : steps.order.filter((step) => steps.thread[step] === threads);
    this.median = medianOf(this.of(steps.length));
    this.medians = steps.times.map((times) => medianOf(this.of(times)));
    this.totals = steps.times.map((times) => this.of(times).reduce((sum, time) => sum + time, 0));
    this.total = this.of(steps.length).reduce((sum, time) => sum + time, 0);
    this.slow = this.order.filter((step) => steps.slow[step] === 1);
    /** Items a second, over all steps whose items are known; NaN: of none. */
    this.rate = this.#rate();
  }

  /** @param {Float64Array} values  by step */
  of(values) {
    return Float64Array.from(this.order, (step) => values[step]);
  }

  #rate() {
    const { items, length } = this.steps;
    const known = this.order.filter((step) => !Number.isNaN(items[step]));
    const sum = /** @param {Float64Array} values */ (values) => known.reduce((all, step) => all + values[step], 0);
    return known.length > 0 && sum(length) > 0 ? (sum(items) / sum(length)) * 1e9 : NaN;
  }
}

/** @type {WeakMap<Profile, Steps>} */
const made = new WeakMap();

/** @param {Profile} profile */
export const stepsOf = (profile) => madeOnce(made, profile, () => new Steps(profile));

/** @param {Profile} profile  of two that are compared, the second has no steps */
export const hasSteps = (profile) => profile.packed.steps !== undefined;

/**
 * The middle one of values, or the mean of the two in the middle; of none, 0.
 * @param {Float64Array} values
 */
export function medianOf(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length === 0 ? 0 : sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The phases that are not hidden, as the state has it.
 * @param {string[]} phases
 * @param {string | undefined} hidden
 */
export function shownOf(phases, hidden) {
  const names = (hidden ?? "").split(",");
  return phases.map((_, place) => !names.includes(nameOf(phases, place)));
}

/**
 * What the state says of it; null: all are shown.
 * @param {string[]} phases
 * @param {boolean[]} shown
 */
export function hiddenText(phases, shown) {
  const hidden = phases.map((_, place) => place).filter((place) => !shown[place]);
  return hidden.length > 0 ? hidden.map((place) => nameOf(phases, place)).join(",") : null;
}

/**
 * @param {string[]} phases
 * @param {number} place
 */
const nameOf = (phases, place) => (place === phases.length - 1 ? OTHERS : encoded(phases[place]));

/**
 * By step, what the phases that are shown take together.
 * @param {Steps} steps
 * @param {boolean[]} shown
 */
export function heightsOf(steps, shown) {
  const heights = new Float64Array(steps.count);
  steps.times.forEach((times, place) => {
    if (shown[place]) {
      times.forEach((time, step) => (heights[step] += time));
    }
  });
  return heights;
}
