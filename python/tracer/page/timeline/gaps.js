// What is said of a gap: for how long of it the thread waited, and for what that may have been.

import { share, time } from "../ui/format.js";

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
  return idle >= whole ? `waited ${time(whole)} ${what}` : `waited ${time(idle)} of ${time(whole)} ${what}`;
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
