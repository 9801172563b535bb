// What threads waited for: by whom, in what, at which line. Threads that have nothing to do wait, too,
// in Queue.get, Thread.join or select(): that is no finding. analysis/wait_findings.py has the same
// rules, thresholds and words for the terminal.

import { areWaitsTold } from "../waits.js";
import { share, time } from "../ui/format.js";
import { called, spotOf } from "./spots.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Threads} Threads
 * @typedef {import("../findings.js").Rule} Rule
 * @typedef {{caller: number, callee: number, time: number, threads: Set<number>}} Wait   of a function
 *   of the program that called what waited, or waited itself
 */

const SHORTEST = 100e6; // ns: less that was waited is no finding
const MOSTLY = 0.5; // of the run: if threads are busy for so much of it, others wait for the GIL
const NOBODY = -1;

/** Where threads wait that have nothing to do: "module function", of builtins " name", or "module *". */
const IDLE = new Set([
  " <SimpleQueue.get>",
  " <_ThreadHandle.join>",
  " <socket.accept>",
  "concurrent.futures._base *",
  "queue Queue.get",
  "queue Queue.join",
  "selectors *",
  "socket socket.accept",
  "threading Thread.join",
  "threading Thread.start",
  "threading _shutdown",
]);
const GIL = "Only one thread at a time runs Python code: the one that has the GIL. Processes do not share it, and C code may release it.";
/** What a builtin waits for, by its name, and what may be done. @type {[RegExp, string, string][]} */
const REASONS = [
  [/\bsleep>$/, "", "A sleep is as long as it is told to be: wait for the event itself, if there is one."],
  [/ock\.(acquire|__enter__)>$/, "", "Whoever has the lock could release it sooner, or several locks could share its work."],
  [/\b(poll|select|recv\w*|send\w*|accept|connect|getaddrinfo|read\w*|write|flush|fsync|do_handshake)>$/, " (I/O or the GIL)", "Waits for input and output can overlap: in threads, or by asyncio."],
  [/\b(execute\w*|fetch\w*|commit)>$/, " (I/O, a lock or the GIL)", "It may wait for the database, or for the GIL after it. Fewer, larger requests wait less."],
  [/\b(waitpid|wait4|waitid|wait3)>$/, " (another process)", "The processes could run side by side."],
];
const UNKNOWN_REASON = ["", " (I/O, a lock or the GIL)", "C code waits for input and output, for a lock, or for the GIL after it."];

/** @type {Rule} */
export const waitsInC = {
  name: "waits in C",
  threshold: 0.2,
  find({ profile, figures, threads }, least) {
    const { waits, atLeast } = waitsByCaller(profile, threads, least, (row) => profile.kindOf(row) === "builtin");
    const most = largest(waits);
    if (!areWaitsTold(figures) || most === null || most.time < atLeast) {
      return null;
    }
    const callee = profile.nameOf(most.callee);
    const [, reason, advice] = REASONS.find(([name]) => name.test(callee)) ?? UNKNOWN_REASON;
    const several = most.threads.size > 1 ? `, ${most.threads.size} threads` : "";
    const { words, place } = spotOf(profile, most.caller, "waited", most.callee);
    return {
      title: `${called(profile, most.caller)} waits ${time(most.time)} in ${called(profile, most.callee)}${several}${reason}`,
      text: `${share(most.time, figures.total)} of the time, at ${words}. ${advice}`,
      saves: most.time / most.threads.size,
      row: most.caller,
      place,
    };
  },
};

/** @type {Rule} */
export const waitsInPython = {
  name: "waits in Python",
  threshold: 0.2,
  find({ profile, figures, threads }, least) {
    const { waits, atLeast, busy, run } = waitsByCaller(profile, threads, least, (row) => profile.kindOf(row) !== "builtin");
    const waiting = new Set(waits.flatMap((wait) => [...wait.threads]));
    const whole = waits.reduce((sum, wait) => sum + wait.time, 0);
    // A thread alone waits for a processor, of which the program knows nothing.
    if (!areWaitsTold(figures) || whole < atLeast || profile.threads.length < 2 || (threads === "all" && waiting.size < 2)) {
      return null;
    }
    const most = /** @type {Wait} */ (largest(byCaller(waits)));
    const isGil = busy >= MOSTLY * run;
    const what = isGil ? "the GIL or a processor" : "a lock, the GIL or a processor";
    const { words, place } = spotOf(profile, most.caller, "waited");
    const who = waiting.size > 1 ? `${waiting.size} threads wait` : `${called(profile, most.caller)} waits`;
    const lock = "Python code waits in itself for the lock of a `with`, for the GIL, or for a processor. ";
    return {
      title: `${who} ${time(whole)} for ${what}`,
      text: `${share(whole, figures.total)} of the time, most in ${called(profile, most.caller)}, at ${words}: ${time(most.time)}. ${isGil ? "" : lock}${GIL}`,
      saves: whole / waiting.size,
      row: most.caller,
      place,
    };
  },
};

/**
 * What was waited by functions that count: by the function of the program that called them, and by
 * themselves. Idle threads are left out. `atLeast`: less is no finding; `busy`: the time that all
 * threads worked; `run`: how long the run took, which is as long as its longest thread.
 * @param {Profile} profile
 * @param {Threads} threads
 * @param {number} least  of the time that was not idle
 * @param {(row: number) => boolean} counts
 */
function waitsByCaller(profile, threads, least, counts) {
  const isIdle = Uint8Array.from({ length: profile.rowCount }, (_, row) => Number(isIdleIn(profile, row)));
  const isOwn = Uint8Array.from(isIdle, (_, row) => Number(profile.kindOf(row) === "own"));
  const isCounted = Uint8Array.from(isIdle, (_, row) => Number(counts(row)));
  /** @type {Map<number, Wait>} */
  const found = new Map();
  let active = 0;
  for (const thread of threads === "all" ? profile.threads.keys() : [threads]) {
    const { count, row, parent, end, self, waited } = profile.tree(thread);
    const callers = new Int32Array(count).fill(NOBODY); // by node: the latest function of the program
    let idleUntil = 0;
    for (let node = 1; node < count; node++) {
      const its = row[node];
      callers[node] = isOwn[its] ? its : callers[parent[node]];
      idleUntil = isIdle[its] ? Math.max(idleUntil, end[node]) : idleUntil;
      if (node < idleUntil) {
        continue;
      }
      active += self[node];
      const caller = callers[node];
      if (waited[node] > 0 && caller !== NOBODY && isCounted[its]) {
        const key = caller * profile.rowCount + its;
        const wait = found.get(key) ?? { caller, callee: its, time: 0, threads: new Set() };
        wait.time += waited[node];
        wait.threads.add(thread);
        found.set(key, wait);
      }
    }
  }
  const sums = profile.threads.map((_, thread) => profile.sums(thread));
  const busy = sums.reduce((sum, { total, totalWaited }) => sum + total - totalWaited, 0);
  const run = Math.max(0, ...sums.map(({ total }) => total));
  return { waits: [...found.values()], atLeast: Math.max(SHORTEST, least * active), busy, run };
}

/** @param {Wait[]} waits */
function byCaller(waits) {
  /** @type {Map<number, Wait>} */
  const sums = new Map();
  for (const { caller, time, threads } of waits) {
    const sum = sums.get(caller) ?? { caller, callee: caller, time: 0, threads };
    sum.time += time;
    sums.set(caller, sum);
  }
  return [...sums.values()];
}

/** @param {Wait[]} waits */
function largest(waits) {
  return waits.reduce((/** @type {Wait | null} */ most, wait) => (most === null || wait.time > most.time ? wait : most), null);
}

/**
 * @param {Profile} profile
 * @param {number} row
 */
function isIdleIn(profile, row) {
  const module = profile.moduleOf(row);
  return IDLE.has(`${module} ${profile.nameOf(row)}`) || (module !== "" && IDLE.has(`${module} *`));
}
