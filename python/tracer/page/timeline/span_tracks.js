// The tracks of what has a name and a time: ranges, marks, garbage collections.

import { gallop } from "./lanes.js";
import { ROW, SMALL } from "./painter.js";
import { boxOfFull, boxOfRow, INNER, itemOf } from "./tracks.js";

/**
 * @typedef {import("./model.js").Span} Span
 * @typedef {import("./tracks.js").Track} Track
 */

const MANY = 12; // rows of ranges from which on they are collapsed unasked

/**
 * A track of spans: ranges, collections. Those that overlap stand below each other.
 * @param {Span[]} spans  by start
 * @param {string} id
 * @param {string} name
 * @param {"range" | "collection"} shade
 * @returns {Track}
 */
export function spanTrack(spans, id, name, shade) {
  const { lanes, ends } = stacked(spans);
  let count = lanes.length; // of rows that have something in the stretch on the screen
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  /** @type {Track} */
  const track = {
    ...INNER,
    id,
    name,
    collapsible: lanes.length > 1,
    collapsed: lanes.length > MANY,
    heightOf: (collapsed) => Math.max(ROW, collapsed ? Math.min(MANY, count) * SMALL : count * ROW) + 2,
    fit: (from, to) => {
      count = lanes.findLastIndex((order) => {
        const at = gallop(ends, order, 0, order.length, from, true);
        return at < order.length && sorted[order[at]].start <= to;
      }) + 1;
    },
    paint: (pen, top, collapsed, bottom) => {
      lanes.forEach((order, row) => {
        const y = top + row * (collapsed ? SMALL : ROW);
        if (y > bottom || y + ROW < pen.floor || (collapsed && row >= MANY)) {
          return;
        }
        for (let at = gallop(ends, order, 0, order.length, pen.from); at < order.length;) {
          const { start, end, name: text, open } = sorted[order[at]];
          if (start >= pen.to) {
            break;
          }
          const next = Math.max(at + 1, gallop(ends, order, at, order.length, start + pen.least));
          const last = next - at === 1 ? end : ends[order[next - 1]];
          const paint = pen.scene.shades[shade];
          const { lit, shades } = pen.scene;
          const drawn = lit === null ? [] : Array.from(order.subarray(at, next), (place) => sorted[place]);
          if (collapsed) {
            const isLit = drawn.some((span) => lit?.has(span));
            pen.box(start, last, y, SMALL, isLit ? shades.found.fill : paint.fill, lit !== null && !isLit);
          } else {
            pen.labelled(start, last, y, paint, open ? `${text} (not ended)` : text, ...drawn);
          }
          at = next;
        }
      });
    },
    at: (time, slack, y, collapsed) => {
      const row = Math.floor(y / (collapsed ? SMALL : ROW));
      const order = lanes[row];
      if (order === undefined) {
        return null;
      }
      const at = gallop(ends, order, 0, order.length, time - slack);
      const span = at < order.length ? sorted[order[at]] : null;
      if (span === null || span.start > time + slack) {
        return null;
      }
      return itemOf(track, span.start, span.end, row, { span, line: span.line });
    },
    named: (wants) =>
      lanes.flatMap((order, row) =>
        Array.from(order, (at) => sorted[at])
          .filter(wants)
          .map((span) => itemOf(track, span.start, span.end, row, { span, line: span.line })),
      ),
    boxOf: boxOfRow,
    rowOf: (time, fiber) => {
      const around = lanes.map((order) => sorted[order[gallop(ends, order, 0, order.length, time, true)]]);
      const length = around.map((span) =>
        span !== undefined && span.start <= time && (span.fiber === null || span.fiber === fiber) ? span.end - span.start : Infinity,
      );
      const least = Math.min(...length);
      return least < Infinity ? length.indexOf(least) : -1;
    },
  };
  return track;
}

/**
 * Spans in as few rows as there can be without overlaps: what lies within another one is below it.
 * @param {Span[]} spans
 */
export function stacked(spans) {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  /** @type {number[][]} */
  const rows = [];
  /** @type {number[]} */
  const until = [];
  sorted.forEach(({ start, end }, i) => {
    let row = until.findIndex((busy) => busy <= start);
    if (row < 0) {
      row = rows.push([]) - 1;
    }
    rows[row].push(i);
    until[row] = Math.max(end, start + Number.EPSILON);
  });
  return { lanes: rows.map((row) => Uint32Array.from(row)), ends: Float64Array.from(sorted, ({ end }) => end) };
}

/**
 * Marks as flags.
 * @param {Span[]} marks  by time
 * @param {string} id
 * @param {string} name
 * @returns {Track}
 */
export function markTrack(marks, id, name) {
  const times = Float64Array.from(marks, ({ start }) => start);
  const WIDE = 8;
  /** @type {Track} */
  const track = {
    ...INNER,
    id,
    name,
    heightOf: () => ROW + 2,
    paint: (pen, top) => {
      const { shades, labels, lit } = pen.scene;
      for (let at = gallop(times, null, 0, times.length, pen.from - WIDE * pen.least); at < times.length && times[at] < pen.to;) {
        const left = pen.across(times[at]);
        const next = Math.max(at + 1, gallop(times, null, at, times.length, times[at] + pen.least));
        const isLit = lit !== null && marks.slice(at, next).some((mark) => lit.has(mark));
        const isFaint = lit !== null && !isLit;
        const fill = isLit ? shades.found.fill : shades.accent;
        pen.box(times[at], times[at] + 2 * pen.least, top, ROW - 1, fill, isFaint);
        pen.box(times[at] + pen.least, times[at] + WIDE * pen.least, top, 7, fill, isFaint);
        const room = (next < times.length ? pen.across(times[next]) : pen.size.width) - left - WIDE - 8;
        if (room > 14) {
          pen.write(labels.ruler.cut(marks[at].name, room), left + WIDE + 4, top + ROW / 2, shades.text, isFaint);
        }
        at = next;
      }
    },
    at: (time, slack) => {
      const at = gallop(times, null, 0, times.length, time - (WIDE / 3) * slack);
      const mark = at < times.length ? marks[at] : null;
      return mark === null || mark.start > time + slack
        ? null
        : itemOf(track, mark.start, mark.start, 0, { span: mark, line: mark.line });
    },
    named: (wants) => marks.filter(wants).map((mark) => itemOf(track, mark.start, mark.start, 0, { span: mark, line: mark.line })),
    boxOf: boxOfFull,
  };
  return track;
}
