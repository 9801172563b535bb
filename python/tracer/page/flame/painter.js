// Draws the boxes of a layout on a canvas. What they mean, and what a mouse does, is not here.

import { Brush } from "../ui/canvas.js";
import { FONT } from "./labels.js";

/** @typedef {import("./camera.js").View} View */
/** @typedef {import("./colours.js").Paint} Paint */
/** @typedef {import("./labels.js").Labels} Labels */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("../ui/canvas.js").Size} Size */

/**
 * @typedef {object} Scene
 * @property {Layout} layout
 * @property {(node: number) => Paint} paintOf
 * @property {Labels} labels
 * @property {string} rootLabel
 * @property {Uint8Array | null} wanted  by row: what a search found; the rest is faint. null: no search
 * @property {boolean} flipped  the root is at the bottom
 * @property {Shades} shades
 */

/**
 * @typedef {object} Shades
 * @property {string} ground  behind the boxes
 * @property {Paint} root
 * @property {Paint} middle  the root, where it stands between callers and callees
 * @property {Paint | null} found  what was searched for; null: in its own colour
 * @property {string} narrow  boxes too narrow to be drawn
 * @property {string} ring  around the box that is selected
 * @property {string} hover  around the box under the mouse
 */

export const ROW = 20; // pixels of a level
const PAD = 5; // left and right of a text
const FAINT = 0.22;

/**
 * Where a level is, in pixels from the top.
 * @param {number} level
 * @param {View} view
 * @param {boolean} flipped
 * @param {number} height
 */
export function topOf(level, view, flipped, height) {
  return flipped ? height - (level + 1) * ROW + view.scroll : level * ROW - view.scroll;
}

/**
 * The level at a height; it may be one that no box has.
 * @param {number} y
 * @param {View} view
 * @param {boolean} flipped
 * @param {number} height
 */
export function levelAt(y, view, flipped, height) {
  return Math.floor(((flipped ? height - y : y) + view.scroll) / ROW);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Size} size
 * @param {{selected: number, hovered: number}} marks  nodes, or -1
 */
export function paint(context, scene, view, size, marks) {
  const { layout, shades } = scene;
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  context.globalAlpha = 1;
  context.fillStyle = shades.ground;
  context.fillRect(0, 0, size.width, size.height);
  if (view.to <= view.from) {
    return;
  }
  const pen = new Pen(context, scene, view, size);
  const first = Math.max(0, Math.floor(view.scroll / ROW));
  const last = Math.min(layout.height, Math.ceil((view.scroll + size.height) / ROW));
  const least = (view.to - view.from) / (size.width * size.ratio);
  for (let level = first; level < last; level++) {
    pen.top = topOf(level, view, scene.flipped, size.height);
    layout.visit(level, view.from, view.to, least, pen.box);
  }
  pen.write();
  pen.ring(marks.hovered, shades.hover, 1.5);
  pen.ring(marks.selected, shades.ring, 2);
}

/** Fills boxes first and writes their texts then, so that the canvas changes its state rarely. */
class Pen extends Brush {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Scene} scene
   * @param {View} view
   * @param {Size} size
   */
  constructor(context, scene, view, size) {
    super(context);
    this.scene = scene;
    this.view = view;
    this.size = size;
    this.scale = size.width / (view.to - view.from);
    this.top = 0;
    this.row = scene.layout.tree.row;
    /** @type {{text: string, left: number, top: number, ink: string, faint: boolean}[]} */
    this.texts = [];
    this.box = this.box.bind(this);
  }

  /**
   * To device pixels, so that edges are sharp.
   * @param {number} place
   */
  across(place) {
    const { ratio, width } = this.size;
    const pixels = Math.max(-2, Math.min(width + 2, (place - this.view.from) * this.scale));
    return Math.round(pixels * ratio) / ratio;
  }

  /**
   * @param {number} node
   * @param {number} begin
   * @param {number} end
   */
  box(node, begin, end) {
    const { context, scene, size } = this;
    const left = this.across(begin);
    let width = this.across(end) - left;
    if (width <= 0) {
      return;
    }
    if (width > 2) {
      width -= 1 / size.ratio;
    }
    const row = node < 0 ? -1 : this.row[node];
    const searched = scene.wanted !== null;
    const faint = searched && !(node > 0 && scene.wanted?.[row]);
    const paint = node < 0 ? null : this.#paintOf(node, searched && !faint);
    this.dip(paint === null ? scene.shades.narrow : paint.fill, faint ? FAINT : 1);
    context.fillRect(left, this.top, width, ROW - 1);
    if (paint === null) {
      return;
    }
    const seen = Math.max(0, left);
    const room = Math.min(size.width, left + width) - seen - 2 * PAD;
    if (room < 14) {
      return;
    }
    const text = node === 0 ? scene.labels.ruler.cut(scene.rootLabel, room) : scene.labels.fit(row, room);
    if (text !== "") {
      this.texts.push({ text, left: seen + PAD, top: this.top, ink: paint.ink, faint });
    }
  }

  /**
   * @param {number} node
   * @param {boolean} found
   */
  #paintOf(node, found) {
    const { shades, paintOf } = this.scene;
    return (found ? shades.found : null) ?? (node === 0 ? this.#rootPaint : paintOf(node));
  }

  get #rootPaint() {
    const { layout, shades } = this.scene;
    return layout.split < layout.tree.count ? shades.middle : shades.root;
  }

  write() {
    const { context } = this;
    context.font = FONT;
    context.textBaseline = "middle";
    for (const { text, left, top, ink, faint } of this.texts) {
      this.dip(ink, faint ? 0.5 : 1);
      context.fillText(text, left, top + ROW / 2);
    }
    context.globalAlpha = 1;
  }

  /**
   * @param {number} node
   * @param {string} colour
   * @param {number} width
   */
  ring(node, colour, width) {
    const { layout, flipped } = this.scene;
    if (node < 0 || node >= layout.tree.count) {
      return;
    }
    const left = this.across(layout.start[node]);
    const right = this.across(layout.start[node] + layout.value[node]);
    const top = topOf(layout.levelOf(node), this.view, flipped, this.size.height);
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.strokeRect(
      left + width / 2,
      top + width / 2,
      Math.max(2, right - left) - width,
      ROW - 1 - width,
    );
  }
}
