// Which functions wait while they are suspended: coroutines and asynchronous generators do. A plain
// generator does not: whoever takes its values works meanwhile.

const DEFINITION = /^\s*(async\s+)?def\b/;
const MOST_DECORATORS = 200; // lines between a function's first line and its `def`

/**
 * Whether a function waits while it is suspended, as far as its source tells; null: not known.
 * @param {string[]} lines  of its file; none where the source is not known
 * @param {number} first  its first line, from 1
 * @param {string} name
 */
export function waitsSuspended(lines, first, name) {
  if (/<(genexpr|lambda)>$/.test(name)) {
    return false;
  }
  for (const line of lines.slice(first - 1, first - 1 + MOST_DECORATORS)) {
    const found = DEFINITION.exec(line);
    if (found !== null) {
      return found[1] !== undefined;
    }
  }
  return null;
}

/**
 * Likewise of a row.
 * @param {import("../profile.js").Profile} profile
 * @param {number} row
 */
export function rowWaitsSuspended(profile, row) {
  const { path } = profile.fileOf(row);
  const text = Object.hasOwn(profile.sources, path) ? profile.sources[path].text : "";
  return waitsSuspended(linesOf(text), profile.rows.line[row], profile.nameOf(row));
}

/** @param {string} text */
export function linesOf(text) {
  const lines = text.split(/\r\n|[\n\r]/);
  if (lines.at(-1) === "") {
    lines.pop(); // the end of the last line begins no other
  }
  return lines;
}
