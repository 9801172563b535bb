// The slices of a thread in rows, the callers above, each row in order of time. The slices of one depth ended in the
// order of the log, so that they need no sorting: each is put behind the last one of its depth.

import { OPEN } from "./decode.js";
import { Pyramid } from "./pyramid.js";

/**
 * @typedef {import("./decode.js").Log} Log
 * @typedef {import("./contexts.js").Contexts} Contexts
 */

export const PART = 1 << 19; // slices that are placed without a pause

export class Lanes {
  /**
   * @param {Log} log  all of it read
   * @param {Contexts} contexts
   */
  constructor(log, contexts) {
    this.log = /** @type {Log | null} */ (log);
    this.contexts = contexts;
    const { height, found } = this.#measure(log);
    this.found = found;
    this.height = height.length - 1;
    this.offsets = height; // those of a row are offsets[row] .. offsets[row + 1] - 1
    const count = height[this.height];
    this.count = count;
    this.starts = new Float64Array(count);
    this.ends = new Float64Array(count);
    this.nodes = new Uint32Array(count);
    this.next = height.slice();
    /** @type {Map<number, number>} by its start: how long no processor was there in a gap */
    this.idle = new Map();
    /** @type {Set<number>} the slices that had not ended */
    this.open = new Set();
    /** @type {{kind: number, number: number, start: number, end: number, row: number}[]} stretches of tasks and stacks */
    this.runs = [];
    /** @type {Pyramid | null} */
    this.pyramid = null;
    this.placed = 0;
    this.gaps = 0;
    this.gapStarts = new Float64Array(0);
  }

  /**
   * How many slices there are in each row; and the rows of gaps and of slices whose path was not kept, which are
   * below the innermost slice around them, from the last to the first.
   * @param {Log} log
   */
  #measure({ starts, ends, nodes, count }) {
    const { contexts } = this;
    const { rowOf } = contexts;
    const unknown = contexts.UNKNOWN;
    const sizes = [0];
    /** @type {number[]} the latest of each row, from the end on */
    const latest = [];
    /** @type {{row: number, node: number}[]} */
    const found = [];
    for (let i = count - 1; i >= 0; i--) {
      let row = nodes[i] < rowOf.length ? rowOf[nodes[i]] : -1;
      if (row === unknown) {
        row = latest.length;
        while (row > 0 && !(starts[latest[row - 1]] <= starts[i] && ends[latest[row - 1]] >= ends[i])) {
          row--;
        }
        let node = nodes[i];
        if (node === 0) {
          node = contexts.gapBelow(row === 0 ? 0 : nodes[latest[row - 1]]);
        }
        found.push({ row, node });
      }
      if (row < 0) {
        continue; // of a function that is left out
      }
      while (sizes.length <= row + 1) {
        sizes.push(0);
      }
      sizes[row + 1]++;
      if (nodes[i] !== 0) {
        while (latest.length < row) {
          latest.push(i); // its callers are shorter than what was kept, which cannot be
        }
        latest[row] = i;
      }
    }
    for (let row = 1; row < sizes.length; row++) {
      sizes[row] += sizes[row - 1];
    }
    return { height: Uint32Array.from(sizes), found };
  }

  /** Places some slices. Returns whether all are placed. */
  place() {
    const log = /** @type {Log} */ (this.log);
    const { contexts, next, starts, ends, nodes, found } = this;
    const { rowOf } = contexts;
    const unknown = contexts.UNKNOWN;
    const last = Math.min(log.count, this.placed + PART);
    for (let i = this.placed; i < last; i++) {
      let node = log.nodes[i];
      let row = node < rowOf.length ? rowOf[node] : -1;
      if (row === unknown) {
        const place = /** @type {{row: number, node: number}} */ (found.pop());
        row = place.row;
        if (node === 0) {
          this.idle.set(log.starts[i], log.idle[this.gaps++]);
        }
        node = place.node;
      }
      if (row < 0) {
        continue;
      }
      const at = next[row]++;
      starts[at] = log.starts[i];
      ends[at] = log.ends[i];
      nodes[at] = node;
    }
    this.placed = last;
    if (last < log.count) {
      return false;
    }
    this.#note(log);
    this.gapStarts = Float64Array.from(this.idle.keys()).sort();
    this.log = null; // as many bytes again
    this.pyramid = new Pyramid(starts, ends);
    return true;
  }

  /**
   * Stretches of tasks and stacks, and slices that had not ended.
   * @param {Log} log
   */
  #note(log) {
    for (const { kind, number, at } of log.notes) {
      if (at < 0) {
        continue;
      }
      const [start, end] = [log.starts[at], log.ends[at]];
      const row = Math.max(0, this.contexts.rowOf[log.nodes[at]] ?? 0);
      if (kind === OPEN) {
        const found = this.seek(row, start);
        if (found < this.offsets[row + 1]) {
          this.open.add(found);
        }
      } else {
        this.runs.push({ kind, number, start, end, row });
      }
    }
  }

  /**
   * The first slice of a row that ends after a time; that of the next row, if none does.
   * @param {number} row
   * @param {number} time
   */
  seek(row, time) {
    return row < 0 || row >= this.height ? this.count : gallop(this.ends, null, this.offsets[row], this.offsets[row + 1], time);
  }

  /**
   * The slice of a row at a time, or -1.
   * @param {number} row
   * @param {number} time
   */
  at(row, time) {
    if (row < 0 || row >= this.height) {
      return -1;
    }
    const found = this.seek(row, time);
    return found < this.offsets[row + 1] && this.starts[found] <= time ? found : -1;
  }

  /**
   * The row of a slice.
   * @param {number} slice
   */
  rowOf(slice) {
    let [low, high] = [0, this.height];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.offsets[middle] <= slice) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * The slice around this one, in the row above; -1: there is none.
   * @param {number} slice
   */
  parent(slice) {
    const row = this.rowOf(slice) - 1;
    if (row < 0) {
      return -1;
    }
    let found = gallop(this.ends, null, this.offsets[row], this.offsets[row + 1], this.ends[slice], true);
    if (this.starts[slice] === this.ends[slice]) {
      found = this.#aroundPoint(slice, found, this.offsets[row + 1]);
    }
    return found < this.offsets[row + 1] && this.starts[found] <= this.starts[slice] ? found : -1;
  }

  /**
   * Of several slices that touch a slice without a length, that of its caller.
   * @param {number} slice
   * @param {number} first
   * @param {number} last
   */
  #aroundPoint(slice, first, last) {
    const wanted = this.contexts.parent[this.nodes[slice]];
    for (let at = first; at < last && this.starts[at] <= this.starts[slice]; at++) {
      if (this.nodes[at] === wanted) {
        return at;
      }
    }
    return first;
  }

  /**
   * Tell the slices of a row between two times. Those narrower than `least` are told together, by the longest of them.
   * @param {number} row
   * @param {number} from
   * @param {number} to
   * @param {number} least
   * @param {(slice: number, start: number, end: number) => void} tell
   */
  visit(row, from, to, least, tell) {
    const { starts, ends } = this;
    const pyramid = /** @type {Pyramid} */ (this.pyramid);
    const last = this.offsets[row + 1];
    for (let at = this.seek(row, from); at < last;) {
      const start = starts[at];
      if (start >= to) {
        break;
      }
      if (ends[at] - start >= least) {
        tell(at, start, ends[at]);
        at++;
        continue;
      }
      const next = Math.max(at + 1, gallop(ends, null, at, last, start + least));
      tell(next - at === 1 ? at : pyramid.longest(at, next), start, ends[next - 1]);
      at = next;
    }
  }

  /**
   * As visit(), of some slices alone.
   * @param {Uint32Array} order  of slices, by row and time
   * @param {number} row
   * @param {number} from
   * @param {number} to
   * @param {number} least
   * @param {(slice: number, start: number, end: number) => void} tell
   */
  visitSome(order, row, from, to, least, tell) {
    const { starts, ends } = this;
    const last = firstFrom(order, this.offsets[row + 1]);
    let at = gallop(ends, order, firstFrom(order, this.offsets[row]), last, from);
    while (at < last && starts[order[at]] < to) {
      const start = starts[order[at]];
      const next = Math.max(at + 1, gallop(ends, order, at, last, start + least));
      tell(order[at], start, ends[order[next - 1]]);
      at = next;
    }
  }
}

/**
 * The first place between two whose slice ends after a time (or at it). It looks near `low` first: mostly the answer
 * is near.
 * @param {Float64Array} ends
 * @param {Uint32Array | null} order  which slices the places are of; null: those of the same number
 * @param {number} low
 * @param {number} high
 * @param {number} time
 * @param {boolean} [orAt]
 */
export function gallop(ends, order, low, high, time, orAt = false) {
  for (let step = 1; low + step < high; step *= 2) {
    const end = ends[order === null ? low + step - 1 : order[low + step - 1]];
    if (end > time || (orAt && end === time)) {
      high = low + step;
      break;
    }
    low += step;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    const end = ends[order === null ? middle : order[middle]];
    if (end > time || (orAt && end === time)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/**
 * The first place of sorted numbers that has `least` or more.
 * @param {ArrayLike<number>} numbers
 * @param {number} least
 */
export function firstFrom(numbers, least) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] < least) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
