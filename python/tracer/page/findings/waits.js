// Which builtins wait for something outside of the program, and how long they did.

import { time } from "../ui/format.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../profile.js").Figures} Figures
 */

const MAIN = "MainThread"; // as threading calls it

/** Builtins that wait for something outside of the program. */
const WAITS = /\b(sleep|acquire|wait|poll|select|epoll|kqueue|recv|recv_into|accept|connect|read|readinto|_ThreadHandle\.join|waitpid|wait4|getaddrinfo|flush|fsync|SimpleQueue\.get)\b/;

/**
 * By row: the own time of a builtin that waits, 0 for all others.
 * @param {Profile} profile
 * @param {Figures} figures
 */
export function waitsOf(profile, figures) {
  return figures.tottime.map((own, row) => (own > 0 && profile.kindOf(row) === "builtin" && WAITS.test(profile.nameOf(row)) ? own : 0));
}

/**
 * The waits that hold the program up: those of the chosen thread. Where all threads are chosen,
 * they are those of the main thread, if there is one: others may be idle as long as they like.
 * `name` is the name of that thread; "" where there is no other thread, or no main thread.
 * @param {Profile} profile
 * @param {import("../profile.js").Threads} threads
 */
export function mainWaits(profile, threads) {
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
export function wherein(what, wait, idle) {
  if (wait > idle) {
    return `${time(wait)} passed in ${what}, and for a part of that the processor worked for the program.`;
  }
  return `${2 * wait > idle ? "Most" : "A part"} of it may be in ${what}, ${time(wait)}.`;
}
