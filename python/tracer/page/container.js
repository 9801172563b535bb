// The container of the data: takes bytes, gives a header and its columns. README.md describes the
// format. A column is decoded when somebody asks for it, so a page opens before all are decoded.

/**
 * Where a column of integers stands, as byte planes: all lowest bytes, then all second bytes, ...
 * @typedef {{at: number, count: number, planes: number, signed?: boolean}} Block
 */

/**
 * @typedef {{depth: Block, row: Block, calls: Block, resumes: Block, time: Block,
 *   waited: Block}} NodeBlocks   `waited`: the part of `time` in which the thread did not run
 * @typedef {{caller: Block, callee: Block, calls: Block, primitive: Block, resumes: Block,
 *   time: Block, cumtime: Block}} EdgeBlocks
 * @typedef {{name: string, about: string, time: boolean, merge: "sum" | "max" | "with"}} Figure   a
 *   figure of functions: a time or a count; `merge` says how those of several threads become one
 * @typedef {Record<string, Block>} FigureBlocks   "row", and the name of each figure
 * @typedef {{name: string, ident: number, native_id: number, idle: number, nodes: NodeBlocks,
 *   edges: EdgeBlocks, figures: FigureBlocks}} PackedThread   idle: while no function of it ran
 * @typedef {"own" | "library" | "site" | "builtin" | "native"} Kind   native: by samples alone
 * @typedef {{path: string, module: string, package: string, kind: Kind}} FileOfRows
 * @typedef {[line: number, hits: number, time: number, cTime: number | null, own: number | null,
 *   suspended: number, waited: number | null, python: number | null, native: number | null, error: number | null, isCounted: boolean]} LineFigures
 *   times in nanoseconds: python and native are of CPU by samples, and error is two standard errors of a time by samples;
 *   null: not known. isCounted: else hits are at least so many, or, where they are 0, not known
 * @typedef {{file: string, line: number, name: string, lines: LineFigures[]}} TimedFunction
 * @typedef {{text: string, state: "same" | "edited" | "gone" | "unknown"}} SourceText
 * @typedef {{command: string[], started: number, real: number, user: number, system: number,
 *   memory: number, python: string, ended: string}} Run   times in nanoseconds, started in seconds since 1970
 * @typedef {{runs: Run[], backends: string[], clocks: string[], builtins: string[],
 *   threads: number, calls: number, include: string[], exclude: string[],
 *   tracing: null | {state: "out" | "in", taken: number, kept: number}, sampling: string[], objects: string[],
 *   lost: number, shared: number, unkept: number,
 *   cutOff: {name: string, after: number}[], problems: string[], unlike: string[]}} Facts
 * @typedef {{file: string, line: number}} Place
 * @typedef {{rule: string, rank: "grave" | "memory" | "time" | "hint", title: string, text: string, row: number | null,
 *   place: Place | null}} Finding   row: the function to look at; place: the line
 * @typedef {{name: string, facts: Facts, rule: string | null, files: FileOfRows[],
 *   rows: {file: Block, line: Block, name: string[]}, flags: Block, threads: PackedThread[],
 *   lines: TimedFunction[], sources: Record<string, SourceText>, findings: Record<string, Finding[]>,
 *   sampled?: PackedSamples | null, timeline?: PackedProcess[], steps?: PackedSteps, memory?: PackedMemory, native?: PackedNative, waits?: PackedWaits}} PackedProfile
 * @typedef {{time: number, size: number, counted: Block, calls: Block, edges: {caller: Block, callee: Block, calls: Block}}} PackedSamples   that times
 *   come from; counted: by row, see COUNTED; calls: of all threads
 * @typedef {{hz: number, samples: number, unit: number, parts: {native: number, Python: number, overhead: number},
 *   files: FileOfRows[], rows: {file: Block, line: Block, name: string[]}, threads: PackedThread[], code: PackedCode[]}} PackedNative   samples:
 *   their functions and threads, of which times are CPU times; unit: nanoseconds that a sample stands for
 * @typedef {{sampled: PackedSamples, flags: Block, files: FileOfRows[], rows: {file: Block, line: Block, name: string[]},
 *   threads: PackedThread[]}} PackedWaits   by looks at threads: their functions and threads, of which times are what was waited
 * @typedef {{row: number, file: string, first: number, texts: string[], isEdited: boolean,
 *   cpu: [line: number, own: number, total: number][]}} PackedCode   lines of a native function, from `first` on
 * @typedef {"live" | "peak" | "allocated" | "temporary"} Measure   of memory
 * @typedef {[bytes: number, blocks: number]} Amount
 * @typedef {[line: number, hits: number, increment: number, allocated: number, live: number, peak: number]} LineMemory   bytes
 * @typedef {{nodes: {depth: Block, row: Block, calls: Block, time: Block}, figures: FigureBlocks}} PackedContexts   of a
 *   thread seen by a measure; `calls`: blocks, `time`: bytes
 * @typedef {{name: string, at: Block, least: Block, most: Block, last: Block, resident: Block}} PackedCurve   stretches:
 *   `at`: ns since recording began; bytes live: the least, the most, the last; the most bytes resident, 0: not known
 * @typedef {{live: Amount, peak: Amount, missed: Amount, outside: Record<Measure, Amount>, lost: number, resident: number,
 *   cutOff: number | null, measures: Record<Measure, PackedContexts[]>, curves: PackedCurve[],
 *   lines: {file: string, line: number, name: string, lines: LineMemory[]}[]}} PackedMemory
 * @typedef {{phases: string[], process: Block, thread: Block, number: Block, start: Block, end: Block, slow: Block,
 *   items: (number | null)[] | null, times: Block[]}} PackedSteps   by columns; process, thread: places in `timeline` and
 *   `threads`; the other times are ticks of the process; `times`: of each phase
 * @typedef {string | number | boolean | null} Value
 * @typedef {{thread: number, slices: Block, bins: Block, parent: Block, row: Block, overflow: Block, resumed: Block, began: number,
 *   ended: number, over: boolean}} PackedLine   of a thread of the profile; parent, row: of each context of the log
 * @typedef {{name: string, pid: number, tick: number, unit: number, least: number, since: number, lost: number,
 *   ring: boolean, clock: [tick: number, ns: number][], dropped: Record<string, number>, threads: PackedLine[],
 *   tasks: {number: number[], thread: number[], node: number[], start: number[], end: number[], name: (string | null)[]},
 *   stacks: {number: number[], thread: number[], name: (string | null)[]},
 *   ranges: {thread: number[], node: number[], start: number[], end: number[], name: string[],
 *     category: (string | null)[], values: [string, Value][][], task: number[], until: number[]},
 *   marks: {thread: number[], node: number[], at: number[], name: string[], values: [string, Value][][]},
 *   counters: {thread: number[], at: number[], name: string[], value: (number | null)[]},
 *   flows: {name: string[], thread: number[], start: number[], to: number[], end: number[]},
 *   collections: {thread: number[], start: number[], end: number[], generation: number[], collected: number[],
 *     uncollectable: number[]},
 *   forks: {thread: number[], at: number[], what: string[], pid: number[]}}} PackedProcess
 *   the timeline of a process, by columns. Times are ticks of `tick` nanoseconds; an end of -1: not ended
 * @typedef {{running: boolean, number: number, wait: number, save: string | null, sources: boolean}} Live
 * @typedef {{waitedPart: number, waitedTime: number, idle: number, mostlyLive: number, outside: number, slowPhase: number}} Limits   of rules that
 *   go by the chosen threads: see tracer/results/limits.py
 * @typedef {{before: Block, after: Block, noise: number, waited: string}} PackedCommon   of two profiles; before, after: by
 *   row, the number of the function, which both have if it is in both; noise: nanoseconds from which on a change matters;
 *   waited: a sentence where the change is mostly waits, or ""
 * @typedef {{version: number, title: string, figures: Figure[], profiles: PackedProfile[], limits: Limits, common: PackedCommon | null,
 *   live: Live | null}} Header
 */

/** @typedef {Float64Array | Uint32Array} Numbers */

const VERSION = 2;

/** The decoded container. */
export class Container {
  /** @param {Uint8Array} bytes  the container, unzipped */
  constructor(bytes) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
    /** @type {Header} */
    this.header = JSON.parse(text);
    if (this.header.version !== VERSION) {
      throw new Error(`The data is of version ${this.header.version}, the page of ${VERSION}.`);
    }
    this.blocks = bytes.subarray(4 + length);
  }

  /** @param {Block} block */
  integers(block) {
    return this.#fill(block, new Uint32Array(block.count));
  }

  /** @param {Block} block */
  floats(block) {
    return this.#fill(block, new Float64Array(block.count));
  }

  /**
   * A column of one plane, as it is.
   * @param {Block} block
   */
  bytes({ at, count, planes }) {
    return planes === 0 ? new Uint8Array(count) : this.blocks.subarray(at, at + count);
  }

  /**
   * @template {Numbers} T
   * @param {Block} block
   * @param {T} numbers
   * @returns {T}
   */
  #fill(block, numbers) {
    const { at, count, planes } = block;
    const bytes = this.blocks;
    let scale = 1;
    for (let plane = 0; plane < planes; plane++) {
      const from = at + plane * count;
      for (let i = 0; i < count; i++) {
        numbers[i] += bytes[from + i] * scale;
      }
      scale *= 256;
    }
    if (block.signed) {
      this.#negate(block, numbers);
    }
    return numbers;
  }

  /**
   * Sets the negative numbers, which stand in two's complement. The sum that #fill() has made of
   * their planes has lost the last digits of a small negative number.
   * @param {Block} block
   * @param {Numbers} numbers
   */
  #negate({ at, count, planes }, numbers) {
    const bytes = this.blocks;
    const top = at + (planes - 1) * count;
    for (let i = 0; i < count; i++) {
      if (bytes[top + i] >= 128) {
        let number = 0;
        for (let plane = planes - 1; plane >= 0; plane--) {
          number = number * 256 + (bytes[at + plane * count + i] ^ 255);
        }
        numbers[i] = -number - 1;
      }
    }
  }
}

/**
 * @param {ReadableStream<Uint8Array>} stream  gzip
 * @returns {Promise<Container>}
 */
async function unzipped(stream) {
  // @ts-ignore  the types of the two streams differ by the kind of buffer behind them
  const plain = stream.pipeThrough(new DecompressionStream("gzip"));
  return new Container(new Uint8Array(await new Response(plain).arrayBuffer()));
}

/** @param {string} base64 */
export function unpackText(base64) {
  const letters = atob(base64.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = letters.charCodeAt(i);
  }
  return unzipped(new Blob([bytes]).stream());
}

/** @param {Response} response  from the server; its body is gzip */
export function unpackResponse(response) {
  if (!response.ok || response.body === null) {
    throw new Error(`The server answered ${response.status}.`);
  }
  return unzipped(response.body);
}
