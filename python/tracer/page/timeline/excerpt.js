// A profile of a stretch of time: the same functions, and of calls and times what they had in that stretch. The views
// that show calls take it for a profile.

import { Edges } from "../edges.js";
import { Grower, merged, NO_ROW } from "../nodes.js";
import { NOT_KEPT, Profile } from "../profile.js";
import { waitedIn } from "./gaps.js";
import { timelineOf } from "./model.js";
import { sumsOf } from "./statistics.js";

/**
 * @typedef {import("../profile.js").Threads} Threads
 * @typedef {import("./statistics.js").Range} Range
 */

export class Excerpt extends Profile {
  /**
   * @param {Profile} whole
   * @param {Range} range
   */
  constructor(whole, range) {
    super(whole.container, whole.packed);
    this.whole = whole;
    this.range = range;
    const parts = timelineOf(whole).lines.map((line) => sumsOf(line, range));
    /** What the figures are of: whole bins. @type {Range} */
    this.exact = {
      from: Math.min(...parts.map(({ from }) => from)),
      to: Math.max(...parts.map(({ to }) => to)),
    };
    for (let thread = 0; thread < this.threads.length; thread++) {
      this.trees.set(thread, treeOf(this, parts.filter(({ line }) => line.thread === thread)));
    }
    const all = this.threads.map((_, thread) => this.tree(thread));
    this.trees.set("all", all.length === 1 ? all[0] : merged(all));
    for (const threads of this.trees.keys()) {
      this.#sumUp(threads);
    }
  }

  /**
   * Fills what Profile keeps: figures and edges, of the tree.
   * @param {Threads} threads
   */
  #sumUp(threads) {
    const nobody = this.rows.name.indexOf(NOT_KEPT);
    const tree = this.tree(threads);
    const figures = this.noFigures();
    const { ncalls, primitive, tottime, cumtime, waited, present } = figures;
    const often = new Uint32Array(this.rowCount); // of each function, how often it is on the path
    /** @type {number[]} */
    const path = [];
    for (let node = 1; node < tree.count; node++) {
      while (path.length >= tree.depth[node]) {
        often[/** @type {number} */ (path.pop())]--;
      }
      const row = tree.row[node];
      if (row !== nobody) {
        ncalls[row] += tree.calls[node];
        primitive[row] += often[row] === 0 ? tree.calls[node] : 0;
        tottime[row] += tree.self[node];
        waited[row] += tree.waited[node];
        figures.totalWaited += tree.waited[node];
        cumtime[row] += often[row] === 0 ? tree.total[node] : 0;
        present[row] = 1;
        figures.total += tree.self[node];
        figures.totalCalls += tree.calls[node];
      }
      often[row]++;
      path.push(row);
    }
    this.figuresOf.set(threads, figures);
    const edges = new Edges();
    edges.addTree(tree, nobody);
    this.edgesOf.set(threads, edges);
  }

  /** A stretch may be short: of its waits, any share counts that would of the whole run. @override */
  noFigures() {
    const figures = super.noFigures();
    return { ...figures, limits: { ...figures.limits, waitedTime: 0 } };
  }

  /** They are about the whole run. @returns {import("../container.js").Finding[]} */
  findings() {
    return [];
  }

  /** @param {number} thread */
  sums(thread) {
    const { total, totalWaited, totalCalls } = this.figures(thread);
    return { total, totalWaited, totalCalls };
  }
}

/**
 * The tree of a thread, of the contexts that have something in the range.
 * @param {Profile} profile
 * @param {import("./statistics.js").LineSums[]} parts
 */
function treeOf(profile, parts) {
  const grower = new Grower(1 + parts.reduce((sum, { line }) => sum + 2 * line.contexts.count, 0));
  const nobody = profile.rows.name.indexOf(NOT_KEPT);
  for (const { line, sums, from, to } of parts) {
    const { contexts } = line;
    const waited = waitedIn(line, from, to);
    const used = new Uint8Array(contexts.count);
    for (let node = contexts.count - 1; node > 0; node--) {
      if (used[node] === 1 || sums.calls[node] !== 0 || sums.own[node] !== 0) {
        used[node] = 1;
        used[contexts.parent[node]] = contexts.isOverflow[node] === 1 ? used[contexts.parent[node]] : 1;
      }
    }
    const home = new Int32Array(contexts.count);
    for (let node = 1; node < contexts.count; node++) {
      const row = contexts.row[node];
      const isOverflow = contexts.isOverflow[node] === 1;
      const above = isOverflow && nobody >= 0 ? grower.child(0, nobody) : isOverflow ? 0 : home[contexts.parent[node]];
      home[node] = used[node] === 0 || row === NO_ROW ? above : grower.child(above, row);
      if (row !== NO_ROW) {
        grower.calls[home[node]] += sums.calls[node];
        grower.self[home[node]] += sums.own[node];
        grower.waited[home[node]] += Math.min(waited.get(node) ?? 0, Math.max(0, sums.own[node]));
      }
    }
  }
  return grower.nodes();
}

/**
 * The excerpt of a range that is given as text, or null. `known` is it, if it is of that range.
 * @param {Profile} whole
 * @param {string | undefined} text
 * @param {Excerpt | null} known
 * @returns {Excerpt | null}
 */
export function excerptOf(whole, text, known) {
  const range = whole.timeline.length > 0 ? rangeOf(text) : null;
  if (range === null) {
    return null;
  }
  const isKnown = known?.whole === whole && known.range.from === range.from && known.range.to === range.to;
  return isKnown ? known : new Excerpt(whole, range);
}

/**
 * A range as text, of which parsing gives the range again; null, if it is none.
 * @param {string | undefined} text
 * @returns {Range | null}
 */
export function rangeOf(text) {
  const [from, to] = (text ?? "").split("~").map(Number);
  return to > from ? { from, to } : null;
}
