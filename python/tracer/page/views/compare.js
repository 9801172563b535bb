// Two profiles beside each other: the table of what changed, and the differential flame graph.
// Functions are matched by module and qualified name, so that other checkouts make no difference.

import { Comparison } from "../compare/comparison.js";
import { CompareFlame } from "../compare/flame.js";
import { CompareTable, figureText, ratioText } from "../compare/table.js";
import { choice } from "../flame/controls.js";
import { fill, h } from "../ui/dom.js";
import { count, counted, shortCount, time } from "../ui/format.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../ui/state.js").State} State
 */

const WAITED =
  "The calls are as many, and the processor worked for less of the real time: the program waited, or the machine was busy.";

/** @type {WeakMap<Profile, Comparison>} by the profile before: it takes a while */
const made = new WeakMap();

/** @type {import("../app.js").View} */
export const compare = {
  name: "compare",
  title: "Compare",
  key: "c",
  searches: "shows what matches",
  whole: true,
  available: (app) => app.other !== null,
  mount: (host, app) => new CompareView(host, app),
};

class CompareView {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   */
  constructor(host, app) {
    this.app = app;
    const before = app.profile;
    const after = /** @type {Profile} */ (app.other);
    this.comparison = made.get(before) ?? new Comparison(before, after);
    made.set(before, this.comparison);
    this.mode = choice(
      "Shown as",
      [
        ["", "Table", "The table of functions (g)"],
        ["flame", "Flame graph", "The differential flame graph (g)"],
      ],
      (value) => app.set({ mode: value }, { push: true }),
    );
    this.standing = choice(
      "Which functions",
      /** @type {[string, string][]} */ ([
        ["", "All"],
        ...["changed", "new", "gone"].map((name) => [
          name,
          `${name[0].toUpperCase()}${name.slice(1)} ${shortCount(this.#number(name))}`,
        ]),
      ]),
      (value) => app.set({ standing: value }, { push: true }),
    );
    this.toolbar = h("div", { class: "toolbar wrapped" });
    this.body = h("div", { class: "compare-body" });
    fill(host, this.#summary(), this.toolbar, this.body);
    /** @type {CompareTable | null} */
    this.table = null;
    /** @type {CompareFlame | null} */
    this.flame = null;
    this.seen = ""; // what of the state the table was made for
    this.selected = -1; // a row in common
  }

  /** @param {string} standing */
  #number(standing) {
    const { comparison } = this;
    return comparison.functions.filter((row) => comparison.standing(row) === standing).length;
  }

  destroy() {
    this.table?.destroy();
    this.flame?.destroy();
  }

  #summary() {
    const { before, after, totals, hasWaited } = this.comparison;
    /** @type {(name: string, figure: "tottime" | "ncalls" | "real", text: (figure: number) => string) => HTMLElement | null} */
    const sum = (name, figure, text) => {
      const [one, other] = totals[figure];
      if (figure === "real" && !(one > 0 && other > 0)) {
        return null; // a run of which the time is not known
      }
      const told = `${figureText(figure === "ncalls" ? figure : "tottime", other - one, true)} ${ratioText(other / one)}`.replace(
        "– –",
        "the same",
      );
      return h(
        "p",
        null,
        h("span", { class: "quiet" }, `${name} `),
        `${text(one)} → `,
        h("b", null, text(other)),
        h("span", { class: other > one ? "grown" : other < one ? "shrunk" : "quiet" }, `  ${told}`),
      );
    };
    return h(
      "div",
      { class: "compare-sum" },
      h(
        "p",
        { class: "sides" },
        h("b", null, before.name || "before"),
        " → ",
        h("b", null, after.name || "after"),
      ),
      sum("real time", "real", time),
      sum("tottime", "tottime", time),
      sum("calls", "ncalls", count),
      h("p", { class: "quiet" }, counted(this.comparison.functions.length, "function")),
      hasWaited && h("p", { class: "quiet" }, WAITED),
      ...after.facts.unlike.map((told) => h("p", { class: "quiet" }, `${told[0].toUpperCase()}${told.slice(1)}.`)),
    );
  }

  /** @param {State} state */
  update(state) {
    const flame = state.mode === "flame";
    if (flame ? this.flame === null : this.table === null) {
      this.#open(flame);
    }
    this.mode.reflect(flame ? "flame" : "");
    this.standing.reflect(state.standing ?? "");
    this.flame?.update(state);
    const seen = JSON.stringify([state.sort, state.standing, state.search]);
    if (this.table !== null && seen !== this.seen) {
      this.seen = seen;
      this.table.update(state);
    }
  }

  /** @param {boolean} flame */
  #open(flame) {
    const { app, comparison } = this;
    this.destroy();
    this.table = null;
    this.flame = null;
    this.seen = "";
    app.keys.change(compare.title); // the other's keys go
    app.keys.register("g", "Table or flame graph", () =>
      app.set({ mode: app.state.mode === "flame" ? null : "flame" }, { push: true }),
    );
    if (flame) {
      this.flame = new CompareFlame(app, comparison);
      fill(this.toolbar, this.mode.element, ...this.flame.controls);
      fill(this.body, ...this.flame.elements);
      return;
    }
    this.table = new CompareTable(app, comparison, (row) => this.#select(row));
    fill(this.toolbar, this.mode.element, this.standing.element);
    fill(this.body, this.table.scroller);
    this.table.selected = this.selected;
    app.keys.register("ArrowUp ArrowDown", "Previous, next row", (event) =>
      this.#move(event.key === "ArrowUp" ? -1 : 1),
    );
    app.keys.register("PageUp PageDown", "A page up, down", (event) => {
      const page = this.table?.list.page ?? 1;
      this.#move(event.key === "PageUp" ? -page : page);
    });
    app.keys.register("Home End", "First, last row", (event) =>
      this.#move(event.key === "Home" ? -Infinity : Infinity),
    );
    app.keys.register("Enter", "Callers and callees of the row, before", () => {
      if (this.selected >= 0 && comparison.rows.rowBefore[this.selected] >= 0) {
        app.open("butterfly");
      }
    });
  }

  /** @param {number} by */
  #move(by) {
    this.#select(this.table?.beside(by) ?? -1);
  }

  /** @param {number} row */
  #select(row) {
    const { comparison, app } = this;
    if (row < 0) {
      return;
    }
    this.selected = row;
    this.table?.select(row, true);
    const its = comparison.rows.rowBefore[row];
    const { delta } = comparison.pairs.tottime;
    app.announce(`${comparison.label(row)}: own time ${figureText("tottime", delta[row], true)}`, {
      quiet: true,
    });
    app.set({ row: its < 0 ? null : comparison.before.key(its) });
  }
}
