// How memory is told: in the flame graph and the table, and in the sentence above them.

import { isOfCallee, pathList, placeOf } from "../flame/tooltip.js";
import { h } from "../ui/dom.js";
import { bytes, count, counted, exactBytes, share } from "../ui/format.js";

/**
 * @typedef {import("../container.js").Measure} Measure
 * @typedef {import("../flame/tooltip.js").Shown} Shown
 * @typedef {import("../flame/words.js").Words} Words
 */

/**
 * A measure: its button, its key in a sentence, and its columns.
 * @type {Record<Measure, {title: string, column: string, about: string, tip: string}>}
 */
const TOLD = {
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
export const toldOf = (measure, isRunning) => (measure === "live" && isRunning ? NOW : TOLD[measure]);

/** @param {number} number */
export const blocks = (number) => counted(number, "block");

/**
 * The words of a flame graph of this measure.
 * @param {Measure} measure
 * @param {boolean} [isRunning]  whether the program is
 * @returns {Words}
 */
export function wordsOf(measure, isRunning = false) {
  return {
    of: "memory",
    own: "Own memory",
    none: measure === "temporary" ? "No function had temporary memory." : "No function has memory to show.",
    amount: bytes,
    calls: blocks,
    callsOf: ({ totalCalls }) => totalCalls[0],
    kinds: "Bytes or blocks",
    widths: [
      ["", "Bytes", "As wide as its bytes (m)"],
      ["calls", "Blocks", "As wide as its blocks (m)"],
    ],
    tipOf: (shown, node) => tipOf(shown, node, toldOf(measure, isRunning).title),
    lineOf,
  };
}

/**
 * @param {Shown} shown
 * @param {number} node
 * @param {string} title  of the measure
 */
function tipOf(shown, node, title) {
  const { profile, layout, of } = shown;
  const row = node === 0 ? of : layout.tree.row[node];
  return h(
    "div",
    { class: "flame-tip" },
    h("strong", null, row < 0 ? "All" : profile.nameOf(row)),
    row >= 0 && h("div", { class: "quiet" }, placeOf(profile, row)),
    figureList(shown, node, title),
    row >= 0 && pathList(shown, node),
  );
}

/**
 * @param {Shown} shown
 * @param {number} node
 * @param {string} title  of the measure
 */
function figureList(shown, node, title) {
  const { tree } = shown.layout;
  const ofCallee = isOfCallee(shown, node);
  const above = tree.parent[node];
  const [whole, total] = [tree.total[0], tree.total[node]];
  /** @type {[string, string, string][]} */
  const figures = [[title, exactBytes(total), share(total, whole)]];
  if (above > 0) {
    figures.push([ofCallee ? "of the callee's" : "of its caller's", share(total, tree.total[above]), ""]);
  }
  figures.push(["Blocks", count(tree.totalCalls[node]), share(tree.totalCalls[node], tree.totalCalls[0])]);
  if (!ofCallee) {
    figures.push(["Own memory", exactBytes(tree.self[node]), share(tree.self[node], whole)]);
    figures.push(["Own blocks", count(tree.calls[node]), ""]);
  }
  const cells = figures.map(([name, figure, part]) =>
    h("tr", null, h("th", { scope: "row" }, name), h("td", null, figure), h("td", { class: "quiet" }, part)),
  );
  return h("table", null, ...cells);
}

/**
 * @param {Shown} shown
 * @param {number} node
 * @returns {[name: string, rest: string]}
 */
function lineOf(shown, node) {
  const { profile, layout, metric, of } = shown;
  const { tree } = layout;
  const row = node === 0 ? of : tree.row[node];
  if (row < 0) {
    return ["All", metric === "calls" ? blocks(tree.totalCalls[0]) : bytes(layout.width)];
  }
  const part = ` (${share(layout.value[node], layout.width)})`;
  const isByBytes = metric !== "calls";
  const parts = [
    `${bytes(tree.total[node])}${isByBytes ? part : ""}`,
    `${blocks(tree.totalCalls[node])}${isByBytes ? "" : part}`,
  ];
  if (!isOfCallee(shown, node)) {
    parts.push(`own ${bytes(tree.self[node])}`);
  }
  return [profile.label(row), (isByBytes ? parts : [parts[1], parts[0], ...parts.slice(2)]).join(" · ")];
}
