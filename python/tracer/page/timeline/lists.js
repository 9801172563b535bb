// The lists of ranges, tasks and marks: to find the slowest ones, and to go to one of many. A search filters them, and so
// does a selected range.

import { fill, h } from "../ui/dom.js";
import { count, counted, exactTime, time } from "../ui/format.js";
import { momentText } from "./camera.js";

/**
 * @typedef {import("./tracks.js").Item} Item
 * @typedef {"ranges" | "tasks" | "marks"} Kind
 * @typedef {{item: Item, name: string, values: string, begin: number, length: number, ran: number, waited: number, task: string, thread: string}} Entry
 * @typedef {"begin" | "length" | "ran" | "waited"} Column
 * @typedef {object} Guide
 * @property {(item: Item) => void} choose
 * @property {(kind: Kind | null) => void} list  shows another list; null: none
 */

const MOST = 300; // entries that are shown
const KINDS = /** @type {const} */ (["ranges", "tasks", "marks"]);
/** @type {Record<Column, [string, string]>} */
const NAMES = {
  begin: ["began", "When it began; a task, when it was first seen"],
  length: ["passed", "The time from its begin to its end"],
  ran: ["ran", "The time in which it ran"],
  waited: ["waited", "The time in which it did not run"],
};
/** @type {Record<Kind, Column[]>} */
const COLUMNS = { ranges: ["length", "begin"], tasks: ["length", "ran", "waited", "begin"], marks: ["begin"] };

/** @param {Item} item */
const kindOf = ({ span, fiber }) => (fiber !== null ? "tasks" : span?.kind === "Range" ? "ranges" : span?.kind === "Mark" ? "marks" : null);

/**
 * @param {Item} item
 * @returns {Entry}
 */
function entryOf(item) {
  const { span, fiber, line } = item;
  const { name, start, end } = /** @type {{name: string, start: number, end: number}} */ (span ?? fiber);
  const values = (span?.facts ?? []).map(([key, value]) => `${key}=${value}`).join(", ");
  const ran = fiber?.running ?? 0;
  const waited = end - start - ran;
  return { item, name, values, begin: start, length: end - start, ran, waited, task: span?.fiber?.name ?? "", thread: line?.name ?? "" };
}

export class Lists {
  /**
   * @param {Item[]} items  all that has a name
   * @param {Guide} guide
   */
  constructor(items, guide) {
    this.guide = guide;
    /** @type {Record<Kind, Entry[]>} */
    this.entries = { ranges: [], tasks: [], marks: [] };
    for (const item of items) {
      const kind = kindOf(item);
      if (kind !== null) {
        this.entries[kind].push(entryOf(item));
      }
    }
    /** @type {Record<Kind, {column: Column, down: boolean}>} */
    this.sorted = { ranges: { column: "length", down: true }, tasks: { column: "length", down: true }, marks: { column: "begin", down: false } };
  }

  /** The lists that have something. */
  get kinds() {
    return KINDS.filter((kind) => this.entries[kind].length > 0);
  }

  /**
   * What a list shows, in its order.
   * @param {Kind} kind
   * @param {((thing: import("./search.js").Named) => boolean) | null} wants
   * @param {{from: number, to: number} | null} range
   */
  chosen(kind, wants, range) {
    const { column, down } = this.sorted[kind];
    return this.entries[kind]
      .filter(({ item: { span, fiber } }) => wants === null || wants(/** @type {{name: string}} */ (span ?? fiber)))
      .filter(({ begin, length }) => range === null || (begin <= range.to && begin + length >= range.from))
      .sort((a, b) => (down ? -1 : 1) * (a[column] - b[column]) || a.begin - b.begin);
  }

  /**
   * @param {Kind} kind
   * @param {((thing: import("./search.js").Named) => boolean) | null} wants
   * @param {{from: number, to: number} | null} range
   * @returns {HTMLElement}
   */
  panel(kind, wants, range) {
    const { guide, entries } = this;
    const host = h("div", { class: "tl-range" });
    const show = () => {
      const all = entries[kind];
      const chosen = this.chosen(kind, wants, range);
      const tabs = this.kinds.map((other) =>
        h("button", { class: "button", "aria-pressed": String(other === kind), on: { click: () => guide.list(other) } }, `${count(entries[other].length)} ${other}`),
      );
      const notes = [chosen.length < all.length ? `${count(chosen.length)} of them ${wants === null ? "in the selected time" : "found"}.` : ""];
      if (chosen.length > MOST) {
        notes.push(`The first ${count(MOST)} are listed: a search lists others.`);
      }
      fill(
        host,
        h("header", null, ...tabs, h("span", { class: "quiet" }, notes.join(" ")), h("button", { class: "button", "data-tip": "Without the list (l)", on: { click: () => guide.list(null) } }, "Close")),
        this.#table(kind, chosen.slice(0, MOST), show),
      );
    };
    show();
    return host;
  }

  /**
   * @param {Kind} kind
   * @param {Entry[]} entries
   * @param {() => void} show
   */
  #table(kind, entries, show) {
    const { guide, sorted } = this;
    const columns = COLUMNS[kind];
    const threads = new Set(this.entries[kind].map(({ thread }) => thread)).size > 1;
    const tasks = this.entries[kind].some(({ task }) => task !== "");
    const heads = columns.map((column) => {
      const { column: by, down } = sorted[kind];
      const order = by !== column ? "none" : down ? "descending" : "ascending";
      const sort = () => {
        sorted[kind] = { column, down: by === column ? !down : column !== "begin" };
        show();
      };
      const [name, tip] = NAMES[column];
      return h("th", { scope: "col", "aria-sort": order, "data-tip": tip }, h("button", { "data-column": column, on: { click: sort } }, name));
    });
    const texts = [tasks ? "task" : "", threads ? "thread" : ""].filter(Boolean);
    /** @param {Entry} entry */
    const row = (entry) =>
      h(
        "tr",
        null,
        h("td", null, h("button", { class: "link", on: { click: () => guide.choose(entry.item) } }, entry.name), h("small", { class: "quiet" }, ` ${entry.values}`)),
        ...columns.map((column) => (column === "begin" ? h("td", null, momentText(entry.begin, 1000)) : h("td", { "data-tip": exactTime(entry[column]) }, time(entry[column])))),
        tasks ? h("td", null, entry.task) : null,
        threads ? h("td", null, entry.thread) : null,
      );
    return h(
      "table",
      { class: "tl-table", "aria-label": counted(entries.length, kind.slice(0, -1)) },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "name"), ...heads, ...texts.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", null, ...entries.map(row)),
    );
  }
}
