// The elements of a line of source: its figures, and its text in colours.

import { h } from "../ui/dom.js";
import { counted, exactTime, share, shortCount, time } from "../ui/format.js";

/** @typedef {import("./heat.js").LineHeat} LineHeat */

/** @param {string} text */
export const indentOf = (text) => Math.max(0, text.search(/\S/));

/** @type {[title: string, about: string][]} */
const LINE_COLUMNS = [
  ["Hits", "How often the line was reached"],
  ["Time", "With all that it calls"],
  ["Own", "Neither in Python functions that it calls, nor in C"],
  ["In C", "In C callables that it calls, and in Python functions that these call back"],
];
/** Where any line waited. @type {[title: string, about: string]} */
const SUSPENDED = ["Suspended", "While a generator or coroutine waited there; in no other time"];

/** @param {boolean} waits */
const columnsOf = (waits) => (waits ? [...LINE_COLUMNS, SUSPENDED] : LINE_COLUMNS);

/** @param {boolean} waits  whether any line of the file did */
export function lineHeads(waits) {
  const heads = columnsOf(waits).map(([name, about]) =>
    h("span", { class: "figure", role: "columnheader", "data-tip": about }, name),
  );
  return h("div", { class: "code-head", role: "row" }, ...heads, h("span", { class: "number" }), h("span"));
}

/**
 * @param {LineHeat | undefined} timed
 * @param {boolean} waits
 */
export function lineCells(timed, waits) {
  if (timed === undefined) {
    return columnsOf(waits).map(() => h("span", { class: "figure", role: "gridcell" }));
  }
  const { hits, time: all, own, inC, suspended, whole } = timed;
  const details = [
    exactTime(all),
    `${share(all, whole)} of its function`,
    hits > 0 && `${time(all / hits)} a hit`,
  ];
  /** @type {[text: string, tip: string][]} */
  const cells = [
    [shortCount(hits), counted(hits, "hit")],
    [time(all), details.filter(Boolean).join("\n")],
    own === null ? ["", "Not known"] : [time(own), exactTime(own)],
    inC === null ? ["", "Not known"] : [time(inC), exactTime(inC)],
  ];
  if (waits) {
    cells.push(suspended > 0 ? [time(suspended), exactTime(suspended)] : ["", ""]);
  }
  return cells.map(([text, tip]) => h("span", { class: "figure", role: "gridcell", "data-tip": tip || null }, text));
}

/**
 * @param {string} text
 * @param {import("./python.js").Piece[]} pieces
 */
export function piecesOf(text, pieces) {
  /** @type {(HTMLElement | string)[]} */
  const parts = [];
  let at = 0;
  for (const { from, to, kind } of pieces) {
    if (from > at) {
      parts.push(text.slice(at, from));
    }
    parts.push(h("span", { class: `py-${kind}` }, text.slice(from, to)));
    at = to;
  }
  parts.push(text.slice(at) || (parts.length > 0 ? "" : "\u200b"));
  return parts;
}
