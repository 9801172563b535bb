// Two profiles beside each other: the table of what changed, and the differential flame graph.
// Functions are matched by module and qualified name, so that other checkouts make no difference.

import { Comparison } from "../compare/comparison.js";
import { hasLines, LineChanges } from "../compare/lines.js";
import { PackageChanges } from "../compare/packages.js";
import { CompareFlame } from "../compare/flame.js";
import { CompareTable, figureText, ratioText } from "../compare/table.js";
import { choice } from "../flame/controls.js";
import { madeOnce } from "../made_once.js";
import { fill, h } from "../ui/dom.js";
import { count, counted, shortCount, time } from "../ui/format.js";

/**
 * @typedef {import("../container.js").PackedCommon} PackedCommon
 * @typedef {import("../app.js").App} App
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../ui/state.js").State} State
 */

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
    const common = /** @type {PackedCommon} */ (before.container.header.common);
    this.comparison = madeOnce(made, before, () => new Comparison(before, after, common));
    this.mode = choice(
      "Shown as",
      [
        ["", "Table", "The table of functions (g)"],
        ["flame", "Flame graph", "The differential flame graph (g)"],
      ],
      (value) => app.set({ mode: value }, { push: true }),
    );
    this.by = choice(
      "What a row is",
      [
        ["", "Functions", "A row for each function"],
        ["package", "Packages", "A row for each package: a click lists its functions"],
        ...(hasLines(before) && hasLines(after) ? /** @type {[string, string, string][]} */ ([["line", "Lines", "A row for each line that was timed"]]) : []),
      ],
      (value) => app.set({ by: value, sort: null }, { push: true }),
    );
    this.toolbar = h("div", { class: "toolbar wrapped" });
    this.body = h("div", { class: "compare-body" });
    fill(host, this.#summary(), this.toolbar, this.body);
    /** @type {CompareTable | null} */
    this.table = null;
    /** @type {CompareFlame | null} */
    this.flame = null;
    this.seen = ""; // what of the state the table was made for
    this.shown = ""; // which table, or the flame graph
    /** @type {import("../compare/changes.js").Changes} those in the table */
    this.changes = this.comparison;
    this.statuses = this.#statuses();
    this.selected = -1; // a row of the changes
  }

  /** The choice of what is new, gone or changed among the rows. */
  #statuses() {
    const { changes, app } = this;
    return choice(
      `Which ${changes.thing}s`,
      /** @type {[string, string][]} */ ([
        ["", "All"],
        ...["changed", "new", "gone"].map((name) => [
          name,
          `${name[0].toUpperCase()}${name.slice(1)} ${shortCount(changes.number(name))}`,
        ]),
      ]),
      (value) => app.set({ standing: value }, { push: true }),
    );
  }

  destroy() {
    this.table?.destroy();
    this.flame?.destroy();
  }

  #summary() {
    const { before, after, totals, noise, waited } = this.comparison;
    /** @type {(name: string, figure: "tottime" | "ncalls" | "real", text: (figure: number) => string) => HTMLElement | null} */
    const sum = (name, figure, text) => {
      const [one, other] = totals[figure];
      if (figure === "real" && !(one > 0 && other > 0)) {
        return null; // a run of which the time is not known
      }
      const growth = `${figureText(figure === "ncalls" ? figure : "tottime", other - one, true)} ${ratioText(other / one)}`.replace(
        "– –",
        "the same",
      );
      return h(
        "p",
        null,
        h("span", { class: "quiet" }, `${name} `),
        `${text(one)} → `,
        h("b", null, text(other)),
        h("span", { class: other > one ? "grown" : other < one ? "shrunk" : "quiet" }, `  ${growth}`),
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
      h("p", { class: "quiet" }, counted(this.comparison.listable.length, "function")),
      noise > 0 && h("p", { class: "quiet", "data-tip": "A change of own time by less is taken for none, as in diff: it comes last" }, `noise ±${time(noise)}`),
      ...[waited, ...after.facts.unlike].filter(Boolean).map((sentence) => h("p", { class: "quiet" }, `${sentence[0].toUpperCase()}${sentence.slice(1)}.`)),
    );
  }

  /** @param {State} state */
  update(state) {
    const flame = state.mode === "flame";
    const shown = flame ? "flame" : `table ${state.by}`;
    if (shown !== this.shown) {
      this.shown = shown;
      this.changes = this.#changesBy(state.by);
      this.#open(flame);
    }
    this.mode.reflect(flame ? "flame" : "");
    this.by.reflect(this.changes.thing === "function" ? "" : this.changes.thing);
    this.statuses.reflect(state.standing ?? "");
    this.flame?.update(state);
    const seen = JSON.stringify([state.sort, state.standing, state.search]);
    if (this.table !== null && seen !== this.seen) {
      this.seen = seen;
      this.table.update(state);
    }
  }

  /** @param {string | undefined} by */
  #changesBy(by) {
    const { comparison } = this;
    if (by === "package") {
      return new PackageChanges(comparison);
    }
    return by === "line" && hasLines(comparison.before) && hasLines(comparison.after) ? new LineChanges(comparison) : comparison;
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
    this.table = new CompareTable(app, this.changes, (row) => this.#choose(row));
    this.statuses = this.#statuses();
    this.selected = -1;
    fill(this.toolbar, this.mode.element, this.by.element, this.statuses.element);
    fill(this.body, this.table.scroller);
    this.table.list.listenTo(app.keys, (by) => this.#select(this.table?.beside(by) ?? -1));
    app.keys.register("Enter", "Into the row, as it was before: callers and callees, functions, or source", () => {
      if (this.selected >= 0) {
        this.#enter(this.selected);
      }
    });
  }

  /**
   * A click selects a function, and goes into a package or a line.
   * @param {number} row
   */
  #choose(row) {
    this.#select(row);
    if (this.changes !== this.comparison) {
      this.#enter(row);
    }
  }

  /** @param {number} row */
  #enter(row) {
    const { app, changes, comparison } = this;
    if (changes instanceof PackageChanges) {
      app.set({ by: null, standing: null, search: changes.searchOf(row) }, { push: true });
    } else if (changes instanceof LineChanges) {
      const place = changes.places[row];
      if (place !== null) {
        app.open("source", { file: place.path, line: String(place.line), row: null });
      }
    } else if (comparison.rows.rowBefore[row] >= 0) {
      app.open("butterfly");
    }
  }

  /** @param {number} row */
  #select(row) {
    const { app, changes, comparison } = this;
    if (row < 0) {
      return;
    }
    this.selected = row;
    this.table?.select(row, true);
    const { delta } = changes.pairs.tottime;
    app.announce(`${changes.tell(row).label}: own time ${figureText("tottime", delta[row], true)}`, {
      quiet: true,
    });
    if (changes === comparison) {
      const its = comparison.rows.rowBefore[row];
      app.set({ row: its < 0 ? null : comparison.before.key(its) });
    }
  }
}
