// A list of any length, of which only the rows that can be seen are elements; they are used again
// as the list is scrolled. How a row looks is for the view to say.

import { h } from "./dom.js";

const SPARE = 8; // rows beyond each edge, so that a scroll of a few finds them there

/**
 * A row in use: its element, and what its view keeps with it.
 * @template P
 * @typedef {{element: HTMLElement, parts: P, at: number}} Line
 */

/** @template P */
export class VirtualList {
  /**
   * @param {HTMLElement} scroller
   * @param {number} height  of a row, in pixels
   * @param {{make(): {element: HTMLElement, parts: P}, show(parts: P, at: number,
   *   element: HTMLElement): void}} looks
   */
  constructor(scroller, height, looks) {
    this.scroller = scroller;
    this.height = height;
    this.looks = looks;
    this.length = 0;
    this.room = h("div", { class: "rows", role: "rowgroup" });
    /** @type {Line<P>[]} */
    this.lines = [];
    this.asked = 0;
    const soon = () => {
      this.asked ||= requestAnimationFrame(() => {
        this.asked = 0;
        this.#place();
      });
    };
    scroller.addEventListener("scroll", soon, { passive: true });
    this.observer = new ResizeObserver(soon);
    this.observer.observe(scroller);
  }

  /** @param {number} length  of the list, whose rows may all be others now */
  reset(length) {
    this.length = length;
    this.room.style.height = `${length * this.height}px`;
    this.redraw();
  }

  /** Shows all rows that can be seen anew. */
  redraw() {
    for (const line of this.lines) {
      line.at = -1;
    }
    this.#place();
  }

  /**
   * Scrolls as little as brings a row into sight.
   * @param {number} at
   */
  reveal(at) {
    const { scroller, height } = this;
    const head = this.room.offsetTop;
    const top = at * height;
    const seen = scroller.clientHeight - head;
    if (top < scroller.scrollTop) {
      scroller.scrollTop = top;
    } else if (top + height > scroller.scrollTop + seen) {
      scroller.scrollTop = top + height - seen;
    }
    this.#place();
  }

  /** How many rows can be seen at once. */
  get page() {
    return Math.max(1, Math.floor((this.scroller.clientHeight - this.room.offsetTop) / this.height) - 1);
  }

  /**
   * Has keys move through the list.
   * @param {import("./keys.js").Keys} keys
   * @param {(by: number) => void} move
   */
  listenTo(keys, move) {
    keys.register("ArrowUp ArrowDown", "Previous, next row", ({ key }) => move(key === "ArrowUp" ? -1 : 1));
    keys.register("PageUp PageDown", "A page up, down", ({ key }) => move(key === "PageUp" ? -this.page : this.page));
    keys.register("Home End", "First, last row", ({ key }) => move(key === "Home" ? -Infinity : Infinity));
  }

  destroy() {
    cancelAnimationFrame(this.asked);
    this.observer.disconnect();
  }

  #place() {
    const { scroller, height, lines, looks } = this;
    const first = Math.max(0, Math.floor(scroller.scrollTop / height) - SPARE);
    const room = Math.ceil(scroller.clientHeight / height) + 2 * SPARE;
    const last = Math.min(this.length, first + room);
    while (lines.length < room) {
      const line = { ...looks.make(), at: -1 };
      lines.push(line);
      this.room.append(line.element);
    }
    for (let at = first; at < last; at++) {
      const line = lines[at % lines.length]; // so that a row keeps its element while it is seen
      if (line.at !== at) {
        line.at = at;
        line.element.style.transform = `translateY(${at * height}px)`;
        line.element.hidden = false;
        looks.show(line.parts, at, line.element);
      }
    }
    for (const line of lines) {
      if (line.at < first || line.at >= last) {
        line.element.hidden = true;
        line.at = -1;
      }
    }
  }
}
