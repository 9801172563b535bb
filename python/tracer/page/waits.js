// What threads waited, as part of what they took: whether it is worth telling, and sums by function.

/**
 * @typedef {import("./nodes.js").Nodes} Nodes
 * @typedef {import("./profile.js").Figures} Figures
 */

/**
 * Whether so much was waited that columns and colours are spent on it.
 * @param {Pick<Figures, "total" | "totalWaited" | "limits">} figures
 */
export const areWaitsShown = ({ total, totalWaited, limits }) =>
  totalWaited > 0 && totalWaited >= Math.max(limits.waitedTime, limits.waitedPart * total);

/**
 * What of a time its thread worked.
 * @param {number} time
 * @param {number} waited
 */
export const worked = (time, waited) => Math.max(0, time - waited);

/**
 * By row: what was waited in a function and in all that it called. As in cumtime, a recursion counts
 * once.
 * @param {Nodes} tree
 * @param {number} rowCount
 */
export function waitedWithin({ count, row, end, totalWaited }, rowCount) {
  const within = new Float64Array(rowCount);
  const until = new Uint32Array(rowCount); // by row: the end of its latest outermost node
  for (let node = 1; node < count; node++) {
    const its = row[node];
    if (node >= until[its]) {
      until[its] = end[node];
      within[its] += totalWaited[node];
    }
  }
  return within;
}
