// What a search found in a tree: the share of it, and its boxes one after the other.

/** @typedef {import("../nodes.js").Nodes} Nodes */
/** @typedef {import("./layout.js").Layout} Layout */

/**
 * What of a layout is seen: some of its nodes, between two places.
 * @typedef {{first: number, end: number, from: number, to: number}} Seen
 */

/**
 * @typedef {object} Found
 * @property {number} value  of the boxes found, in each path the outermost one: nothing is counted twice
 * @property {number} boxes
 * @property {number} rows
 */

/**
 * All of a layout; of one with boxes above its root, those below it.
 * @param {Layout} layout
 * @returns {Seen}
 */
export const allOf = ({ split, width }) => ({ first: 1, end: split, from: 0, to: width });

/**
 * A box, and what is below it.
 * @param {Layout} layout
 * @param {number} node
 * @returns {Seen}
 */
export function withinBox({ tree, start, value }, node) {
  return { first: node, end: tree.end[node], from: start[node], to: start[node] + value[node] };
}

/**
 * @param {Layout} layout
 * @param {Uint8Array} wanted  by row
 * @param {Seen} [seen]  what is counted
 * @returns {Found}
 */
export function found(layout, wanted, { first, end, from, to } = allOf(layout)) {
  const { tree, start, value } = layout;
  let sum = 0;
  let boxes = 0;
  const seen = new Uint8Array(wanted.length);
  let covered = 0; // the end of the outermost box that we are in
  for (let node = first; node < end; node++) {
    const row = tree.row[node];
    const begin = Math.max(from, start[node]);
    const part = Math.min(to, start[node] + value[node]) - begin;
    if (!wanted[row] || part < 0 || (part === 0 && value[node] > 0)) {
      continue;
    }
    boxes++;
    seen[row] = 1;
    if (node < covered) {
      continue;
    }
    covered = tree.end[node];
    sum += part;
  }
  return { value: sum, boxes, rows: seen.reduce((count, one) => count + one, 0) };
}

/**
 * The next box found, after (1) or before (-1) a node, around the end; -1 if there is none. Those
 * too narrow to be seen in the whole are passed over while there are others.
 * @param {Layout} layout
 * @param {Uint8Array} wanted
 * @param {number} node
 * @param {-1 | 1} step
 */
export function nextFound({ tree, value, width }, wanted, node, step) {
  const { count } = tree;
  let narrow = -1;
  for (let tried = 1; tried <= count; tried++) {
    const at = (((node + step * tried) % count) + count) % count;
    if (at === 0 || !wanted[tree.row[at]]) {
      continue;
    }
    if (value[at] >= width / 2000) {
      return at;
    }
    if (narrow < 0) {
      narrow = at;
    }
  }
  return narrow;
}
