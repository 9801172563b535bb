// What is known of a profile whose times come from samples: how far its times and its calls can be
// trusted.

/** What a number of calls is, by row. */
export const COUNTED = { unknown: 0, exact: 1, atLeast: 2 };

export class Samples {
  /**
   * @param {import("./container.js").PackedSamples} packed
   * @param {import("./container.js").Container} container
   */
  constructor({ time, size, counted, calls, edges }, container) {
    this.time = time;
    this.size = size;
    this.counted = container.bytes(counted);
    /** By row: the calls of all threads, 0 where they are not known. */
    this.calls = container.floats(calls);
    /** The same of callers and callees. */
    this.edges = {
      caller: container.integers(edges.caller),
      callee: container.integers(edges.callee),
      calls: container.floats(edges.calls),
    };
  }

  /**
   * Two standard errors of a time, in nanoseconds: as error_of() of data/sampled.py has it.
   * @param {number} time
   */
  error(time) {
    const { size, time: whole } = this;
    if (size === 0 || whole === 0) {
      return whole;
    }
    const least = 1 / Math.max(size, 2);
    const share = Math.min(Math.max(time / whole, least), 1 - least);
    return Math.min(1, 2 * Math.sqrt((share * (1 - share)) / size)) * whole;
  }
}
