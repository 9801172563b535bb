// Memory: who allocated what was live at the end or at the peak, all that was allocated, and what was temporary; as a
// flame graph or as a table. Above stands the curve of the run. The flame graph and the table are those of times: they
// see a profile in which bytes stand in the place of times, and blocks in the place of calls.

import { choice } from "../flame/controls.js";
import { allCallsOf } from "../flame/places.js";
import { kindsOf } from "../memory/columns.js";
import { CurveChart } from "../memory/curve.js";
import { hasMemory, memoryOf, MEASURES } from "../memory/model.js";
import { holder, missing, sentence, whereHolders } from "../memory/sentence.js";
import { textsOf, wordsOf } from "../memory/words.js";
import { largestLine } from "../source/memory_lines.js";
import { fill, h } from "../ui/dom.js";
import { bytes } from "../ui/format.js";
import { FlameView } from "./flame.js";
import { Table } from "./table.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../container.js").Measure} Measure
 * @typedef {import("../memory/model.js").MemoryModel} MemoryModel
 * @typedef {import("../memory/model.js").MemoryProfile} MemoryProfile
 * @typedef {import("../ui/state.js").State} State
 */

/** @type {import("../app.js").View} */
export const memory = {
  name: "memory",
  title: "Memory",
  key: "j",
  searches: "shows what matches, and which share it has",
  available: (app) => hasMemory(app.whole),
  mount: (host, app) => new MemoryView(host, app),
};

class MemoryView {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   */
  constructor(host, app) {
    this.app = app;
    this.model = memoryOf(app.whole);
    const { facts, curve, isRunning } = this.model;
    this.measures = choice(
      "Which memory",
      MEASURES.map((measure) => {
        const { title, tip } = textsOf(measure, isRunning);
        return [measure, title, tip];
      }),
      (value) => this.#choose(value),
    );
    this.pictures = choice(
      "Shown as",
      [
        ["", "Flame graph", "The calls that led to the allocations (q)"],
        ["1", "Table", "The functions that allocated (q)"],
      ],
      (value) => app.set({ table: value }, { push: true }),
    );
    this.sentence = h("p", { class: "mem-sentence", role: "status" });
    this.note = h("p", { class: "flame-note", hidden: true });
    const isOfOne = facts.curves.length === 1;
    const sizes = isOfOne
      ? { live: facts.live[0], peak: facts.peak[0] }
      : { live: curve.last.at(-1) ?? 0, peak: curve.most.reduce((most, it) => Math.max(most, it), 0) };
    this.chart = new CurveChart(curve, sizes, {
      onPick: (mark) => this.#choose(mark),
      onHover: (tip, x, y) => (tip === null ? app.tip.hide() : app.tip.show(x, y, tip)),
      say: (text) => app.announce(text),
    }, isRunning);
    this.chart.element.hidden = curve.at.length < 2;
    this.inner = h("div", { class: "mem-inner" });
    /** @type {FlameView | Table | null} */
    this.shown = null;
    this.seen = "";
    this.shownFor = ""; // of which measure and threads
    this.isTable = false;
    fill(
      host,
      h("div", { class: "toolbar wrapped mem-bar" }, this.measures.element, this.pictures.element),
      this.sentence,
      this.note,
      this.chart.element,
      this.inner,
    );
    app.keys.register("q", "Flame graph or table", () => app.set({ table: this.isTable ? null : "1" }, { push: true }));
    app.keys.register("g", "Live at the end or now, at the peak, allocated, temporary", () => {
      const at = MEASURES.indexOf(this.measure);
      this.#choose(MEASURES[(at + 1) % MEASURES.length]);
    });
    /** @type {import("../ui/keys.js").Binding[]} */
    this.keys = []; // those of the picture
  }

  get measure() {
    return this.model.measureOf(this.app.state.measure);
  }

  destroy() {
    this.shown?.destroy();
    this.app.tip.hide();
    this.chart.destroy();
  }

  /** @param {State} state */
  update(state) {
    const { app, measure } = this;
    const isTable = state.table === "1";
    const seen = JSON.stringify([measure, isTable]);
    if (seen !== this.seen) {
      this.seen = seen;
      this.#mount(measure, isTable);
    }
    this.measures.reflect(measure);
    this.pictures.reflect(isTable ? "1" : "");
    this.chart.choose(measure);
    const key = JSON.stringify([measure, app.threads]);
    if (key !== this.shownFor) {
      this.shownFor = key;
      this.#tell(measure);
    }
    this.shown?.update(stateWithin(state));
  }

  /**
   * @param {Measure} measure
   * @param {boolean} isTable
   */
  #mount(measure, isTable) {
    const { app, model, inner } = this;
    this.shown?.destroy();
    app.tip.hide();
    app.keys.forget(this.keys);
    const before = app.keys.bindings.slice();
    const within = appWithin(app, model.seenBy(measure));
    fill(inner);
    this.isTable = isTable;
    this.shown = isTable ? new Table(inner, within, kindsOf(model, measure)) : new FlameView(inner, within, wordsOf(measure, model.isRunning));
    this.keys = app.keys.bindings.filter((binding) => !before.includes(binding));
  }

  /** @param {Measure} measure */
  #tell(measure) {
    const { app, model } = this;
    for (const button of this.measures.element.children) {
      const of = MEASURES.find((it) => it === button.getAttribute("data-value")) ?? "live";
      fill(button, textsOf(of, model.isRunning).title, h("small", null, bytes(model.seenBy(of).figures(app.threads).total)));
    }
    const found = holder(model, measure, app.threads);
    const notes = missing(model, measure);
    const walk = (/** @type {number} */ row) => app.set({ ...allCallsOf(app.whole.key(row)), table: null }, { push: true });
    fill(
      this.sentence,
      sentence(model, measure, app.threads),
      found !== null && found.before,
      found !== null && h("button", { class: "link fn", "data-tip": "With what it called of libraries and of C. All its calls", on: { click: () => walk(found.row) } }, found.name),
      found !== null && found.after,
      measure === "live" && h("span", { class: "quiet mem-holders" }, " ", ...whereHolders(app)),
    );
    fill(this.note, notes.join(" "));
    this.note.hidden = notes.length === 0;
  }

  /** @param {string} measure */
  #choose(measure) {
    this.app.set({ measure: measure === this.model.first ? null : measure, zoom: null }, { push: true });
  }
}

/**
 * The state as the picture has it: blocks are its calls. The metric of the other views is theirs.
 * @param {State} state
 * @returns {State}
 */
function stateWithin(state) {
  const { metric: _, blocks, ...others } = state;
  return blocks === "1" ? { ...others, metric: "calls" } : others;
}

/**
 * The state of the source at the line of a function that allocated most of what is live at the end; none: not known.
 * @param {App} app
 * @param {string | null | undefined} key  of the function
 * @returns {Record<string, string | null>}
 */
function largestLineOf(app, key) {
  const row = app.whole.rowOf(key ?? undefined);
  const line = row < 0 ? 0 : largestLine(app.whole, row, "live") || largestLine(app.whole, row, "peak");
  return line > 0 ? { line: String(line), file: app.whole.fileOf(row).path } : {};
}

/**
 * The app as the picture has it: its profile is that of the measure.
 * @param {App} app
 * @param {MemoryProfile} profile
 * @returns {App}
 */
function appWithin(app, profile) {
  /** @param {Record<string, string | null>} patch */
  const mapped = ({ metric, ...others }) => (metric === undefined ? others : { ...others, blocks: metric === "calls" ? "1" : null });
  const within = {
    profile,
    keys: app.keys,
    tip: app.tip,
    title: app.title,
    get state() {
      return stateWithin(app.state);
    },
    get threads() {
      return app.threads;
    },
    get selectedRow() {
      return app.selectedRow;
    },
    /** @type {App["set"]} */
    set: (patch, options) => app.set(mapped(patch), options),
    /** @type {App["open"]} */
    open: (view, patch = {}) => {
      if (view === "table") {
        app.set({ ...mapped(patch), table: "1" }, { push: true });
      } else {
        /** @type {Record<string, string>} */
        const heat = view === "source" && app.whole.memoryLines.length > 0 ? { heat: "memory", ...largestLineOf(app, patch.row) } : {};
        app.open(view, { ...patch, ...heat });
      }
    },
    /** @type {App["announce"]} */
    announce: (text, options) => app.announce(text, options),
  };
  return /** @type {App} */ (/** @type {unknown} */ (within));
}
