// The tree without what nobody wants to look at: builtins go into their caller, the insides of
// libraries into the library function that the program called.

import { Grower } from "../nodes.js";

/** @typedef {import("../nodes.js").Nodes} Nodes */
/** @typedef {import("../container.js").Kind} Kind */

/**
 * The time of what is folded is its caller's then, so that no sum changes; its calls are in no box.
 * @param {Nodes} tree
 * @param {(row: number) => Kind} kindOf
 * @param {{builtins: boolean, libraries: boolean}} what
 * @returns {Nodes}
 */
export function folded(tree, kindOf, { builtins, libraries }) {
  if (!builtins && !libraries) {
    return tree;
  }
  const { count, row, parent, calls, resumes, self } = tree;
  const grower = new Grower(count);
  const home = new Int32Array(count); // where each node went
  const inLibrary = new Uint8Array(count); // by node of the grower
  for (let node = 0; node < count; node++) {
    if (node > 0) {
      const above = home[parent[node]];
      const kind = kindOf(row[node]);
      const inside = libraries && kind !== "own" && inLibrary[above] === 1;
      if (inside || (builtins && kind === "builtin")) {
        home[node] = above;
        grower.self[above] += self[node];
        continue;
      }
      home[node] = grower.child(above, row[node]);
      inLibrary[home[node]] = kind === "library" || kind === "site" ? 1 : 0;
    }
    grower.calls[home[node]] += calls[node];
    grower.resumes[home[node]] += resumes[node];
    grower.self[home[node]] += self[node];
  }
  return grower.nodes();
}
