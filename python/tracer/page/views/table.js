// The table: every function with all its figures; sorted, searched, filtered, copied and saved.

import { columnsFor } from "../ways.js";
import { FIGURES } from "../table/columns.js";
import { filterBar } from "../table/filters.js";
import { columnHead, filtered, ranksOf, sort, sortingAfterClick, sortingsOf } from "../table/order.js";
import { copyText, csv, saveFile, tabbed } from "../ui/files.js";
import { counted, share } from "../ui/format.js";
import { twoParts } from "../ui/parts.js";
import { fill, h, icon } from "../ui/dom.js";
import { patternOf } from "../search_pattern.js";
import { VirtualList } from "../ui/virtual_list.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../table/columns.js").Column} Column
 * @typedef {{dot: HTMLElement, name: HTMLElement, where: HTMLElement,
 *   figures: {cell: HTMLElement, text: HTMLElement, bar: HTMLElement, wait: HTMLElement}[]}} Parts
 */

const ROW = 30; // pixels, as in style.css
const SEEN = ["thread", "search", "sort", "kinds", "module", "package"]; // what decides on the rows

/** @type {import("../app.js").View} */
export const table = {
  name: "table",
  title: "Table",
  key: "t",
  searches: "shows what matches",
  excerpts: true,
  mount: (host, app) => new Table(host, app, columnsFor(app.profile)),
};

export class Table {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   * @param {import("../table/columns.js").Kinds} [kinds]  of figures
   */
  constructor(host, app, kinds = FIGURES) {
    this.app = app;
    this.kinds = kinds;
    /** @type {Uint32Array} */
    this.rows = new Uint32Array(0);
    this.seen = "";
    this.selected = -1;
    /** @type {Column[]} */
    this.columns = [];
    /** @type {Uint32Array | null} */
    this.ranks = null;
    this.filters = filterBar(app);
    this.sum = h("p", { class: "sum", role: "status" });
    this.head = h("div", { class: "head", role: "row" });
    this.scroller = h("div", { class: "scroller" });
    this.list = new VirtualList(this.scroller, ROW, {
      make: () => this.#makeRow(),
      show: (parts, at, element) => this.#showRow(parts, at, element),
    });
    this.grid = h(
      "div",
      { class: "grid", role: "grid", tabindex: "0", "aria-label": "Functions", "aria-multiselectable": "false" },
      h("div", { role: "rowgroup", class: "heads" }, this.head),
      this.list.room,
    );
    this.nothing = h("div", { class: "empty", hidden: true });
    fill(this.scroller, this.grid, this.nothing);
    fill(
      host,
      h(
        "div",
        { class: "toolbar" },
        this.filters.element,
        this.sum,
        h("span", { class: "spring" }),
        tool("Copy", "copy", "Copy these rows", () => this.#copy()),
        tool("CSV", "save", "Save these rows as CSV", () => this.#save()),
      ),
      this.scroller,
    );
    this.#listen();
  }

  #listen() {
    const { app, kinds } = this;
    this.list.room.addEventListener("click", (event) => this.#click(event));
    this.list.room.addEventListener("dblclick", () => this.#walk());
    this.list.listenTo(app.keys, (by) => this.#move(by));
    app.keys.register("Enter", kinds.leadsTo, () => this.#walk());
    app.keys.register("1 2 3 4 5 6 7 8 9", "Sort by this column, and the other way around", (event) => {
      const column = [{ key: "name" }, ...this.columns][Number(event.key) - 1];
      this.#sortBy(column?.key, false);
    });
    app.keys.register("y", "Copy these rows", () => this.#copy());
    app.keys.register("e", "Save these rows as CSV", () => this.#save());
    app.keys.register("x", "Clear search and filters", () => this.#clear());
  }

  /** @param {import("../ui/state.js").State} state */
  update(state) {
    const { profile, threads } = this.app;
    const seen = JSON.stringify(SEEN.map((key) => state[key] ?? ""));
    if (seen !== this.seen) {
      const figures = profile.figures(threads);
      this.columns = this.kinds.columnsOf(profile, threads);
      this.total = figures.total;
      const rows = filtered(profile, threads, state);
      this.rows = sort(rows, sortingsOf(state.sort), (key) => this.#values(key));
      this.#buildHead();
      this.grid.setAttribute("aria-rowcount", String(rows.length + 1));
      this.grid.style.setProperty("--columns", String(this.columns.length));
      this.filters.update(state);
      this.#sumUp(figures);
      this.list.lines.forEach(({ element }) => element.remove());
      this.list.lines = [];
      if (this.seen !== "") {
        this.scroller.scrollTop = 0;
      }
    }
    const selected = this.app.selectedRow;
    const moved = selected !== this.selected || seen !== this.seen;
    this.selected = selected;
    if (seen !== this.seen) {
      this.seen = seen;
      this.list.reset(this.rows.length);
    } else if (moved) {
      this.list.redraw();
    }
    const at = this.rows.indexOf(selected);
    if (moved && at >= 0) {
      this.list.reveal(at);
      this.grid.setAttribute("aria-activedescendant", `row-${selected}`);
    }
  }

  destroy() {
    this.list.destroy();
  }

  /** @param {string} key */
  #values(key) {
    if (key === "name") {
      this.ranks ??= ranksOf(Array.from(this.app.profile.rows.name, (_, row) => this.app.profile.label(row)));
      return this.ranks;
    }
    return this.columns.find((column) => column.key === key)?.values ?? null;
  }

  #buildHead() {
    const sortings = sortingsOf(this.app.state.sort);
    const name = { key: "name", title: "function", about: "Qualified name, and where it is defined" };
    const heads = [name, ...this.columns].map((column) => {
      const { key } = column;
      const at = sortings.findIndex((sorting) => sorting.key === key);
      const place = sortings.length > 1 ? String(at + 1) : "";
      return columnHead(column, key === "name" ? "name" : "figure", sortings[at], (event) => this.#sortBy(key, event.shiftKey), place);
    });
    const focused = document.activeElement?.getAttribute("data-key");
    fill(this.head, ...heads);
    if (focused && this.head.closest("main")) {
      const again = [...this.head.querySelectorAll("button")].find((button) => button.dataset.key === focused);
      again?.focus();
    }
  }

  /**
   * @param {string | undefined} key
   * @param {boolean} more
   */
  #sortBy(key, more) {
    if (key !== undefined) {
      this.app.set({ sort: sortingAfterClick(this.app.state.sort, key, more) });
    }
  }

  /** @param {import("../profile.js").Figures} figures */
  #sumUp(figures) {
    const { rows } = this;
    const all = figures.present.reduce((sum, present) => sum + present, 0);
    const own = rows.reduce((sum, row) => sum + figures.tottime[row], 0);
    const of = rows.length === all ? "" : ` of ${counted(all, "function")}`;
    const shown = of === "" ? counted(all, "function") : rows.length.toLocaleString("en");
    const part = of === "" ? "" : `, ${share(own, figures.total)} of the ${this.kinds.of}`;
    fill(this.sum, `${shown}${of} · ${this.kinds.amount(own)}${part}`);
    const { search } = this.app.state;
    const problem = search ? patternOf(search).problem : null;
    this.nothing.hidden = rows.length > 0;
    fill(
      this.nothing,
      h("h2", null, all === 0 ? "Nothing was called" : problem !== null ? "This is no regular expression" : "No function is like that"),
      h("p", null, all === 0 ? "This thread has no calls in it." : (problem ?? "Search and filters leave none of them.")),
      all > 0 && h("button", { class: "button", on: { click: () => this.#clear() } }, "Clear search and filters"),
    );
  }

  #clear() {
    this.app.set({ search: null, kinds: null, module: null, package: null });
  }

  #makeRow() {
    const dot = h("i", { class: "dot" });
    const name = h("button", { class: "link fn", tabindex: "-1" });
    const where = h("span", { class: "where" });
    const figures = this.columns.map((column) => {
      const text = h("span", null);
      const wait = h("i", { class: "waited" });
      const bar = h("i", { class: "bar", hidden: !column.bar }, wait);
      const cell = h("div", { role: "gridcell", class: `figure${column.bar ? " barred" : ""}` }, bar, text);
      return { cell, text, bar, wait };
    });
    const first = h("div", { role: "gridcell", class: "name" }, dot, name, where);
    const element = h("div", { class: "row", role: "row" }, first, ...figures.map(({ cell }) => cell));
    return { element, parts: { dot, name, where, figures } };
  }

  /**
   * @param {Parts} parts
   * @param {number} at
   * @param {HTMLElement} element
   */
  #showRow(parts, at, element) {
    const { profile } = this.app;
    const row = this.rows[at];
    const chosen = row === this.selected;
    element.id = `row-${row}`;
    element.dataset.row = String(row);
    element.setAttribute("aria-rowindex", String(at + 2));
    element.setAttribute("aria-selected", String(chosen));
    const place = profile.place(row);
    parts.dot.dataset.kind = profile.kindOf(row);
    parts.name.textContent = profile.nameOf(row);
    const kind = profile.kindOf(row);
    parts.where.textContent = kind === "builtin" ? "" : kind === "native" ? profile.moduleOf(row) : `${profile.moduleOf(row)}:${profile.rows.line[row]}`;
    parts.name.setAttribute("data-tip", place === "" ? profile.nameOf(row) : `${profile.label(row)}\n${place}`);
    this.columns.forEach(({ values, text, exact, bar, waited }, i) => {
      const value = values[row];
      const part = parts.figures[i];
      part.text.textContent = value === 0 ? "–" : text(value, row);
      part.text.className = value === 0 ? "none" : "";
      const of = bar ? `\n${share(value, this.total ?? 0)} of the ${this.kinds.of}` : "";
      const wait = Math.min(value, waited?.[row] ?? 0);
      part.cell.setAttribute("data-tip", exact(value) + of + (waited !== null && value > 0 ? `\n${twoParts(value, wait)}` : ""));
      if (bar) {
        const percent = this.total ? Math.min(100, (100 * value) / this.total) : 0;
        part.bar.style.width = percent < 1 ? "0" : `${percent}%`;
        part.wait.style.width = value > 0 ? `${(100 * wait) / value}%` : "0";
      }
    });
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = /** @type {Element} */ (event.target);
    const row = target.closest(".row");
    if (row instanceof HTMLElement) {
      this.app.set({ row: this.app.profile.key(Number(row.dataset.row)) });
      if (target.closest(".link")) {
        this.#walk();
      }
    }
  }

  /** @param {number} by */
  #move(by) {
    const { rows } = this;
    if (rows.length > 0) {
      const at = rows.indexOf(this.selected);
      const next = at < 0 && Math.abs(by) === 1 ? 0 : at + by;
      const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
      this.app.set({ row: this.app.profile.key(row) });
    }
  }

  #walk() {
    if (this.selected >= 0) {
      this.kinds.walk(this.app);
    }
  }

  /** @returns {(string | number)[][]} */
  #cells() {
    const { profile } = this.app;
    const head = ["function", "module", "file", "line", ...this.columns.map(({ key, head }) => head ?? key)];
    const rows = Array.from(this.rows, (row) => [
      profile.nameOf(row),
      profile.moduleOf(row),
      profile.fileOf(row).path,
      profile.rows.line[row],
      ...this.columns.map(({ values, file }) => file(values[row])),
    ]);
    return [head, ...rows];
  }

  async #copy() {
    const copied = await copyText(tabbed(this.#cells()));
    this.app.announce(copied ? `${counted(this.rows.length, "row")} copied` : "The browser lets nothing be copied here");
  }

  #save() {
    const text = csv(this.#cells());
    saveFile(`${this.app.title || "profile"}.csv`, new Blob([text], { type: "text/csv" }));
    this.app.announce(`${counted(this.rows.length, "row")} saved`);
  }
}

/**
 * @param {string} text
 * @param {"copy" | "save"} shape
 * @param {string} about
 * @param {() => void} click
 */
function tool(text, shape, about, click) {
  return h("button", { class: "button", "aria-label": about, "data-tip": about, on: { click } }, icon(shape), text);
}
