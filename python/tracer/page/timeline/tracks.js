// The tracks of threads and tasks: how high each is, what it draws, and what of it is at a place. Those of ranges, marks
// and collections are in span_tracks.js, those that draw curves in curves.js; in which order they stand and which are
// collapsed is for track_list.js.

import { time as timeText } from "../ui/format.js";
import { gapLabel } from "./gaps.js";
import { fullRows, Rows, rowsIn, tellingRow } from "./heights.js";
import { firstFrom, gallop } from "./lanes.js";
import { ROW, SMALL } from "./painter.js";

/**
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 * @typedef {import("./model.js").Fiber} Fiber
 * @typedef {import("./model.js").Span} Span
 * @typedef {import("./painter.js").Pen} Pen
 */

/**
 * What is at a place of a track.
 * @typedef {object} Item
 * @property {Track} track
 * @property {number} start
 * @property {number} end
 * @property {number} row  of the track
 * @property {ThreadLine | null} line
 * @property {number} slice  of the line, or -1
 * @property {Span | null} span
 * @property {Fiber | null} fiber
 * @property {number} value  of a counter, else NaN
 */

/**
 * @typedef {object} Track
 * @property {string} id
 * @property {string} name
 * @property {string} note
 * @property {string} group  the id of the track that it is collapsed with, or ""
 * @property {number} indent
 * @property {boolean} collapsible  whether it can be collapsed
 * @property {boolean} collapsed  whether it is so at first
 * @property {"tasks"} [list]  the list of what is collapsed with it
 * @property {(collapsed: boolean) => number} heightOf
 * @property {(from: number, to: number, tight: boolean) => void} [fit]  takes the height that a stretch of time needs;
 *   tight: in as little room as there can be, a task that is not there in none
 * @property {(pen: Pen, top: number, collapsed: boolean, bottom: number) => void} paint
 * @property {(time: number, slack: number, y: number, collapsed: boolean) => Item | null} at
 * @property {(wants: (thing: import("./search.js").Named) => boolean) => Item[]} [named]  what has such a name or value
 * @property {(row: number, collapsed: boolean) => {top: number, height: number}} boxOf
 * @property {(time: number, fiber: Fiber | null) => number} [rowOf]  that of the innermost there at a time, -1: none is
 */

export const GAP = 4; // pixels below a track
const LOOKED = 300; // stretches of a task that are looked at for its height

/** Most tracks below another one. */
export const INNER = { note: "", group: "", indent: 1, collapsible: false, collapsed: false };

/**
 * @param {Track} track
 * @param {number} start
 * @param {number} end
 * @param {number} row
 * @param {Partial<Item>} more
 * @returns {Item}
 */
export function itemOf(track, start, end, row, more) {
  return { track, start, end, row, line: null, slice: -1, span: null, fiber: null, value: NaN, ...more };
}

/** @type {Track["boxOf"]} */
export const boxOfRow = (row, collapsed) => ({ top: row * (collapsed ? SMALL : ROW), height: collapsed ? SMALL : ROW - 1 });
/** @type {Track["boxOf"]} */
export const boxOfFull = (row) => ({ top: row * ROW, height: ROW - 1 });

/** Draws rows of slices, and finds what is in them: for the tracks of threads and of tasks. */
class Slices {
  /** @param {ThreadLine} line */
  constructor(line) {
    this.line = line;
  }

  /**
   * @param {Pen} pen
   * @param {number} row
   * @param {number} from
   * @param {number} to
   * @param {number} top
   * @param {number} height  of a row; texts are written where it is ROW
   */
  paint(pen, row, from, to, top, height) {
    const { lanes, contexts } = this.line;
    const { scene, least } = pen;
    const { shades, labels, dims } = scene;
    const box = height > SMALL ? height - 1 : height;
    lanes.visit(row, from, to, least, (slice, start, end) => {
      const node = lanes.nodes[slice];
      if (contexts.isGap(node)) {
        pen.box(start, end, top, box, shades.gap.fill, dims);
        pen.hatch(start, end, top, box);
        this.#write(pen, start, end, top, height, shades.gap.ink, dims, (room) => gapLabel(this.line, slice, labels.ruler, room));
        return;
      }
      const { fill, ink } = scene.paintOf(contexts.row[node]);
      pen.box(start, end, top, box, fill, dims);
      this.#write(pen, start, end, top, height, ink, dims, (room) => labels.fit(contexts.row[node], room));
    });
    const hits = scene.hits?.get(this.line);
    if (hits !== undefined && hits.length > 0) {
      const { fill, ink } = shades.found;
      lanes.visitSome(hits, row, from, to, least, (slice, start, end) => {
        pen.box(start, end, top, box, fill);
        this.#write(pen, start, end, top, height, ink, false, (room) => labels.fit(contexts.row[lanes.nodes[slice]], room));
      });
    }
  }

  /**
   * @param {Pen} pen
   * @param {number} start
   * @param {number} end
   * @param {number} top
   * @param {number} height
   * @param {string} ink
   * @param {boolean} faint
   * @param {(room: number) => string} textOf
   */
  #write(pen, start, end, top, height, ink, faint, textOf) {
    const place = height === ROW && end - start > 18 * pen.least ? pen.room(start, end) : null;
    if (place !== null) {
      pen.write(textOf(place.room), place.left, top + ROW / 2, ink, faint);
    }
  }

  /**
   * @param {Track} track
   * @param {number} row
   * @param {number} time
   * @param {number} slack  how far beside it a narrow slice may be
   * @param {number} [shown]  the row of the track
   */
  at(track, row, time, slack, shown = row) {
    const { lanes } = this.line;
    if (row < 0 || row >= lanes.height) {
      return null;
    }
    let slice = lanes.at(row, time);
    if (slice < 0) {
      const first = lanes.seek(row, time - slack);
      const last = lanes.offsets[row + 1];
      slice = first < last && lanes.starts[first] <= time + slack ? first : -1;
    }
    return slice < 0
      ? null
      : itemOf(track, lanes.starts[slice], lanes.ends[slice], shown, { line: this.line, slice });
  }
}

/**
 * @param {ThreadLine} line
 * @param {string} id
 * @param {string} name
 * @returns {Track}
 */
export function threadTrack(line, id, name) {
  const slices = new Slices(line);
  const { lanes } = line;
  let rows = new Rows(lanes.height);
  let telling = 0; // the row that is shown where it is collapsed
  /** @type {Track} */
  const track = {
    id,
    name,
    note: "",
    group: "",
    indent: 0,
    collapsible: lanes.height > 1,
    collapsed: false,
    heightOf: (collapsed) => (collapsed ? ROW : rows.height) + GAP,
    fit: (from, to, tight) => {
      const count = rowsIn(lanes, from, to);
      rows = new Rows(count, tight ? fullRows(lanes, from, to, count) : count);
      telling = tellingRow(lanes, from, to, count);
    },
    paint: (pen, top, collapsed, bottom) => {
      if (collapsed) {
        slices.paint(pen, telling, pen.from, pen.to, top, ROW);
        return;
      }
      for (let row = Math.max(0, rows.rowAt(pen.floor - top)); row < rows.count && top + rows.topOf(row) < bottom; row++) {
        slices.paint(pen, row, pen.from, pen.to, top + rows.topOf(row), rows.heightOf(row));
      }
    },
    at: (time, slack, y, collapsed) => slices.at(track, collapsed ? telling : rows.rowAt(y), time, slack),
    boxOf: (row, collapsed) => (collapsed ? { top: 0, height: ROW - 1 } : { top: rows.topOf(row), height: Math.max(2, rows.heightOf(row) - 1) }),
  };
  return track;
}

/**
 * The track of a task or of a greenlet: its stretches; below them, the slices within.
 * @param {Fiber} fiber
 * @param {string} id
 * @param {string} group
 * @returns {Track}
 */
export function fiberTrack(fiber, id, group) {
  const slices = new Slices(fiber.line);
  const { lanes } = fiber.line;
  const starts = Float64Array.from(fiber.starts);
  const ends = Float64Array.from(fiber.ends);
  let rows = 1; // below that of its name
  let isThere = true; // in the stretch on the screen
  const waits = fiber.end - fiber.start - fiber.running;
  const state = fiber.kind === "stack" ? "" : fiber.open ? ", not ended" : "";
  /** @type {Track} */
  const track = {
    id,
    name: fiber.name,
    note: `${timeText(fiber.end - fiber.start)}: ran ${timeText(fiber.running)}, waited ${timeText(waits)}${state}`,
    group,
    indent: 1,
    collapsible: starts.length > 0,
    collapsed: true,
    heightOf: (collapsed) => (isThere ? (collapsed ? ROW : ROW * (1 + rows)) + 2 : 0),
    fit: (from, to, tight) => {
      isThere = !tight || (fiber.end >= from && fiber.start <= to);
      rows = heightOf(fiber, lanes, from, to);
    },
    paint: (pen, top, collapsed, bottom) => {
      const { shades } = pen.scene;
      if (fiber.start < pen.to && fiber.end > pen.from) {
        pen.labelled(fiber.start, fiber.end, top, shades.waiting, "", fiber);
      }
      for (let at = gallop(ends, null, 0, ends.length, pen.from); at < ends.length && starts[at] < pen.to;) {
        const next = Math.max(at + 1, gallop(ends, null, at, ends.length, starts[at] + pen.least));
        const end = next - at === 1 ? ends[at] : ends[next - 1];
        pen.labelled(starts[at], end, top, shades.running, fiber.name, fiber);
        for (let row = 0; !collapsed && end - starts[at] >= 2 * pen.least && row < rows; row++) {
          if (top + (row + 1) * ROW < bottom) {
            slices.paint(pen, fiber.rows[at] + row, Math.max(pen.from, starts[at]), Math.min(pen.to, end), top + (row + 1) * ROW, ROW);
          }
        }
        at = next;
      }
      const place = pen.room(fiber.start, fiber.end);
      if (place !== null && ends.length === 0) {
        pen.write(pen.scene.labels.ruler.cut(fiber.name, place.room), place.left, top + ROW / 2, shades.waiting.ink);
      }
    },
    at: (time, slack, y, collapsed) => {
      const at = Math.min(gallop(ends, null, 0, ends.length, time - slack), ends.length);
      const inside = at < ends.length && starts[at] <= time + slack;
      const row = Math.floor(y / ROW);
      if (row === 0 && inside) {
        return itemOf(track, starts[at], ends[at], 0, { line: fiber.line, fiber });
      }
      if (row === 0) {
        const isIn = time >= fiber.start - slack && time <= fiber.end + slack;
        // Between two stretches it waits.
        const [from, to] = [at > 0 ? ends[at - 1] : fiber.start, at < starts.length ? starts[at] : fiber.end];
        return isIn ? itemOf(track, from, to, 0, { line: fiber.line, fiber, value: 0 }) : null;
      }
      return inside && !collapsed ? slices.at(track, fiber.rows[at] + row - 1, time, slack, row) : null;
    },
    named: (wants) => {
      const item = starts.length > 0 ? itemOf(track, starts[0], ends[0], 0, { line: fiber.line, fiber }) : itemOf(track, fiber.start, fiber.end, 0, { line: fiber.line, fiber, value: 0 });
      return wants(fiber) ? [item] : [];
    },
    boxOf: boxOfFull,
  };
  return track;
}

/**
 * How many rows the slices in a fiber's stretches have between two times, by a look at some of the stretches.
 * @param {Fiber} fiber
 * @param {import("./lanes.js").Lanes} lanes
 * @param {number} from
 * @param {number} to
 */
function heightOf({ starts, ends, rows }, lanes, from, to) {
  let height = 1;
  const [first, last] = [firstFrom(ends, from), firstFrom(starts, to)];
  const step = Math.max(1, Math.floor((last - first) / LOOKED));
  for (let i = first; i < last; i += step) {
    for (let row = rows[i] + height; row < lanes.height; row++) {
      const found = lanes.seek(row, starts[i]);
      if (found >= lanes.offsets[row + 1] || lanes.starts[found] >= ends[i]) {
        break;
      }
      height = row - rows[i] + 1;
    }
  }
  return height;
}
