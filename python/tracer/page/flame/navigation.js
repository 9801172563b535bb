// Walking in a flame graph: from box to box by keys, into a box by a click, to what was found. What
// is on the screen is in the state, as `at` (the box) and `zoom` (what wheel and drag made of it).

import { fill, h } from "../ui/dom.js";
import { count, counted, share } from "../ui/format.js";
import { Chart } from "./chart.js";
import { openMenu } from "./menu.js";
import { nodeOfTrail, trailOf } from "./order.js";
import { allOf, found, nextFound, withinBox } from "./search.js";
import { TIMES } from "./words.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../ui/state.js").State} State
 * @typedef {import("./camera.js").View} View
 * @typedef {import("./layout.js").Metric} Metric
 * @typedef {import("./painter.js").Scene} Scene
 * @typedef {object} Guide  knows what the boxes are
 * @property {(row: number) => string} keyOf  the same for a function in another run
 * @property {(row: number) => string | null} stateOf  what the state names the function by, if it has it
 * @property {(node: number) => HTMLElement} tipOf
 * @property {(node: number) => [name: string, rest: string]} lineOf
 * @property {(node: number) => import("./menu.js").Entry[]} entriesOf  what else can be done with it
 * @property {(row: number) => boolean} walkTo  goes to a function in place of zooming to its box, if that is the way here
 * @property {() => string} advice  while no box is selected
 * @property {() => number} rowSought  the function to begin with, or -1
 * @property {import("./words.js").Words} [words]  left out: times
 */

export const ADVICE = "Click a box to zoom to it; the wheel zooms, dragging moves; ? lists the keys";
const ABOVE = "^"; // begins the trail of a box above the root

export class Navigation {
  /**
   * @param {App} app
   * @param {string} label
   * @param {Guide} guide
   */
  constructor(app, label, guide) {
    this.app = app;
    this.guide = guide;
    this.chart = new Chart(label, {
      onClick: (node) => this.#click(node),
      onMenu: (node, x, y) => this.#menu(node, { x, y }),
      onHover: (node, x, y) => this.#hover(node, x, y),
      onMoved: (view) => app.set({ zoom: view === null ? null : this.#remembered(view) }),
    });
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {Metric} */
    this.metric = "time";
    this.shownAt = ""; // the part of the state that says what is on the screen
    this.status = h("div", { class: "flame-status", role: "status", "aria-live": "polite" });
    this.hits = h("div", { class: "flame-hits" });
    const reset = { click: () => this.reset() };
    this.whole = h("button", { class: "button", "data-tip": "Show all of it again (0)", on: reset }, "Whole");
    this.line = h("div", { class: "flame-line" }, this.status, this.hits, this.whole);
    this.#registerKeys();
  }

  destroy() {
    this.app.tip.hide();
    this.chart.destroy();
  }

  get selected() {
    return this.chart.marks.selected;
  }

  /**
   * Shows boxes.
   * @param {Scene} scene
   * @param {Metric} metric
   * @param {boolean} same  the boxes are those that were shown, in other colours
   */
  show(scene, metric, same) {
    this.scene = scene;
    this.metric = metric;
    this.chart.show(scene, { keep: same });
    if (!same) {
      this.shownAt = "";
    }
  }

  /**
   * Brings on the screen what the state names.
   * @param {State} state
   */
  goTo(state) {
    this.#goTo(state);
    this.#tellStatus();
    this.#tellHits(state);
  }

  /** @param {State} state */
  #goTo(state) {
    const { scene, chart } = this;
    this.whole.disabled = !state.at && !state.zoom;
    const place = JSON.stringify([state.at, state.zoom]);
    if (scene === null || place === this.shownAt || scene.layout.width <= 0) {
      return;
    }
    const first = this.shownAt === "";
    this.shownAt = place;
    const node = this.#nodeAt(state.at ?? "");
    const view = this.#viewOf(state.zoom);
    if (node > 0) {
      chart.select(node);
    }
    if (view !== null) {
      chart.move(view, !first);
    } else if (node > 0) {
      chart.zoomTo(node, { moving: !first });
    } else {
      chart.move(chart.whole, !first);
      if (first) {
        this.#selectSought();
      }
    }
  }

  /** Selects the widest box of the function that is looked at in other views. */
  #selectSought() {
    const row = this.guide.rowSought();
    const { tree, value } = /** @type {Scene} */ (this.scene).layout;
    let widest = -1;
    for (let node = 1; row >= 0 && node < tree.count; node++) {
      if (tree.row[node] === row && (widest < 0 || value[node] > value[widest])) {
        widest = node;
      }
    }
    this.chart.select(widest, { reveal: true });
  }

  /**
   * The box at the end of a trail, 0 if there is none.
   * @param {string} trail
   */
  #nodeAt(trail) {
    const { tree, split } = /** @type {Scene} */ (this.scene).layout;
    const above = trail.startsWith(ABOVE);
    return nodeOfTrail(tree, above ? trail.slice(1) : trail, this.guide.keyOf, above ? split : 1);
  }

  /**
   * The view as text, which is not gone to again when it comes back as the state.
   * @param {View} view
   */
  #remembered({ from, to, scroll }) {
    const { width } = this.chart.bounds;
    const digits = Math.min(15, 4 - Math.floor(Math.log10((to - from) / width)));
    const text = [(from / width).toFixed(digits), (to / width).toFixed(digits), Math.round(scroll)].join("~");
    this.shownAt = JSON.stringify([this.app.state.at, text]);
    return text;
  }

  /**
   * @param {string | undefined} text
   * @returns {View | null}
   */
  #viewOf(text) {
    const [from, to, scroll] = (text ?? "").split("~").map(Number);
    const { width } = this.chart.bounds;
    return to > from ? { from: from * width, to: to * width, scroll: scroll || 0 } : null;
  }

  /** @param {number} node */
  #click(node) {
    if (node <= 0 || !this.guide.walkTo(/** @type {Scene} */ (this.scene).layout.tree.row[node])) {
      this.open(node);
    }
  }

  /**
   * Zooms to a box.
   * @param {number} node
   */
  open(node) {
    if (this.scene === null || this.scene.layout.width <= 0) {
      return;
    }
    const { layout } = this.scene;
    this.chart.select(node);
    const row = node > 0 ? this.guide.stateOf(layout.tree.row[node]) : null;
    const at = (layout.isAbove(node) ? ABOVE : "") + trailOf(layout.tree, node, this.guide.keyOf);
    const patch = { at, zoom: null };
    this.app.set(row === null ? patch : { ...patch, row }, { push: true });
  }

  reset() {
    this.chart.select(-1);
    this.app.set({ at: null, zoom: null }, { push: true });
  }

  #registerKeys() {
    const { app, chart } = this;
    const { keys } = app;
    keys.register("ArrowLeft ArrowRight", "The box beside; with Shift: move the picture", (event) => {
      const step = event.key === "ArrowLeft" ? -1 : 1;
      return event.shiftKey ? chart.pan(step * 0.2, 0) : this.#beside(step);
    });
    keys.register("ArrowUp ArrowDown", "The box above, below; with Shift: move the picture", (event) => {
      const down = (event.key === "ArrowDown") !== this.scene?.flipped;
      return event.shiftKey ? chart.pan(0, down ? 60 : -60) : this.#along(down);
    });
    keys.register("Enter", "Zoom to the box", () => this.#click(Math.max(0, this.selected)));
    keys.register("Backspace", "Zoom to the box above it", () => {
      if (this.scene !== null && this.selected > 0) {
        this.open(this.scene.layout.tree.parent[this.selected]);
      }
    });
    keys.register("0 Escape", "Show all of it", () => this.reset());
    keys.register("+ =", "Closer", () => chart.zoom(0.6));
    keys.register("-", "Farther", () => chart.zoom(1 / 0.6));
    keys.register("PageUp PageDown", "Scroll", (event) => {
      const away = (event.key === "PageDown") !== this.scene?.flipped;
      chart.pan(0, (away ? 0.8 : -0.8) * chart.size.height);
    });
    keys.register("n N", "The next, the previous box that was found", (event) => {
      this.#nextHit(event.key === "n" ? 1 : -1);
    });
    keys.register("a ContextMenu", "What can be done with the box", () => {
      const node = Math.max(0, this.selected);
      this.#menu(node, chart.placeOf(node));
    });
  }

  /**
   * Selects a box, without zooming to it.
   * @param {number} node
   */
  #walkTo(node) {
    if (node >= 0) {
      this.app.tip.hide();
      this.chart.select(node, { reveal: true });
      this.#tellStatus();
    }
  }

  /** @param {-1 | 1} step */
  #beside(step) {
    if (this.scene !== null) {
      this.#walkTo(this.selected < 0 ? 0 : this.scene.layout.beside(this.selected, step));
    }
  }

  /** @param {boolean} down */
  #along(down) {
    if (this.scene !== null) {
      this.#walkTo(this.selected < 0 ? 0 : this.scene.layout.along(this.selected, down));
    }
  }

  /** @param {1 | -1} step */
  #nextHit(step) {
    if (this.scene === null || this.scene.wanted === null) {
      this.app.announce("Nothing is searched for");
    } else {
      this.#walkTo(nextFound(this.scene.layout, this.scene.wanted, Math.max(0, this.selected), step));
    }
  }

  /**
   * What of the boxes is counted: those of the box that was zoomed to, or what wheel and drag left
   * on the screen.
   * @param {State} state
   * @returns {import("./search.js").Seen}
   */
  #seen({ at, zoom }) {
    const { layout } = /** @type {Scene} */ (this.scene);
    const node = zoom ? 0 : this.#nodeAt(at ?? "");
    if (node > 0) {
      return withinBox(layout, node);
    }
    const all = allOf(layout);
    const view = this.#viewOf(zoom);
    return view === null ? all : { ...all, from: view.from, to: view.to };
  }

  /** @param {State} state */
  #tellHits(state) {
    const { layout, wanted } = /** @type {Scene} */ (this.scene);
    this.hits.hidden = wanted === null;
    if (wanted === null) {
      return;
    }
    const seen = this.#seen(state);
    const { value, boxes, rows } = found(layout, wanted, seen);
    const part = seen.to - seen.from < layout.width;
    if (boxes === 0) {
      const where = part ? " in what is seen" : state.fold && wanted.includes(1) ? " outside of what is folded" : "";
      fill(this.hits, `Nothing was found${where}`);
      return;
    }
    const words = this.guide.words ?? TIMES;
    const amount = this.metric === "calls" ? words.calls(value) : words.amount(value);
    const where = `${counted(rows, "function")}, ${count(boxes)} box${boxes === 1 ? "" : "es"}`;
    /** @type {(text: string, label: string, way: 1 | -1) => HTMLElement} */
    const step = (text, label, way) => {
      const on = { click: () => this.#nextHit(way) };
      return h("button", { class: "button", "aria-label": label, "data-tip": label, on }, text);
    };
    fill(
      this.hits,
      h("strong", null, share(value, seen.to - seen.from) || "0%"),
      `${part ? " of what is seen" : " found"}: ${amount} in ${where}`,
      step("‹", "Previous box (N)", -1),
      step("›", "Next box (n)", 1),
    );
  }

  #tellStatus() {
    if (this.selected < 0) {
      fill(this.status, h("span", { class: "quiet" }, this.guide.advice()));
    } else {
      const [name, rest] = this.guide.lineOf(this.selected);
      fill(this.status, h("span", { class: "fn" }, name), "  ", rest);
    }
  }

  /**
   * @param {number} node
   * @param {number} x
   * @param {number} y
   */
  #hover(node, x, y) {
    if (node < 0) {
      this.app.tip.hide();
    } else {
      this.app.tip.show(x, y, this.guide.tipOf(node));
    }
  }

  /**
   * @param {number} node
   * @param {{x: number, y: number}} place
   */
  #menu(node, place) {
    this.chart.select(node);
    this.#tellStatus();
    const entries = [{ text: "Zoom to it", action: () => this.open(node) }, ...this.guide.entriesOf(node)];
    openMenu(this.guide.lineOf(node)[0], entries, place);
  }
}
