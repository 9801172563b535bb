// The hottest of all lines that were timed.

import { hottestLine } from "../source/heat.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Figures} Figures
 */

/**
 * The hottest line of all functions, by its own time and its time in C. Time in C includes the
 * Python functions that C calls back, as "".join() runs a generator. Their time does not count for
 * the line. The tottime of the line's function and the time of its builtin callees hold no Python
 * callee. So the functions called back took the time that all lines together have beyond these two.
 * Where the function has no figures, that time is not known: `known` is false.
 * @param {Profile} profile
 * @param {Figures} figures
 * @param {import("../edges.js").Edges} edges
 */
export function hottestOfAll(profile, figures, edges) {
  /** @type {Map<string, number>} */
  const rows = new Map();
  for (let row = 0; row < profile.rowCount; row++) {
    if (figures.present[row] === 1) {
      rows.set(JSON.stringify([profile.fileOf(row).path, profile.rows.line[row], profile.nameOf(row)]), row);
    }
  }
  /** @type {{timed: import("../container.js").TimedFunction | null, known: boolean} & ReturnType<typeof hottestLine>} */
  let best = { timed: null, known: false, line: 0, warmth: 0, hits: 0, inC: 0 };
  for (const timed of profile.lines) {
    const row = rows.get(JSON.stringify([timed.file, timed.line, timed.name]));
    let calledBack = 0;
    if (row !== undefined) {
      const builtins = edges.callees(row).filter((edge) => profile.kindOf(edge.row) === "builtin");
      const without = figures.tottime[row] + sum(builtins.map((edge) => edge.time));
      const within = sum(timed.lines.map(([, , , inC, own]) => (inC ?? 0) + (own ?? 0)));
      calledBack = Math.max(0, within - without);
    }
    const hottest = hottestLine(timed, calledBack);
    best = hottest.warmth > best.warmth ? { timed, known: row !== undefined, ...hottest } : best;
  }
  return best;
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}
