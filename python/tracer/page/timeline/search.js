// What a search finds on the timeline beside functions: ranges, marks, tasks and collections, by name and by value.

import { patternOf } from "../search_pattern.js";
import { counted } from "../ui/format.js";

/**
 * @typedef {import("./tracks.js").Item} Item
 * @typedef {{name: string, facts?: [string, string][]}} Named  a range, mark, collection or task
 */

/**
 * Whether something is sought by its name or by a value, as in rid=199; by text or by /a regular expression/.
 * @param {string} pattern
 * @returns {(thing: Named) => boolean}
 */
export function wantedBy(pattern) {
  const { wanted, expression } = patternOf(pattern);
  /** @param {string} text */
  const isWanted = (text) => (wanted !== null ? text.toLowerCase().includes(wanted) : expression?.test(text) === true);
  return ({ name, facts = [] }) => isWanted(name) || facts.some(([key, value]) => isWanted(`${key}=${value}`));
}

/**
 * What of the timeline is lit up by a search.
 * @param {Item[]} named
 */
export const litBy = (named) => new Set(named.map(({ span, strand }) => /** @type {object} */ (span ?? strand)));

/**
 * How many of each kind were found: "2 ranges, 1 mark".
 * @param {Item[]} named
 */
export function namedText(named) {
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const { span, strand } of named) {
    const kind = strand !== null ? (strand.kind === "stack" ? "greenlet" : "task") : (span?.kind ?? "").toLowerCase();
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, number]) => counted(number, kind)).join(", ");
}
