// Exact calls and own times of each context over time, also of the slices that are not drawn: sums over a range of
// bins.

import { behind, longNumber, signed } from "./decode.js";

const GROUP = 32; // bins whose sums are kept once they were asked for

/**
 * By context: what it had in some bins. Own times are nanoseconds.
 * @typedef {{calls: Float64Array, own: Float64Array}} Sums
 */

export class Bins {
  /**
   * @param {Uint8Array} bytes
   * @param {number} width  nanoseconds of the unit
   * @param {number} scale  nanoseconds of a tick
   * @param {number} shift  nanoseconds of tick 0
   */
  constructor(bytes, width, scale, shift) {
    this.bytes = bytes;
    this.scale = scale;
    /** @type {number[]} of each bin, in nanoseconds */
    this.starts = [];
    /** @type {number[]} */
    this.ends = [];
    /** @type {number[]} where the entries of each begin */
    this.places = [];
    /** @type {number[]} how many there are */
    this.sizes = [];
    /** @type {Map<number, {nodes: Uint32Array, calls: Float64Array, own: Float64Array}>} */
    this.groups = new Map();
    /** @type {Sums & {seen: Uint8Array} | null} */
    this.scratch = null;
    let unit = 0;
    for (let at = 0; at < bytes.length;) {
      unit += longNumber(bytes, at);
      at = behind(bytes, at);
      const wide = longNumber(bytes, at);
      at = behind(bytes, at);
      const size = longNumber(bytes, at);
      at = behind(bytes, at);
      this.starts.push(unit * width + shift);
      unit += wide;
      this.ends.push(unit * width + shift);
      this.places.push(at);
      this.sizes.push(size);
      for (let left = 3 * size; left > 0 && at < bytes.length; at++) {
        left -= bytes[at] < 128 ? 1 : 0;
      }
    }
  }

  get count() {
    return this.starts.length;
  }

  /**
   * The bins that overlap a range: the first, and the one after the last.
   * @param {number} from
   * @param {number} to
   */
  within(from, to) {
    let first = 0;
    while (first < this.count && this.ends[first] <= from) {
      first++;
    }
    let last = first;
    while (last < this.count && this.starts[last] < to) {
      last++;
    }
    return { first, last };
  }

  /**
   * The bins that lie in a range as a whole: the first, the one after the last, and from when to when they are. The
   * thread was there from `began` to `ended`; a bin that reaches beyond holds time between them only.
   * @param {import("./statistics.js").Range} range
   * @param {import("./statistics.js").Range} thread
   */
  inside({ from, to }, { from: began, to: ended }) {
    let { first, last } = this.within(from, to);
    const start = () => (began < this.ends[first] ? Math.max(began, this.starts[first]) : this.starts[first]);
    const end = () => (ended > this.starts[last - 1] ? Math.min(ended, this.ends[last - 1]) : this.ends[last - 1]);
    first += first < last && start() < from ? 1 : 0;
    last -= first < last && end() > to ? 1 : 0;
    return first < last ? { first, last, from: start(), to: end() } : { first, last: first, from: to, to };
  }

  /**
   * Adds some bins to sums.
   * @param {Sums} sums
   * @param {number} first
   * @param {number} last
   */
  add(sums, first, last) {
    for (let bin = first; bin < last;) {
      if (bin % GROUP === 0 && bin + GROUP <= last) {
        this.#addGroup(sums, bin);
        bin += GROUP;
      } else {
        this.#addBin(sums, bin++);
      }
    }
  }

  /**
   * @param {Sums} sums
   * @param {number} first
   */
  #addGroup(sums, first) {
    const { nodes, calls, own } = this.group(first, sums.calls.length);
    for (let i = 0; i < nodes.length; i++) {
      sums.calls[nodes[i]] += calls[i];
      sums.own[nodes[i]] += own[i];
    }
  }

  /** The first bin of each group. */
  get firsts() {
    return Array.from({ length: Math.floor(this.count / GROUP) }, (_, group) => group * GROUP);
  }

  /**
   * The sums of a group of bins.
   * @param {number} first
   * @param {number} count  of contexts
   */
  group(first, count) {
    let group = this.groups.get(first);
    if (group === undefined) {
      this.scratch ??= { calls: new Float64Array(count), own: new Float64Array(count), seen: new Uint8Array(count) };
      const { calls, own, seen } = this.scratch;
      /** @type {number[]} */
      const used = [];
      for (let bin = first; bin < first + GROUP; bin++) {
        this.#addBin(this.scratch, bin, seen, used);
      }
      const nodes = Uint32Array.from(used);
      group = { nodes, calls: Float64Array.from(nodes, (node) => calls[node]), own: Float64Array.from(nodes, (node) => own[node]) };
      for (const node of nodes) {
        calls[node] = own[node] = seen[node] = 0;
      }
      this.groups.set(first, group);
    }
    return group;
  }

  /**
   * @param {Sums} sums
   * @param {number} bin
   * @param {Uint8Array | null} [seen]  of each context, whether it is in `used`
   * @param {number[]} [used]
   */
  #addBin({ calls, own }, bin, seen = null, used = []) {
    const { bytes, scale } = this;
    let at = this.places[bin];
    let node = 0;
    for (let left = this.sizes[bin]; left > 0 && at < bytes.length; left--) {
      let way = bytes[at++];
      if (way > 127) {
        way = longNumber(bytes, at - 1);
        at = behind(bytes, at);
      }
      let more = bytes[at++];
      if (more > 127) {
        more = longNumber(bytes, at - 1);
        at = behind(bytes, at);
      }
      let time = bytes[at++];
      if (time > 127) {
        time = longNumber(bytes, at - 1);
        at = behind(bytes, at);
      }
      node += signed(way);
      calls[node] += more;
      own[node] += signed(time) * scale;
      if (seen !== null && seen[node] === 0) {
        seen[node] = 1;
        used.push(node);
      }
    }
  }
}
