// Call trees: the calling contexts of a thread, or of several threads merged by path, in preorder.
// This file computes parents, ends and totals, in single passes over typed arrays.

/** The row of a root, and of a caller that was not recorded. */
export const NO_ROW = 0xffffffff;

/** A tree: node 0 is the root, of row NO_ROW; the nodes below node i are i + 1 to end[i] - 1. */
export class Nodes {
  /**
   * @param {Uint32Array} depth  0 for the root alone
   * @param {Uint32Array} row
   * @param {Float64Array} calls
   * @param {Float64Array} resumes
   * @param {Float64Array} self  nanoseconds
   * @param {Float64Array} [waited]  nanoseconds of `self` in which the thread did not run
   */
  constructor(depth, row, calls, resumes, self, waited = new Float64Array(row.length)) {
    this.count = row.length;
    this.depth = depth;
    this.row = row;
    this.calls = calls;
    this.resumes = resumes;
    this.self = self;
    this.waited = waited;
    /** @type {Float64Array | null} */
    this.waitedBelow = null;
    this.parent = new Int32Array(this.count);
    this.end = new Uint32Array(this.count);
    this.total = Float64Array.from(self);
    this.totalCalls = Float64Array.from(calls);
    this.maxDepth = 0;
    this.#link();
  }

  #link() {
    const { count, depth, parent, end, total, totalCalls } = this;
    const deepest = depth.reduce((most, its) => Math.max(most, its), 0);
    const last = new Int32Array(deepest + 1); // the latest node of each depth
    parent[0] = -1;
    for (let i = 1; i < count; i++) {
      parent[i] = last[depth[i] - 1];
      last[depth[i]] = i;
    }
    for (let i = count - 1; i > 0; i--) {
      if (end[i] === 0) {
        end[i] = i + 1;
      }
      const above = parent[i];
      if (end[above] < end[i]) {
        end[above] = end[i];
      }
      total[above] += total[i];
      totalCalls[above] += totalCalls[i];
    }
    end[0] = count;
    this.maxDepth = deepest;
  }

  /** What was waited in each node and all below: `total` is to `self` as this is to `waited`. */
  get totalWaited() {
    this.waitedBelow ??= summedUp(this, this.waited);
    return this.waitedBelow;
  }

  /**
   * The direct children of a node, in their order.
   * @param {number} node
   */
  children(node) {
    const found = [];
    for (let child = node + 1; child < this.end[node]; child = this.end[child]) {
      found.push(child);
    }
    return found;
  }

  /**
   * The rows from the root's child down to a node.
   * @param {number} node
   */
  path(node) {
    const rows = [];
    for (let at = node; at > 0; at = this.parent[at]) {
      rows.push(this.row[at]);
    }
    return rows.reverse();
  }
}

/**
 * By node: a figure of it and of all nodes below.
 * @param {Nodes} tree
 * @param {Float64Array} own
 */
export function summedUp({ count, parent }, own) {
  const sums = Float64Array.from(own);
  for (let node = count - 1; node > 0; node--) {
    sums[parent[node]] += sums[node];
  }
  return sums;
}

/** Builds a tree of paths that come in any order. A child is found by its parent and its row. */
export class Grower {
  /** @param {number} room  how many nodes there are at most, the root included */
  constructor(room) {
    this.count = 1;
    this.row = new Uint32Array(room);
    this.row[0] = NO_ROW;
    this.calls = new Float64Array(room);
    this.resumes = new Float64Array(room);
    this.self = new Float64Array(room);
    this.waited = new Float64Array(room);
    this.parent = new Int32Array(room);
    this.parent[0] = -1;
    let size = 16;
    while (size < room * 2) {
      size *= 2;
    }
    this.table = new Int32Array(size); // open addressing; 0: empty, for the root is no child
    this.mask = size - 1;
  }

  /**
   * The child of a node for a row. A child that is new is added.
   * @param {number} parent
   * @param {number} row
   */
  child(parent, row) {
    const { table, mask } = this;
    let at = hash(parent, row) & mask;
    for (;;) {
      const node = table[at];
      if (node === 0) {
        const fresh = this.count++;
        table[at] = fresh;
        this.parent[fresh] = parent;
        this.row[fresh] = row;
        return fresh;
      }
      if (this.parent[node] === parent && this.row[node] === row) {
        return node;
      }
      at = (at + 1) & mask;
    }
  }

  /** @returns {Nodes}  children in the order in which they came */
  nodes() {
    const { count, parent } = this;
    const { from, places } = grouped(parent.subarray(0, count), count);
    const order = preorder(from, places);
    const depth = new Uint32Array(count);
    for (let at = 1; at < count; at++) {
      depth[order[at]] = depth[parent[order[at]]] + 1;
    }
    return rearranged({ ...this, depth }, order);
  }
}

/**
 * Merges several trees into one, by path.
 * @param {Nodes[]} trees
 */
export function merged(trees) {
  const grower = new Grower(1 + trees.reduce((sum, tree) => sum + tree.count - 1, 0));
  for (const tree of trees) {
    const home = new Int32Array(tree.count);
    for (let i = 0; i < tree.count; i++) {
      const node = i === 0 ? 0 : grower.child(home[tree.parent[i]], tree.row[i]);
      home[i] = node;
      grower.calls[node] += tree.calls[i];
      grower.resumes[node] += tree.resumes[i];
      grower.self[node] += tree.self[i];
      grower.waited[node] += tree.waited[i];
    }
  }
  return grower.nodes();
}

/**
 * As many of numbers as there is room for.
 * @template {Uint32Array | Float64Array} T
 * @param {T} numbers
 * @param {number} room  more, or less
 * @returns {T}
 */
export function resized(numbers, room) {
  const Type = /** @type {new (room: number) => T} */ (numbers.constructor);
  const made = new Type(room);
  made.set(numbers.subarray(0, room));
  return made;
}

/**
 * The places of numbers, number by number: those of number k are places[from[k]] to places[from[k + 1] - 1].
 * @param {Uint32Array | Int32Array} numbers
 * @param {number} end  the first of the numbers that have no places
 */
export function grouped(numbers, end) {
  const from = new Uint32Array(end + 1);
  for (let place = 0; place < numbers.length; place++) {
    if (numbers[place] >>> 0 < end) {
      from[numbers[place] + 1]++; // a negative number has no place, either
    }
  }
  for (let number = 0; number < end; number++) {
    from[number + 1] += from[number];
  }
  const places = new Uint32Array(from[end]);
  const next = from.slice();
  for (let place = 0; place < numbers.length; place++) {
    if (numbers[place] >>> 0 < end) {
      places[next[numbers[place]]++] = place;
    }
  }
  return { from, places };
}

/**
 * The nodes of a tree in preorder.
 * @param {Uint32Array} from  the children of a node are kids[from[node]] to kids[from[node + 1] - 1]
 * @param {Uint32Array} kids
 */
export function preorder(from, kids) {
  const count = from.length - 1;
  const order = new Uint32Array(count);
  const waiting = new Uint32Array(count);
  let left = 1;
  for (let done = 0; left > 0; done++) {
    const node = waiting[--left];
    order[done] = node;
    for (let at = from[node + 1]; at > from[node]; at--) {
      waiting[left++] = kids[at - 1];
    }
  }
  return order;
}

/**
 * The tree that has these columns, its nodes in another preorder.
 * @param {Pick<Nodes, "depth" | "row" | "calls" | "resumes" | "self" | "waited">} columns
 * @param {Uint32Array} order
 */
export function rearranged({ depth, row, calls, resumes, self, waited }, order) {
  const [places, rows] = [taken(depth, order), taken(row, order)];
  return new Nodes(places, rows, taken(calls, order), taken(resumes, order), taken(self, order), taken(waited, order));
}

/**
 * The numbers at some places.
 * @template {Uint32Array | Float64Array} T
 * @param {T} numbers
 * @param {Uint32Array} places
 * @returns {T}
 */
function taken(numbers, places) {
  const found = resized(numbers, places.length);
  for (let at = 0; at < places.length; at++) {
    found[at] = numbers[places[at]];
  }
  return found;
}

/**
 * A number for a table of pairs: those that are near each other seldom have the same.
 * @param {number} one
 * @param {number} other
 */
export function hash(one, other) {
  const mixed = Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
