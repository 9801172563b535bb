// What of a flame graph is on the screen: a stretch of its width, and how far it is scrolled. Pure:
// each change gives a new view, within the bounds.

/**
 * @typedef {object} View
 * @property {number} from  the left edge, in units of the layout
 * @property {number} to
 * @property {number} scroll  pixels from the root's end
 */

/**
 * @typedef {object} Bounds
 * @property {number} width  of the layout, in its units
 * @property {number} room  pixels that all levels need
 * @property {number} root  pixels above the root
 * @property {number} height  pixels that there are
 */

/** The least that can fill the screen: a nanosecond, or a call. */
const LEAST = 1;

/**
 * The whole width. What is above the root has up to half of the height.
 * @param {Bounds} bounds
 * @returns {View}
 */
export function wholeOf({ width, room, root, height }) {
  return { from: 0, to: width, scroll: Math.max(0, Math.min(root - height / 2, room - height)) };
}

/**
 * @param {View} view
 * @param {Bounds} bounds
 * @returns {View}
 */
export function bounded({ from, to, scroll }, { width, room, height }) {
  const span = Math.min(width, Math.max(to - from, Math.min(LEAST, width)));
  const begin = Math.max(0, Math.min(from, width - span));
  return { from: begin, to: begin + span, scroll: Math.max(0, Math.min(scroll, room - height)) };
}

/**
 * Show `factor` times as much, the place staying where it is.
 * @param {View} view
 * @param {number} place
 * @param {number} factor
 * @param {Bounds} bounds
 */
export function zoomed({ from, to, scroll }, place, factor, bounds) {
  const span = Math.max(Math.min(LEAST, bounds.width), (to - from) * factor);
  const part = (place - from) / (to - from || 1);
  const begin = place - part * span;
  return bounded({ from: begin, to: begin + span, scroll }, bounds);
}

/**
 * @param {View} view
 * @param {number} share  of what is on the screen, to the right
 * @param {number} pixels  away from the root
 * @param {Bounds} bounds
 */
export function panned({ from, to, scroll }, share, pixels, bounds) {
  const by = (to - from) * share;
  return bounded({ from: from + by, to: to + by, scroll: scroll + pixels }, bounds);
}

/**
 * Somewhere on the way from one view to another; `part` runs from 0 to 1. The span changes by
 * ratios, so that a deep zoom looks as fast as a shallow one.
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
  const before = one.to - one.from;
  const after = other.to - other.from;
  const scroll = one.scroll + (other.scroll - one.scroll) * eased;
  if (before <= 0 || after <= 0) {
    return { ...other, scroll };
  }
  const span = before * (after / before) ** eased;
  // The edges move as the span does, so that the place both views share stands still.
  const along = before === after ? eased : (before - span) / (before - after);
  const from = one.from + (other.from - one.from) * along;
  return { from, to: from + span, scroll };
}

/**
 * The view with a level on the screen.
 * @param {View} view
 * @param {number} depth
 * @param {number} rowHeight
 * @param {Bounds} bounds
 */
export function revealed(view, depth, rowHeight, bounds) {
  const top = depth * rowHeight;
  const margin = Math.min(2 * rowHeight, bounds.height / 4);
  let { scroll } = view;
  if (top - margin < scroll) {
    scroll = top - margin;
  } else if (top + rowHeight + margin > scroll + bounds.height) {
    scroll = top + rowHeight + margin - bounds.height;
  }
  return bounded({ ...view, scroll }, bounds);
}
