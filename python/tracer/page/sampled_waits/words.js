// How waits are told, of a profile of samples: in the flame graph, and as columns of the table.

import { TIMES } from "../flame/words.js";
import { FIGURES, times } from "../table/columns.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Threads} Threads
 * @typedef {import("../table/columns.js").Column} Column
 */

/** @type {import("../flame/words.js").Words} */
export const WAITS = {
  ...TIMES,
  of: "wait",
  own: "Own wait",
  none: "No thread waited.",
  kinds: "What was waited",
  widths: [["", "Waits", "As wide as what threads waited there"]],
};

/** @type {import("../table/columns.js").Kinds} */
export const WAIT_COLUMNS = { ...FIGURES, of: "waits", columnsOf };

/**
 * @param {Profile} profile
 * @param {Threads} threads
 * @returns {Column[]}
 */
function columnsOf(profile, threads) {
  const { tottime, cumtime, present } = profile.figures(threads);
  /** @param {Float64Array} values */
  const errors = (values) => values.map((value, row) => (present[row] === 1 ? (profile.samples?.error(value) ?? 0) : 0));
  return [
    { ...times("tottime", "waited", "What threads waited in the function itself", tottime, true), head: "waited" },
    { ...times("tottimeError", "+-", "Two standard errors of waited", errors(tottime)), head: "waited error" },
    { ...times("cumtime", "cumwait", "With all that the function called", cumtime, true), head: "cumwait" },
    { ...times("cumtimeError", "+-", "Two standard errors of cumwait", errors(cumtime)), head: "cumwait error" },
  ];
}
