// A canvas that fills its element, and is drawn when something changed, once a frame at most. Charts are made of it:
// what they show, and where a movement leads, is theirs.

import { h } from "./dom.js";

/**
 * @typedef {object} Size
 * @property {number} width  CSS pixels
 * @property {number} height
 * @property {number} ratio  device pixels each
 */

export const DRAG = 4; // pixels from which on a press is no click
const MOVING = 180; // milliseconds that a movement takes
const SETTLED = 250; // milliseconds after which a movement has ended

export class Canvas {
  #frame = 0; // of requestAnimationFrame, 0 if none is waited for
  #settling = 0;
  #resizing = new ResizeObserver(() => this.resize());
  #repaint = () => this.draw(); // in the colours of another theme

  /**
   * @param {string} name  the element's class
   * @param {string} kind  what a screen reader calls it
   * @param {string} label
   */
  constructor(name, kind, label) {
    this.canvas = h("canvas", { "aria-hidden": "true" });
    const attributes = { role: "application", tabindex: "0", "aria-label": label, "aria-roledescription": kind };
    this.element = h("div", { class: name, ...attributes }, this.canvas);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    /** @type {Size} */
    this.size = { width: 0, height: 0, ratio: 1 };
    this.#resizing.observe(this.element);
    document.addEventListener("themechange", this.#repaint);
  }

  /** Draws all. The chart's own. */
  paint() {}

  /**
   * The size is another one. The chart's own.
   * @param {Size} before
   */
  resized(before) {
    void before;
  }

  /** A movement by hand has ended. The chart's own. */
  settled() {}

  destroy() {
    this.#resizing.disconnect();
    document.removeEventListener("themechange", this.#repaint);
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settling);
  }

  /** Sees to it that what changed is drawn, once, in the next frame. */
  draw() {
    if (this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => this.#paint());
    }
  }

  #paint() {
    this.#frame = 0;
    if (this.size.width > 0) {
      this.paint();
    }
  }

  /** Takes the size of the element. */
  resize() {
    const { width, height } = this.element.getBoundingClientRect();
    const before = this.size;
    const ratio = devicePixelRatio || 1;
    this.size = { width: Math.floor(width), height: Math.floor(height), ratio };
    this.canvas.width = Math.round(this.size.width * ratio);
    this.canvas.height = Math.round(this.size.height * ratio);
    this.canvas.style.width = `${this.size.width}px`;
    this.canvas.style.height = `${this.size.height}px`;
    this.resized(before);
    cancelAnimationFrame(this.#frame);
    this.#paint(); // at once: a canvas that has another size is empty
  }

  /** Waits for the end of a movement by hand. Until then the element says that it is busy. */
  settle() {
    clearTimeout(this.#settling);
    this.element.ariaBusy = "true";
    this.#settling = setTimeout(() => {
      this.element.ariaBusy = null;
      this.settled();
    }, SETTLED);
  }

  /**
   * Which part of a movement has passed, from 0 to 1. Sees to it that the rest is drawn, too.
   * @param {number} since
   */
  passed(since) {
    const part = Math.max(0, Math.min(1, (performance.now() - since) / MOVING));
    if (part < 1) {
      this.draw();
    }
    return part;
  }

  /**
   * Shows how far it is scrolled, where not all has room.
   * @param {string} colour
   * @param {{whole: number, room: number, scroll: number, above?: number, flipped?: boolean}} pixels
   */
  drawThumb(colour, { whole, room, scroll, above = 0, flipped = false }) {
    if (whole <= room) {
      return;
    }
    const length = Math.max(24, (room * room) / whole);
    const way = (scroll / (whole - room)) * (room - length);
    const { context, size } = this;
    context.globalAlpha = 0.35;
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(size.width - 8, above + (flipped ? room - length - way : way), 5, length, 2.5);
    context.fill();
    context.globalAlpha = 1;
  }
}

/** Colours for a canvas. */
export class Brush {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.context = context;
    this.fill = ""; // what the context has
    this.alpha = -1;
  }

  /**
   * Takes a colour, if it is not taken already: of ten thousand boxes most are like the one before.
   * @param {string} fill
   * @param {number} alpha
   */
  dip(fill, alpha) {
    if (fill !== this.fill) {
      this.fill = fill;
      this.context.fillStyle = fill;
    }
    if (alpha !== this.alpha) {
      this.alpha = alpha;
      this.context.globalAlpha = alpha;
    }
  }
}

/** Whether the user wants nothing to move by itself. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * What the wheel asks for: a scroll or a pan by so many pixels, or a zoom by a factor.
 * @param {WheelEvent} event
 * @returns {{way: "scroll" | "pan" | "zoom", by: number}}
 */
export function wheelOf(event) {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
  const [across, along] = [event.deltaX * unit, event.deltaY * unit];
  if (event.shiftKey) {
    return { way: "scroll", by: along || across };
  }
  if (Math.abs(across) > Math.abs(along)) {
    return { way: "pan", by: across };
  }
  return { way: "zoom", by: Math.exp(Math.max(-150, Math.min(150, along)) * (event.ctrlKey ? 0.01 : 0.003)) };
}

/**
 * The values that an axis names: round ones from 0 to `most`, about so many.
 * @param {number} most
 * @param {number} count
 * @param {2 | 10} base  2: powers of 2 are round
 */
export function ticksOf(most, count, base) {
  const rough = (most > 0 ? most : 1) / Math.max(1, count);
  const power = base ** Math.floor(Math.log(rough) / Math.log(base) + 1e-9);
  const step = (base === 2 ? [1, 2] : [1, 2, 5, 10]).map((times) => times * power).find((size) => size >= rough * 0.999) ?? base * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, place) => place * step);
}
