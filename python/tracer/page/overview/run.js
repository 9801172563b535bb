// What is known of the run: how it was started, by what it was recorded, what is not in the figures.

import { panel } from "./panel.js";
import { h } from "../ui/dom.js";
import { count, counted, seconds, time } from "../ui/format.js";

/** @typedef {import("../container.js").Facts} Facts */

/**
 * What to type to run it again.
 * @param {string[]} words
 */
export function commandLine(words) {
  const plain = /^[\w@%+=:,./~-]+$/;
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** @param {Facts} facts */
export function details(facts) {
  /** @type {[string, string][]} */
  const known = [];
  for (const run of facts.runs) {
    known.push(["Command", commandLine(run.command)], ["Started", universalTime(run.started)]);
    known.push(["Times", `${seconds(run.real)} s real, ${seconds(run.user)} s user, ${seconds(run.system)} s sys`]);
    known.push(["Ended", run.ended]);
  }
  known.push(
    ["Interpreter", [...new Set(facts.runs.map((run) => run.python))].join(", ")],
    ["Recorded by", facts.backends.join(", ")],
    ["Clock", facts.clocks.map((name) => CLOCKS[name] ?? name).join(", ")],
    ["Functions in C", facts.sampling.length > 0 ? BUILTINS.no : facts.builtins.map((name) => BUILTINS[name] ?? name).join(", ")],
    ["Recorded only", facts.include.join(", ")],
    ["Left out", facts.exclude.join(", ")],
    ["Cost of tracing", facts.sampling.length > 0 ? "" : tracing(facts)],
    ["Samples", facts.sampling.join("; ")],
    ["Calls without a row", facts.objects.join("; ")],
    ["Paths not kept", facts.unkept > 0 ? `of ${counted(facts.unkept, "call")}, past the limit; functions and callers are exact` : ""],
    ["Threads that share a record", facts.shared > 0 ? count(facts.shared) : ""],
    ["Problems", facts.problems.join(" ")],
  );
  const given = known.filter(([, text]) => text !== "");
  return given.length > 0 && panel("The run", "", h("dl", { class: "facts" }, ...given.flatMap(([name, text]) => [h("dt", null, name), h("dd", null, text)])));
}

/** @param {number} started  seconds since 1970; of a damaged file, anything */
function universalTime(started) {
  const date = new Date(started * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().replace(/\.\d+Z$/, " UTC").replace("T", " ");
}

/** @type {Record<string, string>} */
const CLOCKS = {
  tsc: "elapsed time, by the processor's counter",
  cntvct: "elapsed time, by the processor's counter",
  monotonic: "elapsed time, by the system's clock",
  cpu: "CPU time of each thread",
  custom: "the program's own",
};

/** @type {Record<string, string>} */
const BUILTINS = { yes: "recorded: functions and methods", no: "not recorded; their time is their caller's", all: "recorded, all of them" };

/** @param {Facts} facts */
function tracing({ tracing: cost, backends }) {
  if (cost === null) {
    return backends.length > 0 ? "in the times, and not known (--compensate takes it out)" : "";
  }
  const part = cost.kept > 0 ? `; ${time(cost.kept)} more could not be` : "";
  return cost.state === "out" ? `${time(cost.taken)} were taken out of the times${part}` : `${time(cost.taken)}, left in the times`;
}
