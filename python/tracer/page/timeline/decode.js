// Reads the log of a thread's slices: blocks of records in LEB128, in the order in which the slices ended. What a
// record means, docs/reference/file-format.md says. Where slices are drawn is for lanes.js.

const HEAD = 24; // bytes before the records of a block

/** What a record of node 0 is, by the two lowest bits of its value. */
export const GAP = 0;
export const TASK = 1;
export const STACK = 2;
export const OPEN = 3;

/**
 * What a record of node 0 says of the slice before it.
 * @typedef {{kind: number, number: number, at: number}} Note   at: the slice's place in the log
 */

/** The slices of a thread in the order of the log; node 0 is a gap. */
export class Log {
  /**
   * @param {Uint8Array} bytes
   * @param {number} scale  nanoseconds of a tick
   * @param {number} shift  nanoseconds to add
   */
  constructor(bytes, scale, shift) {
    this.bytes = bytes;
    this.scale = scale;
    this.shift = shift;
    this.blocks = blocksOf(bytes);
    const room = this.blocks.reduce((sum, { count }) => sum + count, 0);
    this.starts = new Float64Array(room);
    this.ends = new Float64Array(room);
    this.nodes = new Uint32Array(room);
    this.count = 0;
    /** @type {Note[]} */
    this.notes = [];
    /** @type {number[]} of each gap: nanoseconds without a processor */
    this.idle = [];
    this.last = -1; // the latest that is a slice
  }

  /**
   * Reads one block.
   * @param {{at: number, stop: number, base: number}} block
   */
  read(block) {
    const { bytes, starts, ends, nodes, scale, shift } = this;
    const { stop } = block;
    let { at } = block;
    let { count } = this;
    let end = block.base;
    let node = 0;
    while (at < stop && count < starts.length) {
      let byte = bytes[at++];
      let step = byte & 127;
      if (byte > 127) {
        byte = bytes[at++];
        step |= (byte & 127) << 7;
        if (byte > 127) {
          byte = bytes[at++];
          step |= (byte & 127) << 14;
          if (byte > 127) {
            step = longNumber(bytes, at - 3);
            at = behind(bytes, at);
          }
        }
      }
      byte = bytes[at++];
      let length = byte & 127;
      if (byte > 127) {
        byte = bytes[at++];
        length |= (byte & 127) << 7;
        if (byte > 127) {
          byte = bytes[at++];
          length |= (byte & 127) << 14;
          if (byte > 127) {
            length = longNumber(bytes, at - 3);
            at = behind(bytes, at);
          }
        }
      }
      byte = bytes[at++];
      let way = byte & 127;
      if (byte > 127) {
        byte = bytes[at++];
        way |= (byte & 127) << 7;
        if (byte > 127) {
          byte = bytes[at++];
          way |= (byte & 127) << 14;
          if (byte > 127) {
            way = longNumber(bytes, at - 3);
            at = behind(bytes, at);
          }
        }
      }
      end += step;
      node += way % 2 === 0 ? way / 2 : -(way + 1) / 2;
      if (node === 0) {
        const value = longNumber(bytes, at);
        at = behind(bytes, at);
        const number = Math.floor(value / 4);
        if (value % 4 !== GAP) {
          this.notes.push({ kind: value % 4, number, at: this.last });
          continue;
        }
        this.idle.push(number * scale);
      } else {
        this.last = count;
      }
      ends[count] = end * scale + shift;
      starts[count] = (end - length) * scale + shift;
      nodes[count++] = node;
    }
    this.count = count;
  }
}

/**
 * Where the blocks of a log are. A last block that was cut off ends with the bytes.
 * @param {Uint8Array} bytes
 */
export function blocksOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const blocks = [];
  for (let at = 0; at + HEAD <= bytes.length;) {
    const stop = Math.min(bytes.length, at + HEAD + view.getUint32(at + 8, true));
    const base = Number(view.getBigInt64(at, true));
    // A record has three bytes at least, whatever a damaged head says.
    const count = Math.min(view.getUint32(at + 12, true), Math.floor((stop - at - HEAD) / 3));
    blocks.push({ at: at + HEAD, stop, base, count });
    at = stop;
  }
  return blocks;
}

/**
 * A number in LEB128. One of ten bytes is negative, as where a clock went back.
 * @param {Uint8Array} bytes
 * @param {number} at
 */
export function longNumber(bytes, at) {
  let value = 0;
  let scale = 1;
  for (let length = 1; at < bytes.length; length++) {
    const byte = bytes[at++];
    value += (byte & 127) * scale;
    if (byte < 128) {
      return length < 8 ? value : exactNumber(bytes, at - length, length);
    }
    scale *= 128;
  }
  return value;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} length
 */
function exactNumber(bytes, at, length) {
  let value = 0n;
  for (let place = length - 1; place >= 0; place--) {
    value = (value << 7n) | BigInt(bytes[at + place] & 127);
  }
  return Number(BigInt.asIntN(64, value));
}

/**
 * The place behind a number of which the byte before `at` says that it goes on, or that begins at `at`.
 * @param {Uint8Array} bytes
 * @param {number} at
 */
export function behind(bytes, at) {
  while (at < bytes.length && bytes[at] > 127) {
    at++;
  }
  return at + 1;
}

/**
 * @param {number} value  zigzag
 */
export const signed = (value) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
