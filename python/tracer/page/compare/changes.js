// What changed between two profiles, thing by thing: functions, packages or lines. Each has its
// figures before and after. Here they are listed, sorted and sought; what a row looks like is
// table.js's.

import { patternOf } from "../search_pattern.js";
import { ranksOf, sort } from "../table/order.js";

/**
 * @typedef {import("../table/order.js").Sorting} Sorting
 * @typedef {"ncalls" | "tottime" | "cumtime"} Metric
 * @typedef {{before: Float64Array, after: Float64Array, delta: Float64Array, ratio: Float64Array}} Pair
 *   ratio: after / before; Infinity of what is new, NaN where there is nothing
 * @typedef {"new" | "gone" | "changed" | "same"} Status   the state, and so a link, calls it `standing`
 * @typedef {{name: string, where: string, label: string, tip: string}} RowTexts
 *   label: by which it is sorted and sought; tip: all that is known of its place
 */

/** @type {Metric[]} */
export const METRICS = ["tottime", "cumtime", "ncalls"];

/** The order to begin with: the largest changes of own time beyond noise, in either direction. */
export const DEFAULT_SORT = "-change,-size";

/**
 * @param {Float64Array} before
 * @param {Float64Array} after
 * @returns {Pair}
 */
export function pairOf(before, after) {
  return {
    before,
    after,
    delta: after.map((figure, row) => figure - before[row]),
    ratio: after.map((figure, row) => figure / before[row]),
  };
}

export class Changes {
  /**
   * @param {object} of
   * @param {string} of.thing  what a row is called
   * @param {Partial<Record<Metric, string>>} of.titles  of the figures that it has
   * @param {Record<Metric, Pair>} of.pairs
   * @param {Uint8Array} of.was  by row: 1 if it was there before
   * @param {Uint8Array} of.is  1 if it is there after
   * @param {number} of.noise  nanoseconds from which on a change of own time matters
   */
  constructor({ thing, titles, pairs, was, is, noise }) {
    this.thing = thing;
    this.titles = titles;
    this.metrics = METRICS.filter((metric) => titles[metric] !== undefined);
    this.pairs = pairs;
    this.was = was;
    this.is = is;
    this.noise = noise;
    this.listable = Uint32Array.from(was.keys()).filter((row) => was[row] === 1 || is[row] === 1);
    this.size = pairs.tottime.delta.map(Math.abs);
    this.change = this.size.map((size) => (this.isNoise(size) ? 0 : size));
    /** @type {Uint32Array | null} */
    this.ranks = null;
  }

  /**
   * Whether a change of own time does not matter.
   * @param {number} change
   */
  isNoise(change) {
    return Math.abs(change) < this.noise;
  }

  /**
   * @param {number} _row
   * @returns {RowTexts}
   */
  tell(_row) {
    throw new Error("each kind of changes tells its own rows");
  }

  /**
   * @param {number} row
   * @returns {Status}
   */
  status(row) {
    if (this.was[row] === 0 || this.is[row] === 0) {
      return this.was[row] === 0 ? "new" : "gone";
    }
    return this.metrics.every((metric) => this.pairs[metric].delta[row] === 0) ? "same" : "changed";
  }

  /**
   * How many rows have that status.
   * @param {string} status
   */
  number(status) {
    return this.listable.filter((row) => this.status(row) === status).length;
  }

  /**
   * The rows that a state asks for, sorted.
   * @param {string | undefined} search
   * @param {string | undefined} status
   * @param {Sorting[]} sortings
   */
  listed(search, status, sortings) {
    const wanted = search ? this.matches(search) : null;
    const rows = this.listable.filter(
      (row) => (wanted === null || wanted[row] === 1) && (!status || this.status(row) === status),
    );
    return sort(rows, sortings, (key) => this.values(key));
  }

  /**
   * The figures that a column is sorted by; "tottime.delta", say.
   * @param {string} key
   * @returns {ArrayLike<number>}
   */
  values(key) {
    if (key === "name") {
      this.ranks ??= ranksOf(Array.from(this.was, (_, row) => this.tell(row).label));
      return this.ranks;
    }
    const [metric, part] = key.split(".");
    const found = this.metrics.find((known) => known === metric);
    const parts = /** @type {const} */ (["before", "after", "delta", "ratio"]);
    const its = parts.find((known) => known === part);
    return found !== undefined && its !== undefined ? this.pairs[found][its] : key === "size" ? this.size : this.change;
  }

  /**
   * Which rows a search is for, 1 or 0 by row.
   * @param {string} search
   */
  matches(search) {
    const { wanted, expression } = patternOf(search);
    return Uint8Array.from(this.was, (_, row) => {
      const { label } = this.tell(row);
      return Number(wanted !== null ? label.toLowerCase().includes(wanted) : (expression?.test(label) ?? false));
    });
  }
}
