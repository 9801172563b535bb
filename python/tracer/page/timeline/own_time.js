// What a slice has for itself, and which slices are right below it: of millions of them, too.

import { firstFrom } from "./lanes.js";

/** @typedef {import("./model.js").ThreadLine} ThreadLine */
/** @typedef {{own: number, count: number, longest: number[]}} Own   count: of the slices right below; longest: of these */

const LISTED = 8;

/** @type {WeakMap<ThreadLine, {slice: number, sums: Own}>} the latest that was asked for: the mouse asks again and again */
const latest = new WeakMap();

/**
 * @param {ThreadLine} line
 * @param {number} slice
 * @returns {Own}
 */
export function ownOf(line, slice) {
  const known = latest.get(line);
  if (known?.slice === slice) {
    return known.sums;
  }
  const sums = addedUp(line, slice);
  latest.set(line, { slice, sums });
  return sums;
}

/**
 * @param {ThreadLine} line
 * @param {number} slice
 */
function addedUp({ lanes, contexts }, slice) {
  const { starts, ends, nodes, offsets } = lanes;
  const row = lanes.rowOf(slice) + 1;
  /** @type {Own} */
  const sums = { own: ends[slice] - starts[slice], count: 0, longest: [] };
  if (row >= lanes.height) {
    return sums;
  }
  const { longest } = sums;
  const length = /** @param {number} at */ (at) => ends[at] - starts[at];
  let least = -1; // from which length on one is among the longest
  for (let at = offsets[row] + firstFrom(starts.subarray(offsets[row], offsets[row + 1]), starts[slice]); at < offsets[row + 1] && starts[at] < ends[slice]; at++) {
    if (contexts.isGap(nodes[at])) {
      continue;
    }
    sums.own -= length(at);
    sums.count++;
    if (length(at) > least) {
      longest.splice(longest.findLastIndex((other) => length(other) >= length(at)) + 1, 0, at);
      longest.length = Math.min(longest.length, LISTED);
      least = longest.length < LISTED ? -1 : length(longest[LISTED - 1]);
    }
  }
  return sums;
}
