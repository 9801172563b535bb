// The timeline of a profile, decoded: processes, threads with their slices and bins, tasks, and what else has a time.
// All times are nanoseconds from the first moment of the first process on.

import { NO_ROW } from "../nodes.js";
import { Bins } from "./bins.js";
import { Contexts } from "./contexts.js";
import { Log, STACK, TASK } from "./decode.js";
import { gapsOf } from "./gaps.js";
import { Lanes } from "./lanes.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../container.js").PackedProcess} PackedProcess
 * @typedef {import("../container.js").PackedLine} PackedLine
 */

/**
 * The slices of one thread.
 * @typedef {object} ThreadLine
 * @property {Process} process
 * @property {number} place  among those of its process
 * @property {number} thread  of the profile
 * @property {string} name
 * @property {Contexts} contexts
 * @property {Lanes} lanes  empty until they are decoded
 * @property {Bins} bins
 * @property {Fiber[]} fibers
 * @property {number} began
 * @property {number} ended
 * @property {boolean} over
 */

/**
 * A task, or the stack of a greenlet: stretches of the slices of its thread.
 * @typedef {object} Fiber
 * @property {"task" | "stack"} kind
 * @property {number} number
 * @property {string} name
 * @property {ThreadLine} line
 * @property {number} start
 * @property {number} end
 * @property {boolean} open  it had not ended
 * @property {number} height  rows below its first one
 * @property {number[]} starts  of its stretches
 * @property {number[]} ends
 * @property {number[]} rows  of the thread, in which each stretch is
 * @property {number} running
 */

/**
 * Something with a name and a time.
 * @typedef {{kind: string, name: string, start: number, end: number, open: boolean, line: ThreadLine | null,
 *   fiber: Fiber | null, facts: [string, string][]}} Span   fiber: the task in which it began
 */

/** @typedef {{name: string, times: Float64Array, values: Float64Array}} Counter */
/** @typedef {{name: string, from: ThreadLine, start: number, to: ThreadLine, end: number}} Flow */

export class Process {
  /**
   * @param {Profile} profile
   * @param {PackedProcess} packed
   * @param {number} place  among all
   * @param {number} shift  nanoseconds of its tick 0
   */
  constructor(profile, packed, place, shift) {
    this.place = place;
    this.profile = profile;
    this.packed = packed;
    this.pid = packed.pid;
    this.name = packed.name;
    this.least = packed.least * packed.tick;
    this.since = packed.since * packed.tick + shift;
    this.lost = packed.lost;
    this.unit = packed.unit * packed.tick;
    this.scale = packed.tick;
    this.shift = shift;
    /** @type {ThreadLine[]} */
    this.lines = [];
    /** @type {Span[]} */
    this.ranges = [];
    /** @type {Span[]} */
    this.marks = [];
    /** @type {Span[]} */
    this.collections = [];
    /** @type {Counter[]} */
    this.counters = [];
    /** @type {Flow[]} */
    this.flows = [];
  }

  /** @param {number} tick */
  at(tick) {
    return tick * this.scale + this.shift;
  }

  /** @param {PackedLine} packed */
  addLine(packed) {
    const { container, threads } = this.profile;
    const [bins, ...columns] = [packed.bins, packed.parent, packed.row, packed.overflow, packed.resumed];
    const [parent, row, overflow, resumed] = columns.map((block) => container.integers(block));
    const contexts = new Contexts(parent, row, overflow, (of) => this.profile.kindOf(of) === "builtin", resumed);
    this.lines.push({
      process: this,
      place: this.lines.length,
      thread: packed.thread,
      name: threads[packed.thread]?.name || `Thread ${packed.thread + 1}`,
      contexts,
      lanes: new Lanes(new Log(new Uint8Array(0), 1, 0), contexts),
      bins: new Bins(container.bytes(bins), this.unit, this.scale, this.shift),
      fibers: [],
      began: this.at(packed.began),
      ended: this.at(packed.ended),
      over: packed.over,
    });
  }

  /**
   * Decodes the slices of a thread.
   * @param {ThreadLine} line
   * @param {(part: number) => Promise<void>} pause  with the part that is done
   */
  async load(line, pause) {
    const bytes = this.profile.container.bytes(this.packed.threads[line.place].slices);
    const log = new Log(bytes, this.scale, this.shift);
    const { length } = log.blocks;
    for (let block = 0; block < length; block++) {
      log.read(log.blocks[block]);
      await pause((0.6 * block) / length);
    }
    const lanes = new Lanes(log, line.contexts);
    await pause(0.7);
    while (!lanes.place()) {
      await pause(0.7 + (0.2 * lanes.placed) / log.count);
    }
    const { bins, contexts } = line;
    for (const first of bins.firsts) {
      bins.group(first, contexts.count);
      await pause(0.9 + (0.1 * first) / bins.count);
    }
    bins.scratch = null;
    contexts.recursive.at(0); // which takes as long for a million contexts as the statistics may
    line.lanes = lanes;
    gapsOf(line); // which takes a while, too
    line.fibers = this.#fibersOf(line);
  }

  /** @param {ThreadLine} line */
  #fibersOf(line) {
    const { tasks, stacks } = this.packed;
    /** @type {Map<string, Fiber>} */
    const found = new Map();
    /** @type {(kind: "task" | "stack", number: number, name: string | null, start: number, end: number) => void} */
    const add = (kind, number, name, start, end) => {
      const called = name || `${kind === "task" ? "Task" : "Greenlet"} ${number}`;
      const times = { start, end: end < 0 ? line.ended : end, open: end < 0 };
      found.set(`${kind} ${number}`, {
        kind, number, name: called, line, ...times, height: 0, starts: [], ends: [], rows: [], running: 0,
      });
    };
    tasks.number.forEach((number, i) => {
      if (tasks.thread[i] === line.place) {
        const end = tasks.end[i];
        add("task", number, tasks.name[i], this.at(tasks.start[i]), end < 0 ? -1 : this.at(end));
      }
    });
    stacks.number.forEach((number, i) => {
      if (stacks.thread[i] === line.place) {
        add("stack", number, stacks.name[i], Infinity, 0);
      }
    });
    for (const { kind, number, start, end, row } of line.lanes.runs) {
      const name = kind === TASK ? "task" : "stack";
      const key = `${name} ${number}`;
      if (!found.has(key) && (kind === STACK || kind === TASK)) {
        add(name, number, null, start, end);
      }
      const fiber = /** @type {Fiber} */ (found.get(key));
      fiber.starts.push(start);
      fiber.ends.push(end);
      fiber.rows.push(row);
      fiber.running += end - start;
      fiber.start = Math.min(fiber.start, start);
      fiber.end = Math.max(fiber.end, end);
    }
    line.lanes.runs = [];
    const used = [...found.values()].filter(({ kind, starts }) => kind === "task" || starts.length > 0);
    return used.sort((a, b) => a.start - b.start);
  }

  /** Reads what else has a time, once all threads are there. */
  addLists() {
    const { packed } = this;
    /** @type {(place: number) => ThreadLine | null} */
    const lineOf = (place) => this.lines[place] ?? null;
    const { ranges, marks, counters, collections, forks, flows } = packed;
    const tasks = new Map(this.lines.flatMap(({ fibers }) => fibers).filter(({ kind }) => kind === "task").map((task) => [task.number, task]));
    this.ranges = ranges.name.map((name, i) => {
      const open = ranges.end[i] < 0;
      const line = lineOf(ranges.thread[i]);
      const end = open ? (line?.ended ?? 0) : this.at(ranges.end[i]);
      /** @type {[string, string][]} */
      const facts = ranges.values[i].map(([key, value]) => [key, textOf(value)]);
      if (ranges.category[i]) {
        facts.unshift(["category", String(ranges.category[i])]);
      }
      const fiber = tasks.get(ranges.task[i]) ?? null;
      return { kind: "Range", name, start: this.at(ranges.start[i]), end, open, line, fiber, facts };
    });
    this.marks = marks.name.map((name, i) => {
      const at = this.at(marks.at[i]);
      /** @type {[string, string][]} */
      const facts = marks.values[i].map(([key, value]) => [key, textOf(value)]);
      return { kind: "Mark", name, start: at, end: at, open: false, line: lineOf(marks.thread[i]), fiber: null, facts };
    });
    forks.what.forEach((what, i) => {
      const at = this.at(forks.at[i]);
      const name = what === "fork" ? `fork of process ${forks.pid[i]}` : what;
      this.marks.push({ kind: "Mark", name, start: at, end: at, open: false, line: lineOf(forks.thread[i]), fiber: null, facts: [] });
    });
    this.marks.sort((a, b) => a.start - b.start);
    this.collections = collections.start.map((start, i) => ({
      kind: "Garbage collection",
      name: `generation ${collections.generation[i]}`,
      start: this.at(start),
      end: this.at(collections.end[i]),
      open: false,
      line: lineOf(collections.thread[i]),
      fiber: null,
      facts: [
        ["collected", String(collections.collected[i])],
        ["uncollectable", String(collections.uncollectable[i])],
      ],
    }));
    /** @type {Map<string, [number, number][]>} */
    const points = new Map();
    counters.name.forEach((name, i) => {
      const known = points.get(name) ?? [];
      known.push([this.at(counters.at[i]), counters.value[i] ?? NaN]);
      points.set(name, known);
    });
    for (const [name, list] of points) {
      list.sort((a, b) => a[0] - b[0]);
      const [times, values] = [0, 1].map((place) => Float64Array.from(list, (point) => point[place]));
      this.counters.push({ name, times, values });
    }
    flows.name.forEach((name, i) => {
      const [from, to] = [lineOf(flows.thread[i]), lineOf(flows.to[i])];
      if (from !== null && to !== null) {
        this.flows.push({ name, from, start: this.at(flows.start[i]), to, end: this.at(flows.end[i]) });
      }
    });
  }
}

/** @param {string | number | boolean | null} value */
const textOf = (value) => (value === null ? "None" : value === true ? "True" : value === false ? "False" : String(value));

export class Timeline {
  /** @param {Profile} profile */
  constructor(profile) {
    this.profile = profile;
    const packed = profile.timeline;
    const shifts = shiftsOf(packed);
    this.aligned = shifts.aligned;
    this.processes = packed.map((process, i) => new Process(profile, process, i, shifts.shifts[i]));
    this.begin = 0;
    this.end = Math.max(1, ...this.processes.map(endOf).map(Math.ceil));
    this.count = 0;
    this.isLoaded = false;
    /** @type {Promise<void> | null} */
    this.loading = null;
    for (const process of this.processes) {
      process.packed.threads.forEach((line) => process.addLine(line));
    }
  }

  get lines() {
    return this.processes.flatMap(({ lines }) => lines);
  }

  /**
   * Decodes all slices, and lets the page live meanwhile.
   * @param {(part: number) => Promise<void>} pause  with the part that is done
   */
  async load(pause) {
    const sizes = this.profile.timeline.flatMap(({ threads }) => threads.map(({ slices }) => slices.count));
    const whole = sizes.reduce((sum, size) => sum + size, 1);
    let done = 0;
    for (const process of this.processes) {
      for (const line of process.lines) {
        const size = process.packed.threads[line.place].slices.count;
        const before = done;
        await process.load(line, (part) => pause((before + part * size) / whole));
        this.count += line.lanes.count - line.lanes.gapStarts.length;
        done += size;
      }
      process.addLists();
    }
    this.isLoaded = true;
  }
}

/** @type {WeakMap<Profile, Timeline>} */
const made = new WeakMap();

/**
 * The timeline of a profile; its slices may not be there yet.
 * @param {Profile} profile
 */
export function timelineOf(profile) {
  const timeline = made.get(profile) ?? new Timeline(profile);
  made.set(profile, timeline);
  return timeline;
}

/** @param {Process} process */
function endOf({ packed, scale, shift }) {
  return packed.threads.reduce((most, { ended }) => Math.max(most, ended * scale + shift), shift);
}

/**
 * When tick 0 of each process is. Processes that ran at the same time have one clock; of others each begins at 0.
 * @param {PackedProcess[]} packed
 */
function shiftsOf(packed) {
  const times = packed.map(({ clock, tick, threads }) => {
    const [at, moment] = clock[0] ?? [0, 0];
    const zero = moment - at * tick;
    const [begin, end] = [Math.min(...threads.map(({ began }) => began)), Math.max(...threads.map(({ ended }) => ended))];
    return threads.length > 0 ? { zero, begin: zero + begin * tick, end: zero + end * tick } : { zero, begin: zero, end: zero };
  });
  const order = times.map((_, i) => i).sort((a, b) => times[a].begin - times[b].begin);
  let covered = order.length > 0 ? times[order[0]].end : 0;
  let aligned = true;
  for (const i of order) {
    aligned &&= times[i].begin <= covered;
    covered = Math.max(covered, times[i].end);
  }
  const first = order.length > 0 ? times[order[0]].begin : 0;
  return { aligned, shifts: times.map(({ zero, begin }) => Math.round(zero - (aligned ? first : begin))) };
}

/**
 * The slices of a line that some functions have, by row and time.
 * @param {ThreadLine} line
 * @param {(row: number) => boolean} isWanted
 */
export function slicesOf({ lanes, contexts }, isWanted) {
  const wanted = new Uint8Array(contexts.count + 2);
  for (let node = 1; node < contexts.count; node++) {
    const row = contexts.row[node];
    wanted[node] = row !== NO_ROW && isWanted(row) ? 1 : 0;
  }
  if (!wanted.includes(1)) {
    return new Uint32Array(0);
  }
  const { nodes } = lanes;
  let count = 0;
  for (let i = 0; i < nodes.length; i++) {
    count += wanted[nodes[i]];
  }
  const found = new Uint32Array(count);
  for (let i = 0, at = 0; at < count; i++) {
    if (wanted[nodes[i]] === 1) {
      found[at++] = i;
    }
  }
  return found;
}
