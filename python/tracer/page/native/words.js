// How CPU time by samples is told: in the flame graph, and as columns of the table.

import { wordsOfAmounts } from "../flame/amounts.js";
import { counts, FIGURES, times } from "../table/columns.js";
import { counted, exactTime, time } from "../ui/format.js";
import { NativeProfile } from "../native_profile.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Threads} Threads
 * @typedef {import("../table/columns.js").Column} Column
 */

export const CPU = wordsOfAmounts({
  of: "CPU time",
  own: "Own CPU",
  none: "There are no samples to show.",
  kinds: "CPU time",
  widths: [["", "CPU", "As wide as its CPU time by samples"]],
  title: "CPU",
  things: "Samples",
  amount: time,
  exact: exactTime,
  counted: (samples) => counted(samples, "sample"),
  more: ({ profile, layout }, node) => [["+-", profile instanceof NativeProfile ? time(profile.errorOf(layout.tree.total[node])) : "", ""]],
});

/** @type {import("../table/columns.js").Kinds} */
export const CPU_COLUMNS = { ...FIGURES, of: "CPU time", columnsOf: (profile, threads) => (profile instanceof NativeProfile ? columnsOf(profile, threads) : []) };

/**
 * @param {NativeProfile} profile
 * @param {Threads} threads
 * @returns {Column[]}
 */
function columnsOf(profile, threads) {
  const { tottime, cumtime, ncalls } = profile.figures(threads);
  const traced = Float64Array.from({ length: profile.rowCount }, (_, row) => profile.traced(row, threads));
  const columns = [
    times("tottime", "own CPU", "CPU time while the function itself ran, by samples", tottime, true),
    times("error", "+-", "Two standard errors of own CPU", tottime.map((own) => profile.errorOf(own))),
    times("cumtime", "cum CPU", "With all that the function called, native functions too", cumtime, true),
    counts("ncalls", "samples", "Samples while the function itself ran", ncalls),
    times("traced", "traced own", "Own time of the function as it was traced: exact, and with what it waited", traced),
  ];
  return columns.map((column) => ({ ...column, head: column.title === "+-" ? "two standard errors" : column.title }));
}
