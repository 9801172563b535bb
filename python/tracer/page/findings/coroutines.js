// What keeps coroutines from going on: a step of the event loop that took long, and what they awaited.
// analysis/wait_findings.py has the same rules, thresholds and words for the terminal.

import { NO_ROW } from "../nodes.js";
import { counted, time } from "../ui/format.js";
import { called, spotOf } from "./spots.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Threads} Threads
 * @typedef {import("../findings.js").Rule} Rule
 */

const STEP = "asyncio.events Handle._run";
const MOST = 0.8; // of a step: a function with so much of it is what took the time
const ROUNDING = 2; // ns
const SHORTEST = 100e6; // ns: what is suspended for less is no finding
const IDLE_LOOP = 0.2; // of the run: a loop that waits for less works meanwhile
/** What coroutines await that have nothing to do. */
const IDLE = new Set([
  "asyncio.locks Condition.wait",
  "asyncio.locks Event.wait",
  "asyncio.queues Queue.get",
  "asyncio.queues Queue.join",
  "asyncio.tasks _wait",
  "asyncio.tasks wait",
  "asyncio.tasks wait_for",
]);
/** @type {Record<string, [where: string, advice: string]>} */
const AWAITED = {
  "asyncio.locks Lock.acquire": ["at the lock", "One at a time has it: await less while it is held, or use several locks."],
  "asyncio.locks Semaphore.acquire": ["at the semaphore", "A higher number lets more of them go on at a time."],
  "asyncio.tasks sleep": ["in asyncio.sleep", "A sleep is as long as it is told to be: await the event itself, if there is one."],
};

/** @type {Rule} */
export const longestStep = {
  name: "longest step",
  threshold: 100e6, // ns without a turn of the event loop
  find({ profile, threads }, least) {
    const row = rowNamed(profile, STEP);
    const thread = row < 0 ? -1 : threadOfMost(profile, threads, row, "longest");
    if (thread < 0) {
      return null;
    }
    const { longest, longest_at: at } = profile.figures(thread);
    const chain = longestCalls(profile, thread, row);
    const own = chain.findLastIndex((one) => profile.kindOf(one) === "own");
    const blamed = chain[own];
    const inside = own >= 0 && own + 1 < chain.length ? `, in ${called(profile, chain[own + 1])}` : "";
    const where = own < 0 ? "It began" : `${profile.moduleOf(blamed)}:${profile.rows.line[blamed]}${inside},`;
    return longest[row] < least
      ? null
      : {
          title: `The event loop did not turn for ${time(longest[row])}${own < 0 ? "" : `: ${called(profile, blamed)}`}`,
          text: `${where} ${time(at[row])} into the run. Meanwhile no other coroutine went on. Await in between, or let a thread do it: asyncio.to_thread().`,
          saves: longest[row],
          row: own < 0 ? row : blamed,
        };
  },
};

/**
 * What of a library the program's coroutines awaited longest, where the event loop was idle: else they
 * waited for what it did meanwhile.
 * @type {Rule}
 */
export const suspended = {
  name: "suspended",
  threshold: 0.5, // of the run, added up over all tasks
  find({ profile, figures, threads }, least) {
    const run = Math.max(0, ...profile.threads.map((_, thread) => profile.sums(thread).total));
    const edges = profile.edges(threads);
    let best = -1;
    for (let row = 0; row < profile.rowCount; row++) {
      const time = figures.suspended[row];
      if (time < Math.max(SHORTEST, least * run) || profile.kindOf(row) === "own" || IDLE.has(labelOf(profile, row))) {
        continue;
      }
      const below = Math.max(0, ...edges.callees(row).map((edge) => (edge.row === NO_ROW ? 0 : figures.suspended[edge.row])));
      best = below < time / 2 && (best < 0 || time > figures.suspended[best]) ? row : best;
    }
    const thread = best < 0 ? -1 : threadOfMost(profile, threads, best, "suspended");
    const idle = thread < 0 ? 0 : profile.sums(thread).totalWaited;
    const awaiting = thread < 0 ? [] : ownCallers(profile, threads, best);
    if (awaiting.length === 0 || idle < IDLE_LOOP * run) {
      return null;
    }
    const [caller] = awaiting;
    const others = awaiting.length > 1 ? ` and ${counted(awaiting.length - 1, "other")}` : "";
    const [where, advice] = AWAITED[labelOf(profile, best)] ?? [`in ${called(profile, best)}`, ""];
    const { words, place } = spotOf(profile, caller, "suspended");
    return {
      title: `${time(figures.suspended[best])} suspended ${where}, awaited by ${called(profile, caller)}${others}`,
      text: `At ${words}, ${counted(figures.ncalls[best], "time")}, added up over all tasks. ${advice}`.trim(),
      saves: Math.min(figures.suspended[best], idle),
      row: caller,
      place,
    };
  },
};

/**
 * @param {Profile} profile
 * @param {number} row
 */
const labelOf = (profile, row) => `${profile.moduleOf(row)} ${profile.nameOf(row)}`;

/**
 * @param {Profile} profile
 * @param {string} label
 */
function rowNamed(profile, label) {
  for (let row = 0; row < profile.rowCount; row++) {
    if (labelOf(profile, row) === label) {
      return row;
    }
  }
  return -1;
}

/**
 * The thread in which a function has most of a figure, -1 if it has none.
 * @param {Profile} profile
 * @param {Threads} threads
 * @param {number} row
 * @param {"longest" | "suspended"} figure
 */
function threadOfMost(profile, threads, row, figure) {
  let best = { thread: -1, most: 0 };
  for (const thread of threads === "all" ? profile.threads.keys() : [threads]) {
    const { figures } = profile.threads[thread];
    const at = profile.container.integers(figures.row).indexOf(row);
    const most = at < 0 ? 0 : profile.container.floats(figures[figure])[at];
    best = most > best.most ? { thread, most } : best;
  }
  return best.thread;
}

/**
 * A function, then by whom most of its longest call was taken, one below the other.
 * @param {Profile} profile
 * @param {number} thread
 * @param {number} row
 */
function longestCalls(profile, thread, row) {
  const { longest, longest_at: at } = profile.figures(thread);
  const edges = profile.edges(thread);
  const [from, to] = [at[row] - ROUNDING, at[row] + longest[row] + ROUNDING];
  const chain = [row];
  for (;;) {
    const inside = edges
      .callees(chain[chain.length - 1])
      .map((edge) => edge.row)
      .filter((one) => !chain.includes(one) && longest[one] >= MOST * longest[row] && at[one] >= from && at[one] + longest[one] <= to);
    if (inside.length === 0) {
      return chain;
    }
    chain.push(inside.reduce((most, one) => (longest[one] > longest[most] ? one : most)));
  }
}

/**
 * The functions of the program that called a function, maybe by way of others; the most frequent first.
 * @param {Profile} profile
 * @param {Threads} threads
 * @param {number} callee
 */
function ownCallers(profile, threads, callee) {
  const { count, row, parent, calls } = profile.tree(threads);
  const callers = new Int32Array(count).fill(-1);
  /** @type {Map<number, number>} */
  const found = new Map();
  for (let node = 1; node < count; node++) {
    const above = callers[parent[node]];
    if (row[node] === callee && above >= 0) {
      found.set(above, (found.get(above) ?? 0) + calls[node]);
    }
    callers[node] = profile.kindOf(row[node]) === "own" ? row[node] : above;
  }
  return [...found].sort((a, b) => b[1] - a[1]).map(([caller]) => caller);
}
