// Where the boxes of a tree are, in its own units (nanoseconds or calls) from the left, and which
// of them are wide enough to be drawn. Pixels, colours and the canvas are none of its business.

import { grouped, summedUp } from "../nodes.js";
import { firstWhere } from "../ui/ordered.js";

/** @typedef {import("../nodes.js").Nodes} Nodes */
/** What the width of a box is; "busy" is the time less what was waited.
 * @typedef {"time" | "busy" | "calls"} Metric */

/**
 * Boxes lie side by side within their parent, in the order of the tree, so that on each level both
 * their beginnings and their ends only ever grow: what is drawn is found by binary search.
 */
export class Layout {
  /**
   * @param {Nodes} tree
   * @param {Float64Array} value  how wide each box is: at least the sum of its children
   * @param {number} [split]  the first of the nodes that are above the root, and not below it
   */
  constructor(tree, value, split = tree.count) {
    this.tree = tree;
    this.value = value;
    this.split = split;
    this.width = tree.count > 0 ? value[0] : 0;
    this.start = startsOf(tree, value, split);
    this.rootLevel = tree.depth.subarray(split).reduce((most, depth) => Math.max(most, depth), 0);
    const levels = tree.depth.map((_, node) => this.levelOf(node));
    this.height = levels.reduce((height, level) => Math.max(height, level + 1), 0);
    const { from, places } = grouped(levels, this.height);
    this.levels = from; // those of a level are nodes[levels[level]] .. nodes[levels[level + 1] - 1]
    this.nodes = places;
  }

  /** @param {number} node */
  isAbove(node) {
    return node >= this.split;
  }

  /**
   * How far down a box is.
   * @param {number} node
   */
  levelOf(node) {
    const depth = this.tree.depth[node];
    return this.isAbove(node) ? this.rootLevel - depth : this.rootLevel + depth;
  }

  /**
   * The index in `nodes` of the first box of a level that ends after a place; that of the next
   * level, if none does.
   * @param {number} level
   * @param {number} place
   */
  seek(level, place) {
    return this.gallop(this.levels[level], this.levels[level + 1], place);
  }

  /**
   * Likewise between two indices. It looks near `low` first: mostly the answer is near.
   * @param {number} low
   * @param {number} high
   * @param {number} place
   */
  gallop(low, high, place) {
    const { nodes, start, value } = this;
    for (let step = 1; low + step < high; step *= 2) {
      const node = nodes[low + step - 1];
      if (start[node] + value[node] > place) {
        high = low + step;
        break;
      }
      low += step;
    }
    return firstWhere(low, high, (at) => start[nodes[at]] + value[nodes[at]] > place);
  }

  /**
   * Tell the boxes of a level between two places, from left to right. Boxes narrower than `least`
   * are told together, as one stretch of node -1.
   * @param {number} level
   * @param {number} from
   * @param {number} to
   * @param {number} least
   * @param {(node: number, start: number, end: number) => void} tell
   */
  visit(level, from, to, least, tell) {
    if (level >= this.height) {
      return;
    }
    const { nodes, start, value } = this;
    const last = this.levels[level + 1];
    let narrow = -1; // where a stretch of narrow boxes began, or -1
    let narrowEnd = 0;
    for (let at = this.seek(level, from); at < last;) {
      const node = nodes[at];
      const begin = start[node];
      if (begin >= to) {
        break;
      }
      if (narrow >= 0 && begin > narrowEnd + least) {
        tell(-1, narrow, narrowEnd);
        narrow = -1;
      }
      if (value[node] >= least) {
        if (narrow >= 0) {
          tell(-1, narrow, narrowEnd);
        }
        narrow = -1;
        tell(node, begin, begin + value[node]);
        at++;
        continue;
      }
      const next = Math.max(at + 1, this.gallop(at, last, begin + least));
      const before = nodes[next - 1];
      if (narrow < 0) {
        narrow = begin;
      }
      narrowEnd = start[before] + value[before];
      at = next;
    }
    if (narrow >= 0 && narrowEnd > narrow) {
      tell(-1, narrow, narrowEnd);
    }
  }

  /**
   * The box at a place of a level, or -1.
   * @param {number} level
   * @param {number} place
   */
  at(level, place) {
    if (level < 0 || level >= this.height) {
      return -1;
    }
    const found = this.seek(level, place);
    if (found >= this.levels[level + 1]) {
      return -1;
    }
    const node = this.nodes[found];
    return this.start[node] <= place ? node : -1;
  }

  /**
   * The box before (-1) or after (1) this one on its level, or -1.
   * @param {number} node
   * @param {-1 | 1} step
   */
  beside(node, step) {
    const level = this.levelOf(node);
    const [low, high] = [this.levels[level], this.levels[level + 1]];
    const first = firstWhere(low, high - 1, (at) => this.nodes[at] >= node); // within a level nodes grow, too
    for (let at = first + step; at >= low && at < high; at += step) {
      if (this.value[this.nodes[at]] > 0) {
        return this.nodes[at];
      }
    }
    return -1;
  }

  /**
   * The box a level down, or up: the parent, or the widest child. -1 if there is none.
   * @param {number} node
   * @param {boolean} down
   */
  along(node, down) {
    return node > 0 && down === this.isAbove(node) ? this.tree.parent[node] : this.#widestChild(node, down);
  }

  /**
   * @param {number} node
   * @param {boolean} down
   */
  #widestChild(node, down) {
    let widest = -1;
    let most = 0;
    for (let kid = node + 1; kid < this.tree.end[node]; kid = this.tree.end[kid]) {
      if (this.value[kid] > most && this.isAbove(kid) !== down) {
        widest = kid;
        most = this.value[kid];
      }
    }
    return widest;
  }
}

/**
 * The widths of boxes: time, the busy part of it, or calls. Times that are less than nothing, as what compensation has
 * taken too much of, have no width.
 * @param {Nodes} tree
 * @param {Metric} metric
 */
export function widthsOf(tree, metric) {
  if (metric === "calls") {
    return tree.totalCalls;
  }
  const { self, waited } = tree;
  if (metric === "busy") {
    return summedUp(tree, self.map((time, node) => Math.max(0, time - waited[node])));
  }
  const isPlain = self.every((time) => time >= 0);
  return isPlain ? tree.total : summedUp(tree, self.map((time) => Math.max(0, time)));
}

/**
 * @param {Nodes} tree
 * @param {Float64Array} value
 * @param {number} split
 */
function startsOf({ count, parent }, value, split) {
  const start = new Float64Array(count);
  const next = new Float64Array(count); // where the next child of a node begins
  for (let node = 1; node < count; node++) {
    if (node === split) {
      next[0] = 0;
    }
    const above = parent[node];
    const begin = next[above];
    start[node] = begin;
    next[node] = begin;
    next[above] = begin + value[node];
  }
  return start;
}
