// Words of a flame graph of amounts that are no times: of memory, and of CPU time by samples.

import { count, share } from "../ui/format.js";
import { isOfCallee, tipWith } from "./tooltip.js";

/**
 * @typedef {import("./tooltip.js").Shown} Shown
 * @typedef {import("./words.js").Words} Words
 * @typedef {Omit<Words, "calls" | "callsOf" | "tipOf" | "lineOf"> & Told} Amounts
 * @typedef {object} Told
 * @property {string} title  of an amount, in a tooltip
 * @property {string} things  that stand in the place of calls: their title
 * @property {(amount: number) => string} exact
 * @property {(things: number) => string} counted
 * @property {(shown: Shown, node: number) => [name: string, figure: string, part: string][]} [more]  of the tooltip
 */

/**
 * @param {Amounts} told
 * @returns {Words}
 */
export function wordsOfAmounts(told) {
  return {
    ...told,
    calls: told.counted,
    callsOf: ({ totalCalls }) => totalCalls[0],
    tipOf: (shown, node) => tipWith(figuresOf(told, shown, node), shown, node),
    lineOf: (shown, node) => lineOf(told, shown, node),
  };
}

/**
 * @param {Amounts} told
 * @param {Shown} shown
 * @param {number} node
 */
function figuresOf(told, shown, node) {
  const { tree } = shown.layout;
  const ofCallee = isOfCallee(shown, node);
  const above = tree.parent[node];
  const [whole, total] = [tree.total[0], tree.total[node]];
  /** @type {[string, string, string][]} */
  const figures = [[told.title, told.exact(total), share(total, whole)]];
  if (above > 0) {
    figures.push([ofCallee ? "of the callee's" : "of its caller's", share(total, tree.total[above]), ""]);
  }
  figures.push([told.things, count(tree.totalCalls[node]), share(tree.totalCalls[node], tree.totalCalls[0])]);
  if (!ofCallee) {
    figures.push([told.own, told.exact(tree.self[node]), share(tree.self[node], whole)]);
    figures.push([`Own ${told.things.toLowerCase()}`, count(tree.calls[node]), ""]);
  }
  figures.push(...(told.more?.(shown, node) ?? []));
  return figures;
}

/**
 * @param {Amounts} told
 * @param {Shown} shown
 * @param {number} node
 * @returns {[name: string, rest: string]}
 */
function lineOf(told, shown, node) {
  const { profile, layout, metric, of } = shown;
  const { tree } = layout;
  const row = node === 0 ? of : tree.row[node];
  if (row < 0) {
    return ["All", metric === "calls" ? told.counted(tree.totalCalls[0]) : told.amount(layout.width)];
  }
  const part = ` (${share(layout.value[node], layout.width)})`;
  const isByAmount = metric !== "calls";
  const parts = [
    `${told.amount(tree.total[node])}${isByAmount ? part : ""}`,
    `${told.counted(tree.totalCalls[node])}${isByAmount ? "" : part}`,
  ];
  if (!isOfCallee(shown, node)) {
    parts.push(`own ${told.amount(tree.self[node])}`);
  }
  return [profile.label(row), (isByAmount ? parts : [parts[1], parts[0], ...parts.slice(2)]).join(" · ")];
}
