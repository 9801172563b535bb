// The table of memory: the columns of the measure that was chosen come first, then the other measures.

import { allCallsOf } from "../flame/places.js";
import { counts } from "../table/columns.js";
import { bytes, exactBytes } from "../ui/format.js";
import { MEASURES } from "./model.js";
import { textsOf } from "./words.js";

/**
 * @typedef {import("../container.js").Measure} Measure
 * @typedef {import("../table/columns.js").Column} Column
 * @typedef {import("./model.js").MemoryModel} MemoryModel
 */

/**
 * @param {MemoryModel} model
 * @param {Measure} measure
 * @returns {import("../table/columns.js").Kinds}
 */
export function kindsOf(model, measure) {
  return {
    of: "memory",
    amount: bytes,
    leadsTo: "All calls of the row in the flame graph",
    walk: ({ profile, selectedRow, set }) => set({ ...allCallsOf(profile.key(selectedRow)), table: null }, { push: true }),
    columnsOf: (profile, threads) => {
      const { column, about } = textsOf(measure, model.isRunning);
      const { tottime, cumtime, ncalls } = profile.figures(threads);
      const others = MEASURES.filter((other) => other !== measure);
      return [
        sizes("tottime", column, `${about}: of the function itself`, tottime, true, column),
        sizes("cumtime", "cum", `${about}: with all that the function called`, cumtime, true, `${column} cum`),
        { ...counts("ncalls", "blocks", `${about}: how many blocks`, ncalls), head: "blocks" },
        ...others.map((other) => {
          const texts = textsOf(other, model.isRunning);
          return sizes(other, texts.column, `${texts.about}: of the function itself`, model.seenBy(other).figures(threads).tottime, false, texts.column);
        }),
      ];
    },
  };
}

/**
 * @param {string} key
 * @param {string} title
 * @param {string} about
 * @param {Float64Array} values
 * @param {boolean} bar
 * @param {string} head
 * @returns {Column}
 */
function sizes(key, title, about, values, bar, head) {
  return { key, title, about, values, text: bytes, exact: exactBytes, file: (value) => value, bar, waited: null, head };
}
