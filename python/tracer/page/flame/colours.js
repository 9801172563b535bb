// The colours of boxes: calm fills that text is readable on, told apart by lightness as well as by
// hue, so that they can be told apart by the colour-blind. In both themes. Nothing is drawn here.

import { count } from "../ui/format.js";

/** @typedef {import("../container.js").Kind} Kind */

/**
 * A fill, and the ink that is readable on it.
 * @typedef {object} Paint
 * @property {string} fill
 * @property {string} ink
 */

/**
 * @typedef {object} Legend
 * @property {string} name
 * @property {Paint | null} paint  null: several
 * @property {number} value  nanoseconds of own time
 */

/**
 * @typedef {object} Colouring
 * @property {Paint[]} paints
 * @property {Uint8Array} byRow  which of them a row has
 * @property {Legend[]} legend
 */

/** Hue, and how far it is from the middle lightness, of groups, one after the other. */
const HUES = [
  [250, 0],
  [70, 0.03],
  [165, -0.03],
  [350, 0.02],
  [110, 0.04],
  [300, -0.02],
  [205, 0.04],
  [35, -0.03],
  [140, 0.02],
  [325, 0.04],
];

/**
 * @param {number} lightness
 * @param {number} chroma
 * @param {number} hue
 * @returns {Paint}
 */
export function paintOf(lightness, chroma, hue) {
  const fill = `oklch(${(lightness * 100).toFixed(1)}% ${chroma.toFixed(3)} ${hue.toFixed(0)})`;
  return { fill, ink: lightness > 0.6 ? "#16181d" : "#eef0f4" };
}

/**
 * The program's own code is more colourful than libraries are.
 * @param {boolean} dark
 * @param {number} place  in HUES
 * @param {boolean} own
 */
function groupPaint(dark, place, own) {
  const [hue, off] = HUES[place];
  const chroma = own ? 0.115 : 0.04;
  const light = own ? 0.845 : 0.905;
  return dark ? paintOf((own ? 0.46 : 0.39) + off, chroma, hue) : paintOf(light + off, chroma, hue);
}

/** @param {boolean} dark  of what is folded */
export const plainPaint = (dark) => (dark ? paintOf(0.36, 0.008, 260) : paintOf(0.91, 0.006, 260));

/** @param {boolean} dark  of builtins: nearly grey, and yet to be told from it */
export const builtinPaint = (dark) => (dark ? paintOf(0.33, 0.028, 95) : paintOf(0.895, 0.028, 95));

/** @param {boolean} dark  of native functions */
export const nativePaint = (dark) => (dark ? paintOf(0.4, 0.1, 15) : paintOf(0.83, 0.085, 15));

/**
 * What is drawn beside the boxes of functions.
 * @param {boolean} dark
 * @returns {import("./painter.js").Shades}
 */
export function shadesOf(dark) {
  return dark
    ? {
        ground: "#1a1d21",
        root: paintOf(0.3, 0.02, 260),
        middle: paintOf(0.93, 0.01, 260),
        found: paintOf(0.52, 0.15, 335),
        narrow: "oklch(40% 0.01 260)",
        ring: "#f2f4f8",
        hover: "#b9c2d0",
      }
    : {
        ground: "#ffffff",
        root: paintOf(0.88, 0.015, 260),
        middle: paintOf(0.3, 0.02, 260),
        found: paintOf(0.83, 0.11, 335),
        narrow: "oklch(85% 0.006 260)",
        ring: "#1b1f27",
        hover: "#5b6472",
      };
}

/**
 * By the name of a group, the module or package. The program's own groups have strong colours,
 * those of libraries pale ones. What is folded is grey.
 * @param {string[]} names  by row
 * @param {Kind[]} kinds  by row
 * @param {ArrayLike<number>} times  own time by row
 * @param {boolean} dark
 * @param {boolean} [folded]  whether libraries are
 * @param {Places} [kept]  the places of groups that have one, which they keep; new groups come after those
 * @returns {Colouring}
 */
export function byGroup(names, kinds, times, dark, folded = false, kept = noPlaces()) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  /** @type {Set<string>} */
  const own = new Set();
  let [builtins, natives] = [0, 0];
  for (let row = 0; row < names.length; row++) {
    const time = Math.max(0, times[row]);
    if (kinds[row] === "builtin") {
      builtins += time;
    } else if (kinds[row] === "native") {
      natives += time;
    } else {
      sums.set(names[row], (sums.get(names[row]) ?? 0) + time);
      if (kinds[row] === "own") {
        own.add(names[row]);
      }
    }
  }
  const { paints, ownSlots, librarySlots } = groupPaints(dark);
  const ranked = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  /** @type {Map<string, number>} */
  const slots = new Map();
  for (const [name] of ranked) {
    const [places, paintsOfKind] = own.has(name) ? [kept.own, ownSlots] : [kept.library, librarySlots];
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    slots.set(name, folded && !own.has(name) ? PLAIN : paintsOfKind[place % paintsOfKind.length]);
  }
  const listed = folded ? ranked.filter(([name]) => own.has(name)) : ownFirst(ranked, own);
  /** @type {Legend[]} */
  const legend = listed.slice(0, LISTED).map(([name, value]) => ({ name, value, paint: paints[slots.get(name) ?? PLAIN] }));
  /** @type {(name: string, groups: [string, number][], paint: Paint | null) => void} */
  const tellRest = (name, groups, paint) => {
    if (groups.length > 0) {
      legend.push({ name, paint, value: groups.reduce((sum, [, time]) => sum + time, 0) });
    }
  };
  tellRest(`${count(listed.length - LISTED)} more`, listed.slice(LISTED), null);
  if (folded) {
    tellRest("libraries, folded", ranked.filter(([name]) => !own.has(name)), paints[PLAIN]);
  }
  if (builtins > 0 || kinds.includes("builtin")) {
    legend.push({ name: BUILTINS, paint: paints[BUILTIN], value: builtins });
  }
  if (natives > 0) {
    legend.unshift({ name: NATIVES, paint: paints[NATIVE], value: natives });
  }
  /** @type {Partial<Record<Kind, number>>} */
  const ofKind = { builtin: BUILTIN, native: NATIVE };
  const byRow = Uint8Array.from(names, (name, row) => (ofKind[kinds[row]] ?? (slots.get(name) ?? PLAIN)));
  return { paints, byRow, legend };
}

/** The places of groups among the colours, by name. @typedef {{own: Map<string, number>, library: Map<string, number>}} Places */

/** @returns {Places} */
export const noPlaces = () => ({ own: new Map(), library: new Map() });

const [PLAIN, BUILTIN, NATIVE] = [0, 1, 2]; // places in the paints of groups
export const BUILTINS = "builtins"; // as the legend calls them
export const NATIVES = "native code";
const LISTED = 10; // groups that the legend names

/**
 * The paints of groups, and which of them the groups have, one after the other.
 * @param {boolean} dark
 */
function groupPaints(dark) {
  const paints = [plainPaint(dark), builtinPaint(dark), nativePaint(dark)];
  /** @type {(own: boolean) => number[]} */
  const add = (own) => HUES.map((_, place) => paints.push(groupPaint(dark, place, own)) - 1);
  return { ownSlots: add(true), librarySlots: add(false), paints };
}

/**
 * Groups for the legend: the first of the program's own, then those of most time.
 * @param {[string, number][]} ranked
 * @param {Set<string>} own
 */
function ownFirst(ranked, own) {
  const first = ranked.filter(([name]) => own.has(name)).slice(0, LISTED / 2);
  return [...first, ...ranked.filter((group) => !first.includes(group))];
}

const STEPS = 12;
/** Shares of own time that have the legend's entries, and the strongest colour. */
const FULL = 0.2;

/** @param {boolean} dark */
function heatPaints(dark) {
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const heat = step / STEPS;
    return dark
      ? paintOf(0.33 + 0.24 * heat, 0.006 + 0.115 * heat, 60)
      : paintOf(0.94 - 0.2 * heat, 0.008 + 0.132 * heat, 85 - 30 * heat);
  });
}

/**
 * How strong the colour of a share is, 0 to 1: shares from a fifth on have all of it, and small
 * ones can still be told from none.
 * @param {number} share
 */
export const heatOf = (share) => Math.sqrt(Math.min(1, Math.max(0, share) / FULL));

/**
 * By a function's share of all own time.
 * @param {ArrayLike<number>} times  by row
 * @param {boolean} dark
 * @returns {Colouring}
 */
export function byShare(times, dark) {
  let whole = 0;
  for (let row = 0; row < times.length; row++) {
    whole += Math.max(0, times[row]);
  }
  const paints = heatPaints(dark);
  /** @param {number} share */
  const step = (share) => Math.round(heatOf(share) * STEPS);
  const byRow = Uint8Array.from({ length: times.length }, (_, row) => step(whole ? times[row] / whole : 0));
  const legend = [0.001, 0.01, 0.05, FULL].map((share) => ({
    name: `${share * 100}%`,
    paint: paints[step(share)],
    value: share * whole,
  }));
  return { paints, byRow, legend };
}

/**
 * Of a change between -1 (gone) and 1 (new): blue is less, orange is more. They differ in lightness
 * from what is the same, too.
 * @param {boolean} dark
 * @returns {(change: number) => Paint}
 */
export function changePaints(dark) {
  const paints = Array.from({ length: 2 * STEPS + 1 }, (_, at) => {
    const amount = Math.abs(at - STEPS) / STEPS;
    const hue = at < STEPS ? 250 : 55;
    return dark
      ? paintOf(0.34 + 0.2 * amount, 0.008 + 0.12 * amount, hue)
      : paintOf(0.94 - 0.22 * amount, 0.006 + 0.13 * amount, hue);
  });
  return (change) => paints[STEPS + Math.round(Math.max(-1, Math.min(1, change)) * STEPS)];
}
