// What is told of a box: in a tooltip with exact figures and the path, and in a sentence that is
// read aloud.

import { h } from "../ui/dom.js";
import { count, counted, exactTime, share, time } from "../ui/format.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./layout.js").Metric} Metric
 * @typedef {{profile: Profile, layout: Layout, metric: Metric, inverted: boolean}} Shown
 */

const LONGEST_PATH = 12; // functions of a path that a tooltip has

/**
 * @param {Shown} shown
 * @param {number} node
 * @returns {HTMLElement}
 */
export function tipOf({ profile, layout, inverted }, node) {
  const { tree } = layout;
  if (node === 0) {
    return h("div", { class: "flame-tip" }, h("strong", null, "All"), figureList(layout, 0, inverted));
  }
  const row = tree.row[node];
  return h(
    "div",
    { class: "flame-tip" },
    h("strong", null, profile.nameOf(row)),
    h("div", { class: "quiet" }, placeOf(profile, row)),
    figureList(layout, node, inverted),
    pathList(profile, layout, node, inverted),
  );
}

/**
 * @param {Profile} profile
 * @param {number} row
 */
export function placeOf(profile, row) {
  const place = profile.place(row);
  return place === "" ? "builtin" : place;
}

/**
 * @param {Layout} layout
 * @param {number} node
 * @param {boolean} inverted
 */
function figureList({ tree }, node, inverted) {
  /** @type {[string, string, string][]} */
  const figures = [];
  const above = tree.parent[node];
  const whole = tree.total[0];
  const calls = inverted ? tree.totalCalls[node] : tree.calls[node];
  figures.push([inverted ? "Own time" : "Time", exactTime(tree.total[node]), share(tree.total[node], whole)]);
  if (above > 0) {
    figures.push([
      inverted ? "of the callee's" : "of its caller's",
      share(tree.total[node], tree.total[above]),
      "",
    ]);
  }
  if (!inverted) {
    figures.push(["Own time", exactTime(tree.self[node]), share(tree.self[node], whole)]);
  }
  if (node > 0) {
    figures.push(["Calls", count(calls), share(calls, tree.totalCalls[0])]);
  }
  if (!inverted && tree.resumes[node] > 0) {
    figures.push(["Resumes", count(tree.resumes[node]), ""]);
  }
  if (calls > 0 && node > 0) {
    figures.push([inverted ? "Own time a call" : "Time a call", time(tree.total[node] / calls), ""]);
  }
  return h(
    "table",
    null,
    ...figures.map(([name, figure, part]) =>
      h(
        "tr",
        null,
        h("th", { scope: "row" }, name),
        h("td", null, figure),
        h("td", { class: "quiet" }, part),
      ),
    ),
  );
}

/**
 * @param {Profile} profile
 * @param {Layout} layout
 * @param {number} node
 * @param {boolean} inverted
 */
function pathList(profile, { tree }, node, inverted) {
  const path = tree.path(node).slice(0, -1);
  if (path.length === 0) {
    return null;
  }
  const left = Math.max(0, path.length - LONGEST_PATH);
  const names = path.slice(left).map((row) => h("li", null, profile.label(row)));
  return h(
    "div",
    { class: "path" },
    h("div", { class: "quiet" }, inverted ? "calls, by way of" : "called by way of"),
    h("ol", null, left > 0 && h("li", { class: "quiet" }, `${counted(left, "function")} before`), ...names),
  );
}

/**
 * A box in a line: its name, and the rest.
 * @param {Shown} shown
 * @param {number} node
 * @returns {[name: string, rest: string]}
 */
export function lineOf({ profile, layout, metric, inverted }, node) {
  const { tree } = layout;
  if (node === 0) {
    return ["All", metric === "calls" ? counted(tree.totalCalls[0], "call") : time(tree.total[0])];
  }
  const part = share(layout.value[node], layout.width);
  const parts = [`${time(tree.total[node])}${metric === "time" ? ` (${part})` : ""}`];
  if (metric === "calls") {
    parts.unshift(`${counted(layout.value[node], "call")}${inverted ? "" : " in it and below"} (${part})`);
  }
  if (!inverted) {
    parts.push(`own ${time(tree.self[node])}`);
  }
  if (metric === "time") {
    parts.push(counted(inverted ? tree.totalCalls[node] : tree.calls[node], "call"));
  }
  parts.push(`level ${tree.depth[node]}`);
  return [profile.label(tree.row[node]), parts.join(" · ")];
}

/**
 * The path as lines of text.
 * @param {Shown} shown
 * @param {number} node
 */
export function pathText({ profile, layout }, node) {
  return layout.tree
    .path(node)
    .map((row) => profile.label(row))
    .join("\n");
}
