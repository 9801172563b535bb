// Trees for tests, written as one reads them; and random ones, the same for each seed.

import { Nodes, NO_ROW } from "../../python/tracer/page/nodes.js";

/**
 * A tree of lines such as "  1 c2 t30 w10": row 1, two calls, 30 ns of its own of which it waited 10, a
 * level for two blanks.
 * The root, of level 0, is added.
 * @param {string} text
 */
export function treeOf(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const margin = Math.min(...lines.map((line) => line.search(/\S/)));
  const nodes = lines.map((line) => {
    const [, row, calls, time, waited = 0] = /(\d+) c(\d+) t(-?\d+)(?: w(\d+))?/.exec(line);
    const [depth, figures] = [(line.search(/\S/) - margin) / 2 + 1, [row, calls, time, waited].map(Number)];
    return { depth, row: figures[0], calls: figures[1], time: figures[2], waited: figures[3] };
  });
  nodes.unshift({ depth: 0, row: NO_ROW, calls: 0, time: 0 });
  return built(nodes);
}

/** @param {{depth: number, row: number, calls: number, time: number, waited?: number}[]} nodes */
function built(nodes) {
  return new Nodes(
    Uint32Array.from(nodes, ({ depth }) => depth),
    Uint32Array.from(nodes, ({ row }) => row),
    Float64Array.from(nodes, ({ calls }) => calls),
    new Float64Array(nodes.length),
    Float64Array.from(nodes, ({ time }) => time),
    Float64Array.from(nodes, ({ waited = 0 }) => waited),
  );
}

/**
 * The text that treeOf() makes a tree of.
 * @param {Nodes} tree
 */
export function textOf(tree) {
  const lines = [];
  for (let node = 1; node < tree.count; node++) {
    const indent = "  ".repeat(tree.depth[node] - 1);
    const waited = tree.waited[node] === 0 ? "" : ` w${tree.waited[node]}`;
    lines.push(`${indent}${tree.row[node]} c${tree.calls[node]} t${tree.self[node]}${waited}`);
  }
  return lines.join("\n");
}

/**
 * Text as textOf() has it, of a template that is indented.
 * @param {string} text
 */
export const plain = (text) => textOf(treeOf(text));

/** @param {number} seed */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A tree in which no node has two children of one row.
 * @param {number} count
 * @param {number} rows
 * @param {number} seed
 */
export function randomTree(count, rows, seed) {
  const next = random(seed);
  const nodes = [{ depth: 0, row: NO_ROW, calls: 0, time: 0 }];
  /** @type {Set<number>[]} the rows that each node on the way down has as children */
  const taken = [new Set()];
  while (nodes.length < count) {
    const depth = 1 + Math.floor(next() * Math.min(taken.length, 12));
    const row = Math.floor(next() * rows);
    if (taken[depth - 1].has(row)) {
      continue;
    }
    taken.length = depth;
    taken[depth - 1].add(row);
    taken.push(new Set());
    const time = next() < 0.3 ? 0 : Math.floor(next() ** 4 * 1000);
    nodes.push({ depth, row, calls: 1 + Math.floor(next() * 9), time, waited: Math.floor(time / (1 + (row % 3))) });
  }
  return built(nodes);
}
