// The tracks that draw curves: counters, and the headings of tasks with how many there are at a time.

import { gallop } from "./lanes.js";
import { ROW } from "./painter.js";
import { boxOfFull, GAP, INNER, itemOf } from "./tracks.js";

/**
 * @typedef {import("./model.js").Counter} Counter
 * @typedef {import("./model.js").Fiber} Fiber
 * @typedef {import("./painter.js").Pen} Pen
 * @typedef {import("./tracks.js").Track} Track
 */

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
 * A heading, which collapses the tracks of its group, and shows how many of the fibers there are at a time.
 * @param {string} id
 * @param {string} name
 * @param {string} note
 * @param {boolean} collapsed
 * @param {Fiber[]} fibers
 * @returns {Track}
 */
export function headTrack(id, name, note, collapsed, fibers) {
  const counter = aliveOf(fibers);
  const most = counter.values.reduce((a, b) => Math.max(a, b), 0);
  /** @type {Track} */
  const track = {
    id,
    name,
    note: most > 1 ? `${note}, at most ${most} at a time` : note,
    group: "",
    indent: 0,
    collapsible: true,
    collapsed,
    ...(fibers.length > 0 ? { list: /** @type {const} */ ("tasks") } : {}),
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
 * How many fibers have begun and not ended, from a time on.
 * @param {Fiber[]} fibers
 */
function aliveOf(fibers) {
  const events = fibers.flatMap(({ start, end }) => [[start, 1], [end, -1]]).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let alive = 0;
  const values = events.map(([, step]) => (alive += step));
  return { times: Float64Array.from(events, ([time]) => time), values: Float64Array.from(values) };
}
