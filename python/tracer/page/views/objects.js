// Objects: how many live objects of each type a running program has, over the time that somebody looks; those that grow
// come first. A click on a type shows who holds them.

import { choice } from "../flame/controls.js";
import { aliveOf, tellTime } from "../objects/alive.js";
import { objectsOf } from "../objects/model.js";
import { spark } from "../objects/spark.js";
import { fill, h } from "../ui/dom.js";
import { bytes, count, counted, exactBytes, shortCount, time } from "../ui/format.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../objects/model.js").Kind} Kind
 * @typedef {import("../objects/model.js").Census} Census
 * @typedef {import("../ui/state.js").State} State
 * @typedef {{element: HTMLElement, button: HTMLElement, panel: HTMLElement, isOpen: boolean, seen: unknown, ended: boolean}} Row
 */

/** @type {import("../app.js").View} */
export const objects = {
  name: "objects",
  title: "Objects",
  key: "O",
  searches: "shows the types whose names have it",
  whole: true,
  mount: (host, app) => new ObjectsView(host, app),
};

class ObjectsView {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   */
  constructor(host, app) {
    this.app = app;
    this.model = objectsOf(app);
    this.asked = ""; // which measure and search the model follows
    /** @type {string | undefined} */
    this.type = undefined; // that of the open row
    /** @type {Map<string, Row>} by the name of the type */
    this.rows = new Map();
    this.measures = choice(
      "By",
      [
        ["size", "Size", "Those whose bytes grew most come first (m)"],
        ["count", "Count", "Those of which there are most more come first (m)"],
      ],
      (value) => this.#choose(value),
    );
    this.sum = h("p", { class: "sum", role: "status" });
    this.rest = h("p", { class: "sum obj-rest" });
    this.anew = h("button", { class: "button", "data-tip": "Growth is told from now on (x)", on: { click: () => this.#beginAnew() } }, "Begin anew");
    this.list = h("ol", { class: "obj-list" });
    this.inner = h("div", { class: "scroller obj-inner" });
    fill(host, h("div", { class: "toolbar wrapped" }, this.measures.element, this.sum, this.rest, h("span", { class: "spring" }), this.anew), this.inner);
    app.keys.register("m", "By size, by count", () => this.#choose(this.measure === "size" ? "count" : "size"));
    app.keys.register("x", "Begin anew: growth is told from now on", () => this.#beginAnew());
    app.keys.register("ArrowUp ArrowDown", "Previous, next type", (event) => this.#step(event.key === "ArrowDown" ? 1 : -1));
    app.keys.register("Enter", "Show who holds objects of the type", () => {});
    app.keys.register("Escape", "Close what is open", () => app.set({ type: null }));
    this.ticking = setInterval(() => this.#tick(), 500);
  }

  get measure() {
    return this.app.state.measure === "count" ? "count" : "size";
  }

  destroy() {
    clearInterval(this.ticking);
    this.model.stop();
  }

  /** @param {State} state */
  update(state) {
    const { model, measure } = this;
    const search = state.search ?? "";
    this.measures.reflect(measure);
    const asked = JSON.stringify([measure, search]);
    if (asked !== this.asked) {
      this.asked = asked;
      model.measure = measure;
      model.search = search;
      void model.follow(() => this.#show());
    }
    if (state.type !== this.type) {
      this.type = state.type;
      if (state.type !== undefined && !model.found.get(state.type)?.answer) {
        void model.find(state.type);
      }
    }
    this.#show();
  }

  /** Says when the program counts again, for the page stands still until then, and how old what is open is. */
  #tick() {
    const { rest, ended } = this.model;
    const { type } = this.app.state;
    const [row, found] = type === undefined ? [] : [this.rows.get(type), this.model.found.get(type)];
    if (row?.isOpen && found !== undefined) {
      tellTime(row.panel, found, ended);
    }
    fill(this.rest, ended ? "The program has ended." : rest > 0 ? `Counts again in ${counted(rest, "second")}.` : "");
  }

  #show() {
    const { census, ended } = this.model;
    this.anew.toggleAttribute("disabled", ended);
    this.#tick();
    if (census === null || census.at.length === 0) {
      fill(this.inner, h("div", { class: "empty" }, h("h2", null, "No census yet"), h("p", null, "The program counts its live objects as soon as it can.")));
      return;
    }
    const long = (census.at.at(-1) ?? 0) * 1e9;
    const since = long > 0 ? ` Growth is of the last ${time(long)}.` : " Growth is told from the next count on.";
    fill(this.sum, `${counted(census.types, "type")}, ${counted(census.count, "object")}, ${bytes(census.size)}.${since}`);
    if (census.kinds.length === 0) {
      fill(this.inner, h("div", { class: "empty" }, h("h2", null, "No type has such a name"), h("p", null, this.model.search)));
      return;
    }
    const focused = [...this.rows].find(([, row]) => row.button === document.activeElement)?.[1];
    const elements = census.kinds.map((kind) => this.#row(kind, census));
    if (this.list.parentElement !== this.inner) {
      fill(this.inner, head(), this.list);
    }
    if (elements.some((element, place) => this.list.children[place] !== element) || elements.length !== this.list.children.length) {
      fill(this.list, ...elements);
      if (focused?.element.isConnected) {
        focused.button.focus({ preventScroll: true });
      }
    }
  }

  /**
   * @param {Kind} kind
   * @param {Census} census
   */
  #row(kind, census) {
    const { name } = kind;
    let row = this.rows.get(name);
    if (row === undefined) {
      const panel = h("div", { class: "obj-alive", hidden: true });
      const button = h("button", { class: "obj-row", on: { click: () => this.#toggle(name) } });
      row = { element: h("li", null, button, panel), button, panel, isOpen: false, seen: null, ended: false };
      this.rows.set(name, row);
    }
    const isOpen = this.app.state.type === name;
    row.button.setAttribute("aria-expanded", String(isOpen));
    fill(row.button, ...cells(kind, census, this.measure));
    const found = isOpen ? this.model.found.get(name) : undefined;
    const { ended } = this.model;
    if (row.isOpen !== isOpen || row.seen !== found || row.ended !== ended) {
      row.isOpen = isOpen;
      row.seen = found;
      row.ended = ended;
      row.panel.hidden = !isOpen;
      fill(row.panel, ...(isOpen ? aliveOf(this.app, found, ended, () => this.model.find(name), { own: name, open: (type) => this.#open(type) }) : []));
    }
    return row.element;
  }

  /**
   * Opens or closes a row. The row stays where it is on the screen when another one closes above.
   * @param {string} name
   */
  #toggle(name) {
    const isOpen = this.app.state.type === name;
    const top = () => this.rows.get(name)?.element.getBoundingClientRect().top ?? 0;
    const before = top();
    if (!isOpen) {
      void this.model.find(name);
    }
    this.app.set({ type: isOpen ? null : name });
    this.inner.scrollTop += top() - before;
  }

  /**
   * Opens the row of a type, and seeks it if it is not in the list. Back returns.
   * @param {string} name
   */
  #open(name) {
    void this.model.find(name);
    const isListed = this.model.census?.kinds.some((kind) => kind.name === name);
    this.app.set({ type: name, ...(isListed ? {} : { search: name }) }, { push: true });
    const row = this.rows.get(name);
    row?.element.scrollIntoView({ block: "nearest" });
    row?.button.focus({ preventScroll: true });
  }

  /** @param {string} measure */
  #choose(measure) {
    this.app.set({ measure: measure === "count" ? "count" : null });
  }

  #beginAnew() {
    if (this.model.ended) {
      return;
    }
    void this.model.beginAnew();
    this.app.announce("Growth is told from now on");
  }

  /** @param {number} by */
  #step(by) {
    const buttons = /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll(".obj-row")]);
    const at = buttons.findIndex((button) => button === document.activeElement);
    const next = at < 0 ? 0 : Math.min(buttons.length - 1, Math.max(0, at + by));
    buttons[next]?.focus();
  }
}

function head() {
  const names = ["type", "over time", "count", "+ count", "size", "+ size"];
  return h("div", { class: "obj-head", "aria-hidden": "true" }, ...names.map((name) => h("span", null, name)));
}

/**
 * @param {Kind} kind
 * @param {Census} census
 * @param {"size" | "count"} measure
 */
function cells({ name, counts, sizes }, census, measure) {
  const [number, size] = [counts.at(-1) ?? 0, sizes.at(-1) ?? 0];
  const [more, larger] = [number - counts[0], size - sizes[0]];
  return [
    h("span", { class: "fn", title: name }, name),
    spark(census.at, measure === "count" ? counts : sizes),
    h("span", { "aria-label": `${count(number)} objects`, "data-tip": count(number) }, shortCount(number)),
    h("span", { class: grown(more), "data-tip": signed(more, count) }, signed(more, shortCount)),
    h("span", { "data-tip": exactBytes(size) }, bytes(size)),
    h("span", { class: grown(larger), "data-tip": signed(larger, exactBytes) }, signed(larger, bytes)),
  ];
}

/** @param {number} more */
const grown = (more) => (more > 0 ? "obj-grown" : "quiet");

/**
 * @param {number} number
 * @param {(number: number) => string} written
 */
function signed(number, written) {
  return number === 0 ? "" : `${number > 0 ? "+" : "−"}${written(Math.abs(number))}`;
}
