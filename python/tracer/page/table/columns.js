// The columns of the table: what is in them, how it reads, and what it is for a file.

import { COUNTED } from "../samples.js";
import { count, exactTime, seconds, time } from "../ui/format.js";
import { areWaitsShown, worked } from "../waits.js";

/**
 * @typedef {import("../container.js").Figure} Figure
 * @typedef {import("../profile.js").Figures} Figures
 * @typedef {{key: string, title: string, about: string, values: Float64Array,
 *   text(value: number, row: number): string, exact(value: number): string, file(value: number): string | number,
 *   bar: boolean, waited: Float64Array | null, head?: string}} Column   waited: the second part of each
 *   bar; head: the column's name in a file, where that is not the key
 */

/**
 * What a table shows of functions.
 * @typedef {object} Kinds
 * @property {string} of  what the shares are of
 * @property {(amount: number) => string} amount
 * @property {(profile: import("../profile.js").Profile, threads: import("../profile.js").Threads) => Column[]} columnsOf
 * @property {string} leadsTo  where a row leads to, for the help
 * @property {(app: import("../app.js").App) => void} walk  goes there from the selected row
 */

/** @type {Kinds} */
export const FIGURES = {
  of: "time",
  amount: time,
  columnsOf: (profile, threads) => columnsOf(profile.kinds, profile.figures(threads), () => profile.waitedWithin(threads), profile.samples),
  leadsTo: "Callers and callees of the row",
  walk: (app) => app.open("butterfly"),
};

/** @type {Record<string, string>} of columns that a file calls otherwise */
const FILE_HEADS = { tottimeError: "tottime error", cumtimeError: "cumtime error", tottimePer: "tottime per call", cumtimePer: "cumtime per call", longest_at: "longest at" };

/** The figures that have a bar, and beside them what they are for each call, by which calls.
 * @type {Record<string, ["ncalls" | "primitive", string]>} */
const EACH = {
  tottime: ["ncalls", "tottime for each call"],
  cumtime: ["primitive", "cumtime for each primitive call"],
};
/** @type {Record<string, string>} of columns that are not headed by the figure's name */
const TITLES = { longest_at: "at" };
/** The figures that everybody looks for. Others have no column where none has any. */
const ALWAYS = new Set([...Object.keys(EACH), ...Object.values(EACH).map(([calls]) => calls)]);

/**
 * The columns of numbers: all figures that functions have, and what they are for each call. Where
 * little was waited there is no column of waits.
 * @param {Figure[]} kinds
 * @param {Figures} figures
 * @param {() => Float64Array} within  what was waited in each function and all that it called
 * @param {import("../samples.js").Samples | null} [samples]  that times come from
 * @returns {Column[]}
 */
export function columnsOf(kinds, figures, within, samples = null) {
  const columns = [];
  const hasWaits = areWaitsShown(figures);
  /** @type {Record<string, Float64Array>} */
  const waits = hasWaits ? { tottime: figures.waited, cumtime: within() } : {};
  for (const { name, about, time: isTime } of kinds) {
    const values = figures.columns[name];
    if (name === "waited" || (!ALWAYS.has(name) && values.every((value) => value === 0))) {
      continue;
    }
    const each = EACH[name];
    const title = TITLES[name] ?? name;
    columns.push(isTime ? times(name, title, about, values, each !== undefined, waits[name]) : counts(name, title, about, values, samples));
    if (each !== undefined) {
      const [calls, aboutEach] = each;
      if (samples !== null) {
        const errors = values.map((value, row) => (figures.present[row] === 1 ? samples.error(value) : 0));
        columns.push(times(`${name}Error`, "+-", `Two standard errors of ${name}`, errors));
      }
      const known = samples === null ? figures[calls] : figures[calls].map((number, row) => (samples.counted[row] === COUNTED.exact ? number : 0));
      columns.push(times(`${name}Per`, "per call", aboutEach, ratio(values, known)));
    }
    if (name === "tottime" && hasWaits) {
      columns.push(...partsOf(figures, kinds));
    }
  }
  return columns;
}

/**
 * The parts of tottime.
 * @param {Figures} figures
 * @param {Figure[]} kinds
 */
function partsOf({ tottime, waited }, kinds) {
  const busy = tottime.map((own, row) => worked(own, waited[row]));
  const about = kinds.find(({ name }) => name === "waited")?.about ?? "";
  return [
    times("busy", "busy", "Part of tottime in which its thread worked", busy),
    times("waited", "waited", about, waited),
  ];
}

/**
 * @param {string} key
 * @param {string} title
 * @param {string} about
 * @param {Float64Array} values
 * @param {import("../samples.js").Samples | null} [samples]  beside which calls were counted
 * @returns {Column}
 */
export function counts(key, title, about, values, samples = null) {
  /** @type {(value: number, row: number) => string} */
  const text = (value, row) => `${count(value)}${samples?.counted[row] === COUNTED.atLeast ? "+" : ""}`;
  return { key, title, about, values, text, exact: count, file: (value) => value, bar: false, waited: null, head: FILE_HEADS[key] };
}

/**
 * @param {string} key
 * @param {string} title
 * @param {string} about
 * @param {Float64Array} values
 * @param {boolean} [bar]
 * @param {Float64Array | null} [waited]
 * @returns {Column}
 */
export function times(key, title, about, values, bar = false, waited = null) {
  return { key, title, about, values, text: time, exact: exactTime, file: seconds, bar, waited, head: FILE_HEADS[key] };
}

/**
 * @param {Float64Array} wholes
 * @param {Float64Array} parts
 */
function ratio(wholes, parts) {
  return wholes.map((whole, i) => (parts[i] === 0 ? 0 : whole / parts[i]));
}
