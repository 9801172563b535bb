// The cards of callers and callees beside a function, and the ribbons that lead to them.

import { h, svg } from "../ui/dom.js";
import { exactTime, share, shortCount, time } from "../ui/format.js";
import { bar, twoParts } from "../ui/parts.js";

/** @param {number} calls */
export function callsOf(calls) {
  return `${shortCount(calls)} ${calls === 1 ? "call" : "calls"}`;
}

/**
 * @param {string | null} kind
 * @param {string} name
 * @param {string} where
 * @param {string} main
 * @param {string} more
 * @param {string} tip
 * @param {number} part  of the bar
 * @param {number} waited  of that part
 * @param {(() => void) | null} walk
 */
export function card(kind, name, where, main, more, tip, part, waited, walk) {
  const content = [
    h("span", { class: "what" }, kind !== null && h("i", { class: "dot", "data-kind": kind }), h("span", { class: "fn" }, name), where !== "" && h("small", { class: "where" }, where)),
    h("span", { class: "amounts" }, h("b", null, main), h("small", null, more)),
    bar(part, waited, kind),
  ];
  return walk === null
    ? h("div", { class: "card still", "data-tip": tip }, ...content)
    : h("button", { class: "card", "data-tip": tip, on: { click: walk } }, ...content);
}

/**
 * @param {number} own
 * @param {number} whole
 * @param {number} waited  of its own time
 */
export function selfCard(own, whole, waited) {
  const tip = waited > 0 ? `${exactTime(own)}\n${twoParts(own, waited)}` : exactTime(own);
  return card(null, "own time", "", time(own), share(own, whole), tip, whole > 0 ? own / whole : 0, own > 0 ? waited / own : 0, null);
}

/**
 * @param {number} x1
 * @param {number} top  where it begins, of its upper edge
 * @param {number} x2
 * @param {number} y  where it ends, of its middle
 * @param {number} thick  where it begins
 * @param {number} thin  where it ends
 */
export function ribbon(x1, top, x2, y, thick, thin) {
  const half = (x1 + x2) / 2;
  const [a, b] = [y - thin / 2, y + thin / 2];
  const bottom = top + thick;
  const path = `M${x1} ${top}C${half} ${top} ${half} ${a} ${x2} ${a}V${b}C${half} ${b} ${half} ${bottom} ${x1} ${bottom}Z`;
  return svg("path", { d: path });
}
