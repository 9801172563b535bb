// Which rows of the table are seen, and in which order; the heads of its columns, which say so.

import { h } from "../ui/dom.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Threads} Threads
 * @typedef {import("../ui/state.js").State} State
 * @typedef {{key: string, down: boolean}} Sorting
 */

export const DEFAULT_SORT = "-tottime";

/**
 * "-tottime,name" as what it says: a minus is for the largest first.
 * @param {string | undefined} text
 * @returns {Sorting[]}
 */
export function sortingsOf(text) {
  const words = (text || DEFAULT_SORT).split(",").filter((word) => word !== "");
  return words.map((word) => ({ key: word.replace(/^-/, ""), down: word.startsWith("-") }));
}

/**
 * What a click on a column makes of the sorting: that column alone, or one more; again, the other
 * way around.
 * @param {string | undefined} text
 * @param {string} key
 * @param {boolean} more  whether the other columns stay
 */
export function sortingAfterClick(text, key, more) {
  const before = sortingsOf(text);
  const at = before.findIndex((sorting) => sorting.key === key);
  const down = at < 0 ? key !== "name" : !before[at].down;
  const clicked = { key, down };
  let after = [clicked];
  if (more) {
    after = at < 0 ? [...before, clicked] : before.with(at, clicked);
  }
  return after.map((sorting) => (sorting.down ? "-" : "") + sorting.key).join(",");
}

/**
 * The head of a column, which sorts by it.
 * @param {{key: string, title: string, about: string}} column
 * @param {string} kind  its class
 * @param {Sorting | undefined} its  undefined: the rows are not sorted by it
 * @param {(event: MouseEvent) => void} click
 * @param {string} [place]  among the columns that the rows are sorted by
 */
export function columnHead({ key, title, about }, kind, its, click, place = "") {
  return h(
    "div",
    { role: "columnheader", class: kind, "aria-sort": its === undefined ? "none" : its.down ? "descending" : "ascending" },
    h(
      "button",
      { "data-key": key, "data-tip": `${about}. Click: sort by it; Shift-click: sort by it, too.`, on: { click } },
      title,
      its !== undefined && h("span", { class: "arrow", "aria-hidden": "true" }, its.down ? "↓" : "↑", h("sup", null, place)),
    ),
  );
}

/**
 * The rows that have figures and are let through, unsorted.
 * @param {Profile} profile
 * @param {Threads} threads
 * @param {State} state
 */
export function filtered(profile, threads, state) {
  const { present } = profile.figures(threads);
  const { files, rows } = profile;
  const kinds = new Set((state.kinds ?? "").split(",").filter((kind) => kind !== ""));
  const open = Uint8Array.from(files, (file) =>
    (kinds.size === 0 || kinds.has(file.kind)) &&
    (!state.module || file.module === state.module) &&
    (!state.package || file.package === state.package)
      ? 1
      : 0,
  );
  const found = state.search ? profile.matches(state.search) : present;
  const chosen = new Uint32Array(profile.rowCount);
  let length = 0;
  for (let row = 0; row < profile.rowCount; row++) {
    if (present[row] & open[rows.file[row]] & found[row]) {
      chosen[length++] = row;
    }
  }
  return chosen.subarray(0, length);
}

/**
 * Sorts rows in place.
 * @param {Uint32Array} rows
 * @param {Sorting[]} sortings
 * @param {(key: string) => ArrayLike<number> | null} valuesOf  by row; null: no such column
 */
export function sort(rows, sortings, valuesOf) {
  /** @type {{values: ArrayLike<number>, sign: number}[]} */
  const by = [];
  for (const { key, down } of sortings) {
    const values = valuesOf(key);
    if (values !== null) {
      by.push({ values, sign: down ? -1 : 1 });
    }
  }
  return rows.sort((a, b) => {
    for (const { values, sign } of by) {
      const [one, other] = [values[a], values[b]];
      if (one !== other && !(Number.isNaN(one) && Number.isNaN(other))) {
        // What has no figure comes last, either way.
        return Number.isNaN(one) ? 1 : Number.isNaN(other) ? -1 : one < other ? -sign : sign;
      }
    }
    return a - b;
  });
}

/**
 * The place of each row when they are sorted by label.
 * @param {string[]} labels  by row
 */
export function ranksOf(labels) {
  const rows = Uint32Array.from(labels, (_, row) => row);
  rows.sort((a, b) => (labels[a] < labels[b] ? -1 : labels[a] > labels[b] ? 1 : a - b));
  const ranks = new Uint32Array(rows.length);
  rows.forEach((row, place) => (ranks[row] = place));
  return ranks;
}
