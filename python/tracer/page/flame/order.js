// The order of siblings: the heaviest first, so that what matters is on the left and what is too
// narrow to be seen gathers on the right. And ways to a node that survive another order.

import { grouped, preorder } from "../nodes.js";

/** @typedef {import("../nodes.js").Nodes} Nodes */

/**
 * The nodes of a tree in preorder, siblings by descending value; the order that they have decides
 * between equals.
 * @param {Nodes} tree
 * @param {Float64Array} value
 */
export function heaviestFirst(tree, value) {
  const { count, parent } = tree;
  const { from, places: kids } = grouped(parent, count);
  for (let node = 0; node < count; node++) {
    sortStretch(kids, from[node], from[node + 1], value);
  }
  return preorder(from, kids);
}

/**
 * @param {Uint32Array} kids
 * @param {number} low
 * @param {number} high
 * @param {Float64Array} value
 */
function sortStretch(kids, low, high, value) {
  if (high - low > 32) {
    kids.subarray(low, high).sort((a, b) => value[b] - value[a] || a - b);
    return;
  }
  for (let at = low + 1; at < high; at++) {
    const kid = kids[at];
    const weight = value[kid];
    let to = at;
    for (; to > low && value[kids[to - 1]] < weight; to--) {
      kids[to] = kids[to - 1];
    }
    kids[to] = kid;
  }
}

/**
 * The node that a path of rows leads to, or the last one on the way that there is.
 * @param {Nodes} tree
 * @param {number[]} rows
 */
export function follow(tree, rows) {
  let node = 0;
  for (const row of rows) {
    const next = tree.children(node).find((child) => tree.row[child] === row);
    if (next === undefined) {
      break;
    }
    node = next;
  }
  return node;
}

/**
 * A path as a few letters a function, for an address: the names of a deep path would fill pages.
 * They come of the keys of the functions, so that they hold for another run as well.
 * @param {Nodes} tree
 * @param {number} node
 * @param {(row: number) => string} keyOf
 */
export function trailOf(tree, node, keyOf) {
  return tree
    .path(node)
    .map((row) => digest(keyOf(row)))
    .join(".");
}

/**
 * The node at the end of a trail; 0 where it leads nowhere.
 * @param {Nodes} tree
 * @param {string} trail
 * @param {(row: number) => string} keyOf
 * @param {number} [first]  the trail leads through no node before this one
 */
export function nodeOfTrail(tree, trail, keyOf, first = 1) {
  let node = 0;
  for (const step of trail === "" ? [] : trail.split(".")) {
    const next = tree.children(node).find((child) => child >= first && digest(keyOf(tree.row[child])) === step);
    if (next === undefined) {
      return 0;
    }
    node = next;
  }
  return node;
}

/**
 * 24 bits of FNV-1a: enough to tell siblings apart.
 * @param {string} text
 */
function digest(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return ((hash >>> 8) ^ (hash & 0xff)).toString(36);
}
