// Timelines for tests: an encoder of the log and of bins as docs/reference/file-format.md has them, and random runs of a
// thread of which everything is known.

/** Numbers as LEB128, of 64 bits. */
export function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return bytes;
}

const zigzag = (value) => (value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value));

/**
 * A log of records {start, end, node, value}; `value` where node is 0.
 * @param {number} size  records of a block
 */
export function logOf(records, size = 7, base = 0) {
  const bytes = [];
  let before = base;
  for (let first = 0; first < records.length; first += size) {
    const head = new DataView(new ArrayBuffer(24));
    const body = [];
    head.setBigInt64(0, BigInt(before), true);
    let node = 0;
    const part = records.slice(first, first + size);
    for (const { start, end, node: number, value } of part) {
      body.push(...varint(end - before), ...varint(end - start), ...varint(zigzag(number - node)));
      if (number === 0) {
        body.push(...varint(value));
      }
      before = end;
      node = number;
    }
    head.setUint32(8, body.length, true);
    head.setUint32(12, part.length, true);
    bytes.push(...new Uint8Array(head.buffer), ...body);
  }
  return Uint8Array.from(bytes);
}

/** Bins {start, width, entries: [node, calls, own][]} in units. */
export function binsOf(bins) {
  const bytes = [];
  let unit = 0;
  for (const { start, width, entries } of bins) {
    bytes.push(...varint(start - unit), ...varint(width), ...varint(entries.length));
    let before = 0;
    for (const [node, calls, own] of entries) {
      bytes.push(...varint(zigzag(node - before)), ...varint(calls), ...varint(zigzag(own)));
      before = node;
    }
    unit = start + width;
  }
  return Uint8Array.from(bytes);
}

/** The same random numbers each time. */
export function randomOf(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * A random run of a thread: its contexts; its slices in the order in which they ended, each with its row and the slice
 * around it; and the events by which figures can be added up slowly.
 * @param {{rows?: number, still?: number}} options  still: of ten steps, how many take no time
 */
export function randomRun(seed, steps, { rows = 6, still = 3 } = {}) {
  const random = randomOf(seed);
  const parent = [0];
  const row = [0xffffffff];
  const children = [new Map()];
  const slices = [];
  const stack = [];
  let now = random(1000);
  const began = now;
  const childOf = (node, function_) => {
    let child = children[node].get(function_);
    if (child === undefined) {
      child = parent.push(node) - 1;
      row.push(function_);
      children.push(new Map());
      children[node].set(function_, child);
    }
    return child;
  };
  const leave = () => {
    const { node, start } = stack.pop();
    slices.push({ start, end: now, node, row: stack.length });
  };
  for (let step = 0; step < steps; step++) {
    now += random(10) < still ? 0 : 1 + random(300) * (random(50) === 0 ? 100000 : 1);
    if (stack.length === 0 || (random(2) === 0 && stack.length < 9)) {
      stack.push({ node: childOf(stack.at(-1)?.node ?? 0, random(rows)), start: now });
    } else {
      leave();
    }
  }
  while (stack.length > 0) {
    now += 1;
    leave();
  }
  return { parent: Uint32Array.from(parent), row: Uint32Array.from(row), slices, began, ended: now };
}
