// How memory is told: in the flame graph and the table, and in the sentence above them.

import { wordsOfAmounts } from "../flame/amounts.js";
import { bytes, counted, exactBytes } from "../ui/format.js";

/**
 * @typedef {import("../container.js").Measure} Measure
 */

/**
 * A measure: its button, its key in a sentence, and its columns.
 * @type {Record<Measure, {title: string, column: string, about: string, tip: string}>}
 */
const TEXTS = {
  live: {
    title: "At the end",
    column: "at end",
    about: "Live when recording ended",
    tip: "What was still live when recording ended: what the program keeps, or leaks (g)",
  },
  peak: {
    title: "At the peak",
    column: "at peak",
    about: "Live at the moment when the program had the most",
    tip: "What was live at the moment when the program had the most (g)",
  },
  allocated: {
    title: "Allocated",
    column: "allocated",
    about: "All that was allocated, live or not",
    tip: "All that was allocated, live or not (g)",
  },
  temporary: {
    title: "Temporary",
    column: "temporary",
    about: "Freed as the latest allocation of its thread: made, and thrown away at once",
    tip: "What was freed as the latest allocation of its thread: made, and thrown away at once (g)",
  },
};

/** While the program still runs, nothing is at its end. */
const NOW = { title: "Now", column: "now", about: "Live now", tip: "What is live now: what the program keeps so far, or leaks (g)" };

/**
 * How a measure is told of a program that ended, or of one that still runs.
 * @param {Measure} measure
 * @param {boolean} isRunning
 */
export const textsOf = (measure, isRunning) => (measure === "live" && isRunning ? NOW : TEXTS[measure]);

/** @param {number} number */
export const blocks = (number) => counted(number, "block");

/**
 * The words of a flame graph of this measure.
 * @param {Measure} measure
 * @param {boolean} [isRunning]  whether the program is
 */
export const wordsOf = (measure, isRunning = false) =>
  wordsOfAmounts({
    of: "memory",
    own: "Own memory",
    none: measure === "temporary" ? "No function had temporary memory." : "No function has memory to show.",
    kinds: "Bytes or blocks",
    widths: [
      ["", "Bytes", "As wide as its bytes (m)"],
      ["calls", "Blocks", "As wide as its blocks (m)"],
    ],
    title: textsOf(measure, isRunning).title,
    things: "Blocks",
    amount: bytes,
    exact: exactBytes,
    counted: blocks,
  });
