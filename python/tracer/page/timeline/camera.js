// What stretch of time is on the screen, from the whole run down to a nanosecond. Pure: each change gives a new view.
// A view begins at a whole nanosecond and a part of one: as one number they would lose digits in a long run, and so
// does a place on the screen that is not made of differences.

/**
 * @typedef {object} View
 * @property {number} origin  whole nanoseconds
 * @property {number} rest  of a nanosecond, from 0 to 1
 * @property {number} span  nanoseconds
 */

/** @typedef {{begin: number, end: number}} Bounds  whole nanoseconds */

export const LEAST = 1; // nanoseconds that fill the screen at the closest

/**
 * @param {number} origin  a whole number
 * @param {number} from  from there
 * @param {number} span
 * @param {Bounds} bounds
 * @returns {View}
 */
function viewOf(origin, from, span, { begin, end }) {
  const whole = Math.max(LEAST, end - begin);
  const wide = Math.min(whole, Math.max(LEAST, span));
  const most = end - origin - wide;
  const kept = Math.max(begin - origin, Math.min(most, from));
  const full = Math.floor(kept);
  return { origin: origin + full, rest: kept - full, span: wide };
}

/**
 * @param {Bounds} bounds
 * @returns {View}
 */
export const wholeOf = (bounds) => viewOf(bounds.begin, 0, bounds.end - bounds.begin, bounds);

/**
 * A stretch of time, with a margin on both sides.
 * @param {number} start
 * @param {number} end
 * @param {Bounds} bounds
 * @param {number} [margin]  a part of the stretch
 */
export function around(start, end, bounds, margin = 0.05) {
  const span = Math.max(LEAST, (end - start) * (1 + 2 * margin));
  const origin = Math.floor(start);
  return viewOf(origin, start - origin - (span - (end - start)) / 2, span, bounds);
}

/**
 * Shows `factor` times as much; the place at a part of the screen stays where it is.
 * @param {View} view
 * @param {number} part
 * @param {number} factor
 * @param {Bounds} bounds
 */
export function zoomed({ origin, rest, span }, part, factor, bounds) {
  const wide = Math.min(Math.max(LEAST, bounds.end - bounds.begin), Math.max(LEAST, span * factor));
  return viewOf(origin, rest + part * (span - wide), wide, bounds);
}

/**
 * @param {View} view
 * @param {number} share  of the screen, to the right
 * @param {Bounds} bounds
 */
export const panned = ({ origin, rest, span }, share, bounds) => viewOf(origin, rest + share * span, span, bounds);

/**
 * The time at a part of the screen.
 * @param {View} view
 * @param {number} part
 */
export const timeAt = ({ origin, rest, span }, part) => origin + (rest + part * span);

/**
 * Where a time is, as a part of the screen.
 * @param {View} view
 * @param {number} time
 */
export const partOf = ({ origin, rest, span }, time) => (time - origin - rest) / span;

const CONTEXT = 10; // times a narrow thing's length, that are shown on both sides of it

/**
 * The view with a time on the screen; as it is, if the time is there. A moment has no length to show it by.
 * @param {View} view
 * @param {number} start
 * @param {number} end
 * @param {Bounds} bounds
 */
export function revealing(view, start, end, bounds) {
  const [left, right] = [partOf(view, start), partOf(view, end)];
  if (right - left > 3) {
    return around(start, end, bounds, 1);
  }
  if (end > start && right - left < 0.0005 && left >= 0 && right <= 1) {
    return around(start, end, bounds, CONTEXT);
  }
  if (left <= 1 && right >= 0) {
    return view;
  }
  return around((start + end - view.span) / 2, (start + end + view.span) / 2, bounds, 0);
}

/**
 * Somewhere on the way from one view to another; `part` runs from 0 to 1. The span changes by ratios.
 * @param {View} one
 * @param {View} other
 * @param {number} part
 * @returns {View}
 */
export function between(one, other, part) {
  if (part >= 1) {
    return other;
  }
  const eased = 1 - (1 - part) ** 3;
  const span = one.span * (other.span / one.span) ** eased;
  const away = other.origin - one.origin + (other.rest - one.rest);
  const along = one.span === other.span ? eased : (one.span - span) / (one.span - other.span);
  const from = one.rest + away * along;
  const full = Math.floor(from);
  return { origin: one.origin + full, rest: from - full, span };
}

/**
 * The times that a ruler names: at round distances, about so many of them.
 * @param {View} view
 * @param {number} count
 */
export function ticksOf(view, count) {
  const rough = view.span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? 10 * power;
  const base = view.origin - (view.origin % Math.max(1, step));
  const first = Math.ceil((view.origin - base + view.rest) / step);
  const ticks = [];
  for (let at = first; ; at++) {
    const time = base + at * step;
    const part = (base - view.origin + at * step - view.rest) / view.span;
    if (part > 1) {
      return { step, ticks };
    }
    ticks.push({ time, part });
  }
}

/**
 * A moment as text, with as many digits as tell it from one that is `step` away.
 * @param {number} time
 * @param {number} step
 */
export function momentText(time, step) {
  const digits = Math.max(0, Math.min(10, Math.ceil(9 - Math.log10(step) - 1e-9)));
  const [unit, size, less] = step >= 1e8 ? ["s", 1e9, 0] : time < 1e3 && step < 100 ? ["ns", 1, 9] : time < 1e6 && step < 1e5 ? ["µs", 1e3, 6] : time < 1e9 ? ["ms", 1e6, 3] : ["s", 1e9, 0];
  return `${(time / size).toFixed(Math.max(0, digits - less))} ${unit}`;
}
