// The tree turned around: functions at the top by their own time, their callers below them, and
// who called those. All paths together can be far more than the tree has nodes: those that are too
// small to be seen are not followed.

import { Nodes, NO_ROW } from "../nodes.js";

/** Paths with less than this share of the whole are not followed to their callers. */
export const LEAST_SHARE = 1e-5;

/**
 * In the tree that is made, a node's `total` is the own time of the function at the top, as far as
 * it was called by this path; `self` is what of it the path ends with. Calls are likewise those of
 * the function at the top.
 * @param {Nodes} tree
 * @param {"time" | "calls"} metric  what a path is weighed by; siblings are in that order
 * @param {number} [leastShare]
 * @returns {Nodes}
 */
export function inverted(tree, metric, leastShare = LEAST_SHARE) {
  const work = new Work(tree, metric);
  work.groupBy(1, 0, work.count);
  const least = work.whole * leastShare;
  for (let group = work.waiting.pop(); group !== undefined; group = work.waiting.pop()) {
    work.tell(group);
    if (group.weight > least) {
      const end = work.climb(group);
      work.groupBy(group.depth + 1, group.from, end);
    }
  }
  return work.nodes();
}

/**
 * Items that came to one row by one way: a stretch of them.
 * @typedef {{depth: number, row: number, from: number, to: number, weight: number}} Group
 */

/** The items: each is a node whose own time it is, and the node that its path has come to. */
class Work {
  /**
   * @param {Nodes} tree
   * @param {"time" | "calls"} metric
   */
  constructor(tree, metric) {
    this.tree = tree;
    this.weights = metric === "calls" ? tree.calls : tree.self;
    this.leaf = new Uint32Array(tree.count);
    this.count = 0;
    this.whole = 0;
    let rows = 0;
    for (let node = 1; node < tree.count; node++) {
      rows = Math.max(rows, tree.row[node] + 1);
      if (tree.self[node] !== 0 || tree.calls[node] !== 0) {
        this.leaf[this.count++] = node;
        this.whole += Math.max(0, this.weights[node]);
      }
    }
    this.place = this.leaf.slice(0, this.count);
    this.leafCopy = new Uint32Array(this.count);
    this.placeCopy = new Uint32Array(this.count);
    this.slot = new Int32Array(rows).fill(-1); // by row: its place among the groups being made
    /** @type {Group[]} the next one last */
    this.waiting = [];
    this.out = new Columns();
    this.out.add(0, NO_ROW, tree.calls[0], tree.resumes[0], tree.self[0]);
  }

  /**
   * Sorts the items of a stretch by the rows that they have come to, the heaviest first.
   * @param {number} depth
   * @param {number} from
   * @param {number} to
   */
  groupBy(depth, from, to) {
    const { leaf, place, slot, weights } = this;
    const { row } = this.tree;
    /** @type {Group[]} */
    const groups = [];
    for (let at = from; at < to; at++) {
      const its = row[place[at]];
      if (slot[its] < 0) {
        slot[its] = groups.push({ depth, row: its, from, to: from, weight: 0 }) - 1;
      }
      const group = groups[slot[its]];
      group.to++;
      group.weight += Math.max(0, weights[leaf[at]]);
    }
    for (const group of groups) {
      slot[group.row] = -1;
    }
    if (groups.length > 1) {
      groups.sort((a, b) => b.weight - a.weight || a.row - b.row);
      this.#scatter(groups, from, to);
    }
    for (let at = groups.length - 1; at >= 0; at--) {
      this.waiting.push(groups[at]);
    }
  }

  /**
   * Brings the items into the order of their groups.
   * @param {Group[]} groups
   * @param {number} from
   * @param {number} to
   */
  #scatter(groups, from, to) {
    const { leaf, place, leafCopy, placeCopy, slot } = this;
    const { row } = this.tree;
    let next = from;
    for (const [at, group] of groups.entries()) {
      const size = group.to - group.from;
      group.from = next;
      group.to = next;
      next += size;
      slot[group.row] = at;
    }
    for (let at = from; at < to; at++) {
      const to = groups[slot[row[place[at]]]].to++;
      leafCopy[to] = leaf[at];
      placeCopy[to] = place[at];
    }
    leaf.set(leafCopy.subarray(from, to), from);
    place.set(placeCopy.subarray(from, to), from);
    for (const group of groups) {
      slot[group.row] = -1;
    }
  }

  /**
   * Adds the node of a group, with the sums of its items.
   * @param {Group} group
   */
  tell({ depth, row, from, to }) {
    const { tree, leaf } = this;
    let calls = 0;
    let resumes = 0;
    let time = 0;
    for (let at = from; at < to; at++) {
      calls += tree.calls[leaf[at]];
      resumes += tree.resumes[leaf[at]];
      time += tree.self[leaf[at]];
    }
    this.out.add(depth, row, calls, resumes, time);
  }

  /**
   * Takes the items of a group to their callers. Those without one are left behind; returns where
   * the others end.
   * @param {Group} group
   */
  climb({ from, to }) {
    const { leaf, place } = this;
    const { parent } = this.tree;
    let kept = from;
    for (let at = from; at < to; at++) {
      const above = parent[place[at]];
      if (above > 0) {
        leaf[kept] = leaf[at];
        place[kept++] = above;
      }
    }
    return kept;
  }

  nodes() {
    this.out.resize(this.out.count);
    const { depth, row, calls, resumes, self } = this.out;
    const above = [0]; // the latest node of each depth
    for (let node = 1; node < row.length; node++) {
      above[depth[node]] = node;
      if (depth[node] > 1) {
        // So far these are sums; a tree is made of what is not in its children.
        const parent = above[depth[node] - 1];
        calls[parent] -= calls[node];
        resumes[parent] -= resumes[node];
        self[parent] -= self[node];
      }
    }
    return new Nodes(depth, row, calls, resumes, self);
  }
}

/** Columns that grow. */
class Columns {
  constructor() {
    this.count = 0;
    this.depth = new Uint32Array(1024);
    this.row = new Uint32Array(1024);
    this.calls = new Float64Array(1024);
    this.resumes = new Float64Array(1024);
    this.self = new Float64Array(1024);
  }

  /**
   * @param {number} depth
   * @param {number} row
   * @param {number} calls
   * @param {number} resumes
   * @param {number} self
   */
  add(depth, row, calls, resumes, self) {
    if (this.count === this.row.length) {
      this.resize(this.count * 2);
    }
    const node = this.count++;
    this.depth[node] = depth;
    this.row[node] = row;
    this.calls[node] = calls;
    this.resumes[node] = resumes;
    this.self[node] = self;
  }

  /** @param {number} room */
  resize(room) {
    this.depth = resized(this.depth, room);
    this.row = resized(this.row, room);
    this.calls = resized(this.calls, room);
    this.resumes = resized(this.resumes, room);
    this.self = resized(this.self, room);
  }
}

/**
 * @template {Uint32Array | Float64Array} T
 * @param {T} numbers
 * @param {number} room  more, or less
 * @returns {T}
 */
function resized(numbers, room) {
  const Type = /** @type {new (room: number) => T} */ (numbers.constructor);
  const made = new Type(room);
  made.set(numbers.subarray(0, room));
  return made;
}
