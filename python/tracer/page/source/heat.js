// What is known of a file: its functions, where they are and what they took, and of its lines what
// was timed. And which file to begin with.

import { areWaitsShown } from "../waits.js";
import { coloured, lastLineOf, linesOf } from "./python.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Figures} Figures
 * @typedef {import("./python.js").Line} Line
 * @typedef {{row: number, first: number, last: number}} Span   lines, from 1
 * @typedef {{hits: number, time: number, inC: number | null, own: number | null, suspended: number,
 *   waited: number, python: number | null, native: number | null, error: number | null, isCounted: boolean, whole: number,
 *   memory?: Memory}} LineHeat   `waited`: the part of `time` in which the thread did not run; `python`, `native`: CPU time by
 *   samples; `error`: two standard errors of `time`, where that is by samples; `isCounted`: else hits are at least so many, or,
 *   where they are 0, not known; `whole`: the time of all lines of its function
 * @typedef {{allocated: number, live: number, peak: number}} Memory   bytes: live at the end, live at the peak
 * @typedef {LineHeat & {name: string}} Part   what one function has on a line
 * @typedef {{path: string, lines: string[], colours: Line[], state: string, spans: Span[],
 *   timed: Map<number, LineHeat>, hasSuspended: boolean, hasWaits: boolean, hasParts: boolean, ownTime: number,
 *   hottest: number, longest: number, largest: number}} FileHeat
 *   hasSuspended: whether a coroutine was, on any line; hasWaits: whether a thread waited worth telling; hasParts: whether the parts of any line's time are known; hottest, longest: the most own and total time of a line; largest: the most that was live at the peak of a line, -1 where no memory of lines is known
 */

/**
 * The files that have functions, those with most own time first.
 * @param {Profile} profile
 * @param {Figures} figures
 */
export function filesByTime(profile, figures) {
  /** @type {Map<string, {path: string, own: boolean, stored: boolean, time: number}>} */
  const files = new Map();
  for (let row = 0; row < profile.rowCount; row++) {
    const { path, kind } = profile.fileOf(row);
    if (kind === "builtin" || figures.present[row] === 0) {
      continue;
    }
    const known = files.get(path) ?? {
      path,
      own: kind === "own",
      stored: Object.hasOwn(profile.sources, path),
      time: 0,
    };
    known.time += figures.tottime[row];
    files.set(path, known);
  }
  for (const { file } of profile.lines) {
    if (!files.has(file)) {
      files.set(file, { path: file, own: true, stored: Object.hasOwn(profile.sources, file), time: 0 });
    }
  }
  return [...files.values()].sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
}

/**
 * @param {Profile} profile
 * @param {Figures} figures
 * @param {string} path
 * @returns {FileHeat}
 */
export function heatOfFile(profile, figures, path) {
  const source = Object.hasOwn(profile.sources, path) ? profile.sources[path] : null;
  const lines = linesOf(source?.text ?? "");
  const colours = coloured(lines);
  /** @type {Span[]} */
  const spans = [];
  let ownTime = 0;
  for (let row = 0; row < profile.rowCount; row++) {
    if (figures.present[row] === 0 || profile.fileOf(row).path !== path) {
      continue;
    }
    ownTime += figures.tottime[row];
    const first = Math.max(1, profile.rows.line[row]);
    const whole = profile.nameOf(row) === "<module>";
    const last = whole ? Math.max(1, lines.length) : lastLineOf(lines, colours, first);
    spans.push({ row, first: whole ? 1 : first, last });
  }
  // Outer functions before inner ones, so that the last one around a line is the innermost.
  spans.sort((a, b) => a.first - b.first || b.last - a.last || a.row - b.row);
  const timed = timedLines(profile, path);
  const largest = addMemory(timed, profile, path);
  const hottest = hottestBy(timed, warmthOf);
  const longest = hottestBy(timed, ({ time }) => time);
  const hasSuspended = [...timed.values()].some(({ suspended }) => suspended > 0);
  const hasWaits = [...timed.values()].some(({ waited }) => areWaitsShown({ total: longest, totalWaited: waited, limits: figures.limits }));
  const hasParts = [...timed.values()].some(({ inC, own }) => inC !== null && own !== null);
  return { path, lines, colours, state: source?.state ?? "missing", spans, timed, hasSuspended, hasWaits, hasParts, ownTime, hottest, longest, largest };
}

/**
 * Adds the memory of lines to their figures. Returns the most that was live at the peak of a line; -1: none is known.
 * @param {Map<number, LineHeat>} timed
 * @param {Profile} profile
 * @param {string} path
 */
function addMemory(timed, profile, path) {
  let largest = -1;
  for (const { lines } of profile.memoryLines.filter(({ file }) => file === path)) {
    for (const [line, hits, , allocated, live, peak] of lines) {
      const known = timed.get(line) ?? { ...NOTHING, hits, inC: null, own: null, python: null, native: null };
      const before = known.memory ?? { allocated: 0, live: 0, peak: 0 };
      const memory = { allocated: before.allocated + allocated, live: before.live + live, peak: before.peak + peak };
      timed.set(line, { ...known, memory });
      largest = Math.max(largest, memory.peak);
    }
  }
  return largest;
}

/**
 * @param {Map<number, LineHeat>} timed
 * @param {(line: LineHeat) => number} measure
 */
const hottestBy = (timed, measure) => [...timed.values()].reduce((most, line) => Math.max(most, measure(line)), 0);

/**
 * The own time of a line, and that in C: its time but for that in Python functions that it calls, for those have
 * lines of their own; what C calls back is in it. All of its time where the parts are not known.
 * @param {Pick<LineHeat, "time" | "own" | "inC">} line
 */
export const warmthOf = ({ time, own, inC }) => (own === null || inC === null ? time : Math.min(time, own + inC));

/**
 * What the lines of each function took, added up by line.
 * @param {Profile} profile
 * @param {string} path
 */
function timedLines(profile, path) {
  /** @type {Map<number, Part[]>} */
  const parts = new Map();
  for (const { file, name, lines } of profile.lines) {
    if (file !== path) {
      continue;
    }
    const whole = lines.reduce((sum, [, , time]) => sum + time, 0);
    for (const [line, hits, time, inC, own, suspended, waited, python = null, native = null, error = null, isCounted = true] of lines) {
      const part = { name, hits, time, inC, own, suspended, waited: waited ?? 0, python, native, error, isCounted, whole };
      parts.set(line, [...(parts.get(line) ?? []), part]);
    }
  }
  return new Map([...parts].map(([line, ofLine]) => [line, together(ofLine)]));
}

/**
 * A line's figures of those that functions have on it. What stands side by side is added up, but a
 * generator expression or a lambda runs, mostly, while the line around it does, whose time has its
 * time already.
 * @param {Part[]} parts
 * @returns {LineHeat}
 */
function together(parts) {
  const outermost = parts.filter(({ name }) => !parts.some((other) => isWithin(name, other.name)));
  return [...new Set(outermost.map(({ name }) => name))]
    .map((name) => {
      const outer = outermost.filter((part) => part.name === name).reduce(added, NOTHING);
      const inner = parts.filter((part) => isWithin(part.name, name));
      return inner.length > 0 ? around(outer, together(inner)) : outer;
    })
    .reduce(added, NOTHING);
}

/**
 * Whether a function is defined in another one, or in a class, by their qualified names.
 * @param {string} name
 * @param {string} other
 */
const isWithin = (name, other) => name !== other && (other === "<module>" || name.startsWith(`${other}.`));

/** @type {LineHeat} */
const NOTHING = { hits: 0, time: 0, inC: 0, own: 0, suspended: 0, waited: 0, python: 0, native: 0, error: null, isCounted: true, whole: 0 };

/**
 * @param {LineHeat} one
 * @param {LineHeat} other
 * @returns {LineHeat}
 */
const added = (one, other) => ({
  hits: one.hits + other.hits,
  time: one.time + other.time,
  inC: sum(one.inC, other.inC),
  own: sum(one.own, other.own),
  suspended: one.suspended + other.suspended,
  waited: one.waited + other.waited,
  python: sum(one.python, other.python),
  native: sum(one.native, other.native),
  error: one.error === null ? other.error : Math.hypot(one.error, other.error ?? 0),
  isCounted: one.isCounted && other.isCounted,
  whole: Math.max(one.whole, other.whole),
});

/**
 * The outer one stands for both, unless the inner one took longer: then that was called from
 * elsewhere. Their own times, and their samples, have nothing in common.
 * @param {LineHeat} outer
 * @param {LineHeat} inner
 * @returns {LineHeat}
 */
function around(outer, inner) {
  const longer = inner.time > outer.time ? inner : outer;
  const own = sum(outer.own, inner.own);
  const waited = Math.min(outer.waited + inner.waited, longer.time); // no wait is on two lines
  const [python, native] = [sum(outer.python, inner.python), sum(outer.native, inner.native)];
  return { ...longer, own: own === null ? null : Math.min(own, longer.time), waited, python, native };
}

/**
 * @param {number | null} one
 * @param {number | null} other  null: not known
 */
const sum = (one, other) => (one === null || other === null ? null : one + other);

/**
 * The innermost function around each line, -1 where there is none: the place in `spans`.
 * @param {FileHeat} heat
 */
export function innermost({ spans, lines }) {
  const inner = new Int32Array(lines.length + 1).fill(-1);
  spans.forEach(({ first, last }, place) => {
    inner.fill(place, Math.min(first, inner.length), Math.min(last + 1, inner.length));
  });
  return inner;
}
