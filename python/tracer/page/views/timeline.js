// The timeline: what ran when, in which thread and task, for the whole run. What is on the screen is in the state:
// `zoom` (the stretch of time and how far it is scrolled), `pick` (what was clicked), `range` (what was selected),
// and `turned`, `pinned`, `order` of the tracks.

import { byGroup } from "../flame/colours.js";
import { labelsOf } from "../flame/labels.js";
import { NO_ROW } from "../nodes.js";
import { Chart } from "../timeline/chart.js";
import { cardOf, detailsOf, lengthText, titleOf } from "../timeline/details.js";
import { rangeOf } from "../timeline/excerpt.js";
import { Heads } from "../timeline/heads.js";
import { Lists } from "../timeline/lists.js";
import { slicesOf, timelineOf } from "../timeline/model.js";
import { shadesOf } from "../timeline/painter.js";
import { rangePanel } from "../timeline/range_panel.js";
import { statisticsOf } from "../timeline/statistics.js";
import { hitsOf, litBy, wantedBy } from "../timeline/search.js";
import { fiberAt } from "../timeline/fibers.js";
import { Strip } from "../timeline/strip.js";
import { itemOf, summaryOf, textOf } from "../timeline/summary.js";
import { TrackList } from "../timeline/track_list.js";
import { Walker } from "../timeline/walker.js";
import { fill, h } from "../ui/dom.js";
import { counted, time } from "../ui/format.js";
import { isDark } from "../ui/theme.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../ui/state.js").State} State
 * @typedef {import("../timeline/tracks.js").Item} Item
 * @typedef {import("../timeline/model.js").ThreadLine} ThreadLine
 * @typedef {import("../timeline/statistics.js").Range} Range
 */

const ADVICE = "The wheel zooms, a drag selects a time, Shift and drag moves; ? lists the keys";
const DOUBLE = 350; // milliseconds in which a second click makes a double click
const PAUSE = 40; // milliseconds of decoding after which the page may draw

/** @type {import("../app.js").View} */
export const timeline = {
  name: "timeline",
  title: "Timeline",
  key: "r",
  searches: "lights up functions, ranges, marks and tasks, by name or value; n leads to the next, x to the longest",
  available: (app) => app.whole.timeline.length > 0,
  mount: (host, app) => new TimelineView(host, app),
};

/**
 * Reads a timeline, if nobody does so yet, and shows how far that is.
 * @param {import("../timeline/model.js").Timeline} timeline
 * @param {HTMLProgressElement} bar
 */
export async function loaded(timeline, bar) {
  let since = performance.now();
  timeline.loading ??= timeline.load(async (part) => {
    if (performance.now() - since > PAUSE) {
      bar.value = part;
      await new Promise((done) => setTimeout(done));
      since = performance.now();
    }
  });
  await timeline.loading;
}

class TimelineView {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   */
  constructor(host, app) {
    this.app = app;
    this.host = host;
    this.profile = app.whole;
    this.timeline = timelineOf(app.whole);
    /** @type {Shown | null} */
    this.shown = null;
    this.isGone = false;
    if (this.timeline.isLoaded) {
      this.#show();
    } else {
      this.#load();
    }
  }

  async #load() {
    const { timeline } = this;
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Reading the timeline" });
    fill(this.host, h("div", { class: "empty" }, h("p", null, "Reading the timeline …"), bar));
    await loaded(timeline, bar);
    if (!this.isGone) {
      this.#show();
      this.update(this.app.state);
    }
  }

  #show() {
    this.shown = new Shown(this.host, this.app, this.timeline);
    performance.mark("tracer-timeline");
    this.host.dataset.timeline = "ready";
  }

  /** @param {State} state */
  update(state) {
    this.shown?.update(state);
  }

  destroy() {
    this.isGone = true;
    delete this.host.dataset.timeline;
    this.shown?.destroy();
  }
}

class Shown {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   * @param {import("../timeline/model.js").Timeline} timeline
   */
  constructor(host, app, timeline) {
    this.app = app;
    this.profile = app.whole;
    this.timeline = timeline;
    this.threads = app.threads;
    this.list = new TrackList(timeline, this.threads);
    const bounds = { begin: timeline.begin, end: timeline.end };
    this.chart = new Chart(this.list, bounds, {
      onPick: (item) => {
        this.isClicked = true;
        this.pick(item);
        this.isClicked = false;
      },
      onOpen: (item) => this.chart.fit({ from: item.start, to: item.end }),
      onHover: (item, x, y) => (item === null ? app.tip.hide() : app.tip.show(x, y, cardOf(item))),
      onRange: (range) => this.select(range),
      onMoved: () => this.#remember(),
      onDrawn: () => this.#drawn(),
    });
    this.chart.flows = timeline.processes.flatMap(({ flows }) => flows);
    this.heads = new Heads(this.list, {
      onTurn: (id) => app.set(this.list.turn(id)),
      onPin: (id) => app.set(this.list.pin(id)),
      onPut: (id, before) => app.set(this.list.put(id, before)),
      onScroll: (pixels) => this.chart.scrollBy(pixels),
    });
    this.strip = new Strip(timeline.lines, bounds, (view) => this.chart.move(view, undefined, false));
    this.labels = labelsOf(this.chart.context, this.profile);
    this.status = h("div", { class: "flame-status", role: "status", "aria-live": "polite" });
    this.hits = h("div", { class: "flame-hits" });
    this.whole = h("button", { class: "button", "data-tip": "Show the whole run (0)", on: { click: () => this.chart.reset() } }, "Whole");
    this.arrows = h("button", { class: "button", "data-tip": "The arrows of flows (e)", hidden: this.chart.flows.length === 0, on: { click: () => this.turnFlows() } }, "Arrows");
    this.lists = this.#listsOf();
    this.listing = h("button", { class: "button", "data-tip": "The lists of ranges, tasks and marks (l)", on: { click: () => this.showList() } }, "Lists");
    this.collapsing = h("button", { class: "button", on: { click: () => app.set(this.list.turnAll()) } });
    this.panel = h("section", { class: "tl-panel", "aria-label": "Details", hidden: true });
    this.shownPanel = "";
    this.isClicked = false; // what is picked now
    this.opening = 0; // a timer
    this.shownAt = "";
    this.hasGone = false; // to a place
    this.lit = ""; // what the found slices are of
    this.looks = ""; // theme and colours
    /** @type {Map<ThreadLine, Uint32Array> | null} */
    this.found = null;
    /** @type {Item[]} the ranges, marks and tasks that were found, by time */
    this.named = [];
    this.placed = "";
    this.walker = new Walker(this);
    const line = h("div", { class: "flame-line" }, this.status, this.hits, this.whole, this.listing, this.arrows, this.collapsing);
    const body = h("div", { class: "tl-body" }, this.heads.element, this.chart.element);
    fill(host, line, h("div", { class: "tl-above" }, h("span", { class: "quiet tl-sum", "data-tip": summaryOf(timeline) }, summaryOf(timeline)), this.strip.element), body, this.panel);
    this.repaint = () => {
      this.looks = "";
      this.update(app.state);
    };
    document.addEventListener("themechange", this.repaint);
    this.walker.registerKeys();
  }

  destroy() {
    document.removeEventListener("themechange", this.repaint);
    clearTimeout(this.opening);
    this.app.tip.hide();
    this.chart.destroy();
  }

  /** @param {State} state */
  update(state) {
    const { list, chart } = this;
    if (this.app.threads !== this.threads) {
      this.threads = this.app.threads;
      list.choose(this.threads);
      this.lists = this.#listsOf();
      this.placed = "";
      this.shownPanel = "";
    }
    const placed = JSON.stringify([state.turned, state.pinned, state.order]);
    if (placed !== this.placed) {
      this.placed = placed;
      list.read(state);
      this.heads.forget();
      const text = list.isAnyExpanded ? "Collapse all" : "Expand all";
      fill(this.collapsing, text);
      this.collapsing.dataset.tip = `${text} tracks (Z): one row of a thread is left`;
    }
    this.#light(state);
    const range = rangeOf(state.range);
    chart.range = range;
    chart.flowsWay = state.flows ?? "";
    chart.pick(itemOf(list, state.pick));
    this.#goTo(state);
    this.#tell(state, range);
    chart.draw();
  }

  /**
   * Lights up what is searched for, else the chosen function.
   * @param {State} state
   */
  #light(state) {
    const { app, profile, timeline } = this;
    const lit = JSON.stringify([state.search, state.search ? "" : state.row, this.threads]);
    if (lit !== this.lit) {
      this.lit = lit;
      const wanted = state.search ? profile.matches(state.search) : null;
      const row = app.selectedRow;
      this.named = state.search ? this.list.named(wantedBy(state.search)) : [];
      const isWanted = /** @param {number} of */ (of) => (wanted === null ? of === row : wanted[of] === 1);
      this.found = wanted === null && row < 0 ? null : new Map(timeline.lines.map((line) => [line, slicesOf(line, isWanted)]));
      this.#tellHits(wanted === null ? -1 : wanted.reduce((sum, one) => sum + one, 0));
      this.looks = "";
    }
    if (this.looks === "") {
      const dark = isDark();
      const names = Array.from({ length: profile.rowCount }, (_, at) => profile.moduleOf(at));
      const kinds = names.map((_, at) => profile.kindOf(at));
      const { paints, byRow } = byGroup(names, kinds, profile.figures("all").tottime, dark);
      this.looks = `${dark} ${lit}`;
      this.chart.scene = {
        paintOf: (of) => paints[byRow[of]],
        labels: this.labels,
        shades: shadesOf(dark),
        hits: this.found,
        dims: Boolean(state.search),
        lit: state.search ? litBy(this.named) : null,
      };
    }
  }

  /** @param {number} functions  that were found; -1: a function is chosen, and nothing is sought */
  #tellHits(functions) {
    this.hits.hidden = this.found === null;
    if (this.found !== null) {
      const slices = [...this.found.values()].reduce((sum, { length }) => sum + length, 0);
      const chosen = functions < 0 ? this.profile.nameOf(this.app.selectedRow) : null;
      fill(this.hits, ...hitsOf({ functions, slices, named: this.named, chosen }, this.walker, () => this.app.open("table")));
    }
  }

  /**
   * Brings on the screen what the state names.
   * @param {State} state
   */
  #goTo(state) {
    const { chart } = this;
    const at = state.zoom ?? "";
    if (at === this.shownAt && this.hasGone) {
      return;
    }
    const first = !this.hasGone;
    this.hasGone = true;
    this.shownAt = at;
    chart.fitRoom();
    const [from, span, scroll] = at.split("~").map(Number);
    if (span > 0) {
      const origin = Math.floor(from);
      const view = { origin, rest: from - origin, span };
      chart.arrange(view);
      chart.move(view, scroll || 0, !first);
    } else if (first && chart.picked !== null) {
      chart.reveal(chart.picked, false);
    } else {
      chart.arrange(chart.wholeView);
      chart.move(chart.wholeView, undefined, !first);
    }
  }

  #remember() {
    const { chart, app } = this;
    const { origin, rest, span } = chart.goal;
    const isWhole = span >= this.timeline.end - this.timeline.begin && chart.goalScroll === 0;
    const digits = Math.max(0, Math.min(4, 4 - Math.floor(Math.log10(span))));
    const from = rest === 0 || digits === 0 ? String(origin) : `${origin}${rest.toFixed(digits).replace(/^[01]/, "")}`;
    const text = isWhole ? "" : [from, Number(span.toPrecision(6)), Math.round(chart.goalScroll)].join("~");
    this.shownAt = text;
    app.set({ zoom: text });
  }

  #drawn() {
    const { chart } = this;
    this.heads.update(chart);
    if (chart.scene !== null) {
      this.strip.draw(chart.scene, chart.view, chart.range, this.looks);
    }
    this.listing.hidden = this.lists.kinds.length === 0;
    this.arrows.setAttribute("aria-pressed", String(chart.flowsWay !== "none" && !chart.hidesFlows));
    this.whole.disabled = chart.view.span >= this.timeline.end - this.timeline.begin;
  }

  /** @param {Item | null} item */
  pick(item) {
    const { app, profile } = this;
    if (item === null) {
      app.set({ pick: null }, { push: app.state.pick !== undefined });
      return;
    }
    const shown = this.list.isShown(item.track) ? {} : this.list.shown(item.track);
    const row = item.slice >= 0 && item.line !== null ? item.line.contexts.functionOf(item.line.lanes.nodes[item.slice]) : NO_ROW;
    const patch = { ...shown, pick: textOf(item) };
    app.set(row === NO_ROW ? patch : { ...patch, row: profile.key(row) }, { push: true });
  }

  /** @param {Range | null} range */
  select(range) {
    this.app.set({ range: range === null ? null : `${range.from}~${range.to}`, pick: null }, { push: true });
  }

  #listsOf() {
    return new Lists(this.list.named(() => true), {
      choose: (item) => {
        this.goTo(item);
        const { start, end } = item.fiber ?? item;
        if (end > start) {
          this.chart.fit({ from: start, to: end });
        }
      },
      list: (kind) => this.showList(kind),
    });
  }

  /**
   * Shows a list; null: none; not given: one, or none if one is shown.
   * @param {import("../timeline/lists.js").Kind | null} [kind]
   */
  showList(kind = this.app.state.list && !this.chart.picked ? null : (this.lists.kinds[0] ?? null)) {
    if (kind === null && this.lists.kinds.length === 0) {
      this.app.announce("It has no ranges, tasks and marks");
    }
    this.app.set({ list: kind, pick: null }, { push: true });
  }

  turnFlows() {
    this.app.set({ flows: this.chart.hidesFlows || this.chart.flowsWay === "none" ? "all" : "none" });
  }

  /** Picks something that may be elsewhere, and goes there. @param {Item | null} item */
  goTo(item) {
    if (item !== null) {
      this.pick(item);
      this.chart.reveal(item);
    }
  }

  /**
   * @param {State} state
   * @param {Range | null} range
   */
  #tell(state, range) {
    const { chart, app } = this;
    const { picked } = chart;
    const kind = picked === null ? this.lists.kinds.find((kind) => kind === state.list) : undefined;
    const key = JSON.stringify([picked === null ? null : state.pick, range, state.thread, kind && [kind, state.search]]);
    if (key === this.shownPanel) {
      return;
    }
    this.shownPanel = key;
    if (picked !== null) {
      this.#open(() => detailsOf(picked, this.walker));
      const { line, span, fiber } = picked;
      const task = line === null || fiber !== null ? null : span === null ? fiberAt(line, picked.start) : span.fiber;
      const where = task === null ? (picked.line?.name ?? "") : task.name;
      fill(this.status, h("span", { class: "fn" }, titleOf(picked)), `  ${[lengthText(picked), where].filter(Boolean).join(" · ")}`);
    } else if (kind !== undefined) {
      this.#open(() => this.lists.panel(kind, state.search ? wantedBy(state.search) : null, range));
      fill(this.status, h("span", { class: "quiet" }, "A click goes to it; the search filters; a column sorts"));
    } else if (range !== null) {
      const statistics = statisticsOf(this.timeline, range, this.threads);
      performance.mark("tracer-range");
      const panel = rangePanel(statistics, range, {
        profile: this.profile,
        open: (view) => app.open(view),
        choose: (row) => app.set({ row: this.profile.key(row) }),
        clear: () => this.select(null),
      });
      this.#open(() => panel);
      fill(this.status, h("span", { class: "fn" }, time(range.to - range.from)), `  selected: ${counted(statistics.calls, "call")} of ${counted(statistics.rows.length, "function")}`);
    } else {
      this.#open(null);
      fill(this.status, h("span", { class: "quiet" }, ADVICE));
    }
  }

  /**
   * Shows something in the panel. A panel that opens makes the chart lower: after a click it waits whether that is the
   * first of two, which would miss what it was meant for.
   * @param {(() => HTMLElement) | null} content
   */
  #open(content) {
    clearTimeout(this.opening);
    if (content === null) {
      this.panel.hidden = true;
      return;
    }
    const show = () => {
      const opens = this.panel.hidden;
      fill(this.panel, content());
      this.panel.hidden = false;
      this.panel.scrollTop = 0;
      if (opens) {
        this.chart.keepPicked();
      }
    };
    if (this.panel.hidden && this.isClicked) {
      this.opening = setTimeout(show, DOUBLE);
    } else {
      show();
    }
  }
}
