// Two profiles side by side: their functions matched, and their trees as one, where each box has
// what it was before and what it is after. Colours and tables are not made here.

import { Grower } from "../nodes.js";

/** @typedef {import("../nodes.js").Nodes} Nodes */

/**
 * Rows in common. `before` and `after` say by row of a profile which it is; `rowBefore` and
 * `rowAfter` lead back, to the first row that it is, or -1.
 * @typedef {{count: number, before: Uint32Array, after: Uint32Array, rowBefore: Int32Array,
 *   rowAfter: Int32Array}} Matched
 */

/**
 * A function as it is matched: `key` is its module and qualified name.
 * @typedef {{key: string, path: string, line: number}} Sought
 */

/**
 * Matches functions by their keys. Of several that share one, as lambdas do, the first in the file
 * is matched with the first; where there are not as many of them, they are one together.
 * @param {Sought[]} before  by row
 * @param {Sought[]} after
 * @returns {Matched}
 */
export function matched(before, after) {
  const [then, now] = [rowsByKey(before), rowsByKey(after)];
  const common = { before: new Uint32Array(before.length), after: new Uint32Array(after.length) };
  /** @type {number[]} */
  const rowBefore = [];
  /** @type {number[]} */
  const rowAfter = [];
  /** @type {(ones: number[], others: number[]) => void} */
  const pair = (ones, others) => {
    const number = rowBefore.push(ones[0] ?? -1) - 1;
    rowAfter.push(others[0] ?? -1);
    ones.forEach((row) => (common.before[row] = number));
    others.forEach((row) => (common.after[row] = number));
  };
  for (const key of new Set([...then.keys(), ...now.keys()])) {
    const ones = then.get(key) ?? [];
    const others = now.get(key) ?? [];
    if (ones.length !== others.length && ones.length > 0 && others.length > 0) {
      pair(ones, others);
      continue;
    }
    for (let at = 0; at < Math.max(ones.length, others.length); at++) {
      pair(ones.slice(at, at + 1), others.slice(at, at + 1));
    }
  }
  const lead = { rowBefore: Int32Array.from(rowBefore), rowAfter: Int32Array.from(rowAfter) };
  return { count: rowBefore.length, ...common, ...lead };
}

/** @param {Sought[]} rows */
function rowsByKey(rows) {
  /** @type {Map<string, number[]>} */
  const byKey = new Map();
  rows.forEach(({ key }, row) => {
    const known = byKey.get(key);
    if (known === undefined) {
      byKey.set(key, [row]);
    } else {
      known.push(row);
    }
  });
  for (const those of byKey.values()) {
    those.sort((a, b) => compareText(rows[a].path, rows[b].path) || rows[a].line - rows[b].line || a - b);
  }
  return byKey;
}

/**
 * @param {string} a
 * @param {string} b
 */
const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Figures by row as figures by common row.
 * @param {Float64Array} figures
 * @param {Uint32Array} common
 * @param {number} count
 */
export function gathered(figures, common, count) {
  const sums = new Float64Array(count);
  for (let row = 0; row < common.length; row++) {
    sums[common[row]] += figures[row];
  }
  return sums;
}

/**
 * Two trees over the same nodes, and `both` with their sums: there what is new and what is gone has
 * a box, too.
 * @param {Nodes} before
 * @param {Nodes} after
 * @param {Matched} rows
 * @returns {{both: Nodes, before: Nodes, after: Nodes}}
 */
export function united(before, after, rows) {
  const room = before.count + after.count;
  const grower = new Grower(room);
  const [one, other] = [side(grower, before, rows.before, room), side(grower, after, rows.after, room)];
  const both = {
    calls: one.calls.map((calls, node) => calls + other.calls[node]),
    resumes: one.resumes.map((resumes, node) => resumes + other.resumes[node]),
    self: one.self.map((time, node) => time + other.self[node]),
  };
  return { both: grown(grower, both), before: grown(grower, one), after: grown(grower, other) };
}

/** @typedef {{calls: Float64Array, resumes: Float64Array, self: Float64Array}} Columns */

/**
 * @param {Grower} grower
 * @param {Nodes} tree
 * @param {Uint32Array} common
 * @param {number} room
 * @returns {Columns}
 */
function side(grower, tree, common, room) {
  const calls = new Float64Array(room);
  const resumes = new Float64Array(room);
  const self = new Float64Array(room);
  const home = new Int32Array(tree.count);
  for (let node = 0; node < tree.count; node++) {
    if (node > 0) {
      home[node] = grower.child(home[tree.parent[node]], common[tree.row[node]]);
    }
    calls[home[node]] += tree.calls[node];
    resumes[home[node]] += tree.resumes[node];
    self[home[node]] += tree.self[node];
  }
  return { calls, resumes, self };
}

/**
 * @param {Grower} grower
 * @param {Columns} columns
 */
function grown(grower, columns) {
  Object.assign(grower, columns);
  return grower.nodes();
}

/**
 * How much more there is after, from -1 (gone) to 1 (new).
 * @param {number} before
 * @param {number} after
 */
export function change(before, after) {
  const most = Math.max(before, after);
  return most > 0 ? Math.max(-1, Math.min(1, (after - before) / most)) : 0;
}
