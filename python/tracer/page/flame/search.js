// What a search found in a tree: the share of it, and its boxes one after the other.

/** @typedef {import("../nodes.js").Nodes} Nodes */
/** @typedef {import("./layout.js").Layout} Layout */

/**
 * @typedef {object} Found
 * @property {number} value  of the boxes found, in each path the outermost one: nothing is counted twice
 * @property {number} boxes
 * @property {number} rows
 */

/**
 * @param {Layout} layout
 * @param {Uint8Array} wanted  by row
 * @returns {Found}
 */
export function found({ tree, value }, wanted) {
  let sum = 0;
  let boxes = 0;
  const seen = new Uint8Array(wanted.length);
  let covered = 0; // the end of the outermost box that we are in
  for (let node = 1; node < tree.count; node++) {
    const row = tree.row[node];
    if (!wanted[row]) {
      continue;
    }
    boxes++;
    seen[row] = 1;
    if (node < covered) {
      continue;
    }
    covered = tree.end[node];
    sum += value[node];
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
