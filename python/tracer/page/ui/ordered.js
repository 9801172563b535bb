// Searches among things in order, by halves.

/**
 * The first of the places from `low` to before `high` for which something is true, as for all behind it; `high`: for none.
 * @param {number} low
 * @param {number} high
 * @param {(place: number) => boolean} isTrue
 */
export function firstWhere(low, high, isTrue) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
