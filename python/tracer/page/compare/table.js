// The table of a comparison: before, after, difference and ratio of each figure.

import { fill, h } from "../ui/dom.js";
import { count, exactTime, shortCount, time } from "../ui/format.js";
import { VirtualList } from "../ui/virtual_list.js";
import { columnHead, sortingAfterClick, sortingsOf } from "../table/order.js";
import { DEFAULT_SORT } from "./changes.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("./changes.js").Changes} Changes
 * @typedef {import("./changes.js").Metric} Metric
 * @typedef {{name: HTMLElement, where: HTMLElement, mark: HTMLElement,
 *   cells: {cell: HTMLElement, text: HTMLElement, bar: HTMLElement | null}[]}} Parts
 */

const ROW = 30; // pixels, as in style.css
const PARTS = /** @type {const} */ (["before", "after", "delta", "ratio"]);
/** @type {Record<string, string>} */
const MATCHED = {
  function: "Matched by module and qualified name",
  package: "The sums of its functions",
  line: "Matched by its function and its text",
};
const HEADS = { before: "before", after: "after", delta: "change", ratio: "ratio" };

export class CompareTable {
  /**
   * @param {App} app
   * @param {Changes} changes
   * @param {(row: number) => void} chosen
   */
  constructor(app, changes, chosen) {
    this.app = app;
    this.changes = changes;
    /** @type {Uint32Array} */
    this.rows = new Uint32Array(0);
    this.selected = -1;
    this.heads = h("div", { class: "head", role: "row" });
    this.scroller = h("div", { class: "scroller" });
    /** @type {VirtualList<Parts>} */
    this.list = new VirtualList(this.scroller, ROW, {
      make: () => makeRow(changes.metrics),
      show: (parts, at, element) => this.#show(parts, at, element),
    });
    this.element = h(
      "div",
      { class: "grid compared", role: "grid", tabindex: "0", "aria-label": `${changes.thing}s, before and after` },
      h("div", { class: "heads", role: "rowgroup" }, groupHeads(changes), this.heads),
      this.list.room,
    );
    this.element.style.setProperty("--metrics", String(changes.metrics.length));
    this.nothing = h("div", { class: "empty" }, h("h2", null, `No ${changes.thing} is like that`));
    fill(this.scroller, this.element, this.nothing);
    this.list.room.addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest(".row") : null;
      if (row instanceof HTMLElement) {
        chosen(Number(row.dataset.row));
      }
    });
    this.most = Object.fromEntries(
      changes.metrics.map((metric) => [
        metric,
        changes.pairs[metric].delta.reduce((most, one) => Math.max(most, Math.abs(one)), 0),
      ]),
    );
  }

  /** @param {import("../ui/state.js").State} state */
  update(state) {
    const sort = state.sort || DEFAULT_SORT;
    this.rows = this.changes.listed(state.search, state.standing, sortingsOf(sort));
    this.#fillHeads(sort);
    this.element.setAttribute("aria-rowcount", String(this.rows.length + 2));
    this.nothing.hidden = this.rows.length > 0;
    this.list.reset(this.rows.length);
  }

  /**
   * @param {number} row
   * @param {boolean} [reveal]
   */
  select(row, reveal = false) {
    this.selected = row;
    const at = this.rows.indexOf(row);
    if (reveal && at >= 0) {
      this.list.reveal(at);
    }
    this.list.redraw();
  }

  /**
   * The row so many further down than the selected one, -1 if there is none.
   * @param {number} by
   */
  beside(by) {
    const at = this.rows.indexOf(this.selected);
    const next = at < 0 ? 0 : Math.max(0, Math.min(this.rows.length - 1, at + by));
    return this.rows[next] ?? -1;
  }

  destroy() {
    this.list.destroy();
  }

  /** @param {string} sort */
  #fillHeads(sort) {
    const { metrics, thing, titles } = this.changes;
    const sortings = sortingsOf(sort);
    /** @type {(key: string, title: string, about: string) => HTMLElement} */
    const head = (key, title, about) => {
      const kind = key === "name" ? "name" : `figure ${key.split(".")[1]}`;
      const its = sortings.find((sorting) => sorting.key === key);
      return columnHead({ key, title, about }, kind, its, (event) =>
        this.app.set({ sort: sortingAfterClick(sort, key, event.shiftKey) }),
      );
    };
    fill(
      this.heads,
      head("name", thing, MATCHED[thing]),
      ...metrics.flatMap((metric) => PARTS.map((part) => head(`${metric}.${part}`, HEADS[part], `${titles[metric]}: ${HEADS[part]}`))),
    );
  }

  /**
   * @param {Parts} parts
   * @param {number} at
   * @param {HTMLElement} element
   */
  #show(parts, at, element) {
    const { changes } = this;
    const row = this.rows[at];
    const { name, where, tip } = changes.tell(row);
    const status = changes.status(row);
    element.dataset.row = String(row);
    element.setAttribute("aria-rowindex", String(at + 3));
    element.setAttribute("aria-selected", String(row === this.selected));
    parts.name.textContent = name;
    parts.name.setAttribute("data-tip", tip);
    parts.where.textContent = where;
    parts.mark.textContent = status;
    parts.mark.className = `change-status ${status}`;
    let place = 0;
    for (const metric of changes.metrics) {
      for (const part of PARTS) {
        this.#showFigure(parts.cells[place++], metric, part, row);
      }
    }
  }

  /**
   * @param {Parts["cells"][number]} cell
   * @param {Metric} metric
   * @param {(typeof PARTS)[number]} part
   * @param {number} row
   */
  #showFigure({ cell, text, bar }, metric, part, row) {
    const { changes } = this;
    const figure = changes.pairs[metric][part][row];
    const noise = metric === "tottime" && part === "delta" && changes.isNoise(figure);
    const shown = part === "ratio" ? ratioText(figure) : figureText(metric, figure, part === "delta");
    text.textContent = shown;
    const none = shown === "–" || noise;
    const turn = part === "before" || part === "after" ? "" : figure > (part === "ratio" ? 1 : 0) ? "grown" : "shrunk";
    cell.className = `figure ${part} ${none ? "none" : turn}`;
    if (part === "ratio") {
      cell.setAttribute("data-tip", Number.isFinite(figure) ? `${figure} times` : "");
    } else {
      const exact = metric === "ncalls" ? count(figure) : exactTime(figure);
      cell.setAttribute("data-tip", noise && figure !== 0 ? `${exact}\nno more than noise` : exact);
    }
    if (bar !== null) {
      const most = this.most[metric];
      bar.style.width = `${most > 0 ? (100 * Math.abs(figure)) / most : 0}%`;
      bar.classList.toggle("shrunk", figure < 0);
    }
  }
}

/** @param {Changes} changes */
function groupHeads({ metrics, titles }) {
  const groups = metrics.map((metric) => h("div", { class: "group", role: "columnheader" }, titles[metric]));
  return h("div", { class: "head groups", role: "row" }, h("div", { role: "columnheader" }), ...groups);
}

/** @param {Metric[]} metrics */
function makeRow(metrics) {
  const name = h("span", { class: "fn" });
  const where = h("span", { class: "where" });
  const mark = h("span");
  const cells = metrics.flatMap(() =>
    PARTS.map((part) => {
      const text = h("span");
      const bar = part === "delta" ? h("i", { class: "bar" }) : null;
      return { cell: h("div", { class: "figure", role: "gridcell" }, bar, text), text, bar };
    }),
  );
  const first = h("div", { class: "name", role: "gridcell" }, mark, name, where);
  const element = h("div", { class: "row", role: "row" }, first, ...cells.map(({ cell }) => cell));
  return { element, parts: { name, where, mark, cells } };
}

/**
 * @param {Metric} metric
 * @param {number} figure
 * @param {boolean} signed
 */
export function figureText(metric, figure, signed) {
  if (figure === 0) {
    return "–";
  }
  const text =
    metric === "ncalls" ? (figure < 0 ? `−${shortCount(-figure)}` : shortCount(figure)) : time(figure);
  return signed && figure > 0 ? `+${text}` : text;
}

/**
 * "×1.25"; nothing where there was nothing to compare with, or where it is the same.
 * @param {number} ratio
 */
export function ratioText(ratio) {
  if (!Number.isFinite(ratio) || ratio === 1 || ratio === 0) {
    return "–";
  }
  return ratio >= 100 ? `×${count(ratio)}` : `×${ratio.toFixed(ratio < 0.995 || ratio < 10 ? 2 : 1)}`;
}
