// Tasks and greenlets over time: which one ran when, and the parts that one has: stretches in which it ran, and waits
// between them.

import { firstFrom } from "./lanes.js";

/**
 * @typedef {import("./model.js").Fiber} Fiber
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 * @typedef {{start: number, end: number, waits: boolean}} Part
 */

/**
 * The task or greenlet that ran in a thread at a time.
 * @param {ThreadLine} line
 * @param {number} time
 */
export function fiberAt(line, time) {
  for (const fiber of line.fibers) {
    if (fiber.start <= time && fiber.end >= time) {
      const at = firstFrom(fiber.ends, time);
      if (at < fiber.starts.length && fiber.starts[at] <= time) {
        return fiber;
      }
    }
  }
  return null;
}

/**
 * The stretches of a fiber, as far as they are between two times.
 * @param {Fiber} fiber
 * @param {number} from
 * @param {number} to
 * @returns {[number, number][]}
 */
export function stretchesIn({ starts, ends }, from, to) {
  /** @type {[number, number][]} */
  const found = [];
  for (let at = firstFrom(ends, from); at < starts.length && starts[at] < to; at++) {
    found.push([Math.max(from, starts[at]), Math.min(to, ends[at])]);
  }
  return found;
}

/**
 * The stretch in which a time is, else the one before, else the first.
 * @param {Fiber} fiber
 * @param {number} time
 * @returns {Part | null}
 */
export function stretchAt({ starts, ends }, time) {
  const at = Math.max(0, starts.findLastIndex((start) => start <= time));
  return at < starts.length ? { start: starts[at], end: ends[at], waits: false } : null;
}

/**
 * The part after (or before) the one that begins at a time, or in which the time is.
 * @param {Fiber} fiber
 * @param {number} time
 * @param {boolean} waits  whether that part is a wait
 * @param {1 | -1} step
 * @returns {Part | null}
 */
export function partBeside({ start, end, starts, ends }, time, waits, step) {
  let begun = firstFrom(starts, time); // how many stretches have begun then
  while (starts[begun] === time) {
    begun++;
  }
  const at = step > 0 ? begun : begun - (waits ? 1 : 2); // the next stretch that way
  if (!waits) {
    const after = step > 0 ? begun - 1 : begun - 2; // the stretch before the wait
    const wait = { start: after < 0 ? start : ends[after], end: after + 1 < starts.length ? starts[after + 1] : end, waits: true };
    if (wait.end > wait.start) {
      return wait;
    }
  }
  return at < 0 || at >= starts.length ? null : { start: starts[at], end: ends[at], waits: false };
}
