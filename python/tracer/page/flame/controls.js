// The controls above a picture: a choice of few, and a switch. Each says its key in a tooltip.

import { h } from "../ui/dom.js";

/**
 * A row of buttons of which one is pressed.
 * @param {string} label
 * @param {[value: string, text: string, tip?: string][]} options
 * @param {(value: string) => void} chosen
 */
export function choice(label, options, chosen) {
  const buttons = options.map(([value, text, tip]) =>
    h(
      "button",
      {
        class: "segment",
        type: "button",
        "data-value": value,
        "data-tip": tip,
        on: { click: () => chosen(value) },
      },
      text,
    ),
  );
  const element = h("div", { class: "segments", role: "group", "aria-label": label }, ...buttons);
  return {
    element,
    /** @param {string} value */
    reflect(value) {
      for (const button of buttons) {
        button.setAttribute("aria-pressed", String(button.dataset.value === value));
      }
    },
    /**
     * Shows one of the buttons, or hides it.
     * @param {string} value
     * @param {boolean} isOffered
     */
    offer(value, isOffered) {
      for (const button of buttons) {
        button.hidden = button.dataset.value === value ? !isOffered : button.hidden;
      }
    },
  };
}

/**
 * A button that is on or off.
 * @param {string} text
 * @param {string} tip
 * @param {() => void} pressed
 */
export function toggle(text, tip, pressed) {
  const element = h(
    "button",
    { class: "segment", type: "button", "data-tip": tip, on: { click: pressed } },
    text,
  );
  return {
    element,
    /** @param {boolean} on */
    reflect(on) {
      element.setAttribute("aria-pressed", String(on));
    },
  };
}
