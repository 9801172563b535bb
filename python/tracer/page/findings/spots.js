// Where a finding is, and what a function is called there.

import { linesOf } from "../source/coroutines.js";
import { largestLine } from "../source/memory_lines.js";

/** @typedef {import("../profile.js").Profile} Profile */

/** Where a figure of a line stands in LineFigures. */
const FIGURES = { suspended: 5, waited: 6 };

/**
 * The name of a function as one calls it: of nested functions the last one.
 * @param {Profile} profile
 * @param {number} row
 */
export function called(profile, row) {
  const name = profile.nameOf(row);
  if (profile.kindOf(row) === "builtin") {
    return name.replace(/^<(builtins\.)?(.*)>$/, "$2");
  }
  const parts = name.split(".<locals>.");
  const last = parts[parts.length - 1];
  return parts.length > 1 && last.startsWith("<") ? `${parts[parts.length - 2]}.${last}` : last;
}

/**
 * The line of a function that has most of a figure, where lines were timed; else where the function
 * is defined. Lines that name the callee come before others: a function may wait in several.
 * @param {Profile} profile
 * @param {number} row
 * @param {"waited" | "suspended"} figure
 * @param {number} [callee]
 * @returns {{words: string, place?: import("../findings.js").Place}}
 */
export function spotOf(profile, row, figure, callee = row) {
  const [file, first, name] = [profile.fileOf(row).path, profile.rows.line[row], profile.nameOf(row)];
  const timed = profile.lines.find((one) => one.file === file && one.line === first && one.name === name);
  const at = FIGURES[figure];
  const text = Object.hasOwn(profile.sources, file) ? linesOf(profile.sources[file].text) : [];
  const word = called(profile, callee).split(".").pop() ?? "";
  let best = { line: 0, amount: 0, isNamed: false };
  for (const line of timed?.lines ?? []) {
    const amount = line[at] ?? 0;
    const isNamed = callee !== row && (text[line[0] - 1] ?? "").includes(word);
    const isBetter = isNamed === best.isNamed ? amount > best.amount : isNamed;
    best = amount > 0 && isBetter ? { line: line[0], amount, isNamed } : best;
  }
  return best.line > 0
    ? { words: `line ${best.line} of ${called(profile, row)}`, place: { file, line: best.line } }
    : { words: `${profile.moduleOf(row)}:${first}` };
}

/**
 * The line of a function on which most of what is live at the end was allocated, where lines have memory; else where
 * the function is defined. Where lines of libraries have memory, too, a line of the program lacks what these allocated for
 * it, and another may have most.
 * @param {Profile} profile
 * @param {number} row
 * @returns {{words: string, place?: import("../findings.js").Place}}
 */
export function largestSpot(profile, row) {
  const others = new Set(profile.files.filter(({ kind }) => kind !== "own").map(({ path }) => path));
  const line = profile.memoryLines.some(({ file }) => others.has(file)) ? 0 : largestLine(profile, row, "live");
  return line > 0
    ? { words: `line ${line} of ${called(profile, row)}`, place: { file: profile.fileOf(row).path, line } }
    : { words: `${profile.moduleOf(row)}:${profile.rows.line[row]}` };
}
