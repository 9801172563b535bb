// A profile whose times are other amounts, and whose calls are other things: bytes and blocks, or CPU times and samples.

import { Edges } from "./edges.js";
import { NOT_KEPT, Profile } from "./profile.js";

/**
 * @typedef {import("./container.js").PackedProfile} PackedProfile
 * @typedef {import("./profile.js").Threads} Threads
 */

export class AmountsProfile extends Profile {
  /**
   * @param {Profile} whole
   * @param {Partial<PackedProfile>} packed  what of it is another one's
   */
  constructor(whole, packed) {
    super(whole.container, { ...whole.packed, timeline: undefined, ...packed });
    this.kinds = ["ncalls", "tottime", "cumtime"].map((name) => ({ name, about: "", time: name !== "ncalls", merge: /** @type {const} */ ("sum") }));
  }

  noFigures() {
    const none = new Float64Array(this.rowCount);
    const others = { primitive: none, resumes: none, suspended: none, waited: none, longest: none, longest_at: none };
    return { ...super.noFigures(), ...others };
  }

  /** @param {Threads} threads */
  edgesFrom(threads) {
    const edges = new Edges();
    edges.addTree(this.tree(threads), this.rows.name.indexOf(NOT_KEPT));
    return edges;
  }
}
