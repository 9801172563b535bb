// A list of things to do with a box, at its place: by mouse and by keyboard, gone with Escape or
// with a click elsewhere.

import { h } from "../ui/dom.js";

/** @typedef {{text: string, action: () => void}} Entry */

/**
 * @param {string} label
 * @param {Entry[]} entries
 * @param {{x: number, y: number}} place  of the window
 */
export function openMenu(label, entries, { x, y }) {
  const before = document.activeElement;
  const buttons = entries.map(({ text, action }) =>
    h("button", { role: "menuitem", tabindex: "-1", on: { click: () => (close(), action()) } }, text),
  );
  const menu = h("div", { class: "flame-menu", role: "menu", "aria-label": label }, ...buttons);
  const close = () => {
    removeEventListener("pointerdown", outside, true);
    removeEventListener("blur", close);
    menu.remove();
    if (before instanceof HTMLElement) {
      before.focus();
    }
  };
  /** @param {PointerEvent} event */
  const outside = (event) => {
    if (!(event.target instanceof Node && menu.contains(event.target))) {
      close();
    }
  };
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  menu.addEventListener("keydown", (event) => {
    const at = buttons.findIndex((button) => button === document.activeElement);
    const steps = /** @type {Record<string, number>} */ ({
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: -1,
    });
    if (event.key in steps) {
      buttons.at(steps[event.key] % buttons.length)?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      close();
    } else if (event.key !== "Enter" && event.key !== " ") {
      return;
    }
    event.stopPropagation(); // the keys of the view are not meant
    if (event.key !== "Enter" && event.key !== " ") {
      event.preventDefault();
    }
  });
  addEventListener("pointerdown", outside, true);
  addEventListener("blur", close);
  document.body.append(menu);
  const { offsetWidth: width, offsetHeight: height } = menu;
  menu.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
  buttons[0]?.focus();
}
