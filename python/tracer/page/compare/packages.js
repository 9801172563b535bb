// What changed, by package: the sums of its functions.

import { functionsOf } from "../search_pattern.js";
import { Changes, pairOf } from "./changes.js";
import { gathered } from "./matching.js";

/** @typedef {import("./comparison.js").Comparison} Comparison */

export class PackageChanges extends Changes {
  /** @param {Comparison} comparison */
  constructor(comparison) {
    /** @type {Map<string, number>} */
    const numbers = new Map();
    /** @type {{name: string, builtin: boolean}[]} */
    const packages = [];
    const home = Uint32Array.from(comparison.was, (_, row) => {
      const [profile, its] = comparison.place(row);
      const builtin = profile.kindOf(its) === "builtin";
      const name = builtin ? "built in" : profile.packageOf(its) || profile.moduleOf(its) || "?";
      const key = `${builtin} ${name}`;
      const number = numbers.get(key) ?? packages.push({ name, builtin }) - 1;
      numbers.set(key, number);
      return number;
    });
    /** @type {(figures: ArrayLike<number>) => Float64Array} */
    const summed = (figures) => gathered(figures, home, packages.length);
    const { tottime, cumtime, ncalls } = comparison.pairs;
    /** @type {(pair: import("./changes.js").Pair) => import("./changes.js").Pair} */
    const pair = ({ before, after }) => pairOf(summed(before), summed(after));
    super({
      thing: "package",
      titles: { tottime: "tottime", ncalls: "ncalls" },
      pairs: { tottime: pair(tottime), cumtime: pair(cumtime), ncalls: pair(ncalls) },
      was: Uint8Array.from(summed(comparison.was), (number) => Number(number > 0)),
      is: Uint8Array.from(summed(comparison.is), (number) => Number(number > 0)),
      noise: comparison.noise,
    });
    this.packages = packages;
  }

  /** @param {number} row */
  tell(row) {
    const { name } = this.packages[row];
    return { name, where: "", label: name, tip: "A click lists its functions" };
  }

  /**
   * The search that finds its functions.
   * @param {number} row
   */
  searchOf(row) {
    const { name, builtin } = this.packages[row];
    return builtin ? "/^<(?!module|lambda|listcomp|dictcomp|setcomp|genexpr)/" : functionsOf(name);
  }
}
