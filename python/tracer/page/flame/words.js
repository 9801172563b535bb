// How the figures of a flame graph are told. These are times and calls; memory has its own words.

import { counted, time } from "../ui/format.js";
import { lineOf, tipOf } from "./tooltip.js";

/**
 * @typedef {import("./tooltip.js").Shown} Shown
 * @typedef {object} Words
 * @property {string} of  what the width of a box is an amount of
 * @property {string} own  what a function has of it by itself
 * @property {string} none  where there is nothing to show
 * @property {(amount: number) => string} amount
 * @property {(calls: number) => string} calls
 * @property {(tree: import("../nodes.js").Nodes) => number} callsOf  the calls that stand for all of one function's
 * @property {string} kinds  of widths, for the help
 * @property {[value: string, text: string, tip: string][]} widths
 * @property {(shown: Shown, node: number) => HTMLElement} tipOf
 * @property {(shown: Shown, node: number) => [name: string, rest: string]} lineOf
 */

/** @type {Words} */
export const TIMES = {
  of: "time",
  own: "Own time",
  none: "There is no time to show.",
  amount: time,
  calls: (calls) => counted(calls, "call"),
  callsOf: ({ calls }) => calls[0],
  kinds: "Time, busy time or calls",
  widths: [
    ["", "Time", "As wide as it took time (m)"],
    ["busy", "Busy", "As wide as its thread worked: its time without what was waited (m)"],
    ["calls", "Calls", "As wide as it had calls (m)"],
  ],
  tipOf,
  lineOf,
};
