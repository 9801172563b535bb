// The flame graph: the call tree as boxes, as wide as they took time or had calls, to walk and zoom
// in by mouse and keyboard. How boxes are laid out and drawn, and the walking, is in ../flame.

import { BUILTINS, NATIVES, byGroup, byShare, noPlaces, shadesOf } from "../flame/colours.js";
import { ADVICE, Navigation } from "../flame/navigation.js";
import { labelsOf, spoken } from "../flame/labels.js";
import { layoutOf } from "../flame/tree_cache.js";
import { allCallsOf, widestBoxOf } from "../flame/places.js";
import { pathText } from "../flame/tooltip.js";
import { directionOf, metricOf, Toolbar } from "../flame/toolbar.js";
import { TIMES } from "../flame/words.js";
import { madeOnce } from "../made_once.js";
import { NativeProfile } from "../native_profile.js";
import { wordsFor } from "../ways.js";
import { fill, h } from "../ui/dom.js";
import { copyText } from "../ui/files.js";
import { share } from "../ui/format.js";
import { isDark } from "../ui/theme.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../flame/colours.js").Colouring} Colouring
 * @typedef {import("../flame/layout.js").Layout} Layout
 * @typedef {import("../flame/tree_cache.js").Wish} Wish
 * @typedef {import("../ui/state.js").State} State
 */

/**
 * The colours that groups have, for the page's life: a newer snapshot of a running program makes the view anew, and
 * may have other groups in front.
 * @type {Map<string, import("../flame/colours.js").Places>}
 */
const kept = new Map();

/** @type {import("../app.js").View} */
export const flame = {
  name: "flame",
  title: "Flame graph",
  key: "f",
  searches: "shows what matches, and which share it has",
  excerpts: true,
  mount: (host, app) => new FlameView(host, app, wordsFor(app.profile)),
};

export class FlameView {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   * @param {import("../flame/words.js").Words} [words]  of what it shows
   */
  constructor(host, app, words = TIMES) {
    this.app = app;
    this.words = words;
    this.profile = app.profile;
    /** @type {Layout | null} */
    this.layout = null;
    this.boxes = ""; // what of the state the boxes are of
    this.drawn = ""; // and how they look
    /** @type {{key: string, colouring: Colouring} | null} */
    this.coloured = null;
    this.navigation = new Navigation(app, "Flame graph", {
      keyOf: (row) => this.profile.key(row),
      stateOf: (row) => (this.of < 0 ? this.profile.key(row) : null),
      words,
      tipOf: (node) => words.tipOf(this.#shown(), node),
      lineOf: (node) => words.lineOf(this.#shown(), node),
      entriesOf: (node) => this.#entries(node),
      walkTo: (row) => this.#walkTo(row),
      advice: () => this.#advice(),
      rowSought: () => (this.of < 0 ? app.selectedRow : -1),
    });
    this.labels = labelsOf(this.navigation.chart.context, this.profile);
    this.toolbar = new Toolbar(app, words);
    this.note = h("p", { class: "flame-note" });
    this.legend = h("div", { class: "flame-legend" });
    const { line, chart } = this.navigation;
    fill(host, this.toolbar.element, this.note, line, chart.element, this.legend);
    this.repaint = () => {
      this.drawn = "";
      this.update(this.app.state);
    };
    document.addEventListener("themechange", this.repaint);
  }

  /** The function whose calls are merged: the chosen one, else the one of most own time. -1: none. */
  get of() {
    const { app, profile } = this;
    if (directionOf(app.state) !== "merged") {
      return -1;
    }
    const { tottime } = profile.figures(app.threads);
    return app.selectedRow >= 0 ? app.selectedRow : tottime.reduce((best, own, row) => (own > tottime[best] ? row : best), 0);
  }

  destroy() {
    document.removeEventListener("themechange", this.repaint);
    this.navigation.destroy();
  }

  /**
   * @param {State} state
   * @returns {Wish}
   */
  #wishOf(state) {
    return {
      threads: this.app.threads,
      metric: metricOf(this.app),
      inverted: directionOf(state) === "1",
      of: this.of,
      builtins: (state.fold ?? "").includes("b"),
      libraries: (state.fold ?? "").includes("l"),
      natives: (state.fold ?? "").includes("n"),
      within: this.toolbar.nativeLibraries.has(state.lib) ? state.lib : "",
      heaviest: state.order !== "called",
    };
  }

  /** @param {State} state */
  update(state) {
    const wish = this.#wishOf(state);
    const boxes = JSON.stringify(wish);
    const drawn = JSON.stringify([boxes, state.up, state.colour, state.search]);
    if (drawn !== this.drawn) {
      this.layout = layoutOf(this.profile, wish);
      this.toolbar.reflect(state);
      this.#tellNotes(this.layout, wish);
      this.navigation.show(this.#scene(state, this.layout), wish.metric, boxes === this.boxes);
      this.boxes = boxes;
      this.drawn = drawn;
    }
    this.navigation.goTo(state);
  }

  /**
   * @param {State} state
   * @param {Layout} layout
   * @returns {import("../flame/painter.js").Scene}
   */
  #scene(state, layout) {
    const dark = isDark();
    const colouring = this.#colouring(state.colour, dark, (state.fold ?? "").includes("l"));
    this.#fillLegend(colouring, state);
    const { paints, byRow } = colouring;
    const { row } = layout.tree;
    return {
      layout,
      paintOf: (node) => paints[byRow[row[node]]],
      labels: this.labels,
      rootLabel: this.#rootLabel(layout),
      wanted: state.search ? this.profile.matches(state.search) : null,
      flipped: state.up === "1" && this.of < 0,
      shades: shadesOf(dark),
    };
  }

  /**
   * The same for all threads, so that a function keeps its colour.
   * @param {string | undefined} name
   * @param {boolean} dark
   * @param {boolean} isFolded
   */
  #colouring(name, dark, isFolded) {
    const key = `${name} ${dark} ${isFolded}`;
    if (this.coloured?.key !== key) {
      this.coloured = { key, colouring: this.#makeColouring(name, dark, isFolded) };
    }
    return this.coloured.colouring;
  }

  /**
   * @param {string | undefined} name
   * @param {boolean} dark
   * @param {boolean} isFolded
   */
  #makeColouring(name, dark, isFolded) {
    const { profile } = this;
    const times = profile.figures("all").tottime;
    if (name === "share") {
      return byShare(times, dark);
    }
    const rows = Array.from({ length: profile.rowCount }, (_, row) => row);
    const groups = rows.map((row) => (name === "package" ? profile.packageOf(row) : profile.moduleOf(row)));
    const of = `${this.words.of} ${name}`;
    const places = madeOnce(kept, of, noPlaces);
    return byGroup(
      groups,
      rows.map((row) => profile.kindOf(row)),
      times,
      dark,
      isFolded,
      places,
    );
  }

  /** @param {Layout} layout */
  #rootLabel(layout) {
    const { app, words } = this;
    const { threads } = app;
    const metric = metricOf(app);
    const isBusy = metric === "busy" ? " busy" : "";
    if (this.of >= 0) {
      const calls = words.callsOf(layout.tree);
      const name = spoken(this.profile.nameOf(this.of), this.profile.moduleOf(this.of), this.profile.kindOf(this.of));
      return `${name} · ${words.amount(metric === "busy" ? layout.width : layout.tree.total[0])}${isBusy} in ${words.calls(calls)}`;
    }
    const whose = threads === "all" ? "All" : this.profile.threads[threads].name || `Thread ${threads + 1}`;
    const what = metric === "calls" ? words.calls(layout.width) : words.amount(layout.width);
    return `${whose} · ${what}${isBusy}`;
  }

  /**
   * @param {Colouring} colouring
   * @param {State} state
   */
  #fillLegend({ legend }, state) {
    const whole = this.profile.figures("all").total;
    const fold = state.fold ?? "";
    const folded = [fold.includes("b") && BUILTINS, fold.includes("n") && NATIVES]; // they have no box
    const isOfSamples = this.profile instanceof NativeProfile || this.profile.samples !== null; // most functions have none
    const seen = legend.filter(({ name, value }) => !folded.includes(name) && (value > 0 || !isOfSamples));
    const entries = seen.map(({ name, paint, value }) => {
      const patch = h("i", { "aria-hidden": "true" });
      patch.style.background = paint?.fill ?? "none";
      const part = state.colour === "share" ? null : h("span", { class: "quiet" }, share(value, whole));
      return h("span", { class: "flame-key" }, patch, h("span", null, name || "(no module)"), part);
    });
    const title = state.colour === "share" ? `${this.words.own}, of all` : `${this.words.own} by colour`;
    fill(this.legend, h("span", { class: "quiet" }, title), ...entries);
  }

  /**
   * @param {Layout} layout
   * @param {Wish} wish
   */
  #tellNotes(layout, wish) {
    const notes = [];
    if (this.profile.rule !== null) {
      notes.push(`The paths are an estimate: ${this.profile.rule}`);
    }
    if (layout.width <= 0) {
      notes.push(wish.metric === "calls" ? "There are no calls to show." : this.words.none);
    }
    fill(this.note, notes.join(" "));
    this.note.hidden = notes.length === 0;
  }

  /** @returns {import("../flame/tooltip.js").Shown} */
  #shown() {
    const { metric, inverted, of } = this.#wishOf(this.app.state);
    const figures = this.profile.figures(this.app.threads);
    return { profile: this.profile, figures, layout: /** @type {Layout} */ (this.layout), metric, inverted, of };
  }

  /**
   * A click in the calls of one function walks to those of another one.
   * @param {number} row
   */
  #walkTo(row) {
    const walks = this.of >= 0;
    if (walks) {
      this.app.set({ row: this.profile.key(row), at: null, zoom: null }, { push: true });
    }
    return walks;
  }

  #advice() {
    if (this.of < 0) {
      return ADVICE;
    }
    return `All calls of ${this.profile.nameOf(this.of)}: callers above, callees below. Click a box to walk to its function`;
  }

  /** @param {number} node */
  #entries(node) {
    const { app, profile } = this;
    const row = node === 0 ? this.of : /** @type {Layout} */ (this.layout).tree.row[node];
    if (row < 0) {
      return [];
    }
    const key = profile.key(row);
    /** @type {(text: string, view: string) => import("../flame/menu.js").Entry} */
    const open = (text, view) => ({ text, action: () => app.open(view, { row: key }) });
    const entries = [
      this.of < 0
        ? { text: "All its calls as one", action: () => app.set(allCallsOf(key), { push: true }) }
        : { text: "Its widest box in the whole graph", action: () => app.set(widestBoxOf(key), { push: true }) },
      open("Open in butterfly", "butterfly"),
      open("Open in table", "table"),
    ];
    if (profile.place(row) !== "" && profile.kindOf(row) !== "native") {
      entries.push(open("Open source", "source"));
    }
    entries.push(
      {
        text: "Find its other boxes",
        action: () => app.set({ search: profile.nameOf(row) }, { push: true }),
      },
      { text: "Copy its path", action: () => this.#copyPath(node) },
    );
    return entries;
  }

  /** @param {number} node */
  async #copyPath(node) {
    const copied = await copyText(pathText(this.#shown(), node));
    this.app.announce(copied ? "The path is copied" : "The browser lets nothing be copied here");
  }
}
