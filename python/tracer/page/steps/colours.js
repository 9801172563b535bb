// The colours of phases: those of known phases are fixed, and the colour-blind can tell them apart. steps.css has them.

const KNOWN = ["load", "forward", "backward", "optimizer"];
const MORE = 4; // colours of other phases, one after the other

/**
 * The names of the colours in the style sheet, by phase; the last phase is Others.
 * @param {string[]} phases
 */
export function namesOf(phases) {
  let more = 0;
  return phases.map((phase, place) => {
    if (place === phases.length - 1) {
      return "--st-others";
    }
    return KNOWN.includes(phase) ? `--st-${phase}` : `--st-${(more++ % MORE) + 1}`;
  });
}
