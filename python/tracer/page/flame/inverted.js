// Trees turned around: below a function its callers, and who called those. Of all functions, by
// their own time; or of some calls, by all that they took. All paths together can be far more than
// the tree has nodes: those that are too small to be seen are not followed.

import { Nodes, NO_ROW, resized } from "../nodes.js";

/** @typedef {import("./layout.js").Metric} Metric */
/** @typedef {{calls: Float64Array, resumes: Float64Array, time: Float64Array,
 *   waited: Float64Array}} Amounts */

/** Paths with less than this share of the whole are not followed to their callers. */
export const LEAST_SHARE = 1e-5;

/**
 * In the tree that is made, a node's `total` is the own time of the function at the top, as far as
 * it was called by this path; `self` is what of it the path ends with. Calls are likewise those of
 * the function at the top.
 * @param {Nodes} tree
 * @param {Metric} metric  what a path is weighed by; siblings are in that order
 * @param {number} [leastShare]
 * @returns {Nodes}
 */
export function inverted(tree, metric, leastShare = LEAST_SHARE) {
  const leaves = [];
  for (let node = 1; node < tree.count; node++) {
    if (tree.self[node] !== 0 || tree.calls[node] !== 0) {
      leaves.push(node);
    }
  }
  const { calls, resumes, self: time, waited } = tree;
  const work = new Work(tree, Uint32Array.from(leaves), { calls, resumes, time, waited }, metric);
  work.out.add(0, NO_ROW, calls[0], resumes[0], time[0], waited[0]);
  return work.climbed(leastShare);
}

/**
 * The callers of some calls, and who called those. A node's `total` is the time of these calls as
 * far as they came by this path; `self` is what of it began there. Where calls are the metric,
 * those below these calls are counted, too.
 * @param {Nodes} tree
 * @param {Uint32Array} leaves  nodes none of which is below another one
 * @param {Metric} metric
 * @returns {Nodes}
 */
export function callersOf(tree, leaves, metric) {
  const { resumes, total: time, totalWaited: waited } = tree;
  const calls = metric === "calls" ? tree.totalCalls : tree.calls;
  const work = new Work(tree, leaves, { calls, resumes, time, waited }, metric);
  work.out.add(0, NO_ROW, 0, 0, 0, 0);
  work.count = work.climb({ from: 0, to: work.count });
  return work.climbed(LEAST_SHARE);
}

/**
 * @param {Amounts} figures
 * @param {Metric} metric
 */
function weightsOf({ calls, time, waited }, metric) {
  return metric === "calls" ? calls : metric === "busy" ? time.map((it, node) => it - waited[node]) : time;
}

/**
 * Items that came to one row by one way: a stretch of them.
 * @typedef {{depth: number, row: number, from: number, to: number, weight: number}} Group
 */

/** The items: each is a node whose figures it has, and the node that its path has come to. */
class Work {
  /**
   * @param {Nodes} tree
   * @param {Uint32Array} leaves
   * @param {Amounts} figures  by node
   * @param {Metric} metric
   */
  constructor(tree, leaves, figures, metric) {
    this.tree = tree;
    this.figures = figures;
    this.weights = weightsOf(figures, metric);
    this.leaf = leaves.slice();
    this.count = leaves.length;
    this.whole = leaves.reduce((sum, node) => sum + Math.max(0, this.weights[node]), 0);
    const rows = tree.row.subarray(1).reduce((most, row) => Math.max(most, row + 1), 0);
    this.place = leaves.slice();
    this.leafCopy = new Uint32Array(this.count);
    this.placeCopy = new Uint32Array(this.count);
    this.slot = new Int32Array(rows).fill(-1); // by row: its place among the groups being made
    /** @type {Group[]} the next one last */
    this.waiting = [];
    this.out = new Columns();
  }

  /**
   * The tree of all paths upward from where the items are.
   * @param {number} leastShare
   */
  climbed(leastShare) {
    const least = this.whole * leastShare;
    this.groupBy(1, 0, this.count);
    for (let group = this.waiting.pop(); group !== undefined; group = this.waiting.pop()) {
      this.tell(group);
      if (group.weight > least) {
        const end = this.climb(group);
        this.groupBy(group.depth + 1, group.from, end);
      }
    }
    return this.nodes();
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
    const { figures, leaf } = this;
    let calls = 0;
    let resumes = 0;
    let time = 0;
    let waited = 0;
    for (let at = from; at < to; at++) {
      calls += figures.calls[leaf[at]];
      resumes += figures.resumes[leaf[at]];
      time += figures.time[leaf[at]];
      waited += figures.waited[leaf[at]];
    }
    this.out.add(depth, row, calls, resumes, time, waited);
  }

  /**
   * Takes the items of a group to their callers. Those without one are left behind; returns where
   * the others end.
   * @param {{from: number, to: number}} group
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
    const { depth, row, calls, resumes, self, waited } = this.out;
    const above = [0]; // the latest node of each depth
    for (let node = 1; node < row.length; node++) {
      above[depth[node]] = node;
      if (depth[node] > 1) {
        // So far these are sums; a tree is made of what is not in its children.
        const parent = above[depth[node] - 1];
        calls[parent] -= calls[node];
        resumes[parent] -= resumes[node];
        self[parent] -= self[node];
        waited[parent] -= waited[node];
      }
    }
    return new Nodes(depth, row, calls, resumes, self, waited);
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
    this.waited = new Float64Array(1024);
  }

  /**
   * @param {number} depth
   * @param {number} row
   * @param {number} calls
   * @param {number} resumes
   * @param {number} self
   * @param {number} waited
   */
  add(depth, row, calls, resumes, self, waited) {
    if (this.count === this.row.length) {
      this.resize(this.count * 2);
    }
    const node = this.count++;
    this.depth[node] = depth;
    this.row[node] = row;
    this.calls[node] = calls;
    this.resumes[node] = resumes;
    this.self[node] = self;
    this.waited[node] = waited;
  }

  /** @param {number} room */
  resize(room) {
    this.depth = resized(this.depth, room);
    this.row = resized(this.row, room);
    this.calls = resized(this.calls, room);
    this.resumes = resized(this.resumes, room);
    this.self = resized(this.self, room);
    this.waited = resized(this.waited, room);
  }
}
