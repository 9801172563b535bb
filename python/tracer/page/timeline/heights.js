// How high a thread's track is: as what runs in the stretch on the screen needs. Where the tracks have no room, rows in
// which little runs are thin, such as those of imports once the program serves.

import { ROW, SMALL } from "./painter.js";

/** @typedef {import("./lanes.js").Lanes} Lanes */

const LOOKS = 64; // moments of the stretch that are looked at
const WIDE = LOOKS / 8; // of these, so many in a row that is not thin
const SAME = LOOKS * 0.9; // and so many in one slice that tells nothing: it is there almost all the time
const SEVERAL = 4; // calls that tell of more than the start and the end of a run
const THIN = 48; // pixels that thin rows share

/** Rows of which the upper ones are full and the lower ones may be thin. */
export class Rows {
  /**
   * @param {number} count
   * @param {number} [full]
   */
  constructor(count, full = count) {
    this.count = Math.max(1, count);
    this.full = Math.max(1, Math.min(full, this.count));
    this.thin = this.full === this.count ? ROW : Math.max(1, Math.min(SMALL, Math.floor(THIN / (this.count - this.full))));
  }

  /** @param {number} row */
  topOf(row) {
    return row < this.full ? row * ROW : this.full * ROW + (row - this.full) * this.thin;
  }

  /** @param {number} row */
  heightOf(row) {
    return row < this.full ? ROW : this.thin;
  }

  /** @param {number} y */
  rowAt(y) {
    const below = y - this.full * ROW;
    return below < 0 ? Math.floor(y / ROW) : this.full + Math.floor(below / this.thin);
  }

  get height() {
    return this.topOf(this.count);
  }
}

/**
 * How many rows have something in a stretch of time.
 * @param {Lanes} lanes
 * @param {number} from
 * @param {number} to
 * @param {number} [least]  rows that are known to have something
 */
export function rowsIn(lanes, from, to, least = 0) {
  for (let row = lanes.height - 1; row >= least; row--) {
    const found = lanes.seek(row, from);
    if (found < lanes.offsets[row + 1] && lanes.starts[found] < to) {
      return row + 1;
    }
  }
  return least;
}

/**
 * The slices of a row at some moments of a stretch, -1 where there is none.
 * @param {Lanes} lanes
 * @param {number} row
 * @param {number} from
 * @param {number} to
 */
const looks = (lanes, row, from, to) => Array.from({ length: LOOKS }, (_, i) => lanes.at(row, from + ((i + 0.5) / LOOKS) * (to - from)));

/**
 * How many rows have something in an eighth of a stretch or more: callees are never there for longer than callers.
 * @param {Lanes} lanes
 * @param {number} from
 * @param {number} to
 * @param {number} count  of rows
 */
export function fullRows(lanes, from, to, count) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (looks(lanes, middle, from, to).filter((slice) => slice >= 0).length >= WIDE) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * The row that stands for all, where a track is collapsed: the outermost in which several calls follow each other. Where
 * there is none, the outermost that one call does not fill; else the innermost that is more than a moment.
 * @param {Lanes} lanes
 * @param {number} from
 * @param {number} to
 * @param {number} count  of rows
 */
export function tellingRow(lanes, from, to, count) {
  let best = -1;
  for (let row = 0; row < count; row++) {
    const found = looks(lanes, row, from, to);
    if (found.filter((slice) => slice >= 0).length < WIDE) {
      return best >= 0 ? best : Math.max(0, row - 1);
    }
    /** @type {Map<number, number>} */
    const often = new Map();
    found.filter((slice) => slice >= 0).forEach((slice) => often.set(slice, (often.get(slice) ?? 0) + 1));
    if (often.size >= SEVERAL) {
      return row;
    }
    best = best < 0 && Math.max(...often.values()) < SAME ? row : best;
  }
  return best >= 0 ? best : Math.max(0, count - 1);
}
