// The ways to see a profile, and how it is told then: by the times that were recorded, by native
// samples, or by what its threads waited.

import { FIGURES } from "./table/columns.js";
import { TIMES } from "./flame/words.js";
import { CPU, CPU_COLUMNS } from "./native/words.js";
import { nativeOf, NativeProfile } from "./native_profile.js";
import { waitsOf, WaitsProfile } from "./waits_profile.js";
import { WAIT_COLUMNS, WAITS } from "./sampled_waits/words.js";

/**
 * @typedef {import("./profile.js").Profile} Profile
 * @typedef {object} Way
 * @property {string} name  in the state
 * @property {string} title
 * @property {string} key
 * @property {string} about
 * @property {(whole: Profile) => Profile | null} of  the profile seen so; null where it cannot be
 */

/** Beside that by the times. @type {Way[]} */
export const WAYS = [
  { name: "cpu", title: "CPU samples", key: "C", about: "CPU time by samples, with native functions; or the times as they were traced", of: nativeOf },
  { name: "waits", title: "Waits", key: "W", about: "What threads waited, by looks at them; or CPU time", of: waitsOf },
];

/**
 * A profile as the state wants it seen; null: by its times.
 * @param {Profile} whole
 * @param {string | null | undefined} name
 */
export const seenBy = (whole, name) => WAYS.find((way) => way.name === name)?.of(whole) ?? null;

/**
 * The words of a profile's flame graph.
 * @param {Profile} profile
 */
export const wordsFor = (profile) => (profile instanceof NativeProfile ? CPU : profile instanceof WaitsProfile ? WAITS : TIMES);

/**
 * What the table shows of a profile.
 * @param {Profile} profile
 */
export const columnsFor = (profile) => (profile instanceof NativeProfile ? CPU_COLUMNS : profile instanceof WaitsProfile ? WAIT_COLUMNS : FIGURES);
