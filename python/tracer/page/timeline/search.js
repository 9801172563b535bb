// What a search finds on the timeline beside functions: ranges, marks, tasks and collections, by name and by value.

import { patternOf } from "../search_pattern.js";
import { h } from "../ui/dom.js";
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
export const litBy = (named) => new Set(named.map(({ span, fiber }) => /** @type {object} */ (span ?? fiber)));

/**
 * How many of each kind were found: "2 ranges, 1 mark".
 * @param {Item[]} named
 */
export function namedText(named) {
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const { span, fiber } of named) {
    const kind = fiber !== null ? (fiber.kind === "stack" ? "greenlet" : "task") : (span?.kind ?? "").toLowerCase();
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, number]) => counted(number, kind)).join(", ");
}

/**
 * What was found, in words, and the ways to it.
 * @param {{functions: number, slices: number, named: Item[], chosen: string | null}} found  chosen: a function, if nothing is sought
 * @param {{nextHit(step: 1 | -1): void, longestHit(): void}} walker
 * @param {() => void} openTable
 */
export function hitsOf({ functions, slices, named, chosen }, walker, openTable) {
  /** @type {(text: string, label: string, tip: string, click: () => void) => HTMLElement} */
  const button = (text, label, tip, click) => h("button", { class: "button", "aria-label": label, "data-tip": tip, on: { click } }, text);
  const steps = [
    button("‹", "Previous (N)", "Previous (N)", () => walker.nextHit(-1)),
    button("›", "Next (n)", "Next (n)", () => walker.nextHit(1)),
    button("Longest", "Longest (x)", "The longest of them (x)", () => walker.longestHit()),
  ];
  const names = namedText(named);
  const drawn = h("span", { "data-tip": "Slices of functions with such a name. Calls that are not drawn are in the table." }, counted(slices, "drawn slice"));
  const table = h("button", { class: "link", "data-tip": "These functions in the table (t)", on: { click: openTable } }, counted(functions, "function"));
  const text = chosen !== null
    ? [h("strong", null, counted(slices, "slice")), ` of ${chosen}`]
    : functions > 0 ? [table, ", ", drawn, names === "" ? "" : `, ${names}`]
    : [names || "nothing found"];
  return [h("span", null, ...text), ...(slices + named.length > 0 ? steps : [])];
}
