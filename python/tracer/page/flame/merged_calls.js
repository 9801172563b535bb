// All calls of one function as one tree: below it whom it called, above it who called it, by every
// path. A call that another call of the function led to is a box below that one.

import { Grower, Nodes, rearranged, resized } from "../nodes.js";
import { callersOf } from "./inverted.js";
import { Layout, widthsOf } from "./layout.js";
import { heaviestFirst } from "./order.js";

/** @typedef {import("./layout.js").Metric} Metric */

/**
 * The boxes of a function's calls: node 0 stands for them.
 * @param {Nodes} tree
 * @param {number} row
 * @param {Metric} metric
 * @param {boolean} heaviest  whether the heaviest callee comes first; of callers it always does
 */
export function layoutOfCalls(tree, row, metric, heaviest) {
  const calls = outermost(tree, row);
  const callees = calleesOf(tree, calls);
  const below = heaviest ? rearranged(callees, heaviestFirst(callees, widthsOf(callees, metric))) : callees;
  const above = callersOf(tree, calls, metric);
  const value = joined(widthsOf(below, metric), widthsOf(above, metric));
  value[0] = Math.max(value[0], widthsOf(above, metric)[0]);
  return new Layout(bothSides(below, above), value, below.count);
}

/**
 * The calls of a function that no other call of it led to.
 * @param {Nodes} tree
 * @param {number} row
 */
function outermost(tree, row) {
  const found = [];
  for (let node = 1; node < tree.count; ) {
    const is = tree.row[node] === row;
    if (is) {
      found.push(node);
    }
    node = is ? tree.end[node] : node + 1;
  }
  return Uint32Array.from(found);
}

/**
 * What is below some nodes as one tree, whose root has their own figures.
 * @param {Nodes} tree
 * @param {Uint32Array} nodes
 */
function calleesOf(tree, nodes) {
  const room = nodes.reduce((sum, node) => sum + tree.end[node] - node - 1, 1);
  const grower = new Grower(room);
  for (const top of nodes) {
    const home = new Int32Array(tree.end[top] - top);
    for (let node = top; node < tree.end[top]; node++) {
      const its = node === top ? 0 : grower.child(home[tree.parent[node] - top], tree.row[node]);
      home[node - top] = its;
      grower.calls[its] += tree.calls[node];
      grower.resumes[its] += tree.resumes[node];
      grower.self[its] += tree.self[node];
      grower.waited[its] += tree.waited[node];
    }
  }
  return grower.nodes();
}

/**
 * One tree of both, the callers' nodes last. The root has the figures of the callees' root.
 * @param {Nodes} below
 * @param {Nodes} above
 */
function bothSides(below, above) {
  const both = new Nodes(
    joined(below.depth, above.depth),
    joined(below.row, above.row),
    joined(below.calls, above.calls),
    joined(below.resumes, above.resumes),
    joined(below.self, above.self),
    joined(below.waited, above.waited),
  );
  both.total[0] = below.total[0];
  both.totalCalls[0] = below.totalCalls[0];
  both.totalWaited[0] = below.totalWaited[0];
  return both;
}

/**
 * A column of both trees, with one root.
 * @template {Uint32Array | Float64Array} T
 * @param {T} below
 * @param {T} above
 * @returns {T}
 */
function joined(below, above) {
  const both = resized(below, below.length + above.length - 1);
  both.set(above.subarray(1), below.length);
  return both;
}
