// The controls of the flame graph, and their keys: what the width is, which way the tree is read,
// what is folded, the colours.

import { NativeProfile } from "../native_profile.js";
import { WaitsProfile } from "../waits_profile.js";
import { fill, h } from "../ui/dom.js";
import { share } from "../ui/format.js";
import { areWaitsShown } from "../waits.js";
import { choice, toggle } from "./controls.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../ui/state.js").State} State
 */

const COLOURS = ["", "package", "share"]; // "": by module

/**
 * What the width of a box is. The busy time is not offered where little was waited.
 * @param {App} app
 * @returns {import("./layout.js").Metric}
 */
export function metricOf(app) {
  const { metric } = app.state;
  const isBusy = metric === "busy" && areWaitsShown(app.profile.figures(app.threads));
  const isSeenOtherwise = app.profile instanceof NativeProfile || app.profile instanceof WaitsProfile;
  return isSeenOtherwise ? "time" : metric === "calls" ? "calls" : isBusy ? "busy" : "time";
}

/** What of the state says so: all but the time. @type {Record<string, string>} */
const METRICS = { time: "", busy: "busy", calls: "calls" };

/** @typedef {"" | "1" | "merged"} Direction */

/**
 * Which way the tree is read: from callers to callees, from callees to callers, or both ways from
 * one function.
 * @param {State} state
 * @returns {Direction}
 */
export const directionOf = (state) => (state.merged === "1" ? "merged" : state.inverted === "1" ? "1" : "");

/**
 * What of the state says so.
 * @param {string} direction
 */
const directed = (direction) => ({
  inverted: direction === "1" ? "1" : null,
  merged: direction === "merged" ? "1" : null,
  at: null,
  zoom: null,
});

export class Toolbar {
  /**
   * @param {App} app
   * @param {import("./words.js").Words} words
   */
  constructor(app, words) {
    this.app = app;
    this.words = words;
    const own = words.own.toLowerCase();
    /** @type {(patch: Record<string, string | null>) => void} */
    const set = (patch) => app.set(patch, { push: true });
    this.metric = choice(
      "What the width is",
      words.widths,
      (value) => set({ metric: value, zoom: null }),
    );
    this.direction = choice(
      "What is below what",
      [
        ["", "Callees", "Below each function those that it called (i)"],
        ["1", "Callers", `Below each function, by its ${own}, those that called it (i)`],
        ["merged", "One function", "All calls of the chosen function as one: its callers above, its callees below (u)"],
      ],
      (value) => set(directed(value)),
    );
    this.colours = choice(
      "Colours",
      [
        ["", "Module", "A colour for each module (p)"],
        ["package", "Package", "A colour for each package (p)"],
        ["share", words.own, `The stronger, the larger the function's ${own} (p)`],
      ],
      (value) => set({ colour: value }),
    );
    this.builtins = toggle("Fold builtins", `Their ${words.of} in the box of their caller (h)`, () =>
      this.#fold("b"),
    );
    this.libraries = toggle("Fold libraries", "Only what of them the program called (l)", () =>
      this.#fold("l"),
    );
    this.natives = toggle("Fold native code", "Its CPU time in the box of the function that it ran for (H)", () => this.#fold("n"));
    this.library = h("select", { "aria-label": "Native library" });
    this.library.addEventListener("change", () => set({ lib: this.library.value || null, zoom: null }));
    const { profile } = app;
    const libraries = profile instanceof NativeProfile ? profile.libraries : [];
    this.natives.element.hidden = this.library.hidden = !(profile instanceof NativeProfile);
    const options = libraries.map(([name, own]) => h("option", { value: name }, `${name}  (${share(own, profile.figures("all").total)})`));
    fill(this.library, h("option", { value: "" }, "All native libraries"), ...options);
    /** The native libraries that have samples. */
    this.nativeLibraries = new Set(libraries.map(([name]) => name));
    this.metric.element.hidden = words.widths.length < 2;
    this.order = toggle("Heaviest first", "Or in the order in which they were first called (w)", () =>
      this.#flip("order", "called"),
    );
    this.up = toggle("Root at the bottom", "Flames instead of icicles (v)", () => this.#flip("up", "1"));
    this.element = h(
      "div",
      { class: "toolbar wrapped" },
      this.metric.element,
      this.direction.element,
      this.colours.element,
      h("div", { class: "segments" }, this.builtins.element, this.libraries.element, this.natives.element),
      this.library,
      h("div", { class: "segments" }, this.order.element, this.up.element),
    );
    this.#registerKeys();
  }

  #registerKeys() {
    const { keys } = this.app;
    if (this.words.widths.length > 1) {
      keys.register("m", this.words.kinds, () => this.#nextMetric());
    }
    if (!this.natives.element.hidden) {
      keys.register("H", "Fold native code", () => this.#fold("n"));
    }
    keys.register("i", "Callees or callers", () => this.#turn("1"));
    keys.register("u", "All calls of the chosen function as one, or the whole", () => this.#turn("merged"));
    keys.register("p", `Colours: by module, package, ${this.words.own.toLowerCase()}`, () => {
      const now = COLOURS.indexOf(this.app.state.colour ?? "");
      this.app.set({ colour: COLOURS[(now + 1) % COLOURS.length] });
    });
    keys.register("h", "Fold builtins", () => this.#fold("b"));
    keys.register("l", "Fold libraries", () => this.#fold("l"));
    keys.register("w", "Heaviest first, or in the order of the first calls", () =>
      this.#flip("order", "called"),
    );
    keys.register("v", "Root at the top or at the bottom", () => this.#flip("up", "1"));
  }

  #nextMetric() {
    const waits = areWaitsShown(this.app.profile.figures(this.app.threads));
    const offered = this.words.widths.map(([value]) => value).filter((value) => value !== "busy" || waits);
    const now = offered.indexOf(METRICS[metricOf(this.app)]);
    this.app.set({ metric: offered[(now + 1) % offered.length], zoom: null }, { push: true });
  }

  /**
   * Shows what the state says.
   * @param {State} state
   */
  reflect(state) {
    const fold = state.fold ?? "";
    this.metric.offer("busy", areWaitsShown(this.app.profile.figures(this.app.threads)));
    this.metric.reflect(METRICS[metricOf(this.app)]);
    this.direction.reflect(directionOf(state));
    this.colours.reflect(COLOURS.includes(state.colour) ? state.colour : "");
    this.builtins.reflect(fold.includes("b"));
    this.libraries.reflect(fold.includes("l"));
    this.natives.reflect(fold.includes("n"));
    this.library.value = this.nativeLibraries.has(state.lib) ? state.lib : "";
    this.order.reflect(state.order !== "called");
    this.order.element.disabled = state.inverted === "1"; // there the heaviest always come first
    this.up.reflect(state.up === "1");
    this.up.element.disabled = state.merged === "1"; // there the root is in the middle
  }

  /** @param {Direction} direction */
  #turn(direction) {
    const now = directionOf(this.app.state);
    this.app.set(directed(now === direction ? "" : direction), { push: true });
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  #flip(key, value) {
    this.app.set({ [key]: this.app.state[key] === value ? null : value }, { push: true });
  }

  /** @param {"b" | "l" | "n"} what */
  #fold(what) {
    const now = this.app.state.fold ?? "";
    const next = now.includes(what) ? now.replace(what, "") : [...now, what].sort().join("");
    this.app.set({ fold: next }, { push: true });
  }
}
