// A small curve of numbers over time.

import { svg } from "../ui/dom.js";

const [WIDTH, HEIGHT, EDGE] = [100, 24, 2]; // of the picture, which is stretched to its place
const FLAT = 0.02; // of the highest number: less of a difference does not fill the height

/**
 * The points of the curve.
 * @param {number[]} at  moments
 * @param {number[]} values
 */
export function pointsOf(at, values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(high - low, FLAT * high) || 1;
  const long = (at.at(-1) ?? 0) || 1;
  return values.map((value, place) => {
    const x = values.length === 1 ? WIDTH : (WIDTH * at[place]) / long;
    const y = HEIGHT - EDGE - ((value - low) / span) * (HEIGHT - 2 * EDGE);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
}

/**
 * @param {number[]} at
 * @param {number[]} values
 */
export function spark(at, values) {
  const points = pointsOf(at, values);
  const area = [`0,${HEIGHT}`, ...points, `${WIDTH},${HEIGHT}`].join(" ");
  return svg(
    "svg",
    { class: "obj-spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    points.length > 1 && svg("polygon", { points: area }),
    points.length > 1 && svg("polyline", { points: points.join(" "), "vector-effect": "non-scaling-stroke" }),
  );
}
