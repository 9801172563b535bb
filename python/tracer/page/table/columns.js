// The columns of the table: what is in them, how it reads, and what it is for a file.

import { count, exactTime, seconds, time } from "../ui/format.js";

/**
 * @typedef {import("../container.js").Figure} Figure
 * @typedef {import("../profile.js").Figures} Figures
 * @typedef {{key: string, title: string, about: string, values: Float64Array,
 *   text(value: number): string, exact(value: number): string, file(value: number): string | number,
 *   bar: boolean}} Column
 */

/** The figures that have a bar, and beside them what they are for each call, by which calls.
 * @type {Record<string, ["ncalls" | "primitive", string]>} */
const EACH = {
  tottime: ["ncalls", "tottime for each call"],
  cumtime: ["primitive", "cumtime for each primitive call"],
};
/** The figures that everybody looks for. Others have no column where none has any. */
const ALWAYS = new Set([...Object.keys(EACH), ...Object.values(EACH).map(([calls]) => calls)]);

/**
 * The columns of numbers: all figures that functions have, and what they are for each call.
 * @param {Figure[]} kinds
 * @param {Figures} figures
 * @returns {Column[]}
 */
export function columnsOf(kinds, figures) {
  const columns = [];
  for (const { name, about, time: isTime } of kinds) {
    const values = figures.columns[name];
    if (!ALWAYS.has(name) && values.every((value) => value === 0)) {
      continue;
    }
    const each = EACH[name];
    columns.push(isTime ? times(name, name, about, values, each !== undefined) : counts(name, name, about, values));
    if (each !== undefined) {
      const [calls, aboutEach] = each;
      columns.push(times(`${name}Per`, "per call", aboutEach, ratio(values, figures[calls])));
    }
  }
  return columns;
}

/**
 * @param {string} key
 * @param {string} title
 * @param {string} about
 * @param {Float64Array} values
 * @returns {Column}
 */
function counts(key, title, about, values) {
  return { key, title, about, values, text: count, exact: count, file: (value) => value, bar: false };
}

/**
 * @param {string} key
 * @param {string} title
 * @param {string} about
 * @param {Float64Array} values
 * @param {boolean} [bar]
 * @returns {Column}
 */
function times(key, title, about, values, bar = false) {
  return { key, title, about, values, text: time, exact: exactTime, file: seconds, bar };
}

/**
 * @param {Float64Array} wholes
 * @param {Float64Array} parts
 */
function ratio(wholes, parts) {
  return wholes.map((whole, i) => (parts[i] === 0 ? 0 : whole / parts[i]));
}
