// The tracks of a timeline, from the top down: how high each is, what it draws, and what of it is at a place. In which
// order they stand and which are folded is for track_list.js.

import { time as timeText } from "../ui/format.js";
import { gallop } from "./lanes.js";
import { ROW, SMALL } from "./painter.js";

/**
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 * @typedef {import("./model.js").Strand} Strand
 * @typedef {import("./model.js").Span} Span
 * @typedef {import("./model.js").Counter} Counter
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
 * @property {Strand | null} strand
 * @property {number} value  of a counter, else NaN
 */

/**
 * @typedef {object} Track
 * @property {string} id
 * @property {string} name
 * @property {string} note
 * @property {string} group  the id of the track that it is folded with, or ""
 * @property {number} indent
 * @property {boolean} folds  whether it can be folded
 * @property {boolean} folded  whether it is so at first
 * @property {(folded: boolean) => number} heightOf
 * @property {(pen: Pen, top: number, folded: boolean, bottom: number) => void} paint
 * @property {(time: number, slack: number, y: number, folded: boolean) => Item | null} at
 * @property {(wants: (name: string) => boolean) => Item[]} [named]  what has such a name
 * @property {(row: number, folded: boolean) => {top: number, height: number}} boxOf
 */

const SMALL_ROWS = 8; // that a folded track shows
const MANY = 12; // rows of ranges from which on they are folded unasked
const GAP = 4; // pixels below a track

/** Most tracks below another one. */
const INNER = { note: "", group: "", indent: 1, folds: false, folded: false };

/**
 * @param {Track} track
 * @param {number} start
 * @param {number} end
 * @param {number} row
 * @param {Partial<Item>} more
 * @returns {Item}
 */
function itemOf(track, start, end, row, more) {
  return { track, start, end, row, line: null, slice: -1, span: null, strand: null, value: NaN, ...more };
}

/** @type {Track["boxOf"]} */
const boxOfRow = (row, folded) => ({ top: row * (folded ? SMALL : ROW), height: folded ? SMALL : ROW - 1 });
/** @type {Track["boxOf"]} */
const boxOfFull = (row) => ({ top: row * ROW, height: ROW - 1 });

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
        this.#write(pen, start, end, top, height, shades.gap.ink, dims, (room) => labels.ruler.cut(gapText(node === contexts.inC), room));
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

/** @param {boolean} inC */
export const gapText = (inC) => (inC ? "waited in C" : "waited for the GIL or a CPU");

/**
 * @param {ThreadLine} line
 * @param {string} id
 * @param {string} name
 * @returns {Track}
 */
export function threadTrack(line, id, name) {
  const slices = new Slices(line);
  const { lanes } = line;
  const small = () => Math.min(SMALL_ROWS, lanes.height);
  /** @type {Track} */
  const track = {
    id,
    name,
    note: "",
    group: "",
    indent: 0,
    folds: lanes.height > 1,
    folded: false,
    heightOf: (folded) => Math.max(ROW, folded ? small() * SMALL : lanes.height * ROW) + GAP,
    paint: (pen, top, folded, bottom) => {
      const [height, count] = folded ? [SMALL, small()] : [ROW, lanes.height];
      for (let row = Math.max(0, Math.floor((pen.floor - top) / height)); row < count && top + row * height < bottom; row++) {
        slices.paint(pen, row, pen.from, pen.to, top + row * height, height);
      }
    },
    at: (time, slack, y, folded) => slices.at(track, Math.floor(y / (folded ? SMALL : ROW)), time, slack),
    boxOf: boxOfRow,
  };
  return track;
}

/**
 * The track of a task or of a greenlet: its stretches; below them, the slices within.
 * @param {Strand} strand
 * @param {string} id
 * @param {string} group
 * @returns {Track}
 */
export function strandTrack(strand, id, group) {
  const slices = new Slices(strand.line);
  const { lanes } = strand.line;
  const starts = Float64Array.from(strand.starts);
  const ends = Float64Array.from(strand.ends);
  /** @type {number | null} */
  let height = null;
  const rows = () => (height ??= heightOf(strand, lanes));
  const waits = strand.end - strand.start - strand.running;
  const state = strand.kind === "stack" ? "" : strand.open ? ", not ended" : "";
  /** @type {Track} */
  const track = {
    id,
    name: strand.name,
    note: `${timeText(strand.end - strand.start)}: ran ${timeText(strand.running)}, waited ${timeText(waits)}${state}`,
    group,
    indent: 1,
    folds: starts.length > 0,
    folded: true,
    heightOf: (folded) => (folded ? ROW : ROW * (1 + rows())) + 2,
    paint: (pen, top, folded, bottom) => {
      const { shades } = pen.scene;
      if (strand.start < pen.to && strand.end > pen.from) {
        pen.labelled(strand.start, strand.end, top, shades.waiting, "");
      }
      for (let at = gallop(ends, null, 0, ends.length, pen.from); at < ends.length && starts[at] < pen.to;) {
        const next = Math.max(at + 1, gallop(ends, null, at, ends.length, starts[at] + pen.least));
        const end = next - at === 1 ? ends[at] : ends[next - 1];
        pen.labelled(starts[at], end, top, shades.running, strand.name);
        for (let row = 0; !folded && end - starts[at] >= 2 * pen.least && row < rows(); row++) {
          if (top + (row + 1) * ROW < bottom) {
            slices.paint(pen, strand.rows[at] + row, Math.max(pen.from, starts[at]), Math.min(pen.to, end), top + (row + 1) * ROW, ROW);
          }
        }
        at = next;
      }
      const place = pen.room(strand.start, strand.end);
      if (place !== null && ends.length === 0) {
        pen.write(pen.scene.labels.ruler.cut(strand.name, place.room), place.left, top + ROW / 2, shades.waiting.ink);
      }
    },
    at: (time, slack, y, folded) => {
      const at = Math.min(gallop(ends, null, 0, ends.length, time - slack), ends.length);
      const inside = at < ends.length && starts[at] <= time + slack;
      const row = Math.floor(y / ROW);
      if (row === 0 && inside) {
        return itemOf(track, starts[at], ends[at], 0, { line: strand.line, strand });
      }
      if (row === 0) {
        const isIn = time >= strand.start - slack && time <= strand.end + slack;
        // Between two stretches it waits.
        const [from, to] = [at > 0 ? ends[at - 1] : strand.start, at < starts.length ? starts[at] : strand.end];
        return isIn ? itemOf(track, from, to, 0, { line: strand.line, strand, value: 0 }) : null;
      }
      return inside && !folded ? slices.at(track, strand.rows[at] + row - 1, time, slack, row) : null;
    },
    named: (wants) => {
      const item = starts.length > 0 ? itemOf(track, starts[0], ends[0], 0, { line: strand.line, strand }) : itemOf(track, strand.start, strand.end, 0, { line: strand.line, strand, value: 0 });
      return wants(strand.name) ? [item] : [];
    },
    boxOf: boxOfFull,
  };
  return track;
}

/**
 * How many rows the slices in a strand's stretches have, by a look at some of the stretches.
 * @param {Strand} strand
 * @param {import("./lanes.js").Lanes} lanes
 */
function heightOf({ starts, ends, rows }, lanes) {
  let height = 1;
  const step = Math.max(1, Math.floor(starts.length / 1000));
  for (let i = 0; i < starts.length; i += step) {
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
  const small = Math.min(MANY, lanes.length);
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  /** @type {Track} */
  const track = {
    ...INNER,
    id,
    name,
    folds: lanes.length > 1,
    folded: lanes.length > MANY,
    heightOf: (folded) => Math.max(ROW, folded ? small * SMALL : lanes.length * ROW) + 2,
    paint: (pen, top, folded, bottom) => {
      lanes.forEach((order, row) => {
        const y = top + row * (folded ? SMALL : ROW);
        if (y > bottom || y + ROW < pen.floor || (folded && row >= small)) {
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
          if (folded) {
            pen.box(start, last, y, SMALL, paint.fill);
          } else {
            pen.labelled(start, last, y, paint, open ? `${text} (not ended)` : text);
          }
          at = next;
        }
      });
    },
    at: (time, slack, y, folded) => {
      const row = Math.floor(y / (folded ? SMALL : ROW));
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
          .filter(({ name: text }) => wants(text))
          .map((span) => itemOf(track, span.start, span.end, row, { span, line: span.line })),
      ),
    boxOf: boxOfRow,
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
      const { shades, labels } = pen.scene;
      for (let at = gallop(times, null, 0, times.length, pen.from - WIDE * pen.least); at < times.length && times[at] < pen.to;) {
        const left = pen.across(times[at]);
        pen.box(times[at], times[at] + 2 * pen.least, top, ROW - 1, shades.accent);
        pen.box(times[at] + pen.least, times[at] + WIDE * pen.least, top, 7, shades.accent);
        const next = Math.max(at + 1, gallop(times, null, at, times.length, times[at] + pen.least));
        const room = (next < times.length ? pen.across(times[next]) : pen.size.width) - left - WIDE - 8;
        if (room > 14) {
          pen.write(labels.ruler.cut(marks[at].name, room), left + WIDE + 4, top + ROW / 2, shades.text);
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
    named: (wants) => marks.filter((mark) => wants(mark.name)).map((mark) => itemOf(track, mark.start, mark.start, 0, { span: mark, line: mark.line })),
    boxOf: boxOfFull,
  };
  return track;
}

/**
 * A counter as a curve of steps.
 * @param {Counter} counter
 * @param {string} id
 * @returns {Track}
 */
export function counterTrack(counter, id) {
  const HIGH = 36;
  const { name, times, values } = counter;
  const known = values.filter((value) => !Number.isNaN(value));
  const least = known.reduce((a, b) => Math.min(a, b), Math.min(0, known[0] ?? 0));
  const most = known.reduce((a, b) => Math.max(a, b), least);
  /** @type {Track} */
  const track = {
    ...INNER,
    id,
    name,
    note: `${numberText(least)} to ${numberText(most)}`,
    heightOf: () => HIGH + GAP,
    paint: (pen, top) => paintCurve(pen, counter, least, most, top, HIGH),
    at: (time) => {
      const at = gallop(times, null, 0, times.length, time) - 1;
      const value = at < 0 ? NaN : values[at];
      if (Number.isNaN(value)) {
        return null;
      }
      const end = at + 1 < times.length ? times[at + 1] : times[at];
      return itemOf(track, times[at], end, 0, { value });
    },
    boxOf: () => ({ top: 0, height: HIGH }),
  };
  return track;
}

/**
 * Draws a curve of steps, with what is below it filled.
 * @param {Pen} pen
 * @param {{times: Float64Array, values: Float64Array}} counter
 * @param {number} least
 * @param {number} most
 * @param {number} top
 * @param {number} high
 */
function paintCurve(pen, { times, values }, least, most, top, high) {
  const { context, size, scene } = pen;
  pen.flush();
  /** @param {number} value */
  const y = (value) => top + 2 + (high - 4) * (most > least ? 1 - (value - least) / (most - least) : 0.5);
  const first = Math.max(0, gallop(times, null, 0, times.length, pen.from) - 1);
  context.globalAlpha = 1;
  context.beginPath();
  let begun = NaN;
  let height = 0;
  for (let at = first; at < times.length && times[at] < pen.to;) {
    const x = pen.across(times[at]);
    const next = Math.max(at + 1, gallop(times, null, at, times.length, times[at] + pen.least));
    for (let i = at; i < next; i += Math.max(1, Math.floor((next - at) / 64))) {
      if (!Number.isNaN(values[i])) {
        const level = y(values[i]);
        if (Number.isNaN(begun)) {
          context.moveTo(x, level);
          begun = x;
        } else {
          context.lineTo(x, height);
          context.lineTo(x, level);
        }
        height = level;
      }
    }
    if (!Number.isNaN(values[next - 1])) {
      height = y(values[next - 1]);
      context.lineTo(x, height);
    }
    at = next;
  }
  if (!Number.isNaN(begun)) {
    context.lineTo(size.width, height);
    context.strokeStyle = scene.shades.curve;
    context.lineWidth = 1.5;
    context.stroke();
    context.lineTo(size.width, top + high);
    context.lineTo(begun, top + high);
    context.fillStyle = scene.shades.curveFill;
    context.fill();
    pen.fill = "";
  }
}

/** @param {number} value */
export const numberText = (value) =>
  Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(6)));

/**
 * A heading, which folds the tracks of its group, and shows how many of the strands there are at a time.
 * @param {string} id
 * @param {string} name
 * @param {string} note
 * @param {boolean} folded
 * @param {Strand[]} strands
 * @returns {Track}
 */
export function headTrack(id, name, note, folded, strands) {
  const counter = aliveOf(strands);
  const most = counter.values.reduce((a, b) => Math.max(a, b), 0);
  /** @type {Track} */
  const track = {
    id,
    name,
    note: most > 1 ? `${note}, at most ${most} at a time` : note,
    group: "",
    indent: 0,
    folds: true,
    folded,
    heightOf: () => ROW + GAP,
    paint: (pen, top) => {
      pen.box(pen.from, pen.to, top, ROW + GAP, pen.scene.shades.raised);
      paintCurve(pen, counter, 0, most, top, ROW + 2);
    },
    at: (time) => {
      const at = gallop(counter.times, null, 0, counter.times.length, time) - 1;
      const end = at + 1 < counter.times.length ? counter.times[at + 1] : counter.times[at];
      return at < 0 ? null : itemOf(track, counter.times[at], end, 0, { value: counter.values[at] });
    },
    boxOf: boxOfFull,
  };
  return track;
}

/**
 * How many strands have begun and not ended, from a time on.
 * @param {Strand[]} strands
 */
function aliveOf(strands) {
  const events = strands.flatMap(({ start, end }) => [[start, 1], [end, -1]]).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let alive = 0;
  const values = events.map(([, step]) => (alive += step));
  return { times: Float64Array.from(events, ([time]) => time), values: Float64Array.from(values) };
}
