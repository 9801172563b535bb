// The flows of what is picked, which of them have arrows, and where an arrow meets a track.

import { fiberAt } from "./fibers.js";

/**
 * @typedef {import("./model.js").Flow} Flow
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 * @typedef {import("./track_list.js").TrackList} TrackList
 */

const MANY = 20; // arrows in sight, above which they are hidden unasked

/**
 * The flows that begin (or end) in something with a time: in its thread and, where it is of a task, in that task. Those
 * of a moment are those of the call in which it was.
 * @param {Flow[]} flows
 * @param {{line: ThreadLine | null, start: number, end: number, span: import("./model.js").Span | null}} item
 * @param {"from" | "to"} side
 */
export function flowsIn(flows, { line, start, end, span }, side) {
  if (line === null) {
    return [];
  }
  const fiber = span?.fiber ?? null;
  const [from, to] = start === end ? callAround(line, start) : [start, end];
  return flows.filter((flow) => {
    const time = side === "from" ? flow.start : flow.end;
    return flow[side] === line && time >= from && time <= to && (fiber === null || fiberAt(line, time) === fiber);
  });
}

/**
 * From when to when the innermost call was that ran in a thread at a time.
 * @param {ThreadLine} line
 * @param {number} time
 * @returns {[number, number]}
 */
function callAround({ lanes, contexts }, time) {
  /** @type {[number, number]} */
  let found = [time, time];
  for (let row = 0; row < lanes.height; row++) {
    const slice = lanes.at(row, time);
    if (slice < 0 || contexts.isGap(lanes.nodes[slice])) {
      break;
    }
    found = [lanes.starts[slice], lanes.ends[slice]];
  }
  return found;
}

/**
 * The flows that have an arrow: all, unless they are hidden or too many; those of what is picked in any case.
 * @param {Flow[]} flows
 * @param {string} way  "all", "none", or "": as many as they are
 * @param {Set<Flow>} lit
 * @param {number} from
 * @param {number} to
 */
export function drawnFlows(flows, way, lit, from, to) {
  const visible = flows.filter((flow) => flow.end >= from && flow.start <= to);
  return way === "all" || (way === "" && visible.length <= MANY) ? visible : visible.filter((flow) => lit.has(flow));
}

/** Where flows begin and end among the tracks: at the innermost range around, else at the innermost call. */
export class FlowEnds {
  /** @param {TrackList} list */
  constructor(list) {
    this.list = list;
    this.tracks = list.tracks;
    /** @type {Map<Flow, {from?: {id: string, row: number}, to?: {id: string, row: number}}>} */
    this.known = new Map();
  }

  /**
   * @param {Flow} flow
   * @param {"from" | "to"} side
   */
  of(flow, side) {
    if (this.tracks !== this.list.tracks) {
      this.tracks = this.list.tracks;
      this.known.clear();
    }
    const ends = this.known.get(flow) ?? {};
    this.known.set(flow, ends);
    return (ends[side] ??= this.#find(flow[side], side === "from" ? flow.start : flow.end));
  }

  /**
   * @param {ThreadLine} line
   * @param {number} time
   */
  #find(line, time) {
    const id = this.list.idOf(line);
    const range = this.list.byId.get(`${id}r`)?.rowOf?.(time, fiberAt(line, time)) ?? -1;
    if (range >= 0) {
      return { id: `${id}r`, row: range };
    }
    const { lanes, contexts } = line;
    let row = 0;
    for (let below = 1; below < lanes.height; below++) {
      const slice = lanes.at(below, time);
      if (slice < 0 || contexts.isGap(lanes.nodes[slice])) {
        break;
      }
      row = below;
    }
    return { id, row };
  }
}
