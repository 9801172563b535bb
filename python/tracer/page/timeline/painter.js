// The pen with which tracks draw on the canvas: boxes from a time to a time, texts in them, curves. What is drawn, the
// tracks know.

import { FONT } from "../flame/labels.js";
import { Brush } from "../ui/canvas.js";

/**
 * @typedef {import("./camera.js").View} View
 * @typedef {import("../flame/colours.js").Paint} Paint
 * @typedef {import("../flame/labels.js").Labels} Labels
 * @typedef {import("../flame/labels.js").Ruler} Ruler
 */

/**
 * What is the same for all that is drawn.
 * @typedef {object} Scene
 * @property {(row: number) => Paint} paintOf  of a function
 * @property {Labels} labels
 * @property {Shades} shades
 * @property {Map<import("./model.js").ThreadLine, Uint32Array> | null} hits  the slices that are sought or chosen
 * @property {boolean} dims  all others are faint
 * @property {Set<object> | null} lit  the ranges, marks and tasks that were found; null: nothing is sought
 */

/** @typedef {ReturnType<typeof shadesOf>} Shades */

export const ROW = 18; // pixels of a row of slices
export const SMALL = 4; // of one in a collapsed track
const PAD = 4; // left and right of a text
const FAINT = 0.2;

/** @param {boolean} dark */
export function shadesOf(dark) {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: colour("surface"),
    raised: colour("ground"),
    line: colour("line"),
    strong: colour("line-strong"),
    text: colour("text"),
    quiet: colour("quiet"),
    accent: colour("accent"),
    selected: dark ? "#6aa5ff2e" : "#2463c91c",
    warn: colour("warn"),
    found: dark ? { fill: "oklch(62% 0.19 335)", ink: "#ffffff" } : { fill: "oklch(76% 0.17 335)", ink: "#16181d" },
    gap: dark ? { fill: "#2b2f35", ink: "#a0a7b0" } : { fill: "#ececea", ink: "#62686f" },
    gapLine: dark ? "#454b54" : "#cfcfca",
    waiting: dark ? { fill: "#2e3640", ink: "#b9c2d0" } : { fill: "#e4eaf1", ink: "#3f4650" },
    running: dark ? { fill: "#2f6b56", ink: "#eef0f4" } : { fill: "#a5d8c3", ink: "#16181d" },
    range: dark ? { fill: "#5b4a86", ink: "#eef0f4" } : { fill: "#d5c8f2", ink: "#16181d" },
    collection: dark ? { fill: "#7d4a2a", ink: "#eef0f4" } : { fill: "#f3c9a5", ink: "#16181d" },
    curve: dark ? "#e8a93a" : "#b36f00",
    curveFill: dark ? "#e8a93a33" : "#d98a0033",
    ring: dark ? "#f2f4f8" : "#1b1f27",
    hover: dark ? "#b9c2d0" : "#5b6472",
  };
}

export class Pen extends Brush {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Scene} scene
   * @param {View} view
   * @param {{width: number, height: number, ratio: number}} size
   */
  constructor(context, scene, view, size) {
    super(context);
    this.scene = scene;
    this.size = size;
    this.origin = view.origin;
    this.rest = view.rest;
    this.scale = size.width / view.span;
    this.from = view.origin + view.rest;
    this.to = this.from + view.span;
    this.least = view.span / size.width; // nanoseconds of a pixel
    // A box that waits for more of its colour: neighbours are drawn at once.
    this.left = 0;
    this.right = -1;
    this.top = 0;
    this.height = 0;
    this.floor = 0; // nothing is drawn above
    /** @type {{text: string, left: number, middle: number, ink: string, faint: boolean}[]} */
    this.texts = [];
  }

  /**
   * A place in pixels, at the edge of a pixel of the screen.
   * @param {number} time
   */
  across(time) {
    const { ratio, width } = this.size;
    const pixels = (time - this.origin - this.rest) * this.scale;
    return Math.round(Math.max(-4, Math.min(width + 4, pixels)) * ratio) / ratio;
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {number} top
   * @param {number} height
   * @param {string} fill
   * @param {boolean} [faint]
   */
  box(start, end, top, height, fill, faint = false) {
    const left = this.across(start);
    let right = Math.max(left + 1, this.across(end));
    if (right - left > 3) {
      right -= 1 / this.size.ratio;
    }
    const alpha = faint ? FAINT : 1;
    const isNext = fill === this.fill && alpha === this.alpha && top === this.top && height === this.height;
    if (isNext && left <= this.right && right - left < 3) {
      this.right = Math.max(this.right, right);
      return;
    }
    this.flush();
    this.dip(fill, alpha);
    this.left = left;
    this.right = right;
    this.top = top;
    this.height = height;
  }

  flush() {
    if (this.right > this.left) {
      this.context.fillRect(this.left, this.top, this.right - this.left, this.height);
      this.right = -1;
      this.left = 0;
    }
  }

  /**
   * Lines over a box: nothing ran there.
   * @param {number} start
   * @param {number} end
   * @param {number} top
   * @param {number} height
   */
  hatch(start, end, top, height) {
    const [left, right] = [Math.max(0, this.across(start)), Math.min(this.size.width, this.across(end))];
    if (right - left < 4) {
      return;
    }
    this.flush();
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, height);
    context.clip();
    context.strokeStyle = this.scene.shades.gapLine;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = left - height; x < right; x += 6) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.stroke();
    context.restore();
  }

  /**
   * The room for a text in a box, and where it begins; null where there is none.
   * @param {number} start
   * @param {number} end
   */
  room(start, end) {
    const left = Math.max(0, this.across(start));
    const room = Math.min(this.size.width, this.across(end)) - left - 2 * PAD;
    return room < 14 ? null : { left: left + PAD, room };
  }

  /**
   * @param {string} text
   * @param {number} left
   * @param {number} middle
   * @param {string} ink
   * @param {boolean} [faint]
   */
  write(text, left, middle, ink, faint = false) {
    if (text !== "") {
      this.texts.push({ text, left, middle, ink, faint });
    }
  }

  /**
   * A box with a text.
   * @param {number} start
   * @param {number} end
   * @param {number} top
   * @param {Paint} paint
   * @param {string} text
   * @param {...object} things  of which one may be lit
   */
  labelled(start, end, top, paint, text, ...things) {
    const { lit, shades, labels } = this.scene;
    const isFound = lit !== null && things.some((thing) => lit.has(thing));
    const { fill, ink } = isFound ? shades.found : paint;
    this.box(start, end, top, ROW - 1, fill, lit !== null && !isFound);
    const place = this.room(start, end);
    if (place !== null) {
      this.write(labels.ruler.cut(text, place.room), place.left, top + ROW / 2, ink, lit !== null && !isFound);
    }
  }

  /** Writes the texts, over the boxes. */
  finish() {
    this.flush();
    const { context } = this;
    context.font = FONT;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const { text, left, middle, ink, faint } of this.texts) {
      if (middle < this.floor) {
        continue;
      }
      context.globalAlpha = faint ? 0.5 : 1;
      context.fillStyle = ink;
      context.fillText(text, left, middle);
    }
    this.texts = [];
    context.globalAlpha = 1;
    this.alpha = 1;
    this.fill = "";
  }

  /**
   * A frame around a box.
   * @param {number} start
   * @param {number} end
   * @param {number} top
   * @param {number} height
   * @param {string} colour
   * @param {number} width
   */
  ring(start, end, top, height, colour, width) {
    const { context } = this;
    this.flush();
    const left = this.across(start);
    const wide = Math.max(3, this.across(end) - left);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(left + width / 2, top + width / 2, wide - width, height - width);
  }
}
