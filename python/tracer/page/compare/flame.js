// The differential flame graph: the call trees of two profiles as one, coloured by what changed.

import { choice } from "../flame/controls.js";
import { changePaints, shadesOf } from "../flame/colours.js";
import { ADVICE, Navigation } from "../flame/navigation.js";
import { Labels, rulerOf, spoken } from "../flame/labels.js";
import { Layout, widthsOf } from "../flame/layout.js";
import { heaviestFirst } from "../flame/order.js";
import { madeOnce } from "../made_once.js";
import { rearranged } from "../nodes.js";
import { fill, h } from "../ui/dom.js";
import { counted, count, share, time } from "../ui/format.js";
import { isDark } from "../ui/theme.js";
import { change, united } from "./matching.js";
import { figureText, ratioText } from "./table.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../flame/layout.js").Metric} Metric
 * @typedef {import("../nodes.js").Nodes} Nodes
 * @typedef {import("../ui/state.js").State} State
 * @typedef {import("./comparison.js").Comparison} Comparison
 * @typedef {{both: Nodes, before: Nodes, after: Nodes}} Trees
 * @typedef {keyof Trees} Width
 */

export class CompareFlame {
  /**
   * @param {App} app
   * @param {Comparison} comparison
   */
  constructor(app, comparison) {
    this.app = app;
    this.comparison = comparison;
    /** @type {Map<Metric, Trees>} */
    this.trees = new Map();
    /** @type {Trees | null} */
    this.shown = null;
    /** @type {Layout | null} */
    this.layout = null;
    this.boxes = "";
    this.drawn = "";
    this.navigation = new Navigation(app, "Differential flame graph", {
      keyOf: (row) => comparison.key(row),
      stateOf: (row) => this.#keyBefore(row),
      tipOf: (node) => this.#tip(node),
      lineOf: (node) => this.#line(node),
      entriesOf: (node) => this.#entries(node),
      walkTo: () => false,
      advice: () => ADVICE,
      rowSought: () => (app.selectedRow < 0 ? -1 : comparison.rows.before[app.selectedRow]),
    });
    const labels = (/** @type {number} */ row) => {
      const [profile, its] = comparison.place(row);
      return spoken(profile.nameOf(its), profile.moduleOf(its), profile.kindOf(its));
    };
    this.labels = new Labels(labels, rulerOf(this.navigation.chart.context));
    this.widths = choice(
      "What the width is",
      [
        ["", "Both", "As wide as before and after together: what is new and what is gone both have a box"],
        ["before", "Before", "As wide as it was before"],
        ["after", "After", "As wide as it is after"],
      ],
      (value) => app.set({ width: value, zoom: null }, { push: true }),
    );
    this.metric = choice(
      "Measured by",
      [
        ["", "Time", "Time (m)"],
        ["calls", "Calls", "Calls (m)"],
      ],
      (value) => app.set({ metric: value, zoom: null }, { push: true }),
    );
    app.keys.register("m", "Time or calls", () =>
      app.set({ metric: app.state.metric === "calls" ? null : "calls", zoom: null }, { push: true }),
    );
    this.legend = h("div", { class: "flame-legend" });
    this.controls = [this.metric.element, this.widths.element];
    this.elements = [this.navigation.line, this.navigation.chart.element, this.legend];
    this.repaint = () => {
      this.drawn = "";
      this.update(app.state);
    };
    document.addEventListener("themechange", this.repaint);
  }

  destroy() {
    document.removeEventListener("themechange", this.repaint);
    this.navigation.destroy();
  }

  /** @param {State} state */
  update(state) {
    /** @type {Metric} */
    const metric = state.metric === "calls" ? "calls" : "time";
    const width = state.width === "before" || state.width === "after" ? state.width : "both";
    const boxes = JSON.stringify([metric, width]);
    const drawn = JSON.stringify([boxes, state.search]);
    if (drawn !== this.drawn) {
      this.widths.reflect(width === "both" ? "" : width);
      this.metric.reflect(metric === "calls" ? "calls" : "");
      this.navigation.show(this.#scene(state, metric, width), metric, boxes === this.boxes);
      this.drawn = drawn;
      this.boxes = boxes;
    }
    this.navigation.goTo(state);
  }

  /**
   * @param {State} state
   * @param {Metric} metric
   * @param {Width} width
   * @returns {import("../flame/painter.js").Scene}
   */
  #scene(state, metric, width) {
    const { comparison } = this;
    const trees = this.#treesBy(metric);
    const [one, other] = [widthsOf(trees.before, metric), widthsOf(trees.after, metric)];
    const layout = new Layout(trees[width], widthsOf(trees[width], metric));
    const dark = isDark();
    const paintOf = changePaints(dark);
    this.shown = trees;
    this.layout = layout;
    this.#fillLegend(paintOf);
    const total = metric === "calls" ? count : time;
    return {
      layout,
      paintOf: (node) => paintOf(change(one[node], other[node])),
      labels: this.labels,
      rootLabel: `All · ${total(one[0])} before, ${total(other[0])} after`,
      wanted: state.search ? comparison.matches(state.search) : null,
      flipped: false,
      shades: { ...shadesOf(dark), found: null }, // what was found keeps the colour of its change
    };
  }

  /** @param {Metric} metric */
  #treesBy(metric) {
    return madeOnce(this.trees, metric, () => {
      const { before, after, rows } = this.comparison;
      const made = united(before.tree("all"), after.tree("all"), rows);
      const order = heaviestFirst(made.both, widthsOf(made.both, metric));
      return {
        both: rearranged(made.both, order),
        before: rearranged(made.before, order),
        after: rearranged(made.after, order),
      };
    });
  }

  /** @param {(change: number) => import("../flame/colours.js").Paint} paintOf */
  #fillLegend(paintOf) {
    const entries = /** @type {[string, number][]} */ ([
      ["gone", -1],
      ["half", -0.5],
      ["the same", 0],
      ["twice", 0.5],
      ["new", 1],
    ]).map(([name, amount]) => {
      const patch = h("i", { "aria-hidden": "true" });
      patch.style.background = paintOf(amount).fill;
      return h("span", { class: "flame-key" }, patch, h("span", null, name));
    });
    fill(this.legend, h("span", { class: "quiet" }, "After, to before"), ...entries);
  }

  /**
   * What the state may name a function by: views show the profile before.
   * @param {number} row
   */
  #keyBefore(row) {
    const { before, rows } = this.comparison;
    return rows.rowBefore[row] < 0 ? null : before.key(rows.rowBefore[row]);
  }

  /**
   * @param {number} node
   * @returns {[string, string]}
   */
  #line(node) {
    const { before, after } = /** @type {Trees} */ (this.shown);
    const { row, depth } = before;
    const [one, other] = [before.total[node], after.total[node]];
    const calls = `${count(before.calls[node])} → ${counted(after.calls[node], "call")}`;
    const ratio = ratioText(other / one);
    const parts = [`${time(one)} → ${time(other)}`, figureText("tottime", other - one, true), ratio, calls];
    if (node === 0) {
      return ["All", parts.slice(0, 3).join(" · ")];
    }
    return [this.comparison.label(row[node]), [...parts, `level ${depth[node]}`].join(" · ")];
  }

  /** @param {number} node */
  #tip(node) {
    const { comparison } = this;
    const { before, after } = /** @type {Trees} */ (this.shown);
    /** @type {[string, number, number, (figure: number) => string, "tottime" | "ncalls"][]} */
    const figures = [
      ["Time", before.total[node], after.total[node], nanoseconds, "tottime"],
      ["Own time", before.self[node], after.self[node], nanoseconds, "tottime"],
      ["Calls", before.calls[node], after.calls[node], count, "ncalls"],
    ];
    const rows = figures.map(([name, one, other, text, metric]) =>
      h(
        "tr",
        null,
        h("th", { scope: "row" }, name),
        h("td", null, text(one)),
        h("td", null, text(other)),
        h("td", null, figureText(metric, other - one, true)),
        h("td", { class: "quiet" }, ratioText(other / one)),
      ),
    );
    const path = node > 0 ? before.path(node).slice(0, -1) : [];
    return h(
      "div",
      { class: "flame-tip" },
      h("strong", null, node === 0 ? "All" : comparison.label(before.row[node])),
      h(
        "table",
        null,
        h(
          "tr",
          null,
          ...["", "before", "after", "change", ""].map((head) => h("th", { scope: "col" }, head)),
        ),
        ...rows,
      ),
      h(
        "div",
        { class: "quiet" },
        `${share(before.total[node], before.total[0]) || "0%"} of all before, ${share(after.total[node], after.total[0]) || "0%"} after`,
      ),
      path.length > 0 && h("div", { class: "quiet" }, "called by way of"),
      h("ol", null, ...path.slice(-12).map((row) => h("li", null, comparison.label(row)))),
    );
  }

  /** @param {number} node */
  #entries(node) {
    const { app } = this;
    if (node === 0) {
      return [];
    }
    const row = /** @type {Layout} */ (this.layout).tree.row[node];
    const [profile, its] = this.comparison.place(row);
    const key = this.#keyBefore(row);
    const search = { search: profile.nameOf(its) };
    const entries = [
      { text: "Find its other boxes", action: () => app.set(search, { push: true }) },
      { text: "Open in the table of both", action: () => app.set({ ...search, mode: null }, { push: true }) },
    ];
    if (key !== null) {
      entries.push({ text: "Open before in butterfly", action: () => app.open("butterfly", { row: key }) });
    }
    return entries;
  }
}

/** @param {number} ns */
const nanoseconds = (ns) => `${count(ns)} ns`;
