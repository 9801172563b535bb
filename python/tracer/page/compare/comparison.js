// Two profiles compared: functions in common with their figures before and after, the sums of both
// runs, and how much times differ where nothing changed.

import { Changes, isAsOften, pairOf } from "./changes.js";
import { gathered, matched } from "./matching.js";

/** @typedef {import("../profile.js").Profile} Profile */

const LONGER = 0.2; // of the real time: by more of it than the processor worked
const TELLING = 0.001; // of all time: the times of functions with less say nothing about noise
const ENOUGH = 5; // functions that tell how large the noise is

export class Comparison extends Changes {
  /**
   * @param {Profile} before
   * @param {Profile} after
   */
  constructor(before, after) {
    const rows = matched(soughtIn(before), soughtIn(after));
    const [one, other] = [before.figures("all"), after.figures("all")];
    /** @type {(name: "tottime" | "cumtime" | "ncalls") => import("./changes.js").Pair} */
    const pair = (name) => pairOf(gathered(one[name], rows.before, rows.count), gathered(other[name], rows.after, rows.count));
    const pairs = { tottime: pair("tottime"), cumtime: pair("cumtime"), ncalls: pair("ncalls") };
    super({
      thing: "function",
      titles: { tottime: "tottime", cumtime: "cumtime", ncalls: "ncalls" },
      pairs,
      // The row of paths that were not kept has no figures.
      was: present(one.present, rows.before, rows.count),
      is: present(other.present, rows.after, rows.count),
      noise: noiseOf(pairs, Math.max(one.total, other.total)),
    });
    this.before = before;
    this.after = after;
    this.rows = rows;
    this.count = rows.count;
    this.totals = {
      tottime: [one.total, other.total],
      ncalls: [one.totalCalls, other.totalCalls],
      real: [before, after].map((profile) => timeOf(profile, (run) => run.real)),
      busy: [before, after].map((profile) => timeOf(profile, (run) => run.user + run.system)),
    };
  }

  /** Whether the run took longer than the processor's work explains, and did as much: as `diff` says. */
  get hasWaited() {
    const { ncalls, real, busy } = this.totals;
    const same = isAsOften(ncalls[0], ncalls[1]);
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

/**
 * The part of their time by which functions differ though they were called as often: half of them
 * differ by less. 0 where too few of them tell.
 * @param {Record<"tottime" | "ncalls", import("./changes.js").Pair>} pairs
 * @param {number} total
 */
function noiseOf({ tottime, ncalls }, total) {
  /** @type {number[]} */
  const parts = [];
  tottime.delta.forEach((delta, row) => {
    const most = Math.max(tottime.before[row], tottime.after[row]);
    if (most > TELLING * total && ncalls.before[row] > 0 && isAsOften(ncalls.before[row], ncalls.after[row])) {
      parts.push(Math.abs(delta) / most);
    }
  });
  return parts.length < ENOUGH ? 0 : parts.sort((a, b) => a - b)[Math.floor(parts.length / 2)];
}

/**
 * @param {Uint8Array} has  by row of a profile: 1 if it has figures
 * @param {Uint32Array} common
 * @param {number} count
 */
function present(has, common, count) {
  const found = new Uint8Array(count);
  has.forEach((one, row) => (found[common[row]] |= one));
  return found;
}

/**
 * @param {Profile} profile
 * @param {(run: Profile["facts"]["runs"][number]) => number} part
 */
function timeOf(profile, part) {
  return profile.facts.runs.reduce((sum, run) => sum + part(run), 0);
}

const MADE_OF_TEXT = "<string>"; // the file of functions that exec() made

/**
 * Functions by what they are matched by. Those made of text are matched by their file, as `diff` does:
 * in another run another module may have called them most.
 * @param {Profile} profile
 * @returns {import("./matching.js").Sought[]}
 */
function soughtIn(profile) {
  return Array.from({ length: profile.rowCount }, (_, row) => ({
    key: `${profile.fileOf(row).path === MADE_OF_TEXT ? MADE_OF_TEXT : profile.moduleOf(row)}\n${profile.nameOf(row)}`,
    path: profile.fileOf(row).path,
    line: profile.rows.line[row],
  }));
}
