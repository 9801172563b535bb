// Two profiles side by side: rows in common, and their trees as one, where each box has what it was
// before and what it is after. Colours and tables are not made here.

import { Grower } from "../nodes.js";

/** @typedef {import("../nodes.js").Nodes} Nodes */

/**
 * Rows in common. `before` and `after` say by row of a profile which it is; `rowBefore` and
 * `rowAfter` lead back, to the first row that it is, or -1.
 * @typedef {{count: number, before: Uint32Array, after: Uint32Array, rowBefore: Int32Array,
 *   rowAfter: Int32Array}} Matched
 */

/**
 * Rows in common, of what says by row which it is.
 * @param {Uint32Array} before
 * @param {Uint32Array} after
 * @returns {Matched}
 */
export function leading(before, after) {
  const last = /** @type {(most: number, number: number) => number} */ (most, number) => Math.max(most, number);
  const count = 1 + after.reduce(last, before.reduce(last, -1));
  /** @type {(numbers: Uint32Array) => Int32Array} */
  const back = (numbers) => {
    const rows = new Int32Array(count).fill(-1);
    numbers.forEach((number, row) => (rows[number] = rows[number] < 0 ? row : rows[number]));
    return rows;
  };
  return { count, before, after, rowBefore: back(before), rowAfter: back(after) };
}

/**
 * Figures by row as figures by common row.
 * @param {ArrayLike<number>} figures
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
