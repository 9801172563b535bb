// A part of the overview, with its title; and lists whose end is shown when it is asked for.

import { h } from "../ui/dom.js";
import { counted } from "../ui/format.js";

/**
 * @param {string} title
 * @param {string} about
 * @param {...import("../ui/dom.js").Child} children
 */
export function panel(title, about, ...children) {
  return h("section", { class: "panel" }, h("h2", null, title, about !== "" && h("small", null, about)), ...children);
}

/**
 * Puts the first items into a list. Returns the button that puts the others there, or null where
 * there are no others.
 * @param {HTMLElement} list
 * @param {HTMLElement[]} items
 * @param {number} most  of the first ones
 * @param {string} thing  what one of the others is called
 */
export function shortList(list, items, most, thing) {
  list.append(...items.slice(0, most));
  if (items.length <= most) {
    return null;
  }
  const others = items.slice(most);
  const show = () => {
    list.append(...others);
    more.remove();
    others[0].querySelector("button")?.focus();
  };
  const more = h("button", { class: "onward", on: { click: show } }, `and ${counted(others.length, thing)}`);
  return more;
}
