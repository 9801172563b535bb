// The gaps of a thread: what is said of one, for how long of it the thread waited, and for what that may have been; and
// what the functions of a range waited.

import { share, time } from "../ui/format.js";
import { gallop } from "./lanes.js";

/** @typedef {import("./model.js").ThreadLine} ThreadLine */

/** @param {boolean} inC */
const whatFor = (inC) => (inC ? "in C" : "for a lock, the GIL or a CPU");

/**
 * @param {ThreadLine} line
 * @param {number} slice
 */
const partsOf = ({ lanes, contexts }, slice) => ({
  idle: lanes.idle.get(lanes.starts[slice]) ?? 0,
  whole: lanes.ends[slice] - lanes.starts[slice],
  what: whatFor(lanes.nodes[slice] === contexts.inC),
});

/**
 * @param {ThreadLine} line
 * @param {number} slice
 */
export function gapText(line, slice) {
  const { idle, whole, what } = partsOf(line, slice);
  const all = time(whole);
  return `waited ${time(idle) === all ? all : `${time(idle)} of ${all}`} ${what}`;
}

/**
 * What a gap's bar says: as much as it has room for, how long it waited first.
 * @param {ThreadLine} line
 * @param {number} slice
 * @param {import("../flame/labels.js").Ruler} ruler
 * @param {number} room
 */
export function gapLabel(line, slice, ruler, room) {
  const { idle } = partsOf(line, slice);
  const full = gapText(line, slice);
  const found = [full, full.replace(/ (for|in C).*/, ""), `waited ${time(idle)}`].find((text) => ruler.width(text) <= room);
  return found ?? ruler.cut(full, room);
}

/**
 * Which part of it the thread waited, as the panel and the card say.
 * @param {ThreadLine} line
 * @param {number} slice
 */
export function waitedText(line, slice) {
  const { idle, whole } = partsOf(line, slice);
  return `${time(idle)} (${share(idle, whole) || "0%"})`;
}

/** @typedef {{starts: Float64Array, ends: Float64Array, nodes: Uint32Array, idle: Float64Array}} Gaps  by time; nodes: of the calls that waited */

/** @type {WeakMap<import("./lanes.js").Lanes, Gaps>} */
const known = new WeakMap();

/**
 * The gaps of a thread; that takes a while for millions of slices, once.
 * @param {ThreadLine} line
 * @returns {Gaps}
 */
export function gapsOf({ lanes, contexts }) {
  const gaps = known.get(lanes);
  if (gaps !== undefined) {
    return gaps;
  }
  const { starts, ends, nodes, count } = lanes;
  /** @type {number[]} */
  const found = [];
  for (let at = 0; at < count && lanes.gapStarts.length > 0; at++) {
    if (contexts.isGap(nodes[at])) {
      found.push(at);
    }
  }
  found.sort((a, b) => starts[a] - starts[b]);
  const callers = found.map((at) => lanes.parent(at));
  const made = {
    starts: Float64Array.from(found, (at) => starts[at]),
    ends: Float64Array.from(found, (at) => ends[at]),
    nodes: Uint32Array.from(callers, (at) => (at < 0 ? 0 : nodes[at])),
    idle: Float64Array.from(found, (at) => lanes.idle.get(starts[at]) ?? 0),
  };
  known.set(lanes, made);
  return made;
}

/**
 * By context: what was waited in a stretch of time, as far as gaps tell it. Of a gap that reaches beyond, its part.
 * @param {ThreadLine} line
 * @param {number} from
 * @param {number} to
 */
export function waitedIn(line, from, to) {
  /** @type {Map<number, number>} */
  const waited = new Map();
  const { starts, ends, nodes, idle } = gapsOf(line);
  for (let at = gallop(ends, null, 0, ends.length, from); at < ends.length && starts[at] < to; at++) {
    const part = (Math.min(to, ends[at]) - Math.max(from, starts[at])) / (ends[at] - starts[at]);
    waited.set(nodes[at], (waited.get(nodes[at]) ?? 0) + part * idle[at]);
  }
  return waited;
}
