// What is made when it is first asked for, and kept.

/**
 * What is kept for a key.
 * @template K, V
 * @param {{get(key: K): V | undefined, set(key: K, value: V): unknown}} kept
 * @param {K} key
 * @param {() => V} make
 * @returns {V}
 */
export function madeOnce(kept, key, make) {
  let known = kept.get(key);
  if (known === undefined) {
    known = make();
    kept.set(key, known);
  }
  return known;
}
