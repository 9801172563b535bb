// The waits of a profile of samples: functions and calling contexts by what threads waited there.

import { AmountsProfile } from "./amounts_profile.js";
import { madeOnce } from "./made_once.js";

/**
 * @typedef {import("./container.js").PackedWaits} PackedWaits
 * @typedef {import("./profile.js").Profile} Profile
 */

/** A profile whose times are those that threads waited, by looks at them. */
export class WaitsProfile extends AmountsProfile {
  /**
   * @param {Profile} whole
   * @param {PackedWaits} packed
   */
  constructor(whole, packed) {
    super(whole, { ...packed, rule: null, findings: {} });
  }
}

/** @type {WeakMap<Profile, WaitsProfile>} */
const made = new WeakMap();

/**
 * A profile seen by its waits; null where these were not looked at.
 * @param {Profile} whole
 */
export function waitsOf(whole) {
  const { waits } = whole.packed;
  return waits === undefined ? null : madeOnce(made, whole, () => new WaitsProfile(whole, waits));
}
