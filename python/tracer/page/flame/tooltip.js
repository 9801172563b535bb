// What is told of a box: in a tooltip with exact figures and the path, and in a sentence that is
// read aloud.

import { h } from "../ui/dom.js";
import { count, counted, exactTime, share, time } from "../ui/format.js";
import { areWaitsShown, worked } from "../waits.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./layout.js").Metric} Metric
 * @typedef {{profile: Profile, figures: import("../profile.js").Figures, layout: Layout, metric: Metric,
 *   inverted: boolean, of: number}} Shown
 *   of: the function whose calls are merged, -1: there is none
 */

const LONGEST_PATH = 12; // functions of a path that a tooltip has

/**
 * @param {Shown} shown
 * @param {number} node
 * @returns {HTMLElement}
 */
export const tipOf = (shown, node) => tipWith(figuresOf(shown, node), shown, node);

/**
 * A tooltip with figures and the path.
 * @param {[name: string, figure: string, part: string][]} figures
 * @param {Shown} shown
 * @param {number} node
 */
export function tipWith(figures, shown, node) {
  const { profile, layout, of } = shown;
  const row = node === 0 ? of : layout.tree.row[node];
  const cells = figures.map(([name, figure, part]) =>
    h("tr", null, h("th", { scope: "row" }, name), h("td", null, figure), h("td", { class: "quiet" }, part)),
  );
  return h(
    "div",
    { class: "flame-tip" },
    h("strong", null, row < 0 ? "All" : profile.nameOf(row)),
    row >= 0 && h("div", { class: "quiet" }, placeOf(profile, row)),
    h("table", null, ...cells),
    row >= 0 && pathList(shown, node),
  );
}

/**
 * Whether a box has figures of the function that its path upward began with, and not its own.
 * @param {Shown} shown
 * @param {number} node
 */
export const isOfCallee = ({ layout, inverted }, node) => inverted || layout.isAbove(node);

/**
 * @param {Profile} profile
 * @param {number} row
 */
function placeOf(profile, row) {
  const place = profile.place(row);
  return place === "" ? "builtin" : place;
}

/**
 * @param {Shown} shown
 * @param {number} node
 */
function figuresOf(shown, node) {
  const { tree } = shown.layout;
  const { inverted, of } = shown;
  const ofCallee = isOfCallee(shown, node);
  /** @type {[string, string, string][]} */
  const figures = [];
  const above = tree.parent[node];
  const whole = tree.total[0];
  const calls = ofCallee ? tree.totalCalls[node] : tree.calls[node];
  const { samples } = shown.profile;
  figures.push([inverted ? "Own time" : "Time", exactTime(tree.total[node]), share(tree.total[node], whole)]);
  if (samples !== null) {
    figures.push(["+-", exactTime(samples.error(tree.total[node])), ""]);
  }
  if (above > 0) {
    figures.push([ofCallee ? "of the callee's" : "of its caller's", share(tree.total[node], tree.total[above]), ""]);
  }
  const hasWaits = areWaitsShown(shown.figures);
  if (hasWaits) {
    const [total, waited] = [tree.total[node], tree.totalWaited[node]];
    figures.push(["busy", exactTime(worked(total, waited)), share(worked(total, waited), total)]);
    figures.push(["waited", exactTime(waited), share(waited, total)]);
  }
  if (!ofCallee) {
    figures.push(["Own time", exactTime(tree.self[node]), share(tree.self[node], whole)]);
  }
  if (hasWaits && !ofCallee && tree.waited[node] > 0) {
    figures.push(["waited", exactTime(tree.waited[node]), share(tree.waited[node], tree.self[node])]);
  }
  if ((node > 0 || of >= 0) && samples === null) {
    figures.push(["Calls", count(calls), of >= 0 ? "" : share(calls, tree.totalCalls[0])]);
  }
  if (!ofCallee && tree.resumes[node] > 0) {
    figures.push(["Resumes", count(tree.resumes[node]), ""]);
  }
  if (calls > 0 && (node > 0 || of >= 0)) {
    figures.push([inverted ? "Own time a call" : "Time a call", time(tree.total[node] / calls), ""]);
  }
  const row = node > 0 ? tree.row[node] : of;
  if (row >= 0 && shown.figures.longest[row] > 0) {
    figures.push(["Longest call", ...longestOf(shown.figures, row)]);
  }
  return figures;
}

/**
 * How long the longest stretch of a function was, from a call or resume on, and when it was.
 * @param {import("../profile.js").Figures} figures
 * @param {number} row
 * @returns {[string, string]}
 */
export function longestOf({ longest, longest_at: at }, row) {
  return [time(longest[row]), at[row] > 0 ? `${time(at[row])} into the run` : "at the start of the run"];
}

/**
 * @param {Shown} shown
 * @param {number} node
 */
function pathList(shown, node) {
  const { profile, layout, of } = shown;
  const between = layout.tree.path(node).slice(0, -1);
  const path = of >= 0 && node > 0 ? [of, ...between] : between;
  if (path.length === 0) {
    return null;
  }
  const left = Math.max(0, path.length - LONGEST_PATH);
  const names = path.slice(left).map((row) => h("li", null, profile.label(row)));
  return h(
    "div",
    { class: "path" },
    h("div", { class: "quiet" }, isOfCallee(shown, node) ? "calls, by way of" : "called by way of"),
    h("ol", null, left > 0 && h("li", { class: "quiet" }, `${counted(left, "function")} before`), ...names),
  );
}

/**
 * A box in a line: its name, and the rest.
 * @param {Shown} shown
 * @param {number} node
 * @returns {[name: string, rest: string]}
 */
export function lineOf(shown, node) {
  const { profile, layout, metric, of } = shown;
  const { tree } = layout;
  const ofCallee = isOfCallee(shown, node);
  const row = node === 0 ? of : tree.row[node];
  if (row < 0) {
    const busy = metric === "busy" ? " busy" : "";
    return ["All", metric === "calls" ? counted(tree.totalCalls[0], "call") : `${time(layout.width)}${busy}`];
  }
  const part = share(layout.value[node], layout.width);
  const parts = [`${time(tree.total[node])}${metric === "time" ? ` (${part})` : ""}`];
  if (metric === "busy") {
    parts.unshift(`${time(layout.value[node])} busy (${part})`);
  }
  if (metric === "calls") {
    parts.unshift(`${counted(layout.value[node], "call")}${ofCallee ? "" : " in it and below"} (${part})`);
  }
  if (!ofCallee) {
    parts.push(`own ${time(tree.self[node])}`);
  }
  if (metric !== "busy" && areWaitsShown(shown.figures) && tree.totalWaited[node] > 0) {
    parts.push(`waited ${time(tree.totalWaited[node])}`);
  }
  if (metric !== "calls" && profile.samples === null) {
    parts.push(counted(ofCallee ? tree.totalCalls[node] : tree.calls[node], "call"));
  }
  if (of < 0) {
    parts.push(`level ${tree.depth[node]}`);
  }
  return [profile.label(row), parts.join(" · ")];
}

/**
 * The path as lines of text.
 * @param {Shown} shown
 * @param {number} node
 */
export function pathText({ profile, layout, of }, node) {
  const path = layout.tree.path(node);
  return (of >= 0 ? [of, ...path] : path)
    .map((row) => profile.label(row))
    .join("\n");
}
