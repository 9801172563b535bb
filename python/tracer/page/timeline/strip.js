// The strip above the timeline: the whole run in little, and which part of it is on the screen. A drag moves that part,
// a drag beside it chooses another one.

import { h } from "../ui/dom.js";
import { around, panned, partOf, timeAt, wholeOf } from "./camera.js";
import { Pen } from "./painter.js";

/**
 * @typedef {import("./camera.js").View} View
 * @typedef {import("./camera.js").Bounds} Bounds
 * @typedef {import("./painter.js").Scene} Scene
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 */

/**
 * The first row in which something happens: the outermost calls last as long as the thread.
 * @param {import("./lanes.js").Lanes} lanes
 */
function firstTelling({ offsets, height }) {
  for (let row = 0; row < height; row++) {
    if (offsets[row + 1] - offsets[row] > FEW) {
      return row;
    }
  }
  return 0;
}

const FEW = 6; // slices that tell nothing of a run
const HEIGHT = 46;
const LINES = 6; // threads that have a stripe of their own
const EDGE = 6; // pixels beside the window's edge that count as the edge

export class Strip {
  /**
   * @param {ThreadLine[]} lines
   * @param {Bounds} bounds
   * @param {(view: View) => void} onMove
   */
  constructor(lines, bounds, onMove) {
    const busiest = [...lines].sort((a, b) => b.lanes.count - a.lanes.count).slice(0, LINES);
    this.lines = lines.filter((line) => busiest.includes(line));
    this.bounds = bounds;
    this.onMove = onMove;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.element = h("div", { class: "tl-strip" }, this.canvas);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.picture = document.createElement("canvas");
    this.drawnFor = "";
    this.view = wholeOf(bounds);
    /** @type {{from: number, view: View, way: "pan" | "new" | "left" | "right"} | null} */
    this.press = null;
    this.canvas.addEventListener("pointerdown", (event) => this.#down(event));
    this.canvas.addEventListener("pointermove", (event) => this.#over(event));
    this.canvas.addEventListener("pointerup", (event) => this.#up(event));
  }

  /**
   * @param {Scene} scene
   * @param {View} view
   * @param {{from: number, to: number} | null} range
   * @param {string} key  of how the scene looks
   */
  draw(scene, view, range, key) {
    this.view = view;
    const width = this.element.clientWidth;
    const ratio = devicePixelRatio || 1;
    if (width === 0) {
      return;
    }
    const drawn = `${width} ${ratio} ${key}`;
    if (drawn !== this.drawnFor) {
      this.drawnFor = drawn;
      for (const canvas of [this.canvas, this.picture]) {
        canvas.width = Math.round(width * ratio);
        canvas.height = HEIGHT * ratio;
      }
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${HEIGHT}px`;
      this.#drawPicture(scene, width, ratio);
    }
    const { context } = this;
    const { shades } = scene;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const whole = wholeOf(this.bounds);
    if (range !== null) {
      context.fillStyle = shades.selected;
      const left = partOf(whole, range.from) * width;
      context.fillRect(left, 0, Math.max(2, partOf(whole, range.to) * width - left), HEIGHT);
    }
    const left = partOf(whole, view.origin + view.rest) * width;
    const right = Math.max(left + 3, left + (view.span / whole.span) * width);
    context.globalAlpha = 0.6;
    context.fillStyle = shades.raised;
    context.fillRect(0, 0, left, HEIGHT);
    context.fillRect(right, 0, width - right, HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = shades.accent;
    context.lineWidth = 1.5;
    context.strokeRect(left + 0.75, 0.75, right - left - 1.5, HEIGHT - 1.5);
  }

  /**
   * @param {Scene} scene
   * @param {number} width
   * @param {number} ratio
   */
  #drawPicture(scene, width, ratio) {
    const context = /** @type {CanvasRenderingContext2D} */ (this.picture.getContext("2d"));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = scene.shades.ground;
    context.fillRect(0, 0, width, HEIGHT);
    const pen = new Pen(context, scene, wholeOf(this.bounds), { width, height: HEIGHT, ratio });
    const high = (HEIGHT - 4) / Math.max(1, this.lines.length);
    this.lines.forEach(({ lanes, contexts }, at) => {
      const first = firstTelling(lanes);
      const rows = Math.min(lanes.height - first, Math.max(1, Math.floor(high / 2)), 12);
      const tall = Math.max(1, Math.floor((high - 1) / rows));
      for (let row = 0; row < rows; row++) {
        lanes.visit(first + row, pen.from, pen.to, pen.least, (slice, start, end) => {
          const node = lanes.nodes[slice];
          const { fill } = contexts.isGap(node) ? scene.shades.gap : scene.paintOf(contexts.row[node]);
          pen.box(start, end, 2 + at * high + row * tall, tall, fill);
        });
      }
    });
    pen.finish();
  }

  /** @param {number} x */
  #time(x) {
    return timeAt(wholeOf(this.bounds), Math.max(0, Math.min(1, x / this.element.clientWidth)));
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const { view } = this;
    const whole = wholeOf(this.bounds);
    const width = this.element.clientWidth;
    const [left, right] = [view.origin + view.rest, view.origin + view.rest + view.span].map((time) => partOf(whole, time) * width);
    const x = event.offsetX;
    const narrow = view.span < whole.span;
    const way = narrow && Math.abs(x - left) < EDGE && right - left > 2 * EDGE ? "left"
      : narrow && Math.abs(x - right) < EDGE && right - left > 2 * EDGE ? "right"
      : narrow && x > left - EDGE && x < right + EDGE ? "pan" : "new";
    this.press = { from: x, view, way };
    this.canvas.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #over(event) {
    const { press, bounds } = this;
    if (press === null || Math.abs(event.offsetX - press.from) < 3) {
      return;
    }
    const { origin, rest, span } = press.view;
    const now = this.#time(event.offsetX);
    const begin = origin + rest;
    if (press.way === "pan") {
      const share = ((event.offsetX - press.from) / this.element.clientWidth) * (wholeOf(bounds).span / span);
      this.onMove(panned(press.view, share, bounds));
    } else if (press.way === "left") {
      this.onMove(around(Math.min(now, begin + span), Math.max(now, begin + span), bounds, 0));
    } else {
      const from = press.way === "right" ? begin : this.#time(press.from);
      this.onMove(around(Math.min(from, now), Math.max(from, now), bounds, 0));
    }
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { press, bounds } = this;
    this.press = null;
    if (press !== null && Math.abs(event.offsetX - press.from) < 3) {
      const middle = this.#time(event.offsetX);
      const { span } = press.view;
      this.onMove(around(middle - span / 2, middle + span / 2, bounds, 0));
    }
  }
}
