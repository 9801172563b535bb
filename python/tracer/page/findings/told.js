// The findings of the terminal's first screen, in its words, with the line that was timed, what may be
// done, and the ways to it. tracer/analysis finds them, in all threads.

import { largestSpot, spotOf } from "./spots.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../container.js").ToldFinding} ToldFinding
 */

const GIL = "Only one thread at a time runs Python code: the one that has the GIL. Processes do not share it, and C code may release it.";
/** By rule: what may be done, where the text of the finding says that. @type {Record<string, [RegExp, string][]>} */
const ADVICE = {
  slow_imports: [[/^/, "What is seldom needed can be imported where it is used."]],
  again_and_again: [[/^/, "One call for all of them, or what was found the first time, may do."]],
  again_by_libraries: [[/^/, "What is asked for each row may be asked for all rows at once, as a join does."]],
  kept_memory: [[/^/, "To see who holds it, run the program with --live --memory, and open Objects."]],
  others_work: [[/^/, "Fewer calls, or less to do in each, would save the most."]],
  longest_step: [[/^/, "Meanwhile no other coroutine went on. Await in between, or let a thread do it: asyncio.to_thread()."]],
  suspended_most: [
    [/ at the lock,/, "Added up over all tasks. One at a time has the lock: await less while it is held, or use several locks."],
    [/ at the semaphore,/, "Added up over all tasks. A higher number lets more of them go on at a time."],
    [/ in asyncio\.sleep,/, "Added up over all tasks. A sleep is as long as it is told to be: await the event itself, if there is one."],
    [/^/, "Added up over all tasks."],
  ],
  waited_in_c: [
    [/\bsleep\b/, "A sleep is as long as it is told to be: wait for the event itself, if there is one."],
    [/ock\.(acquire|__enter__)\b/, "Whoever has the lock could release it sooner, or several locks could share its work."],
    [/\b(poll|select|recv\w*|send\w*|accept|connect|getaddrinfo|read\w*|write|flush|fsync|do_handshake)( \(|,|$)/, "Waits for input and output can overlap: in threads, or by asyncio."],
    [/\b(execute\w*|fetch\w*|commit)( \(|,|$)/, "It may wait for the database, or for the GIL after it. Fewer, larger requests wait less."],
    [/\b(waitpid|wait4|waitid|wait3)\b/, "The processes could run side by side."],
    [/\((GIL or )?processor\)$/, "It only computes: what it waits for is its turn."],
    [/^/, "C code waits for input and output, for a lock, or for the GIL after it."],
  ],
  waited_in_python: [
    [/for a lock,/, `Python code waits in itself for the lock of a \`with\`, for the GIL, or for a processor. ${GIL}`],
    [/^/, GIL],
  ],
};
/** By rule: the figure of which a line of the function has most. @type {Record<string, "waited" | "suspended">} */
const FIGURES = { waited_in_c: "waited", waited_in_python: "waited", suspended_most: "suspended" };

/**
 * @param {Profile} profile
 * @param {import("../profile.js").Threads} threads
 * @returns {(import("../findings.js").Finding & {name: string})[]}
 */
export function toldFindings(profile, threads) {
  const isPart = threads !== "all" && profile.threads.length > 1;
  return profile.findings.map((told) => {
    const { rule, text, saves, row } = told;
    const figure = FIGURES[rule];
    const isMemory = rule === "kept_memory";
    const isRunning = profile.container.header.live?.running === true;
    const spot = row === null ? null : isMemory ? largestSpot(profile, row) : figure === undefined ? null : spotOf(profile, row, figure, told.callee ?? row);
    const where = spot?.place === undefined ? "" : `Most at ${spot.words}.`;
    const placed = text.replace("{place}", row === null ? "" : placeOf(profile, row));
    const whole = isMemory && isRunning ? placed.replace(" live at the end,", " live now,") : placed;
    const what = text.split(" waits ").pop() ?? ""; // without the name of who waits
    const said = (ADVICE[rule] ?? []).find(([pattern]) => pattern.test(what))?.[1];
    const advice = isMemory && isRunning ? "To see who holds it, open Objects." : said;
    return {
      name: rule,
      title: whole[0].toUpperCase() + whole.slice(1),
      text: [where, advice, isPart && "Of all threads together."].filter(Boolean).join(" "),
      saves,
      row: row ?? undefined,
      place: spot?.place,
      isMemory,
    };
  });
}

/**
 * The file without its folders, and the line.
 * @param {Profile} profile
 * @param {number} row
 */
const placeOf = (profile, row) => profile.place(row).replace(/^.*[\\/]/, "");
