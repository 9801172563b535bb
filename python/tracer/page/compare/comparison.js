// Two profiles compared: functions in common with their figures before and after, which of them are
// new or gone, and in which order they are listed. What a row looks like is table.js's.

import { gathered, matched } from "./matching.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../table/order.js").Sorting} Sorting
 * @typedef {"ncalls" | "tottime" | "cumtime"} Metric
 * @typedef {{before: Float64Array, after: Float64Array, delta: Float64Array, ratio: Float64Array}} Pair
 *   ratio: after / before; Infinity of what is new, NaN where there is nothing
 * @typedef {"new" | "gone" | "changed" | "same"} Standing
 */

/** @type {Metric[]} */
export const METRICS = ["tottime", "cumtime", "ncalls"];

/** The order to begin with: the largest changes of own time, in either direction. */
export const DEFAULT_SORT = "-change";

const SAME_CALLS = 0.01; // of the calls: by less they are as many
const LONGER = 0.2; // of the real time: by more of it than the processor worked

export class Comparison {
  /**
   * @param {Profile} before
   * @param {Profile} after
   */
  constructor(before, after) {
    this.before = before;
    this.after = after;
    this.rows = matched(soughtIn(before), soughtIn(after));
    this.count = this.rows.count;
    const [one, other] = [before.figures("all"), after.figures("all")];
    /** The rows that are functions. The row of paths that were not kept has no figures. */
    this.functions = this.#functions(one.present, other.present);
    /** @type {Record<Metric, Pair>} */
    this.pairs = {
      tottime: this.#pair(one.tottime, other.tottime),
      cumtime: this.#pair(one.cumtime, other.cumtime),
      ncalls: this.#pair(one.ncalls, other.ncalls),
    };
    this.totals = {
      tottime: [one.total, other.total],
      ncalls: [one.totalCalls, other.totalCalls],
      real: [before, after].map((profile) => timeOf(profile, (run) => run.real)),
      busy: [before, after].map((profile) => timeOf(profile, (run) => run.user + run.system)),
    };
    /** @type {Uint32Array | null} */
    this.ranks = null;
    this.change = this.pairs.tottime.delta.map(Math.abs);
  }

  /**
   * @param {Uint8Array} one  by row of the profile before: 1 if it has figures
   * @param {Uint8Array} other
   */
  #functions(one, other) {
    const present = new Uint8Array(this.count);
    one.forEach((has, row) => (present[this.rows.before[row]] |= has));
    other.forEach((has, row) => (present[this.rows.after[row]] |= has));
    return Uint32Array.from({ length: this.count }, (_, row) => row).filter((row) => present[row] === 1);
  }

  /**
   * @param {Float64Array} one
   * @param {Float64Array} other
   * @returns {Pair}
   */
  #pair(one, other) {
    const { count, rows } = this;
    const before = gathered(one, rows.before, count);
    const after = gathered(other, rows.after, count);
    return {
      before,
      after,
      delta: after.map((figure, row) => figure - before[row]),
      ratio: after.map((figure, row) => figure / before[row]),
    };
  }

  /** Whether the run took longer than the processor's work explains, and did as much: as `diff` says. */
  get hasWaited() {
    const { ncalls, real, busy } = this.totals;
    const same = Math.abs(ncalls[1] - ncalls[0]) <= SAME_CALLS * ncalls[0];
    return same && busy[0] > 0 && busy[1] > 0 && real[1] - real[0] - (busy[1] - busy[0]) > LONGER * real[0];
  }

  /**
   * The profile that has a function now, or had it, and its row there.
   * @param {number} row
   * @returns {[Profile, number]}
   */
  place(row) {
    const now = this.rows.rowAfter[row];
    return now >= 0 ? [this.after, now] : [this.before, this.rows.rowBefore[row]];
  }

  /** @param {number} row */
  label(row) {
    const [profile, its] = this.place(row);
    return profile.label(its);
  }

  /**
   * @param {number} row
   * @returns {Standing}
   */
  standing(row) {
    const { rowBefore, rowAfter } = this.rows;
    if (rowBefore[row] < 0 || rowAfter[row] < 0) {
      return rowBefore[row] < 0 ? "new" : "gone";
    }
    return METRICS.every((metric) => this.pairs[metric].delta[row] === 0) ? "same" : "changed";
  }

  /**
   * The rows that a state asks for, sorted.
   * @param {string | undefined} search
   * @param {string | undefined} standing
   * @param {Sorting[]} sortings
   */
  listed(search, standing, sortings) {
    const wanted = search ? this.matches(search) : null;
    const rows = this.functions.filter(
      (row) => (wanted === null || wanted[row] === 1) && (!standing || this.standing(row) === standing),
    );
    const by = sortings.map(({ key, down }) => ({ values: this.values(key), sign: down ? -1 : 1 }));
    return rows.sort((a, b) => {
      for (const { values, sign } of by) {
        const [one, other] = [values[a], values[b]];
        if (one !== other && !(Number.isNaN(one) && Number.isNaN(other))) {
          // What has no figure comes last, either way.
          return Number.isNaN(one) ? 1 : Number.isNaN(other) ? -1 : one < other ? -sign : sign;
        }
      }
      return a - b;
    });
  }

  /**
   * The figures that a column is sorted by; "tottime.delta", say.
   * @param {string} key
   * @returns {ArrayLike<number>}
   */
  values(key) {
    if (key === "name") {
      this.ranks ??= this.#ranks();
      return this.ranks;
    }
    const [metric, part] = key.split(".");
    const found = METRICS.find((known) => known === metric);
    const parts = /** @type {const} */ (["before", "after", "delta", "ratio"]);
    const its = parts.find((known) => known === part);
    return found !== undefined && its !== undefined ? this.pairs[found][its] : this.change;
  }

  #ranks() {
    const labels = Array.from({ length: this.count }, (_, row) => this.label(row));
    const order = labels
      .map((_, row) => row)
      .sort((a, b) => (labels[a] < labels[b] ? -1 : labels[a] > labels[b] ? 1 : a - b));
    const ranks = new Uint32Array(this.count);
    order.forEach((row, place) => (ranks[row] = place));
    return ranks;
  }

  /**
   * Which functions a search is for, 1 or 0 by row.
   * @param {string} search
   */
  matches(search) {
    const wanted = new Uint8Array(this.count);
    this.before.matches(search).forEach((found, row) => (wanted[this.rows.before[row]] |= found));
    this.after.matches(search).forEach((found, row) => (wanted[this.rows.after[row]] |= found));
    return wanted;
  }
}

/**
 * @param {Profile} profile
 * @param {(run: Profile["facts"]["runs"][number]) => number} part
 */
function timeOf(profile, part) {
  return profile.facts.runs.reduce((sum, run) => sum + part(run), 0);
}

/**
 * @param {Profile} profile
 * @returns {import("./matching.js").Sought[]}
 */
function soughtIn(profile) {
  return Array.from({ length: profile.rowCount }, (_, row) => ({
    key: `${profile.moduleOf(row)}\n${profile.nameOf(row)}`,
    path: profile.fileOf(row).path,
    line: profile.rows.line[row],
  }));
}
