// The elements of a line of source: its figures, and its text in colours.

import { h } from "../ui/dom.js";
import { bytes, counted, exactBytes, exactTime, share, shortCount, time } from "../ui/format.js";

/** @typedef {import("./heat.js").LineHeat} LineHeat */
/** @typedef {import("./heat.js").Memory} Memory */

/** @param {string} text */
export const indentOf = (text) => Math.max(0, text.search(/\S/));

/**
 * A column of figures beside the lines.
 * @typedef {{title: string, about: string, width: number, cell: (line: LineHeat, look: Look) =>
 *   [text: string, tip: string], isOn?: (line: LineHeat) => boolean}} Column   isOn: whether the line has some; a
 *   column of which no line has any is left out
 * @typedef {{warmth: number, total: number}} Look   the time by which a line is coloured, and that of
 *   the run; 0: not known
 */

/**
 * How often a line was reached; "" where that is not known.
 * @param {LineHeat} line
 */
export function hitsTold({ hits, isCounted }) {
  if (isCounted) {
    return counted(hits, "hit");
  }
  return hits > 0 ? `${counted(hits, "hit")} at least` : "";
}

/** @type {Column[]} */
const ALWAYS = [
  {
    title: "Hits",
    about: "How often the line was reached",
    width: 66,
    cell: hitsCell,
  },
  { title: "Time", about: "With all that it calls", width: 76, cell: timeCell },
  {
    title: "%",
    about: "The time by which lines are coloured, of the whole run",
    width: 56,
    cell: (_, { warmth, total }) => (total > 0 && warmth > 0 ? [share(warmth, total), `${exactTime(warmth)} of ${time(total)}`] : ["", ""]),
  },
];

/** Where the parts of any line's time are known. @type {Column[]} */
const PARTS = [
  {
    title: "Own",
    about: "Neither in Python functions that it calls, nor in C",
    width: 76,
    cell: ({ own }) => part(own),
  },
  {
    title: "In C",
    about: "In C callables that it calls, and in Python functions that these call back",
    width: 76,
    cell: ({ inC }) => part(inC),
  },
];

/** Where any line waited. @type {Column} */
const WAITED = {
  title: "Waited",
  about: "The part of Time in which the thread did not run: it slept, or waited for a lock, I/O or the GIL",
  width: 76,
  cell: ({ waited, time: all }) => (waited > 0 ? [time(waited), `${exactTime(waited)}\n${share(waited, all)} of its time`] : ["", ""]),
};

/** Where a coroutine was suspended at any line. @type {Column} */
const SUSPENDED = {
  title: "Suspended",
  about: "While a coroutine waited there; in no other time",
  width: 84,
  cell: ({ suspended }) => (suspended > 0 ? [time(suspended), exactTime(suspended)] : ["", ""]),
};

/** Where native samples fell on lines. @type {Column[]} */
const SAMPLED = /** @type {["python" | "native", string, string][]} */ ([
  ["python", "Python", "CPU time in the interpreter's own loop"],
  ["native", "Native", "CPU time in native code"],
]).map(([key, title, about]) => ({
  title,
  about: `${about}, by samples: on the line, or in functions that it calls and that are not timed by line`,
  width: 76,
  cell: ({ [key]: figure }) => (figure ? [time(figure), `${exactTime(figure)}, by samples`] : ["", ""]),
  isOn: ({ python, native }) => (python ?? 0) + (native ?? 0) > 0,
}));

/** Where the memory of lines is known. @type {Column[]} */
const MEMORY = /** @type {[keyof Memory, string, string][]} */ ([
  ["peak", "At peak", "Bytes allocated on the line that were live when the program had the most"],
  ["live", "At end", "Bytes allocated on the line that were live when recording ended, or are live now"],
  ["allocated", "Allocated", "Bytes allocated on the line, live or not"],
]).map(([key, title, about]) => ({
  title,
  about,
  width: 76,
  cell: ({ memory }) => (memory && memory[key] > 0 ? [bytes(memory[key]), exactBytes(memory[key])] : ["", ""]),
  isOn: ({ memory }) => memory !== undefined && memory[key] > 0,
}));

const NUMBER = 52; // pixels of a line's number

/**
 * The columns that a file's lines have; none where no line was timed.
 * @param {import("./heat.js").FileHeat} heat
 * @returns {Column[]}
 */
export function columnsOf({ timed, hasSuspended, hasWaits, hasParts, largest }) {
  const more = [...(hasParts ? PARTS : []), ...(hasWaits ? [WAITED] : []), ...(hasSuspended ? [SUSPENDED] : []), ...SAMPLED, ...(largest >= 0 ? MEMORY : [])];
  const lines = [...timed.values()];
  return timed.size === 0 ? [] : [...ALWAYS, ...more.filter(({ isOn }) => isOn === undefined || lines.some(isOn))];
}

/**
 * Says in the style of an element how wide the columns are, together and each.
 * @param {HTMLElement} element
 * @param {Column[]} columns
 */
export function measureColumns(element, columns) {
  const widths = [...columns.map(({ width }) => width), columns.length > 0 ? NUMBER : NUMBER + 10];
  element.style.setProperty("--columns", widths.map((width) => `${width}px`).join(" "));
  element.style.setProperty("--figures", `${widths.reduce((sum, width) => sum + width, 0)}px`);
}

/** @param {Column[]} columns */
export function lineHeads(columns) {
  const heads = columns.map(({ title, about }) => h("span", { class: "figure", role: "columnheader", "data-tip": about }, title));
  return h("div", { class: "code-head", role: "row" }, besideCode(heads, h("span", { class: "number" })), h("span"));
}

/**
 * What stays beside the code while that scrolls: the figures of a line, and its number.
 * @param {HTMLElement[]} figures
 * @param {HTMLElement} number
 */
const besideCode = (figures, number) => h("div", { class: "beside-code", role: "presentation" }, ...figures, number);

/**
 * A line: its figures, its number, and its text.
 * @param {number} number
 * @param {HTMLElement[]} figures
 * @param {(HTMLElement | string)[]} text
 * @param {number} heat  from 0 to 1
 */
export function codeLine(number, figures, text, heat) {
  const beside = besideCode(figures, h("span", { class: "number", role: "rowheader" }, number));
  const element = h("div", { class: "code-line", role: "row", "data-line": number }, beside, h("code", { role: "gridcell" }, ...text));
  if (heat > 0) {
    element.style.setProperty("--heat", heat.toFixed(3));
  }
  return element;
}

/**
 * @param {Column[]} columns
 * @param {LineHeat | undefined} timed
 * @param {Look} look
 */
export function lineCells(columns, timed, look) {
  return columns.map(({ cell }) => {
    const [text, tip] = timed === undefined ? ["", ""] : cell(timed, look);
    return h("span", { class: "figure", role: "gridcell", "data-tip": tip || null }, text);
  });
}

/**
 * @param {LineHeat} line
 * @returns {[string, string]}
 */
function hitsCell(line) {
  const told = hitsTold(line);
  return told === "" ? ["", "Not counted"] : [`${shortCount(line.hits)}${line.isCounted ? "" : "+"}`, told];
}

/**
 * @param {LineHeat} line
 * @returns {[string, string]}
 */
function timeCell({ hits, time: all, whole, error, isCounted }) {
  const details = [
    exactTime(all),
    error !== null && `+- ${time(error)}`,
    `${share(all, whole)} of its function`,
    hits > 0 && isCounted && `${time(all / hits)} a hit`,
  ];
  return [time(all), details.filter(Boolean).join("\n")];
}

/**
 * @param {number | null} figure
 * @returns {[string, string]}
 */
const part = (figure) => (figure === null ? ["", "Not known"] : [time(figure), exactTime(figure)]);

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
