// What ran in a stretch of time: calls, own and cumulative time of each function. The figures of whole bins come from
// the bins, which know of the slices that are not drawn, too. What the stretch has before and behind them is summed up
// from the slices themselves: there, calls that are not drawn are time of their callers.

import { NO_ROW } from "../nodes.js";
import { waitedIn } from "./gaps.js";
import { firstFrom, gallop } from "./lanes.js";

/**
 * @typedef {import("./bins.js").Sums} Sums
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 * @typedef {import("./model.js").Timeline} Timeline
 * @typedef {{from: number, to: number}} Range
 */

/**
 * What the contexts of a thread had in a range; the range is that of the figures. bins: nanoseconds of it that come from
 * bins. resumes: some are counted with the calls.
 * @typedef {{line: ThreadLine, sums: Sums, from: number, to: number, bins: number, resumes: boolean}} LineSums
 */

/**
 * @typedef {object} Statistics
 * @property {number} from  of the figures
 * @property {number} to
 * @property {boolean} resumes  some are counted with the calls
 * @property {boolean} widened  the figures are of whole bins, for not all slices are there
 * @property {"none" | "ends" | "all"} blurred  where calls that are not drawn are time of their callers
 * @property {number} bin  nanoseconds of the widest bin
 * @property {number} calls
 * @property {number} own
 * @property {number} hidden  calls that are not drawn
 * @property {boolean} vague  there may be more of them
 * @property {number} least  those that are not drawn are shorter
 * @property {boolean} partial  the callers of some calls were not kept: their cumulative time is not known
 * @property {{name: string, waited: number}[]} waits  of the threads that waited, the longest first
 * @property {{row: number, calls: number, own: number, waited: number, cumulative: number}[]} rows  the most own time first;
 *   waited: of the own time
 */

/**
 * @param {ThreadLine} line
 * @param {Range} range
 * @returns {LineSums}
 */
export function sumsOf(line, { from, to }) {
  const { bins, contexts, process, lanes } = line;
  const sums = { calls: new Float64Array(contexts.count), own: new Float64Array(contexts.count) };
  if (process.lost > 0 || from < process.since || lanes.count === 0) {
    const { first, last } = bins.within(from, to);
    bins.add(sums, first, last);
    return last > first
      ? { line, sums, from: bins.starts[first], to: bins.ends[last - 1], bins: to - from, resumes: false }
      : { line, sums, from, to, bins: 0, resumes: false };
  }
  const inside = bins.inside({ from, to }, { from: line.began, to: line.ended });
  bins.add(sums, inside.first, inside.last);
  const before = addSlices(sums, line, from, inside.from);
  const behind = addSlices(sums, line, inside.to, to);
  return { line, sums, from, to, bins: inside.to - inside.from, resumes: before || behind };
}

/**
 * Adds what the slices of a thread have in a range: each its length there, less that of the slices right below it.
 * Returns whether some of the calls that it has counted may be resumes.
 * @param {Sums} sums
 * @param {ThreadLine} line
 * @param {number} from
 * @param {number} to
 */
export function addSlices({ calls, own }, { lanes, contexts }, from, to) {
  const { starts, ends, nodes, offsets } = lanes;
  const { isOverflow, shownParent, count, resumed } = contexts;
  let resumes = false;
  if (from >= to) {
    return false;
  }
  for (let row = 0; row < lanes.height; row++) {
    const last = offsets[row + 1];
    for (let at = gallopFrom(lanes, row, from); at < last && starts[at] < to; at++) {
      const node = nodes[at];
      if (node >= count) {
        continue; // a gap is time of the function that waits
      }
      const begun = starts[at] >= from;
      const part = Math.min(to, ends[at]) - Math.max(from, starts[at]);
      own[node] += part;
      calls[node] += begun ? 1 : 0;
      resumes ||= begun && resumed.has(node);
      const above = isOverflow[node] === 0 ? shownParent[node] : nodes[lanes.parent(at)];
      if (above > 0) {
        own[above] -= part;
      }
    }
  }
  return resumes;
}

/**
 * The first slice of a row that has something in a range, be it without a length.
 * @param {import("./lanes.js").Lanes} lanes
 * @param {number} row
 * @param {number} from
 */
const gallopFrom = ({ ends, offsets }, row, from) => gallop(ends, null, offsets[row], offsets[row + 1], from, true);

/**
 * How many slices of each context begin in a range.
 * @param {ThreadLine} line
 * @param {number} from
 * @param {number} to
 */
function begunIn({ lanes, contexts }, from, to) {
  const { starts, nodes, offsets } = lanes;
  const begun = new Float64Array(contexts.count + 2);
  for (let row = 0; row < lanes.height; row++) {
    const own = starts.subarray(offsets[row], offsets[row + 1]);
    const last = offsets[row] + firstFrom(own, to);
    for (let at = offsets[row] + firstFrom(own, from); at < last; at++) {
      begun[nodes[at]]++;
    }
  }
  return begun;
}

/**
 * The calls of a range that have no slice; at least so many, where some slices may be resumes.
 * @param {LineSums} sums
 */
function hiddenOf({ line, sums, from, to, bins }) {
  if (bins === 0 || (line.process.least === 0 && line.process.lost === 0)) {
    return { hidden: 0, vague: false };
  }
  const { contexts } = line;
  const begun = begunIn(line, from, to);
  let [hidden, vague] = [0, false];
  for (let node = 1; node < sums.calls.length; node++) {
    if (sums.calls[node] > 0 && contexts.row[node] !== NO_ROW) {
      hidden += Math.max(0, sums.calls[node] - begun[node]);
      vague ||= begun[node] > 0 && contexts.resumed.has(node);
    }
  }
  return { hidden, vague };
}

/**
 * Adds the figures of a thread's contexts to those of functions.
 * @param {LineSums} sums
 * @param {{calls: Float64Array, own: Float64Array, cumulative: Float64Array}} rows
 */
export function addRows({ line, sums }, { calls, own, cumulative }) {
  const { contexts } = line;
  const { parent, row, isOverflow, recursive } = contexts;
  const total = Float64Array.from(sums.own);
  let partial = false;
  for (let node = contexts.count - 1; node > 0; node--) {
    if (total[node] !== 0 && isOverflow[node] === 0) {
      total[parent[node]] += total[node];
    }
  }
  for (let node = 1; node < contexts.count; node++) {
    const of = row[node];
    if (of === NO_ROW || (total[node] === 0 && sums.calls[node] === 0)) {
      continue;
    }
    calls[of] += sums.calls[node];
    own[of] += sums.own[node];
    cumulative[of] += recursive[node] === 0 ? total[node] : 0;
    partial ||= isOverflow[node] === 1;
  }
  return partial;
}

/**
 * @param {Timeline} timeline
 * @param {Range} range
 * @param {"all" | number} threads
 * @returns {Statistics}
 */
export function statisticsOf(timeline, range, threads) {
  const count = timeline.profile.rowCount;
  const rows = { calls: new Float64Array(count), own: new Float64Array(count), cumulative: new Float64Array(count) };
  const chosen = timeline.lines.filter(({ thread }) => threads === "all" || thread === threads);
  const parts = chosen.map((line) => sumsOf(line, range));
  let partial = false;
  const waited = new Float64Array(count);
  const waits = [];
  for (const part of parts) {
    partial = addRows(part, rows) || partial;
    const { line, from, to } = part;
    let sum = 0;
    for (const [node, time] of waitedIn(line, from, to)) {
      sum += time;
      if (line.contexts.row[node] !== NO_ROW) {
        waited[line.contexts.row[node]] += time;
      }
    }
    waits.push({ name: line.name, waited: sum });
  }
  const found = [];
  for (let row = 0; row < count; row++) {
    if (rows.calls[row] !== 0 || rows.own[row] !== 0 || rows.cumulative[row] !== 0) {
      found.push({ row, calls: rows.calls[row], own: rows.own[row], waited: waited[row], cumulative: rows.cumulative[row] });
    }
  }
  found.sort((a, b) => b.own - a.own);
  const unseen = parts.map(hiddenOf);
  const full = parts.filter(({ sums }) => sums.own.some((own) => own !== 0));
  return {
    from: Math.min(range.from, ...full.map(({ from }) => from)),
    to: Math.max(range.to, ...full.map(({ to }) => to)),
    resumes: parts.some(({ resumes }) => resumes),
    widened: full.some(({ from, to }) => from < range.from || to > range.to),
    blurred: blurredOf(full),
    bin: Math.max(0, ...full.map(({ line }) => widest(line, range))),
    calls: found.reduce((sum, { calls }) => sum + calls, 0),
    own: found.reduce((sum, { own }) => sum + own, 0),
    hidden: unseen.reduce((sum, { hidden }) => sum + hidden, 0),
    vague: unseen.some(({ vague }) => vague),
    least: Math.max(0, ...chosen.map(({ process }) => process.least)),
    partial,
    waits: waits.filter((wait) => wait.waited > 0).sort((a, b) => b.waited - a.waited),
    rows: found,
  };
}

/**
 * What is not of bins, while its thread was there, is of slices.
 * @param {LineSums[]} parts
 * @returns {Statistics["blurred"]}
 */
function blurredOf(parts) {
  /** @param {LineSums} part */
  const there = ({ line, from, to }) => Math.min(to, line.ended) - Math.max(from, line.began);
  const blurred = parts.filter((part) => part.line.process.least > 0 && part.bins < there(part));
  return blurred.length === 0 ? "none" : blurred.some(({ bins }) => bins > 0) ? "ends" : "all";
}

/**
 * @param {ThreadLine} line
 * @param {Range} range
 */
function widest({ bins }, { from, to }) {
  const { first, last } = bins.within(from, to);
  let most = 0;
  for (let bin = first; bin < last; bin++) {
    most = Math.max(most, bins.ends[bin] - bins.starts[bin]);
  }
  return most;
}
