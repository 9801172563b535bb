// What changed, by line, where both profiles have timed lines. A line is matched by its function and
// its text, so that lines that moved make no difference; where the text is not known, by how far it
// is below the function's first line.

import { warmthOf } from "../source/heat.js";
import { linesOf } from "../source/python.js";
import { Changes, pairOf } from "./changes.js";

/**
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {{key: string, text: string, path: string, line: number, name: string, own: number,
 *   time: number, hits: number}} TimedLine
 */

export class LineChanges extends Changes {
  /** @param {import("./comparison.js").Comparison} comparison */
  constructor({ before, after, noise }) {
    const [then, now] = [timedLines(before), timedLines(after)];
    const keys = [...new Set([...then.keys(), ...now.keys()])];
    /** @type {(figure: "own" | "time" | "hits") => import("./changes.js").Pair} */
    const pair = (figure) => {
      const [one, other] = [then, now].map((lines) => Float64Array.from(keys, (key) => lines.get(key)?.[figure] ?? 0));
      return pairOf(one, other);
    };
    const hasParts = [before, after].every(({ lines }) => lines.some((one) => one.lines.some(([, , , inC, own]) => inC !== null && own !== null)));
    super({
      thing: "line",
      titles: { ...(hasParts ? { tottime: "own time and in C" } : {}), cumtime: "time", ncalls: "hits" },
      pairs: { tottime: pair("own"), cumtime: pair("time"), ncalls: pair("hits") },
      was: Uint8Array.from(keys, (key) => Number(then.has(key))),
      is: Uint8Array.from(keys, (key) => Number(now.has(key))),
      noise: hasParts ? noise : 0, // in the time of callees much may have changed
    });
    /** The lines, as they are after, or were before. */
    this.lines = keys.map((key) => /** @type {TimedLine} */ (now.get(key) ?? then.get(key)));
    /** Where the lines were before, null where they are new. */
    this.places = keys.map((key) => then.get(key) ?? null);
  }

  /** @param {number} row */
  tell(row) {
    const { name, path, line, text } = this.lines[row];
    const place = `${path}:${line}`;
    return { name: text || name, where: `${path.replace(/^.*\//, "")}:${line}`, label: `${place} ${name} ${text}`, tip: `${name}\n${place}` };
  }
}

/** @param {Profile} profile */
export const hasLines = (profile) => profile.lines.length > 0;

/**
 * The timed lines of a profile by what they are matched by.
 * @param {Profile} profile
 */
function timedLines(profile) {
  /** @type {Map<string, TimedLine>} */
  const found = new Map();
  /** @type {Map<string, string[]>} */
  const texts = new Map();
  const modules = new Map(profile.files.map(({ path, module }) => [path, module]));
  for (const { file: path, line: first, name, lines } of profile.lines) {
    if (!texts.has(path)) {
      texts.set(path, linesOf(Object.hasOwn(profile.sources, path) ? profile.sources[path].text : ""));
    }
    const source = texts.get(path) ?? [];
    for (const [line, hits, time, inC, own] of lines) {
      const text = (source[line - 1] ?? "").trim();
      const base = `${modules.get(path) ?? path}\n${name}\n${text || line - first}`;
      let key = base;
      for (let same = 2; found.has(key); same++) {
        key = `${base}\n${same}`; // the same text once more
      }
      found.set(key, { key, text, path, line, name, hits, time, own: warmthOf({ time, own, inC }) });
    }
  }
  return found;
}
