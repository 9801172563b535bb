// The calling contexts of a thread by the number that its log has for them: function, caller, and the row in which
// their slices are drawn.

import { NO_ROW } from "../nodes.js";

const UNKNOWN = 0x7fffffff;

export class Contexts {
  /**
   * @param {Uint32Array} parent  of each context: its caller, which came before it
   * @param {Uint32Array} row  of each context: its function; NO_ROW: the root, or left out
   * @param {Uint32Array} overflow  the contexts that stand for calls whose path was not kept
   * @param {(row: number) => boolean} isC
   * @param {Iterable<number>} [resumed]  the contexts of which some slices are resumes, no calls
   */
  constructor(parent, row, overflow, isC, resumed = []) {
    this.count = row.length;
    this.parent = parent;
    this.row = row;
    this.isC = isC;
    this.resumed = new Set(resumed);
    this.UNKNOWN = UNKNOWN;
    this.isOverflow = new Uint8Array(this.count);
    for (const node of overflow) {
      this.isOverflow[node] = 1;
    }
    /** of each context: the row in which it is drawn; UNKNOWN: below the slice around it; -1: nowhere */
    this.rowOf = new Int32Array(this.count);
    /** of each context: its caller, or the nearest above that is not left out; 0: the root */
    this.shownParent = new Uint32Array(this.count);
    const depth = new Int32Array(this.count); // of shown ones, itself with them
    for (let node = 1; node < this.count; node++) {
      const isShown = row[node] !== NO_ROW;
      this.shownParent[node] = row[parent[node]] !== NO_ROW ? parent[node] : this.shownParent[parent[node]];
      depth[node] = (parent[node] < node ? depth[parent[node]] : 0) + (isShown ? 1 : 0);
      this.rowOf[node] = !isShown ? -1 : this.isOverflow[node] ? UNKNOWN : depth[node] - 1;
    }
    this.rowOf[0] = UNKNOWN; // a gap
    /** @type {Uint8Array | null} */
    this.isRecursive = null;
    // Two more, for gaps in C and in Python.
    this.inC = this.count;
    this.inPython = this.count + 1;
  }

  /**
   * What stands for a gap below a context.
   * @param {number} node
   */
  gapBelow(node) {
    return this.row[node] !== NO_ROW && this.isC(this.row[node]) ? this.inC : this.inPython;
  }

  /** @param {number} node */
  isGap(node) {
    return node >= this.count;
  }

  /**
   * The function of a context; NO_ROW for a gap.
   * @param {number} node
   */
  functionOf(node) {
    return node < this.count ? this.row[node] : NO_ROW;
  }

  /** By context: 1 where its function is on the path above it, too. */
  get recursive() {
    this.isRecursive ??= this.#findRecursive();
    return this.isRecursive;
  }

  #findRecursive() {
    const { parent, row } = this;
    const found = new Uint8Array(this.count);
    for (let node = 1; node < this.count; node++) {
      let above = parent[node];
      while (above !== 0 && row[above] !== row[node]) {
        above = parent[above];
      }
      found[node] = above !== 0 ? 1 : 0;
    }
    return found;
  }
}
