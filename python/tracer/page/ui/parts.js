// Parts of several views: a link, and times in two parts, what a thread worked and what it waited. A bar of two
// parts is hatched where the thread waited.

import { h } from "./dom.js";
import { share, time } from "./format.js";

/**
 * A link to another view.
 * @param {string} text
 * @param {() => void} click
 */
export const way = (text, click) => h("button", { class: "link", on: { click } }, text);

/**
 * Both parts of a time, in words.
 * @param {number} whole
 * @param {number} waited
 */
export function twoParts(whole, waited) {
  return `worked ${time(whole - waited)}, waited ${time(waited)}${waited > 0 ? ` (${share(waited, whole)}, hatched)` : ""}`;
}

/**
 * A bar in its track.
 * @param {number} part  of the track, up to 1
 * @param {number} waited  of the bar, up to 1
 * @param {string | null} [kind]  of code
 */
export function bar(part, waited, kind = null) {
  const wait = h("i", { class: "waited" });
  wait.style.width = `${100 * Math.min(1, waited)}%`;
  const filled = h("i", { class: "fill", "data-kind": kind }, wait);
  filled.style.width = `${100 * Math.max(0, Math.min(1, part))}%`;
  return h("span", { class: "track" }, filled);
}
