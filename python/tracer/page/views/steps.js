// The steps: a bar for each, by phase. What is on the screen is in the state: `step` (which one was chosen), `sorted`,
// `hidden` (phases) and `zoom`. The panel of the chosen step leads to its time in the timeline, the table and the flame
// graph.

import { choice } from "../flame/controls.js";
import { StepChart } from "../steps/chart.js";
import { namesOf } from "../steps/colours.js";
import { byHeight, slotsOf, viewOf, viewText } from "../steps/layout.js";
import { Legend } from "../steps/legend.js";
import { Chosen, hasSteps, heightsOf, hiddenText, medianOf, shownOf, stepsOf } from "../steps/model.js";
import { cardOf, factsOf, lineOf, lostOf, summaryOf } from "../steps/texts.js";
import { timelineOf } from "../timeline/model.js";
import { rangePanel } from "../timeline/range_panel.js";
import { statisticsOf } from "../timeline/statistics.js";
import { fill, h } from "../ui/dom.js";
import { loaded } from "./timeline.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../ui/state.js").State} State
 */

const ADVICE = "A click chooses a step, the wheel zooms, a drag moves; ? lists the keys";
const DOUBLE = 350; // milliseconds in which a second click makes a double click

/** @type {import("../app.js").View} */
export const steps = {
  name: "steps",
  title: "Steps",
  key: "k",
  available: (app) => hasSteps(app.whole),
  mount: (host, app) => new StepsView(host, app),
};

class StepsView {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   */
  constructor(host, app) {
    this.app = app;
    this.steps = stepsOf(app.whole);
    this.chosen = new Chosen(this.steps, app.threads);
    this.chart = new StepChart({
      onPick: (step) => {
        this.isClicked = true;
        this.pick(step, true);
        this.isClicked = false;
      },
      onOpen: (step) => this.#open("timeline", step),
      onHover: (hit, x, y) => (hit === null ? app.tip.hide() : app.tip.show(x, y, cardOf(this.chosen, hit))),
      onMoved: () => this.#remember(),
    });
    this.legend = new Legend((shown) => app.set({ hidden: hiddenText(this.steps.phases, shown) }, { push: true }));
    this.sorting = choice(
      "The order of steps",
      [
        ["", "In order", "As they ran (w)"],
        ["length", "Longest first", "By what is shown of them (w)"],
      ],
      (value) => this.#sort(value),
    );
    this.status = h("div", { class: "flame-status", role: "status", "aria-live": "polite" });
    this.all = h("button", { class: "button", "data-tip": "Show all steps (0)", on: { click: () => this.#zoom(0) } }, "All");
    this.panel = h("section", { class: "tl-panel st-panel", "aria-label": "The step", hidden: true });
    this.empty = h("div", { class: "empty", hidden: true }, h("p", null, "No step ran in this thread."));
    this.drawn = "";
    this.zoomed = "-";
    this.shown = "";
    this.isClicked = false; // what is picked now
    this.opening = 0; // a timer
    this.isGone = false;
    const toolbar = h("div", { class: "toolbar wrapped" }, this.sorting.element, this.legend.element);
    fill(host, toolbar, h("div", { class: "flame-line" }, this.status, this.all), this.chart.element, this.empty, this.panel);
    this.#registerKeys();
  }

  destroy() {
    this.isGone = true;
    clearTimeout(this.opening);
    this.app.tip.hide();
    this.chart.destroy();
  }

  /** @param {State} state */
  update(state) {
    const { app, chart } = this;
    if (app.threads !== this.chosen.threads) {
      this.chosen = new Chosen(this.steps, app.threads);
    }
    const shown = shownOf(this.steps.phases, state.hidden);
    const sorted = state.sorted === "length";
    this.sorting.reflect(sorted ? "length" : "");
    this.legend.update(this.chosen, shown);
    this.empty.hidden = this.chosen.order.length > 0;
    chart.element.hidden = !this.empty.hidden;
    const drawn = JSON.stringify([app.threads, shown, sorted]);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      this.#arrange(shown, sorted);
    }
    chart.picked = this.steps.stepOf(state.step);
    const zoomed = state.zoom ?? "";
    if (zoomed !== this.zoomed) {
      this.zoomed = zoomed;
      chart.move(viewOf(zoomed, chart.whole));
    }
    this.all.disabled = zoomed === "";
    this.#tell(chart.picked);
    chart.draw();
  }

  /**
   * @param {boolean[]} shown
   * @param {boolean} sorted
   */
  #arrange(shown, sorted) {
    const { chart, steps, chosen } = this;
    const heights = heightsOf(steps, shown);
    const order = sorted ? byHeight(chosen.order, heights) : chosen.order;
    const { slots, count } = slotsOf(order, (step, before) => !sorted && steps.isApart(step, before));
    const rates = !Number.isNaN(chosen.rate);
    const wasWhole = chart.isWhole;
    chart.scene = { steps, order, slots, count, sorted, shown, heights, median: medianOf(chosen.of(heights)), paints: namesOf(steps.phases), rates };
    chart.move(wasWhole ? { from: 0, span: Infinity } : chart.view);
  }

  #remember() {
    const { chart } = this;
    this.zoomed = viewText(chart.view, chart.whole) ?? "";
    this.app.set({ zoom: this.zoomed });
  }

  /** @param {string} value */
  #sort(value) {
    this.zoomed = "-"; // another place has other steps
    this.app.set({ sorted: value, zoom: null }, { push: true });
    this.chart.reveal();
  }

  /** @param {number} factor  0: all of them */
  #zoom(factor) {
    if (factor === 0) {
      this.app.set({ zoom: null });
    } else {
      this.chart.zoom(factor, 0.5);
    }
  }

  /**
   * @param {number} step  -1: none
   * @param {boolean} push  whether Back leads to the one before
   */
  pick(step, push) {
    const key = step < 0 ? null : this.steps.keyOf(step);
    if ((key ?? undefined) !== this.app.state.step) {
      this.app.set({ step: key }, { push });
    }
  }

  /**
   * Goes to a view with the time of a step selected.
   * @param {string} view
   * @param {number} step
   * @param {Record<string, string | null>} [patch]
   */
  #open(view, step, patch = {}) {
    this.pick(step, true);
    const { from, to } = this.steps.rangeOf(step);
    // The timeline shows the step with a margin, and nothing that was picked before.
    const margin = (to - from) / 20;
    /** @type {Record<string, string | null>} */
    const there = view === "timeline" ? { zoom: `${Math.max(0, Math.floor(from - margin))}~${Math.ceil(to - from + 2 * margin)}~0`, pick: null, list: null } : {};
    const threads = this.#threadsOf(step);
    /** @type {Record<string, string | null>} */
    const within = threads === "all" ? {} : { thread: this.app.whole.threadKey(threads) };
    this.app.open(view, { range: `${from}~${to}`, ...within, ...there, ...patch });
  }

  /**
   * The threads whose calls are of a step. Of several runs that are no parts of one time, the step's own alone: the
   * others were at another time.
   * @param {number} step
   */
  #threadsOf(step) {
    const { processes } = timelineOf(this.app.whole);
    return processes.length > 1 && this.app.threads === "all" ? this.steps.thread[step] : this.app.threads;
  }

  /** @param {number} step */
  #tell(step) {
    const { app, chosen, panel, status } = this;
    const isShown = chosen.order.includes(step);
    const key = JSON.stringify([isShown && step, app.state.thread]);
    if (key === this.shown) {
      return;
    }
    this.shown = key;
    clearTimeout(this.opening);
    if (!isShown) {
      panel.hidden = true;
      fill(status, h("span", { class: "st-sum" }, summaryOf(chosen)), h("span", { class: "quiet" }, `  ${lostOf(this.steps) || ADVICE}`));
      return;
    }
    fill(status, h("strong", null, `Step ${this.steps.number[step]}`), `  ${lineOf(chosen, step)}`);
    const show = () => this.#show(step);
    if (panel.hidden && this.isClicked) {
      this.opening = setTimeout(show, DOUBLE); // the chart gets lower then, and a second click would miss it
    } else {
      show();
    }
  }

  /** @param {number} step */
  #show(step) {
    const beside = h("div", { class: "st-range" });
    fill(this.panel, h("div", { class: "st-details" }, factsOf(this.chosen, step), beside));
    this.panel.hidden = false;
    this.panel.scrollTop = 0;
    this.#tellRange(beside, step);
  }

  /**
   * The functions of a step, once the timeline is read.
   * @param {HTMLElement} host
   * @param {number} step
   */
  async #tellRange(host, step) {
    const { app } = this;
    const timeline = timelineOf(app.whole);
    const toTimeline = h("button", { class: "button", "data-tip": "This time in the timeline (Enter)", on: { click: () => this.#open("timeline", step) } }, "Timeline");
    if (!timeline.isLoaded) {
      const bar = h("progress", { max: 1, value: 0, "aria-label": "Reading the timeline" });
      fill(host, h("p", { class: "quiet" }, "Reading the timeline …"), bar);
      await loaded(timeline, bar);
      if (this.isGone || !host.isConnected) {
        return;
      }
    }
    const range = this.steps.rangeOf(step);
    const panel = rangePanel(statisticsOf(timeline, range, this.#threadsOf(step)), range, {
      profile: app.whole,
      open: (view) => this.#open(view, step),
      choose: (row) => this.#open("butterfly", step, { row: app.whole.key(row) }),
      clear: () => this.pick(-1, true),
    });
    panel.querySelector("h2")?.after(toTimeline);
    fill(host, panel);
    host.dataset.ready = "1";
  }

  /** Chooses a step so many places on; of those that are slow, the next one. @param {number} by @param {boolean} [slow] */
  #walk(by, slow = false) {
    const { scene } = this.chart;
    if (scene === null || scene.order.length === 0) {
      return;
    }
    const { order } = scene;
    const last = order.length - 1;
    const here = order.indexOf(this.chart.picked);
    let at = here < 0 ? (by > 0 ? 0 : last) : Math.max(0, Math.min(last, here + by));
    if (slow) {
      while (at >= 0 && at <= last && this.steps.slow[order[at]] !== 1) {
        at += Math.sign(by);
      }
      if (order[at] === undefined || at === here) {
        this.app.announce(this.chosen.slow.length > 0 ? "No further slow step" : "No step is slow");
        return;
      }
    }
    this.pick(order[at], false);
    this.chart.reveal();
  }

  #registerKeys() {
    const { keys } = this.app;
    keys.register("ArrowLeft ArrowRight", "The step before, after", ({ key }) => this.#walk(key === "ArrowLeft" ? -1 : 1));
    keys.register("PageUp PageDown", "Ten steps back, on", ({ key }) => this.#walk(key === "PageUp" ? -10 : 10));
    keys.register("Home End", "The first, the last step", ({ key }) => this.#walk(key === "Home" ? -Infinity : Infinity));
    keys.register("n N", "The next, the previous slow step", ({ key }) => this.#walk(key === "n" ? 1 : -1, true));
    keys.register("x", "The longest step", () => {
      const [step = -1] = byHeight(this.chosen.order, this.steps.length);
      this.pick(step, true);
      this.chart.reveal();
    });
    keys.register("Enter", "The step in the timeline", () => {
      if (this.chart.picked >= 0) {
        this.#open("timeline", this.chart.picked);
      }
    });
    keys.register("w", "In order, or the longest first", () => this.#sort(this.app.state.sorted === "length" ? "" : "length"));
    keys.register("+ = -", "Closer, farther", ({ key }) => this.#zoom(key === "-" ? 1 / 0.6 : 0.6));
    keys.register("0", "All steps", () => this.#zoom(0));
    keys.register("Escape", "No step chosen", () => this.pick(-1, true));
  }
}
