// One tooltip for all: elements say what is in theirs by data-tip, canvases call show() and hide().

import { fill, h } from "./dom.js";

const GAP = 14;

export class Tooltip {
  constructor() {
    this.box = h("div", { class: "tip", role: "tooltip", hidden: true });
    document.body.append(this.box);
    document.addEventListener("pointerover", (event) => this.#over(event.target, event.clientX, event.clientY));
    document.addEventListener("focusin", (event) => this.#focus(event.target));
    document.addEventListener("focusout", () => this.hide());
    document.addEventListener("pointerdown", () => this.hide());
    document.addEventListener("scroll", () => this.hide(), true);
  }

  /**
   * @param {number} x  of the window
   * @param {number} y
   * @param {...import("./dom.js").Child} content
   */
  show(x, y, ...content) {
    const { box } = this;
    fill(box, ...content);
    box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = box;
    const left = x + GAP + width > innerWidth ? Math.max(4, x - GAP - width) : x + GAP;
    const top = y + GAP + height > innerHeight ? Math.max(4, y - GAP - height) : y + GAP;
    box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  hide() {
    this.box.hidden = true;
  }

  /**
   * @param {EventTarget | null} target
   * @param {number} x
   * @param {number} y
   */
  #over(target, x, y) {
    const owner = target instanceof Element ? target.closest("[data-tip]") : null;
    const text = owner?.getAttribute("data-tip");
    if (text) {
      this.show(x, y, text);
    } else if (!(target instanceof HTMLCanvasElement)) {
      this.hide();
    }
  }

  /** @param {EventTarget | null} target */
  #focus(target) {
    if (target instanceof Element && target.matches(":focus-visible[data-tip]:not(input)")) {
      const { left, bottom } = target.getBoundingClientRect();
      this.#over(target, left - GAP, bottom - GAP / 2);
    }
  }
}
