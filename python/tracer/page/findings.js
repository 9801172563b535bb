// The findings of the overview: those that the terminal tells, and those of the rules here. Each rule
// has a name and a threshold. A rule reads the profile, and returns its finding or null. What was
// waited is told as work nowhere. overview/pointed_out.js decides how a finding looks.

import { hottestOfAll } from "./findings/hottest_line.js";
import { toldFindings } from "./findings/told.js";
import { NO_ROW } from "./nodes.js";
import { count, counted, share, time } from "./ui/format.js";
import { areWaitsTold, worked } from "./waits.js";

/**
 * What a rule found. `saves`: the nanoseconds that the remedy could save at most. `row` is the
 * function to look at, `place` is the line. `grave`: the figures are at fault, not the program.
 * @typedef {{file: string, line: number}} Place
 * @typedef {{title: string, text: string, saves: number, row?: number, place?: Place,
 *   grave?: boolean, isMemory?: boolean}} Finding   isMemory: about memory, not about time
 * @typedef {import("./profile.js").Profile} Profile
 * @typedef {import("./profile.js").Figures} Figures
 * @typedef {{profile: Profile, figures: Figures, threads: import("./profile.js").Threads,
 *   isTold: boolean}} Looked   isTold: whether the findings of the terminal are about the same
 * @typedef {{name: string, threshold: number, find(looked: Looked, threshold: number):
 *   Finding | null}} Rule
 */

const TINY_CALL = 200; // ns: tracing one costs about half as much
const WORTH = 0.01; // of the time: a smaller share is no finding
const OFTEN = 10; // calls: fewer are no finding
/** Packages of the standard library that call the whole program: that is no finding. */
const CALLERS_OF_ALL = new Set(["importlib", "asyncio", "threading", "concurrent", "runpy"]);
const MOST_TAKERS = 3; // of the callees of a function that hands on
const TAKER = 0.1; // of what it hands on: a smaller part is not told of
const SHORTEST_RUN = 50e6; // ns: shares of a shorter run say little

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
            saves: 0,
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
            saves: 0,
            grave: true,
          }
        : null;
    },
  },
  {
    name: "one function",
    threshold: 0.5,
    find({ profile, figures, isTold }, least) {
      if (isTold) {
        return null;
      }
      const busy = figures.tottime.map((own, at) => worked(own, figures.waited[at]));
      const row = largest(busy);
      const part = row < 0 ? 0 : busy[row] / figures.total;
      return part > least
        ? {
            title: `${profile.nameOf(row)} holds ${share(busy[row], figures.total)} of the time`,
            text: `It works ${time(busy[row])} in itself, in ${counted(figures.ncalls[row], "call")}, ${time(busy[row] / Math.max(1, figures.ncalls[row]))} each.`,
            saves: busy[row],
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
            saves: warmth,
            place: { file: timed.file, line },
          }
        : null;
    },
  },
  {
    name: "one way",
    threshold: 0.5,
    find({ profile, figures, threads }, least) {
      const within = profile.waitedWithin(threads);
      const busy = figures.cumtime.map((total, at) => worked(total, within[at]));
      const row = deepestAbove(profile, figures, busy, least);
      if (row < 0) {
        return null;
      }
      const waited = figures.cumtime[row] - busy[row];
      const rest = areWaitsTold({ total: figures.cumtime[row], totalWaited: waited }) ? `, without the ${time(waited)} that was waited` : "";
      const advice = handsOn(figures, row) ? `It hands on: ${takers(profile, threads, row)}.` : "Fewer calls, or a quicker way, would save the most.";
      return {
        title: `${share(busy[row], figures.total)} of the time passes through ${profile.nameOf(row)}`,
        text: `${time(busy[row])} in ${counted(figures.ncalls[row], "call")} of it and what it calls${rest}, ${time(worked(figures.tottime[row], figures.waited[row]))} of that in itself. ${advice}`,
        saves: busy[row],
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
        const own = figures.tottime[at];
        if (calls > least && own / calls < TINY_CALL && own > WORTH * figures.total) {
          rows++;
          row = row < 0 || calls > figures.ncalls[row] ? at : row;
        }
      }
      const own = figures.tottime[row] ?? 0;
      const others = rows > 1 ? ` ${counted(rows - 1, "other function")} ${rows === 2 ? "is" : "are"} like that, too.` : "";
      const remedy = profile.facts.tracing === null && profile.facts.backends.length > 0 ? " Record with --compensate to take that out." : "";
      return row >= 0
        ? {
            title: `${profile.nameOf(row)} has ${count(figures.ncalls[row])} calls of ${time(own / figures.ncalls[row])}`,
            text: `With calls that short, much of the time is tracing's own: trust the counts more than the times.${others}${remedy}`,
            saves: own,
            row,
          }
        : null;
    },
  },
  {
    name: "waiting",
    threshold: 0.5,
    find({ profile, figures }, least) {
      const runs = profile.facts.runs;
      const real = sum(runs.map((run) => run.real));
      const busy = sum(runs.map((run) => run.user + run.system));
      const isKnown = figures.totalWaited > 0; // then other rules tell what was waited for
      return !isKnown && real > SHORTEST_RUN && 1 - busy / real > least
        ? {
            title: `The program did not work for ${share(real - busy, real)} of the run`,
            text: `${time(real)} passed, and the processor worked for ${time(busy)} of it. The figures do not say what was waited.`,
            saves: real - busy,
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
            saves: system,
          }
        : null;
    },
  },
  {
    name: "imports",
    threshold: 0.3,
    find({ profile, figures, isTold }, least) {
      if (isTold) {
        return null;
      }
      const row = profile.rows.name.findIndex(
        (name, at) => name === "_find_and_load" && profile.place(at).includes("importlib._bootstrap"),
      );
      return row >= 0 && figures.cumtime[row] / figures.total > least
        ? {
            title: `Imports took ${share(figures.cumtime[row], figures.total)} of the time`,
            text: `${time(figures.cumtime[row])} to find, load and run modules. What is seldom needed can be imported where it is used.`,
            saves: figures.cumtime[row],
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
            saves: 0,
            grave: true,
          }
        : null;
    },
  },
];

/**
 * The findings about a profile: first those about the figures themselves, then those that the
 * terminal tells, then the others; of each, those that could save most come first.
 * @param {Profile} profile
 * @param {import("./profile.js").Threads} threads
 * @returns {(Finding & {name: string})[]}
 */
export function findings(profile, threads) {
  const isTold = profile.rule === null && (threads === "all" || profile.threads.length === 1);
  const looked = { profile, figures: profile.figures(threads), threads, isTold };
  const told = toldFindings(profile, threads);
  const found = [];
  for (const rule of RULES) {
    const finding = looked.figures.total > 0 ? rule.find(looked, rule.threshold) : null;
    const isKnown = rule.name === "one way" && told.some(({ row }) => row === finding?.row);
    if (finding !== null && !isKnown) {
      found.push({ name: rule.name, ...finding });
    }
  }
  found.sort((a, b) => b.saves - a.saves);
  return [...found.filter(({ grave }) => grave), ...told, ...found.filter(({ grave }) => !grave)];
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
 * @param {Float64Array} busy  of each function and all that it calls, what was not waited
 * @param {number} least
 */
function deepestAbove(profile, figures, busy, least) {
  let best = -1;
  /** @param {number} row */
  const isOwn = (row) => row >= 0 && profile.kindOf(row) === "own";
  for (let row = 0; row < figures.cumtime.length; row++) {
    const total = busy[row];
    const own = worked(figures.tottime[row], figures.waited[row]);
    const passes = total > least * figures.total && own < total / 2;
    if (!passes || figures.ncalls[row] < OFTEN || profile.kindOf(row) === "builtin" || CALLERS_OF_ALL.has(profile.packageOf(row))) {
      continue;
    }
    if (!isOwn(row) && handsOn(figures, row)) {
      continue;
    }
    const better = isOwn(row) === isOwn(best) ? total <= busy[best] : isOwn(row);
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

/**
 * Whom a function hands on to: the callees that take the most of its time, and the function below
 * that takes the most itself.
 * @param {Profile} profile
 * @param {import("./profile.js").Threads} threads
 * @param {number} row
 */
function takers(profile, threads, row) {
  const callees = profile.edges(threads).callees(row).filter((edge) => edge.row !== row && edge.row !== NO_ROW);
  const whole = sum(callees.map((edge) => edge.cumtime));
  const named = callees.slice(0, MOST_TAKERS).filter((edge, at) => at === 0 || edge.cumtime > TAKER * whole);
  const told = named.map((edge) => `${profile.nameOf(edge.row)} takes ${time(edge.cumtime)}`);
  const [end, own] = busiestBelow(profile.tree(threads), row, profile.rowCount);
  if (end >= 0 && !named.some((edge) => edge.row === end)) {
    told.push(`and of all below, ${profile.nameOf(end)} takes the most itself, ${time(own)}`);
  }
  return told.length > 0 ? told.join(", ") : "what it calls takes the time";
}

/**
 * The function that has the most own time below another one, and that time; -1 where there is none.
 * @param {import("./nodes.js").Nodes} tree
 * @param {number} row
 * @param {number} rowCount
 * @returns {[number, number]}
 */
function busiestBelow(tree, row, rowCount) {
  const own = new Float64Array(rowCount);
  let end = 0; // of the call that we are in
  for (let node = 1; node < tree.count; node++) {
    end = node >= end && tree.row[node] === row ? tree.end[node] : end;
    if (node < end && tree.row[node] !== row) {
      own[tree.row[node]] += tree.self[node];
    }
  }
  const best = largest(own);
  return [best, best < 0 ? 0 : own[best]];
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}
