// The lines of a function on which memory was allocated.

/** By measure: its place in the figures of a line. */
const PLACES = { allocated: 3, live: 4, peak: 5 };

/**
 * The line of a function that has most of a measure; 0: none is known.
 * @param {import("../profile.js").Profile} profile
 * @param {number} row
 * @param {keyof typeof PLACES} measure
 */
export function largestLine(profile, row, measure) {
  const [path, first, name] = [profile.fileOf(row).path, profile.rows.line[row], profile.nameOf(row)];
  const known = profile.memoryLines.find((one) => one.file === path && one.line === first && one.name === name);
  const at = PLACES[measure];
  let best = { line: 0, size: 0 };
  for (const figures of known?.lines ?? []) {
    const size = figures[at];
    best = size > best.size ? { line: figures[0], size } : best;
  }
  return best.line;
}
