// The findings of the overview. Each rule has a name and a threshold. A rule reads the profile, and
// returns its finding or null. views/overview.js decides how a finding looks.

import { hottestLine } from "./source/heat.js";
import { count, counted, share, time } from "./ui/format.js";

/**
 * What a rule found. `row` is the function to look at, or `place` is the line. `grave`: the figures
 * are at fault, not the program.
 * @typedef {{file: string, line: number}} Place
 * @typedef {{title: string, text: string, row?: number, place?: Place, grave?: boolean}} Finding
 * @typedef {import("./profile.js").Profile} Profile
 * @typedef {import("./profile.js").Figures} Figures
 * @typedef {{profile: Profile, figures: Figures, threads: import("./profile.js").Threads}} Looked
 * @typedef {{name: string, threshold: number, find(looked: Looked, threshold: number):
 *   Finding | null}} Rule
 */

const TINY_CALL = 200; // ns: tracing one costs about half as much
const WORTH = 0.01; // of the time: a smaller share is no finding
const PART_OF_WAIT = 0.1; // of the idle time: a shorter wait does not explain it
const OFTEN = 10; // calls: fewer are no finding
const MAIN = "MainThread"; // as threading calls it
/** Packages of the standard library that call the whole program: that is no finding. */
const CALLERS_OF_ALL = new Set(["importlib", "asyncio", "threading", "concurrent", "runpy"]);
const SHORTEST_RUN = 50e6; // ns: shares of a shorter run say little

/** Builtins that wait for something outside of the program. */
const WAITS = /\b(sleep|acquire|wait|poll|select|epoll|kqueue|recv|recv_into|accept|connect|read|readinto|_ThreadHandle\.join|waitpid|wait4|getaddrinfo|flush|fsync|SimpleQueue\.get)\b/;

/** @type {Rule[]} */
export const RULES = [
  {
    name: "lost calls",
    threshold: 0,
    find({ profile }, most) {
      const { lost } = profile.facts;
      return lost > most
        ? {
            title: `${counted(lost, "call")} dropped: out of memory`,
            text: "They are in no figure, and their time is their caller's.",
            grave: true,
          }
        : null;
    },
  },
  {
    name: "cut off",
    threshold: 0,
    find({ profile }, most) {
      const { cutOff } = profile.facts;
      const names = cutOff.map(({ name, after }) => `${name} after ${time(after)}`).join(", ");
      return cutOff.length > most
        ? {
            title: `The end of ${counted(cutOff.length, "thread")} is not known`,
            text: `The program set a profile function of its own: ${names}.`,
            grave: true,
          }
        : null;
    },
  },
  {
    name: "one function",
    threshold: 0.5,
    find({ profile, figures }, least) {
      const row = largest(figures.tottime);
      const part = row < 0 ? 0 : figures.tottime[row] / figures.total;
      return part > least
        ? {
            title: `${profile.nameOf(row)} holds ${share(figures.tottime[row], figures.total)} of the time`,
            text: `${time(figures.tottime[row])} in itself, in ${counted(figures.ncalls[row], "call")}, ${time(figures.tottime[row] / Math.max(1, figures.ncalls[row]))} each.`,
            row,
          }
        : null;
    },
  },
  {
    name: "one line",
    threshold: 0.5,
    find({ profile, figures, threads }, least) {
      const whole = threads === "all" || profile.threads.length === 1; // the timed lines are of all threads
      if (profile.lines.length === 0 || !whole) {
        return null;
      }
      const { timed, known, line, warmth, hits, inC } = hottestOfAll(profile, figures, profile.edges(threads));
      const parts = known
        ? `, without the Python functions that it calls or that C calls back; ${time(inC)} of that in C.`
        : `: ${time(warmth - inC)} of its own, and ${time(inC)} in C with the Python functions that C calls back.`;
      return timed !== null && warmth > least * figures.total
        ? {
            title: `Line ${line} of ${timed.name} holds ${share(warmth, figures.total)} of the time`,
            text: `${time(warmth)} in ${counted(hits, "hit")}${parts}`,
            place: { file: timed.file, line },
          }
        : null;
    },
  },
  {
    name: "one way",
    threshold: 0.5,
    find({ profile, figures }, least) {
      const row = deepestAbove(profile, figures, least);
      if (row < 0) {
        return null;
      }
      const advice = handsOn(figures, row) ? "It hands on: what it calls takes the time." : "Fewer calls, or a quicker way, would save the most.";
      return {
        title: `${share(figures.cumtime[row], figures.total)} of the time passes through ${profile.nameOf(row)}`,
        text: `${time(figures.cumtime[row])} in ${counted(figures.ncalls[row], "call")} of it and what it calls, ${time(figures.tottime[row])} of that in itself. ${advice}`,
        row,
      };
    },
  },
  {
    name: "tiny calls",
    threshold: 1e5,
    find({ profile, figures }, least) {
      let row = -1;
      let rows = 0;
      for (let at = 0; at < figures.ncalls.length; at++) {
        const calls = figures.ncalls[at];
        if (calls > least && figures.tottime[at] / calls < TINY_CALL && figures.tottime[at] > WORTH * figures.total) {
          rows++;
          row = row < 0 || calls > figures.ncalls[row] ? at : row;
        }
      }
      const others = rows > 1 ? ` ${counted(rows - 1, "other function")} ${rows === 2 ? "is" : "are"} like that, too.` : "";
      const remedy = profile.facts.tracing === null && profile.facts.backends.length > 0 ? " Record with --compensate to take that out." : "";
      return row >= 0
        ? {
            title: `${profile.nameOf(row)} has ${count(figures.ncalls[row])} calls of ${time(figures.tottime[row] / figures.ncalls[row])}`,
            text: `With calls that short, much of the time is tracing's own: trust the counts more than the times.${others}${remedy}`,
            row,
          }
        : null;
    },
  },
  {
    name: "waiting",
    threshold: 0.5,
    find({ profile, threads }, least) {
      const runs = profile.facts.runs;
      const real = sum(runs.map((run) => run.real));
      const busy = sum(runs.map((run) => run.user + run.system));
      const part = real < SHORTEST_RUN ? 0 : 1 - busy / real;
      if (part <= least) {
        return null;
      }
      const { waits, name } = mainWaits(profile, threads);
      const longest = largest(waits);
      const row = longest >= 0 && waits[longest] > PART_OF_WAIT * (real - busy) ? longest : -1;
      const where =
        row < 0
          ? "No call in C that is known to wait explains it: the machine may have been busy with something else. If so, calls say more than times."
          : wherein(`${profile.nameOf(row)}${name && ` of ${name}`}`, waits[row], real - busy);
      return {
        title: row < 0 ? `The program did not work for ${share(real - busy, real)} of the run` : `${share(real - busy, real)} of the run was waiting`,
        text: `${time(real)} passed, and the processor worked for ${time(busy)} of it. ${where}`,
        row: row < 0 ? undefined : row,
      };
    },
  },
  {
    name: "threads that wait",
    threshold: 0.5,
    find({ profile, figures, threads }, least) {
      const waits = waitsOf(profile, figures);
      const waited = sum([...waits]);
      const row = largest(waits);
      return threads === "all" && profile.threads.length > 1 && waited > least * figures.total
        ? {
            title: `${share(waited, figures.total)} of the threads' time was waiting`,
            text: `${time(waited)} of all ${profile.threads.length} threads together, the most in ${profile.nameOf(row)}, ${time(waits[row])}: shares of the time say little then. Choose a thread to see what it did.`,
            row,
          }
        : null;
    },
  },
  {
    name: "system time",
    threshold: 0.3,
    find({ profile }, least) {
      if (profile.facts.clocks.includes("cpu")) {
        return null; // tracer itself asks the system for that clock at each event
      }
      const runs = profile.facts.runs;
      const busy = sum(runs.map((run) => run.user + run.system));
      const system = sum(runs.map((run) => run.system));
      return busy > SHORTEST_RUN && system / busy > least
        ? {
            title: `${share(system, busy)} of the processor's time was the system's`,
            text: `${time(system)} in the kernel: files, memory, processes or the network.`,
          }
        : null;
    },
  },
  {
    name: "imports",
    threshold: 0.3,
    find({ profile, figures }, least) {
      const row = profile.rows.name.findIndex(
        (name, at) => name === "_find_and_load" && profile.place(at).includes("importlib._bootstrap"),
      );
      return row >= 0 && figures.cumtime[row] / figures.total > least
        ? {
            title: `Imports took ${share(figures.cumtime[row], figures.total)} of the time`,
            text: `${time(figures.cumtime[row])} to find, load and run modules. What is seldom needed can be imported where it is used.`,
            row,
          }
        : null;
    },
  },
  {
    name: "compensation",
    threshold: 0.1,
    find({ profile }, least) {
      const { tracing } = profile.facts;
      return tracing !== null && tracing.kept > least * tracing.taken
        ? {
            title: `${time(tracing.kept)} of tracing could not be taken out`,
            text: "Some functions had less time than their calls should have cost; the rest was taken out.",
            grave: true,
          }
        : null;
    },
  },
];

/**
 * The findings about a profile, in the order of the rules.
 * @param {Profile} profile
 * @param {import("./profile.js").Threads} threads
 * @returns {(Finding & {name: string})[]}
 */
export function findings(profile, threads) {
  const looked = { profile, figures: profile.figures(threads), threads };
  const found = [];
  for (const rule of RULES) {
    const finding = looked.figures.total > 0 ? rule.find(looked, rule.threshold) : null;
    if (finding !== null) {
      found.push({ name: rule.name, ...finding });
    }
  }
  return found;
}

/**
 * By row: the own time of a builtin that waits, 0 for all others.
 * @param {Profile} profile
 * @param {Figures} figures
 */
function waitsOf(profile, figures) {
  return figures.tottime.map((own, row) => (own > 0 && profile.kindOf(row) === "builtin" && WAITS.test(profile.nameOf(row)) ? own : 0));
}

/**
 * The waits that hold the program up: those of the chosen thread. Where all threads are chosen,
 * they are those of the main thread, if there is one: others may be idle as long as they like.
 * `name` is the name of that thread; "" where there is no other thread, or no main thread.
 * @param {Profile} profile
 * @param {import("./profile.js").Threads} threads
 */
function mainWaits(profile, threads) {
  const all = [...profile.threads.keys()];
  const mains = all.filter((thread) => profile.threads[thread].name === MAIN);
  const chosen = threads !== "all" ? [threads] : mains.length > 0 ? mains : all;
  const waits = new Float64Array(profile.rowCount);
  for (const thread of chosen) {
    waitsOf(profile, profile.figures(thread)).forEach((wait, row) => (waits[row] += wait));
  }
  const named = profile.threads.length > 1 && (threads !== "all" || mains.length > 0);
  return { waits, name: named ? profile.threads[chosen[0]].name : "" };
}

/**
 * Says how a wait explains the time in which the processor did not work for the program. During a
 * wait that is longer than that time, the processor did work: for other threads, or in the call
 * itself.
 * @param {string} what  the function that waited
 * @param {number} wait  its time
 * @param {number} idle  the time in which the processor did not work
 */
function wherein(what, wait, idle) {
  if (wait > idle) {
    return `${time(wait)} passed in ${what}, and for a part of that the processor worked for the program.`;
  }
  return `${2 * wait > idle ? "Most" : "A part"} of it may be in ${what}, ${time(wait)}.`;
}

/**
 * The hottest line of all functions, by its own time and its time in C. Time in C includes the
 * Python functions that C calls back, as "".join() runs a generator. Their time does not count for
 * the line. The tottime of the line's function and the time of its builtin callees hold no Python
 * callee. So the functions called back took the time that all lines together have beyond these two.
 * Where the function has no figures, that time is not known: `known` is false.
 * @param {Profile} profile
 * @param {Figures} figures
 * @param {import("./edges.js").Edges} edges
 */
function hottestOfAll(profile, figures, edges) {
  /** @type {Map<string, number>} */
  const rows = new Map();
  for (let row = 0; row < profile.rowCount; row++) {
    if (figures.present[row] === 1) {
      rows.set(JSON.stringify([profile.fileOf(row).path, profile.rows.line[row], profile.nameOf(row)]), row);
    }
  }
  /** @type {{timed: import("./container.js").TimedFunction | null, known: boolean} & ReturnType<typeof hottestLine>} */
  let best = { timed: null, known: false, line: 0, warmth: 0, hits: 0, inC: 0 };
  for (const timed of profile.lines) {
    const row = rows.get(JSON.stringify([timed.file, timed.line, timed.name]));
    let calledBack = 0;
    if (row !== undefined) {
      const builtins = edges.callees(row).filter((edge) => profile.kindOf(edge.row) === "builtin");
      const without = figures.tottime[row] + sum(builtins.map((edge) => edge.time));
      const within = sum(timed.lines.map(([, , , inC, own]) => (inC ?? 0) + (own ?? 0)));
      calledBack = Math.max(0, within - without);
    }
    const hottest = hottestLine(timed, calledBack);
    best = hottest.warmth > best.warmth ? { timed, known: row !== undefined, ...hottest } : best;
  }
  return best;
}

/** @param {Float64Array} values */
function largest(values) {
  let best = -1;
  for (let at = 0; at < values.length; at++) {
    if (values[at] > 0 && (best < 0 || values[at] > values[best])) {
      best = at;
    }
  }
  return best;
}

/**
 * Of the functions that most of the time passes through, the one with the least cumtime: the others
 * mostly lead to it. Three kinds of functions are no finding: those with few calls, as main();
 * those that hold the time themselves; and those that start all others, as the loop of asyncio.
 * Imports have a rule of their own. The program's own functions come first: the user can mend
 * these. A function that others wrote is the result only where the program has none, and not where
 * it only hands on, as the dispatcher of a plugin system does. -1 where there is none.
 * @param {Profile} profile
 * @param {Figures} figures
 * @param {number} least
 */
function deepestAbove(profile, figures, least) {
  let best = -1;
  /** @param {number} row */
  const isOwn = (row) => row >= 0 && profile.kindOf(row) === "own";
  for (let row = 0; row < figures.cumtime.length; row++) {
    const total = figures.cumtime[row];
    const passes = total > least * figures.total && figures.tottime[row] < total / 2;
    if (!passes || figures.ncalls[row] < OFTEN || profile.kindOf(row) === "builtin" || CALLERS_OF_ALL.has(profile.packageOf(row))) {
      continue;
    }
    if (!isOwn(row) && handsOn(figures, row)) {
      continue;
    }
    const better = isOwn(row) === isOwn(best) ? total <= figures.cumtime[best] : isOwn(row);
    if (best < 0 || better) {
      best = row;
    }
  }
  return best;
}

/**
 * Whether a function's tottime is next to nothing of the time that passes through the function.
 * @param {Figures} figures
 * @param {number} row
 */
function handsOn(figures, row) {
  return figures.tottime[row] < WORTH * figures.cumtime[row];
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}
