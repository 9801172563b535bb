// Words of a flame graph of amounts that are no times: of memory, and of CPU time by samples.

import { count, share } from "../ui/format.js";
import { isOfCallee, tipWith } from "./tooltip.js";

/**
 * @typedef {import("./tooltip.js").Shown} Shown
 * @typedef {import("./words.js").Words} Words
 * @typedef {Omit<Words, "calls" | "callsOf" | "tipOf" | "lineOf"> & AmountTexts} Amounts
 * @typedef {object} AmountTexts
 * @property {string} title  of an amount, in a tooltip
 * @property {string} things  that stand in the place of calls: their title
 * @property {(amount: number) => string} exact
 * @property {(things: number) => string} counted
 * @property {(shown: Shown, node: number) => [name: string, figure: string, part: string][]} [more]  of the tooltip
 */

/**
 * @param {Amounts} amounts
 * @returns {Words}
 */
export function wordsOfAmounts(amounts) {
  return {
    ...amounts,
    calls: amounts.counted,
    callsOf: ({ totalCalls }) => totalCalls[0],
    tipOf: (shown, node) => tipWith(figuresOf(amounts, shown, node), shown, node),
    lineOf: (shown, node) => lineOf(amounts, shown, node),
  };
}

/**
 * @param {Amounts} amounts
 * @param {Shown} shown
 * @param {number} node
 */
function figuresOf(amounts, shown, node) {
  const { tree } = shown.layout;
  const ofCallee = isOfCallee(shown, node);
  const above = tree.parent[node];
  const [whole, total] = [tree.total[0], tree.total[node]];
  /** @type {[string, string, string][]} */
  const figures = [[amounts.title, amounts.exact(total), share(total, whole)]];
  if (above > 0) {
    figures.push([ofCallee ? "of the callee's" : "of its caller's", share(total, tree.total[above]), ""]);
  }
  figures.push([amounts.things, count(tree.totalCalls[node]), share(tree.totalCalls[node], tree.totalCalls[0])]);
  if (!ofCallee) {
    figures.push([amounts.own, amounts.exact(tree.self[node]), share(tree.self[node], whole)]);
    figures.push([`Own ${amounts.things.toLowerCase()}`, count(tree.calls[node]), ""]);
  }
  figures.push(...(amounts.more?.(shown, node) ?? []));
  return figures;
}

/**
 * @param {Amounts} amounts
 * @param {Shown} shown
 * @param {number} node
 * @returns {[name: string, rest: string]}
 */
function lineOf(amounts, shown, node) {
  const { profile, layout, metric, of } = shown;
  const { tree } = layout;
  const row = node === 0 ? of : tree.row[node];
  if (row < 0) {
    return ["All", metric === "calls" ? amounts.counted(tree.totalCalls[0]) : amounts.amount(layout.width)];
  }
  const part = ` (${share(layout.value[node], layout.width)})`;
  const isByAmount = metric !== "calls";
  const parts = [
    `${amounts.amount(tree.total[node])}${isByAmount ? part : ""}`,
    `${amounts.counted(tree.totalCalls[node])}${isByAmount ? "" : part}`,
  ];
  if (!isOfCallee(shown, node)) {
    parts.push(`own ${amounts.amount(tree.self[node])}`);
  }
  return [profile.label(row), (isByAmount ? parts : [parts[1], parts[0], ...parts.slice(2)]).join(" · ")];
}
