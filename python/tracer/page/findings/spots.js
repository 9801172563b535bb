// Where a finding is, and what a function is called there.

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
 * is defined.
 * @param {Profile} profile
 * @param {number} row
 * @param {"waited" | "suspended"} figure
 * @returns {{words: string, place?: import("../findings.js").Place}}
 */
export function spotOf(profile, row, figure) {
  const [file, first, name] = [profile.fileOf(row).path, profile.rows.line[row], profile.nameOf(row)];
  const timed = profile.lines.find((one) => one.file === file && one.line === first && one.name === name);
  const at = FIGURES[figure];
  let best = { line: 0, amount: 0 };
  for (const line of timed?.lines ?? []) {
    const amount = line[at] ?? 0;
    best = amount > best.amount ? { line: line[0], amount } : best;
  }
  return best.line > 0
    ? { words: `line ${best.line} of ${called(profile, row)}`, place: { file, line: best.line } }
    : { words: `${profile.moduleOf(row)}:${first}` };
}
