// What the panel tells of a stretch of time that was selected: the table of its functions, what of it is not drawn, and
// the ways to its table and its flame graph.

import { fill, h } from "../ui/dom.js";
import { count, counted, exactTime, share, time } from "../ui/format.js";
import { momentText } from "./camera.js";

/**
 * @typedef {import("./statistics.js").Statistics} Statistics
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {"calls" | "own" | "waited" | "cumulative"} Column
 * @typedef {object} Guide
 * @property {Profile} profile
 * @property {(view: string) => void} open  a view of the range
 * @property {(row: number) => void} choose
 * @property {() => void} clear
 */

const MOST = 300; // functions that are listed
const FEW = 6; // threads whose waits are told
/** @type {[Column, string, string][]} */
const COLUMNS = [
  ["calls", "calls", "Calls that began in the range"],
  ["own", "own time", "The time of the function itself"],
  ["waited", "waited", "What of its own time its thread waited, in the gaps that are drawn"],
  ["cumulative", "cumulative", "Its time with all that it called; recursion counts once"],
];

/**
 * @param {Statistics} statistics
 * @param {{from: number, to: number}} range
 * @param {Guide} guide
 */
export function rangePanel(statistics, range, guide) {
  const body = h("tbody", null);
  const columns = COLUMNS.filter(([column]) => column !== "waited" || statistics.waits.length > 0);
  const heads = columns.map(([column, name, tip]) =>
    h("th", { scope: "col", "data-tip": tip }, h("button", { "data-column": column, on: { click: () => sort(column) } }, name)),
  );
  /** @param {Column} column */
  const sort = (column) => {
    const rows = [...statistics.rows].sort((a, b) => b[column] - a[column]);
    columns.forEach(([name], i) => heads[i].setAttribute("aria-sort", name === column ? "descending" : "none"));
    fill(body, ...rows.slice(0, MOST).map((row) => line(row, statistics, guide)));
  };
  sort("own");
  const more = statistics.rows.length - MOST;
  /** @type {(text: string, tip: string, click: () => void) => HTMLElement} */
  const button = (text, tip, click) => h("button", { class: "button", "data-tip": tip, on: { click } }, text);
  return h(
    "div",
    { class: "tl-range" },
    h(
      "header",
      null,
      h("h2", null, time(range.to - range.from), h("small", null, ` from ${momentText(range.from, 1000)} to ${momentText(range.to, 1000)}`)),
      button("Flame graph", "The flame graph of this time alone", () => guide.open("flame")),
      button("Table", "The table of this time alone", () => guide.open("table")),
      button("Callers, callees", "The butterfly of this time alone", () => guide.open("butterfly")),
      button("Clear", "Select nothing (Esc)", guide.clear),
    ),
    h("p", { class: "quiet tl-note" }, noteOf(statistics)),
    h(
      "table",
      { class: "tl-table" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "function"), ...heads)),
      body,
    ),
    more > 0 ? h("p", { class: "quiet" }, `${counted(more, "more function")}: the table has all`) : null,
  );
}

/**
 * What the figures are of, and what of them is not drawn.
 * @param {Statistics} statistics
 */
export function noteOf({ calls, own, waits, hidden, vague, least, resumes, widened, blurred, from, to, bin, partial }) {
  const notes = [`${counted(calls, "call")}${resumes ? " and resumes" : ""}, ${time(own)} of own time.`];
  if (widened) {
    notes.push(`The figures are of ${momentText(from, bin / 100)} to ${momentText(to, bin / 100)}: of whole steps of ${time(bin)}.`);
  }
  if (blurred !== "none") {
    const where = blurred === "ends" ? `at the ends of this time, for less than ${time(bin)}` : `here, for an exact step takes ${time(bin)}`;
    notes.push(`Calls shorter than ${time(least)} count for their callers ${where}.`);
  }
  if (hidden > 0) {
    notes.push(`${vague ? "At least " : ""}${counted(hidden, "call")} shorter than ${time(least)} are not drawn.`);
  }
  if (partial) {
    notes.push("The callers of some calls were not kept, so that cumulative times lack them.");
  }
  if (waits.length > 0) {
    const more = waits.length > FEW ? ` and ${counted(waits.length - FEW, "more thread")}` : "";
    notes.push(`Waited, in gaps: ${waits.slice(0, FEW).map(({ name, waited }) => `${name} ${time(waited)}`).join(", ")}${more}.`);
  }
  return notes.join(" ");
}

/**
 * @param {Statistics["rows"][number]} row
 * @param {Statistics} statistics
 * @param {Guide} guide
 */
function line({ row, calls, own, waited, cumulative }, statistics, { profile, choose }) {
  return h(
    "tr",
    null,
    h("td", null, h("button", { class: "link fn", "data-tip": profile.place(row), on: { click: () => choose(row) } }, profile.nameOf(row))),
    h("td", null, count(calls)),
    h("td", { "data-tip": exactTime(own) }, time(own), h("small", { class: "quiet" }, ` ${share(own, statistics.own)}`)),
    statistics.waits.length > 0 ? h("td", { "data-tip": exactTime(waited) }, waited > 0 ? time(waited) : "") : null,
    h("td", { "data-tip": exactTime(cumulative) }, time(cumulative)),
  );
}
