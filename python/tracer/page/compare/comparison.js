// Two profiles compared: functions in common with their figures before and after, and the sums of both
// runs. Which functions are the same, and from which change on one matters, the data says.

import { Changes, pairOf } from "./changes.js";
import { gathered, leading } from "./matching.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../container.js").PackedCommon} PackedCommon
 */

export class Comparison extends Changes {
  /**
   * @param {Profile} before
   * @param {Profile} after
   * @param {PackedCommon} common
   */
  constructor(before, after, common) {
    const { container } = before;
    const rows = leading(container.integers(common.before), container.integers(common.after));
    const [one, other] = [before.figures("all"), after.figures("all")];
    /** @type {(name: "tottime" | "cumtime" | "ncalls") => import("./changes.js").Pair} */
    const pair = (name) => pairOf(gathered(one[name], rows.before, rows.count), gathered(other[name], rows.after, rows.count));
    /** @type {(present: Uint8Array, common: Uint32Array) => Uint8Array} */
    const presence = (present, common) => Uint8Array.from(gathered(present, common, rows.count), (number) => Number(number > 0));
    super({
      thing: "function",
      titles: { tottime: "tottime", cumtime: "cumtime", ncalls: "ncalls" },
      pairs: { tottime: pair("tottime"), cumtime: pair("cumtime"), ncalls: pair("ncalls") },
      // The row of paths that were not kept has no figures.
      was: presence(one.present, rows.before),
      is: presence(other.present, rows.after),
      noise: common.noise,
    });
    this.before = before;
    this.after = after;
    this.rows = rows;
    this.count = rows.count;
    this.waited = common.waited;
    this.totals = {
      tottime: [one.total, other.total],
      ncalls: [one.totalCalls, other.totalCalls],
      real: [before, after].map((profile) => profile.facts.runs.reduce((sum, run) => sum + run.real, 0)),
    };
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

  /** @param {number} row */
  key(row) {
    const [profile, its] = this.place(row);
    return profile.key(its);
  }

  /** @param {number} row */
  tell(row) {
    const [profile, its] = this.place(row);
    const label = profile.label(its);
    return {
      name: profile.nameOf(its),
      where: profile.kindOf(its) === "builtin" ? "" : profile.moduleOf(its),
      label,
      tip: [label, profile.place(its)].filter(Boolean).join("\n"),
    };
  }

  /** @param {string} search */
  matches(search) {
    const wanted = new Uint8Array(this.count);
    this.before.matches(search).forEach((found, row) => (wanted[this.rows.before[row]] |= found));
    this.after.matches(search).forEach((found, row) => (wanted[this.rows.after[row]] |= found));
    return wanted;
  }
}
