// A part of the overview, with its title.

import { h } from "../ui/dom.js";

/**
 * @param {string} title
 * @param {string} about
 * @param {...import("../ui/dom.js").Child} children
 */
export function panel(title, about, ...children) {
  return h("section", { class: "panel" }, h("h2", null, title, about !== "" && h("small", null, about)), ...children);
}
