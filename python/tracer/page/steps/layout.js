// Where the bars of steps are: each step has a slot, and so has each gap between steps that do not follow each other.
// What is on the screen is a view, a stretch of slots. Pure arithmetic.

import { firstWhere } from "../ui/ordered.js";

/** @typedef {{from: number, span: number}} View  slots */

/**
 * The bars that are drawn. Where slots are narrower than a pixel, each is the highest of those in its pixel.
 * @typedef {object} Bars
 * @property {Uint32Array} at  of each bar, its place in the order
 * @property {Float64Array} left  pixels
 * @property {number} wide  pixels of a slot; a bar has at least one
 * @property {Uint32Array | null} many  how many steps each bar stands for; null: for one
 */

export const WIDEST = 72; // pixels of a slot
const CLOSEST = 8; // slots that fill the screen at the closest

/**
 * The slot of each step, in order, and how many there are with the gaps.
 * @param {Uint32Array} order
 * @param {(step: number, before: number) => boolean} isApart
 */
export function slotsOf(order, isApart) {
  const slots = new Float64Array(order.length);
  let next = 0;
  for (let at = 0; at < order.length; at++) {
    next += at > 0 && isApart(order[at], order[at - 1]) ? 1 : 0;
    slots[at] = next++;
  }
  return { slots, count: next };
}

/**
 * Steps by their heights, the highest first.
 * @param {Uint32Array} order
 * @param {Float64Array} heights  by step
 */
export const byHeight = (order, heights) => order.slice().sort((a, b) => heights[b] - heights[a]);

/**
 * The first place from which on slots are not before one.
 * @param {Float64Array} slots
 * @param {number} slot
 */
export const placeFrom = (slots, slot) => firstWhere(0, slots.length, (place) => slots[place] >= slot);

/**
 * @param {{slots: Float64Array, order: Uint32Array, heights: Float64Array}} scene  heights: by step
 * @param {View} view
 * @param {number} width
 * @returns {Bars}
 */
export function barsOf({ slots, order, heights }, { from, span }, width) {
  const wide = width / span;
  const first = placeFrom(slots, from - 1 + 1e-9);
  const last = placeFrom(slots, from + span);
  if (wide >= 1) {
    const at = Uint32Array.from({ length: last - first }, (_, i) => first + i);
    return { at, left: Float64Array.from(at, (place) => (slots[place] - from) * wide), wide, many: null };
  }
  const best = new Int32Array(width).fill(-1);
  const often = new Uint32Array(width);
  for (let place = first; place < last; place++) {
    const column = Math.max(0, Math.min(width - 1, Math.floor((slots[place] - from) * wide)));
    often[column]++;
    if (best[column] < 0 || heights[order[place]] > heights[order[best[column]]]) {
      best[column] = place;
    }
  }
  const used = Uint32Array.from({ length: width }, (_, column) => column).filter((column) => best[column] >= 0);
  return {
    at: Uint32Array.from(used, (column) => best[column]),
    left: Float64Array.from(used),
    wide: 1,
    many: Uint32Array.from(used, (column) => often[column]),
  };
}

/**
 * The bar at a pixel, or -1.
 * @param {Bars} bars
 * @param {number} x
 */
export function barAt({ left, wide }, x) {
  const bar = placeFrom(left, x + 1e-9) - 1;
  return bar >= 0 && x < left[bar] + wide ? bar : -1;
}

/**
 * How many slots there are, and room: bars do not get wider than WIDEST.
 * @param {number} count
 * @param {number} width
 */
export const wholeOf = (count, width) => Math.max(count, width / WIDEST);

/**
 * A view within the whole.
 * @param {View} view
 * @param {number} whole
 * @returns {View}
 */
export function kept({ from, span }, whole) {
  const wide = Math.min(whole, Math.max(Math.min(CLOSEST, whole), span));
  return { from: Math.max(0, Math.min(whole - wide, from)), span: wide };
}

/**
 * Shows `factor` times as much; what is at a part of the screen stays there.
 * @param {View} view
 * @param {number} part
 * @param {number} factor
 * @param {number} whole
 */
export function zoomed({ from, span }, part, factor, whole) {
  const { span: wide } = kept({ from, span: span * factor }, whole);
  return kept({ from: from + part * (span - wide), span: wide }, whole);
}

/**
 * The view with a slot in it, moved no farther than is needed.
 * @param {View} view
 * @param {number} slot
 * @param {number} whole
 */
export function revealing(view, slot, whole) {
  const { from, span } = view;
  const isSeen = slot >= from && slot + 1 <= from + span;
  return isSeen ? view : kept({ from: slot < from ? slot - span / 8 : slot + 1 - (span * 7) / 8, span }, whole);
}

/**
 * A view as text, of which parsing gives the view again; null: the whole.
 * @param {View} view
 * @param {number} whole
 */
export const viewText = ({ from, span }, whole) => (span >= whole ? null : `${Number(from.toFixed(2))}~${Number(span.toFixed(2))}`);

/**
 * @param {string | undefined} text
 * @param {number} whole
 */
export function viewOf(text, whole) {
  const [from, span] = (text ?? "").split("~").map(Number);
  return kept(span > 0 ? { from: from || 0, span } : { from: 0, span: whole }, whole);
}

const [USUAL, FAR, SEEN] = [0.9, 5, 3]; // a tenth of the bars may be far beyond the others, which then have a third

/**
 * Up to which height bars are drawn. Where few are far higher than the others, these are cut off.
 * @param {Float64Array} heights  of the bars that are drawn
 * @param {number} least  that has to be seen
 */
export function topOf(heights, least) {
  const sorted = Float64Array.from(heights).sort();
  const most = sorted.at(-1) ?? 0;
  const usual = Math.max(least, sorted[Math.floor(USUAL * (sorted.length - 1))] ?? 0);
  return Math.max(least, usual > 0 && most > FAR * usual ? SEEN * usual : most);
}

/**
 * The round distance of numbers below the bars, so that each text has its room.
 * @param {number} wide  pixels of a slot
 * @param {number} room  pixels
 */
export function strideOf(wide, room) {
  const rough = room / wide;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return [1, 2, 5].map((times) => times * power).find((size) => size >= rough) ?? 10 * power;
}
