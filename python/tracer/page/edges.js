// Edges: which function called which, how often, and how long the calls took. The trees tell the
// edges. Edges of calls whose path was not kept are stored, and are added.

import { grouped, hash, NO_ROW, resized } from "./nodes.js";

/**
 * The figures of one edge, as one of its functions sees it: `row` is the other function. Times are
 * in nanoseconds.
 * @typedef {{row: number, calls: number, primitive: number, resumes: number, time: number,
 *   cumtime: number, waited: number}} Edge   waited: the part of cumtime in which the thread did not
 *   run, as far as the paths tell
 */

/** @typedef {import("./nodes.js").Nodes} Nodes */

/**
 * Edges as they are stored, a column for each figure.
 * @typedef {{caller: Uint32Array, callee: Uint32Array, calls: Float64Array,
 *   primitive: Float64Array, resumes: Float64Array, time: Float64Array,
 *   cumtime: Float64Array}} EdgeColumns
 */

export class Edges {
  constructor() {
    this.count = 0;
    this.caller = new Uint32Array(1024);
    this.callee = new Uint32Array(1024);
    this.calls = new Float64Array(1024);
    this.primitive = new Float64Array(1024);
    this.resumes = new Float64Array(1024);
    this.time = new Float64Array(1024);
    this.cumtime = new Float64Array(1024);
    this.waited = new Float64Array(1024);
    this.table = new Int32Array(4096); // open addressing: the number of an edge plus one, or 0
    /** @type {Index | null} */
    this.byCaller = null;
    /** @type {Index | null} */
    this.byCallee = null;
  }

  /**
   * Adds the edges of a tree. Only outermost nodes add to primitive calls and cumtime: nodes that
   * are not below another call of the same function by the same caller.
   * @param {Nodes} tree
   * @param {number} nobody  the row that stands for calls whose path was not kept, or -1
   */
  addTree(tree, nobody) {
    const { count, row, parent, end, calls, resumes, self, total, totalWaited } = tree;
    let until = new Uint32Array(1024); // by edge: the end of its latest outermost node
    for (let i = 1; i < count; i++) {
      if (row[i] === nobody) {
        continue;
      }
      const edge = this.#edge(row[parent[i]], row[i]);
      if (edge >= until.length) {
        until = resized(until, this.caller.length);
      }
      this.calls[edge] += calls[i];
      this.resumes[edge] += resumes[i];
      this.time[edge] += self[i];
      if (i >= until[edge]) {
        until[edge] = end[i];
        this.primitive[edge] += calls[i];
        this.cumtime[edge] += total[i];
        this.waited[edge] += totalWaited[i];
      }
    }
  }

  /** @param {EdgeColumns} columns */
  addStored(columns) {
    for (let i = 0; i < columns.caller.length; i++) {
      const edge = this.#edge(columns.caller[i], columns.callee[i]);
      this.calls[edge] += columns.calls[i];
      this.primitive[edge] += columns.primitive[i];
      this.resumes[edge] += columns.resumes[i];
      this.time[edge] += columns.time[i];
      this.cumtime[edge] += columns.cumtime[i];
    }
  }

  /**
   * The callers of a function, the largest cumtime first. NO_ROW: no recorded function called it.
   * @param {number} row
   * @returns {Edge[]}
   */
  callers(row) {
    this.byCallee ??= new Index(this.callee, this.count);
    return this.#listed(this.byCallee.of(row), this.caller);
  }

  /**
   * The callees of a function, the largest cumtime first.
   * @param {number} row
   * @returns {Edge[]}
   */
  callees(row) {
    this.byCaller ??= new Index(this.caller, this.count);
    return this.#listed(this.byCaller.of(row), this.callee);
  }

  /**
   * @param {Uint32Array} edges
   * @param {Uint32Array} others
   */
  #listed(edges, others) {
    const found = Array.from(edges, (edge) => ({
      row: others[edge],
      calls: this.calls[edge],
      primitive: this.primitive[edge],
      resumes: this.resumes[edge],
      time: this.time[edge],
      cumtime: this.cumtime[edge],
      waited: this.waited[edge],
    }));
    return found.sort((a, b) => b.cumtime - a.cumtime || b.calls - a.calls || a.row - b.row);
  }

  /**
   * The number of an edge. An edge that is new is added.
   * @param {number} caller
   * @param {number} callee
   * @returns {number}
   */
  #edge(caller, callee) {
    const mask = this.table.length - 1;
    let at = hash(caller, callee) & mask;
    for (;;) {
      const edge = this.table[at] - 1;
      if (edge < 0) {
        break;
      }
      if (this.caller[edge] === caller && this.callee[edge] === callee) {
        return edge;
      }
      at = (at + 1) & mask;
    }
    if (this.count === this.caller.length) {
      this.#grow();
      return this.#edge(caller, callee);
    }
    const fresh = this.count++;
    this.table[at] = fresh + 1;
    this.caller[fresh] = caller;
    this.callee[fresh] = callee;
    return fresh;
  }

  #grow() {
    const room = this.count * 2;
    this.caller = resized(this.caller, room);
    this.callee = resized(this.callee, room);
    this.calls = resized(this.calls, room);
    this.primitive = resized(this.primitive, room);
    this.resumes = resized(this.resumes, room);
    this.time = resized(this.time, room);
    this.cumtime = resized(this.cumtime, room);
    this.waited = resized(this.waited, room);
    this.table = new Int32Array(room * 4);
    const mask = this.table.length - 1;
    for (let edge = 0; edge < this.count; edge++) {
      let at = hash(this.caller[edge], this.callee[edge]) & mask;
      while (this.table[at] !== 0) {
        at = (at + 1) & mask;
      }
      this.table[at] = edge + 1;
    }
  }
}

/** Finds the edges of a function: as their caller, or as their callee. */
class Index {
  /**
   * @param {Uint32Array} ends
   * @param {number} count
   */
  constructor(ends, count) {
    const known = ends.subarray(0, count);
    const rows = known.reduce((most, row) => (row === NO_ROW ? most : Math.max(most, row + 1)), 0);
    const { from, places } = grouped(known, rows);
    this.start = from;
    this.edges = places;
  }

  /** @param {number} row */
  of(row) {
    const known = row + 1 < this.start.length;
    return known ? this.edges.subarray(this.start[row], this.start[row + 1]) : new Uint32Array(0);
  }
}
