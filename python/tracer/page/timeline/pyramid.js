// Finds the longest of many slices in few steps: the longest of each sixteen, of each sixteen of those, and so on.

const BRANCH = 16;

export class Pyramid {
  /**
   * @param {Float64Array} starts
   * @param {Float64Array} ends
   */
  constructor(starts, ends) {
    this.starts = starts;
    this.ends = ends;
    /** @type {Uint32Array[]} of each level: the place of the longest of each sixteen of the level below */
    this.levels = [];
    for (let below = this.#lowest(); ; below = this.#next(below)) {
      this.levels.push(below);
      if (below.length <= BRANCH) {
        break;
      }
    }
  }

  #lowest() {
    const { starts, ends } = this;
    const found = new Uint32Array(Math.ceil(starts.length / BRANCH));
    for (let at = 0; at < found.length; at++) {
      const last = Math.min(starts.length, (at + 1) * BRANCH);
      let best = at * BRANCH;
      let most = ends[best] - starts[best];
      for (let i = best + 1; i < last; i++) {
        const length = ends[i] - starts[i];
        if (length > most) {
          best = i;
          most = length;
        }
      }
      found[at] = best;
    }
    return found;
  }

  /** @param {Uint32Array} below */
  #next(below) {
    const found = new Uint32Array(Math.ceil(below.length / BRANCH));
    for (let at = 0; at < found.length; at++) {
      let best = below[at * BRANCH];
      for (let i = at * BRANCH + 1; i < Math.min(below.length, (at + 1) * BRANCH); i++) {
        best = this.#longer(best, below[i]);
      }
      found[at] = best;
    }
    return found;
  }

  /**
   * @param {number} one
   * @param {number} other  which comes later
   */
  #longer(one, other) {
    const { starts, ends } = this;
    return ends[other] - starts[other] > ends[one] - starts[one] ? other : one;
  }

  /**
   * The place of the longest from `first` on and before `last`; of several, any.
   * @param {number} first
   * @param {number} last  above `first`
   */
  longest(first, last) {
    let best = first;
    /** @type {Uint32Array | null} the level, null: the slices themselves */
    let level = null;
    for (let height = 0; ; height++) {
      // The edges that fill no sixteen, then the rest in the level above.
      const low = height >= this.levels.length ? last : Math.min(last, Math.ceil(first / BRANCH) * BRANCH);
      const high = Math.max(low, Math.floor(last / BRANCH) * BRANCH);
      for (let i = first; i < low; i++) {
        best = this.#longer(best, level === null ? i : level[i]);
      }
      for (let i = high; i < last; i++) {
        best = this.#longer(best, level === null ? i : level[i]);
      }
      if (low >= high) {
        return best;
      }
      [first, last, level] = [low / BRANCH, high / BRANCH, this.levels[height]];
    }
  }
}
