// The native samples of a profile: functions and calling contexts by CPU time, native functions among them.

import { AmountsProfile } from "./amounts_profile.js";
import { madeOnce } from "./made_once.js";
import { Grower } from "./nodes.js";
import { timesOf } from "./profile.js";

/**
 * @typedef {import("./container.js").PackedNative} PackedNative
 * @typedef {import("./nodes.js").Nodes} Nodes
 * @typedef {import("./profile.js").Profile} Profile
 * @typedef {import("./profile.js").Threads} Threads
 */

/** A profile whose times are CPU times by samples, and whose calls are samples. */
export class NativeProfile extends AmountsProfile {
  /**
   * @param {Profile} whole
   * @param {PackedNative} packed
   */
  constructor(whole, packed) {
    const { files, rows, threads } = packed;
    super(whole, { files, rows, threads, rule: null, findings: {} });
    this.whole = whole;
    this.native = packed;
  }

  /**
   * The name of a native function alone: its module is its library.
   * @param {number} row
   */
  label(row) {
    const { path, module, kind } = this.fileOf(row);
    return kind !== "native" ? super.label(row) : path === "" ? this.nameOf(row) : `${this.nameOf(row)} (${module})`;
  }

  /**
   * Of a native function its library's path.
   * @param {number} row
   */
  place(row) {
    const { path, kind } = this.fileOf(row);
    return kind === "native" ? path || "code in no file" : super.place(row);
  }

  /**
   * Two standard errors of a sum of samples.
   * @param {number} time
   */
  errorOf(time) {
    return 2 * Math.sqrt(Math.max(0, time) * this.native.unit);
  }

  /**
   * What the function has of own time as it was traced.
   * @param {number} row
   * @param {Threads} threads
   */
  traced(row, threads) {
    const thread = threads === "all" ? "all" : this.whole.threadOf(this.threadKey(threads));
    const known = this.kindOf(row) === "native" ? -1 : this.whole.rowOf(this.key(row));
    return known < 0 ? 0 : this.whole.figures(thread).tottime[known];
  }

  /**
   * The source lines of a native function, by file; none where they are not known.
   * @param {number} row
   */
  codeOf(row) {
    return this.native.code.filter((code) => code.row === row);
  }

  /** The libraries with their own CPU time, the longest first. */
  get libraries() {
    return timesOf(this, (row) => (this.kindOf(row) === "native" ? this.moduleOf(row) : ""));
  }
}

/** @type {WeakMap<Profile, NativeProfile>} */
const made = new WeakMap();

/**
 * A profile seen by its native samples; null where it has none.
 * @param {Profile} whole
 */
export function nativeOf(whole) {
  const { native } = whole.packed;
  return native === undefined ? null : madeOnce(made, whole, () => new NativeProfile(whole, native));
}

/**
 * The samples in a library, and in all that its functions called; and the paths that led there.
 * @param {Nodes} tree
 * @param {Profile} profile
 * @param {string} library
 */
export function within(tree, profile, library) {
  const { count, row, parent, calls, self } = tree;
  const isIn = new Uint8Array(count);
  const leads = new Uint8Array(count); // there, or is there
  for (let node = 1; node < count; node++) {
    isIn[node] = isIn[parent[node]] | Number(profile.kindOf(row[node]) === "native" && profile.moduleOf(row[node]) === library);
  }
  for (let node = count - 1; node > 0; node--) {
    leads[node] |= isIn[node];
    leads[parent[node]] |= leads[node];
  }
  const grower = new Grower(count);
  const home = new Int32Array(count);
  for (let node = 1; node < count; node++) {
    if (leads[node] === 1) {
      home[node] = grower.child(home[parent[node]], row[node]);
      grower.calls[home[node]] += isIn[node] * calls[node];
      grower.self[home[node]] += isIn[node] * self[node];
    }
  }
  return grower.nodes();
}
