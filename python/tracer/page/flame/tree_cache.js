// From a profile to the boxes of a flame graph: which tree, folded, turned around and in order as
// was asked for. What was made last is kept, for a million nodes take a while.

import { madeOnce } from "../made_once.js";
import { within } from "../native_profile.js";
import { rearranged } from "../nodes.js";
import { folded } from "./hidden_frames.js";
import { inverted } from "./inverted.js";
import { Layout, widthsOf } from "./layout.js";
import { layoutOfCalls } from "./merged_calls.js";
import { heaviestFirst } from "./order.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Threads} Threads
 * @typedef {import("./layout.js").Metric} Metric
 * @typedef {{threads: Threads, metric: Metric, inverted: boolean, of: number, builtins: boolean,
 *   libraries: boolean, natives: boolean, within: string, heaviest: boolean}} Wish
 *   of: the function whose calls are merged, -1: the whole tree; builtins, libraries, natives: whether they are folded; within: the native library of whose samples the tree is, "": all; heaviest: whether the heaviest come first
 */

const KEPT = 2; // of a million nodes each takes 70 MB
/** @type {WeakMap<Profile, Map<string, Layout>>} */
const made = new WeakMap();

/**
 * @param {Profile} profile
 * @param {Wish} wish
 * @returns {Layout}
 */
export function layoutOf(profile, wish) {
  const known = madeOnce(made, profile, () => new Map());
  const key = JSON.stringify(wish);
  const layout = known.get(key) ?? makeLayout(profile, wish);
  known.delete(key);
  known.set(key, layout); // the last of the Map is the latest
  for (const oldest of known.keys()) {
    if (known.size <= KEPT) {
      break;
    }
    known.delete(oldest);
  }
  return layout;
}

/**
 * @param {Profile} profile
 * @param {Wish} wish
 */
function makeLayout(profile, wish) {
  const { metric } = wish;
  const what = { builtins: wish.builtins, libraries: wish.libraries, natives: wish.natives };
  const whole = profile.tree(wish.threads);
  const tree = folded(wish.within === "" ? whole : within(whole, profile, wish.within), profile, what, wish.of);
  if (wish.of >= 0) {
    return layoutOfCalls(tree, wish.of, metric, wish.heaviest);
  }
  if (wish.inverted) {
    const turned = inverted(tree, metric); // comes with the heaviest first
    return new Layout(turned, widthsOf(turned, metric));
  }
  const value = widthsOf(tree, metric);
  if (!wish.heaviest) {
    return new Layout(tree, value);
  }
  const order = heaviestFirst(tree, value);
  const sorted = rearranged(tree, order);
  return new Layout(sorted, widthsOf(sorted, metric));
}
