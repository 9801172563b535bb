// A flame graph that one can move in: a canvas with mouse, wheel and drag. What its boxes are is
// told by a scene; what a click leads to, which keys there are and what a tooltip says, is its owner's.

import { Canvas, DRAG, isStill, wheelOf } from "../ui/canvas.js";
import { between, bounded, panned, revealed, wholeOf, zoomed } from "./camera.js";
import { levelAt, paint, ROW, topOf } from "./painter.js";

/**
 * @typedef {import("./camera.js").View} View
 * @typedef {import("./painter.js").Scene} Scene
 * @typedef {object} Owner
 * @property {(node: number) => void} onClick
 * @property {(node: number, x: number, y: number) => void} onMenu  at a place of the window
 * @property {(node: number, x: number, y: number) => void} onHover  -1: over none
 * @property {(view: View | null) => void} onMoved  by wheel or drag, a while after; null: all is seen
 */

export class Chart extends Canvas {
  /**
   * @param {string} label
   * @param {Owner} owner
   */
  constructor(label, owner) {
    super("flame-chart", "flame graph", label);
    this.owner = owner;
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {View} */
    this.view = { from: 0, to: 1, scroll: 0 };
    this.marks = { selected: -1, hovered: -1 };
    /** @type {{from: View, to: View, since: number} | null} */
    this.motion = null;
    /** @type {{x: number, y: number, view: View, dragged: boolean} | null} */
    this.press = null;
    this.#listen();
  }

  /**
   * Shows other boxes. The view stays where it is when it is asked to, as after a change of colours.
   * @param {Scene} scene
   * @param {{keep: boolean}} options
   */
  show(scene, { keep }) {
    this.scene = scene;
    this.motion = null;
    this.marks = keep ? this.marks : { selected: -1, hovered: -1 };
    this.view = keep ? bounded(this.view, this.bounds) : this.whole;
    this.draw();
  }

  get bounds() {
    return this.#boundsOf(this.size.height);
  }

  /** @param {number} height */
  #boundsOf(height) {
    const { layout } = /** @type {Scene} */ (this.scene);
    return { width: layout.width, room: layout.height * ROW, root: layout.rootLevel * ROW, height };
  }

  /** All of it. */
  get whole() {
    return wholeOf(this.bounds);
  }

  /** What is on the screen once nothing moves any more. */
  get goal() {
    return this.motion === null ? this.view : this.motion.to;
  }

  /** Whether the view is the whole, neither zoomed nor scrolled. */
  get isWhole() {
    return this.#isWholeIn(this.bounds);
  }

  /** @param {import("./camera.js").Bounds} bounds */
  #isWholeIn(bounds) {
    const { from, to, scroll } = this.goal;
    return from <= 0 && to >= bounds.width && scroll === wholeOf(bounds).scroll;
  }

  /**
   * @param {number} node  -1: none
   * @param {{reveal?: boolean}} [options]  reveal: see to it that it is on the screen
   */
  select(node, { reveal = false } = {}) {
    this.marks.selected = node;
    if (reveal && node >= 0 && this.scene !== null) {
      this.move(this.#withNode(node));
    }
    this.draw();
  }

  /**
   * The goal, moved so far that the node is in it.
   * @param {number} node
   */
  #withNode(node) {
    const { layout } = /** @type {Scene} */ (this.scene);
    let view = this.goal;
    const begin = layout.start[node];
    const end = begin + layout.value[node];
    if (end <= view.from || begin >= view.to) {
      const span = view.to - view.from;
      const from = (begin + end) / 2 - span / 2;
      view = bounded({ ...view, from, to: from + span }, this.bounds);
    }
    return revealed(view, layout.levelOf(node), ROW, this.bounds);
  }

  /**
   * Makes a box as wide as the screen.
   * @param {number} node
   * @param {{moving?: boolean}} [options]
   */
  zoomTo(node, { moving = true } = {}) {
    const { layout } = /** @type {Scene} */ (this.scene);
    const from = layout.start[node];
    const view = bounded({ ...this.goal, from, to: from + layout.value[node] }, this.bounds);
    this.move(revealed(view, layout.levelOf(node), ROW, this.bounds), moving);
  }

  /**
   * @param {number} factor  below 1: closer
   */
  zoom(factor) {
    const { from, to } = this.goal;
    const { selected } = this.marks;
    let place = (from + to) / 2;
    if (selected > 0 && this.scene !== null) {
      const { start, value } = this.scene.layout;
      place = Math.max(from, Math.min(to, start[selected] + value[selected] / 2));
    }
    this.move(zoomed(this.goal, place, factor, this.bounds));
    this.settle();
  }

  /**
   * @param {number} share  of the screen's width
   * @param {number} pixels  away from the root
   */
  pan(share, pixels) {
    this.move(panned(this.goal, share, pixels, this.bounds));
    this.settle();
  }

  /**
   * @param {View} view
   * @param {boolean} [moving]
   */
  move(view, moving = true) {
    if (!moving || isStill()) {
      this.motion = null;
      this.view = view;
    } else {
      this.motion = { from: this.view, to: view, since: performance.now() };
    }
    this.draw();
  }

  /** @override */
  paint() {
    if (this.scene === null) {
      return;
    }
    if (this.motion !== null) {
      const { from, to, since } = this.motion;
      const part = this.passed(since);
      this.view = between(from, to, part);
      this.motion = part < 1 ? this.motion : null;
    }
    paint(this.context, this.scene, this.view, this.size, this.marks);
    const { shades, flipped } = this.scene;
    const { room, height } = this.bounds;
    this.drawThumb(shades.ring, { whole: room, room: height, scroll: this.view.scroll, flipped });
  }

  /**
   * @override
   * @param {import("../ui/canvas.js").Size} before
   */
  resized(before) {
    if (this.scene !== null) {
      this.view = this.#isWholeIn(this.#boundsOf(before.height)) ? this.whole : bounded(this.goal, this.bounds);
      this.motion = null;
      if (before.height === 0 && this.marks.selected >= 0) {
        this.view = this.#withNode(this.marks.selected); // nothing could be revealed before
      }
    }
  }

  /** @override */
  settled() {
    this.owner.onMoved(this.isWhole ? null : this.goal);
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#over(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", () => (this.press = null));
    canvas.addEventListener("pointerleave", () => this.#hover(-1, 0, 0));
    canvas.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      const node = this.nodeAt(event.offsetX, event.offsetY);
      if (node >= 0) {
        this.#hover(-1, 0, 0);
        this.owner.onMenu(node, event.clientX, event.clientY);
      }
    });
  }

  /**
   * The box at a place of the canvas, or -1.
   * @param {number} x
   * @param {number} y
   */
  nodeAt(x, y) {
    if (this.scene === null) {
      return -1;
    }
    const { view, size } = this;
    const level = levelAt(y, view, this.scene.flipped, size.height);
    return this.scene.layout.at(level, view.from + (x / size.width) * (view.to - view.from));
  }

  /**
   * Where a box is in the window: the left of what is seen of it, and its lower edge.
   * @param {number} node
   */
  placeOf(node) {
    const { layout, flipped } = /** @type {Scene} */ (this.scene);
    const { view, size } = this;
    const box = this.canvas.getBoundingClientRect();
    const left = ((layout.start[node] - view.from) / (view.to - view.from)) * size.width;
    const top = topOf(layout.levelOf(node), view, flipped, size.height);
    return { x: box.left + Math.max(0, Math.min(size.width, left)), y: box.top + top + ROW };
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (this.scene === null) {
      return;
    }
    event.preventDefault();
    const { way, by } = wheelOf(event);
    const { size, bounds, goal } = this;
    if (way === "scroll") {
      this.view = panned(goal, 0, this.scene.flipped ? -by : by, bounds);
    } else if (way === "pan") {
      this.view = panned(goal, by / size.width, 0, bounds);
    } else {
      const place = goal.from + (event.offsetX / size.width) * (goal.to - goal.from);
      this.view = zoomed(goal, place, by, bounds);
    }
    this.motion = null;
    this.#hover(-1, 0, 0);
    this.draw();
    this.settle();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button === 0) {
      this.press = { x: event.clientX, y: event.clientY, view: this.view, dragged: false };
      this.canvas.setPointerCapture(event.pointerId);
    }
  }

  /** @param {PointerEvent} event */
  #over(event) {
    const { press, size } = this;
    if (press === null || this.scene === null) {
      this.#hover(this.nodeAt(event.offsetX, event.offsetY), event.clientX, event.clientY);
      return;
    }
    const across = event.clientX - press.x;
    const along = (event.clientY - press.y) * (this.scene.flipped ? -1 : 1);
    if (!press.dragged && Math.hypot(across, along) > DRAG) {
      press.dragged = true;
      press.view = this.view; // which may have moved since
    }
    if (press.dragged) {
      this.#hover(-1, 0, 0);
      this.element.classList.add("dragged");
      this.motion = null;
      this.view = panned(press.view, -across / size.width, -along, this.bounds);
      this.draw();
    }
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { press } = this;
    this.press = null;
    this.element.classList.remove("dragged");
    if (press === null) {
      return;
    }
    if (press.dragged) {
      this.settle();
      return;
    }
    const node = this.nodeAt(event.offsetX, event.offsetY);
    if (node >= 0) {
      this.owner.onClick(node);
    }
  }

  /**
   * @param {number} node
   * @param {number} x
   * @param {number} y
   */
  #hover(node, x, y) {
    if (node !== this.marks.hovered) {
      this.marks.hovered = node;
      this.draw();
    }
    this.element.classList.toggle("over", node >= 0);
    this.owner.onHover(node, x, y);
  }
}
