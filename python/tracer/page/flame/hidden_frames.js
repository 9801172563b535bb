// The tree without what nobody wants to look at: builtins and native functions go into their caller, the insides of
// libraries into the library function that the program called. Of imports, the modules that the
// program asked for are kept.

import { Grower } from "../nodes.js";

/** @typedef {import("../nodes.js").Nodes} Nodes */
/** @typedef {import("../container.js").Kind} Kind */

/**
 * What folding asks of a profile.
 * @typedef {{kindOf(row: number): Kind, nameOf(row: number): string, packageOf(row: number): string}} Functions
 */

const [OUTSIDE, INSIDE, IMPORTING] = [0, 1, 2]; // what of a library a box is

/**
 * The time of what is folded is its caller's then, so that no sum changes; its calls are in no box.
 * @param {Nodes} tree
 * @param {Functions} functions
 * @param {{builtins: boolean, libraries: boolean, natives?: boolean}} what
 * @param {number} [kept]  a row that is not folded, whatever it is
 * @returns {Nodes}
 */
export function folded(tree, functions, { builtins, libraries, natives = false }, kept = -1) {
  if (!builtins && !libraries && !natives) {
    return tree;
  }
  const { count, row, parent, calls, resumes, self, waited } = tree;
  const grower = new Grower(count);
  const home = new Int32Array(count); // where each node went
  const place = new Uint8Array(count); // by node of the grower: OUTSIDE, INSIDE or IMPORTING
  for (let node = 0; node < count; node++) {
    if (node > 0) {
      const above = home[parent[node]];
      const kind = functions.kindOf(row[node]);
      const imported = place[above] === IMPORTING && functions.nameOf(row[node]) === "<module>";
      const inside = libraries && kind !== "own" && place[above] !== OUTSIDE && !imported;
      const hidden = inside || (builtins && kind === "builtin") || (natives && kind === "native");
      if (row[node] !== kept && hidden) {
        home[node] = above;
        grower.self[above] += self[node];
        grower.waited[above] += waited[node];
        continue;
      }
      home[node] = grower.child(above, row[node]);
      place[home[node]] = placeOf(functions, row[node], kind);
    }
    grower.calls[home[node]] += calls[node];
    grower.resumes[home[node]] += resumes[node];
    grower.self[home[node]] += self[node];
    grower.waited[home[node]] += waited[node];
  }
  return grower.nodes();
}

/**
 * @param {Functions} functions
 * @param {number} row
 * @param {Kind} kind
 */
function placeOf(functions, row, kind) {
  if (kind !== "library" && kind !== "site") {
    return OUTSIDE;
  }
  return kind === "library" && functions.packageOf(row) === "importlib" ? IMPORTING : INSIDE;
}
