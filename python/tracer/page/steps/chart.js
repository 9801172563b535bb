// The canvas with a bar for each step: to point at, to click, to zoom and to move. What a click leads to is its owner's.

import { FONT } from "../flame/labels.js";
import { Canvas, DRAG, ticksOf, wheelOf } from "../ui/canvas.js";
import { time } from "../ui/format.js";
import { coloursNow, isDark } from "../ui/theme.js";
import { barAt, barsOf, kept, placeFrom, revealing, strideOf, topOf, wholeOf, zoomed } from "./layout.js";
import { rateText } from "./texts.js";

/**
 * @typedef {import("./layout.js").View} View
 * @typedef {import("./model.js").Steps} Steps
 */

/**
 * What is drawn.
 * @typedef {object} Scene
 * @property {Steps} steps
 * @property {Uint32Array} order
 * @property {Float64Array} slots  of the steps in this order
 * @property {number} count  of slots
 * @property {boolean} sorted  by height
 * @property {boolean[]} shown  by phase
 * @property {Float64Array} heights  by step, of the phases that are shown
 * @property {number} median  of these
 * @property {string[]} paints  names of colours, by phase
 * @property {boolean} rates  whether items a second are known
 */

/** A step at the mouse, and how many its bar stands for. @typedef {{step: number, many: number}} Hit */

/**
 * @typedef {object} Hands
 * @property {(step: number) => void} onPick  -1: none
 * @property {(step: number) => void} onOpen
 * @property {(hit: Hit | null, x: number, y: number) => void} onHover
 * @property {() => void} onMoved
 */

const [LEFT, RIGHT, ABOVE, BELOW] = [64, 12, 28, 24]; // pixels beside the bars
const STRIP = 64; // pixels of the strip of items a second, with its heading
const HEADING = 18;
const MEDIAN = 24; // pixels on both sides of the median, where its name has the room of the axis

export class StepChart extends Canvas {
  /** @param {Hands} hands */
  constructor(hands) {
    super("st-chart", "chart of steps", "Steps");
    this.hands = hands;
    this.colour = coloursNow();
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {View} */
    this.view = { from: 0, span: Infinity };
    this.picked = -1;
    this.pointer = -1; // where the mouse is, in pixels of the bars
    /** @type {{x: number, from: number, moved: boolean} | null} */
    this.press = null;
    /** @type {import("./layout.js").Bars} */
    this.bars = { at: new Uint32Array(0), left: new Float64Array(0), wide: 1, many: null };
    this.picture = document.createElement("canvas");
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.picture.getContext("2d", { alpha: false }));
    /** @type {{scene: Scene, size: object, from: number, span: number, dark: boolean} | null} what the picture is of */
    this.painted = null;
    this.#listen();
  }

  /** Pixels that bars have. */
  get room() {
    return Math.max(1, this.size.width - LEFT - RIGHT);
  }

  get whole() {
    return wholeOf(this.scene?.count ?? 0, this.room);
  }

  get isWhole() {
    return this.view.span >= this.whole;
  }

  /** @param {import("../ui/canvas.js").Size} before */
  resized(before) {
    const wasWhole = this.view.span >= wholeOf(this.scene?.count ?? 0, Math.max(1, before.width - LEFT - RIGHT));
    this.view = kept(wasWhole ? { from: 0, span: Infinity } : this.view, this.whole);
  }

  settled() {
    this.hands.onMoved();
  }

  /** @param {View} view */
  move(view) {
    this.view = kept(view, this.whole);
    this.draw();
  }

  /**
   * @param {number} factor
   * @param {number} [part]  of the screen, that stays where it is
   */
  zoom(factor, part = this.pointer < 0 ? 0.5 : this.pointer / this.room) {
    this.move(zoomed(this.view, part, factor, this.whole));
    this.settle();
  }

  /** Moves so that the picked step is on the screen. */
  reveal() {
    const { scene } = this;
    const at = scene?.order.indexOf(this.picked) ?? -1;
    if (scene !== null && at >= 0) {
      const view = revealing(this.view, scene.slots[at], this.whole);
      if (view !== this.view) {
        this.move(view);
        this.settle();
      }
    }
  }

  /**
   * The step at a pixel.
   * @param {number} x
   * @returns {Hit | null}
   */
  hitAt(x) {
    const bar = barAt(this.bars, x);
    return bar < 0 || this.scene === null ? null : { step: this.scene.order[this.bars.at[bar]], many: this.bars.many?.[bar] ?? 1 };
  }

  /** Where the bars of times end, at the bottom. */
  get floor() {
    return this.size.height - BELOW - (this.scene?.rates ? STRIP : 0);
  }

  paint() {
    const { context, size, scene, view, painted } = this;
    if (scene === null) {
      return;
    }
    const now = { scene, size, from: view.from, span: view.span, dark: isDark() };
    if (painted === null || painted.scene !== scene || painted.size !== size || painted.from !== now.from || painted.span !== now.span || painted.dark !== now.dark) {
      this.painted = now;
      this.#paintAll(scene);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    const bar = this.press?.moved || this.pointer < 0 ? -1 : barAt(this.bars, this.pointer);
    if (bar >= 0) {
      const { left, right } = this.#sidesOf(this.bars.left[bar], 1);
      context.globalAlpha = 0.09;
      context.fillStyle = this.colour("--text");
      context.fillRect(left, 0, right - left, size.height);
      context.globalAlpha = 1;
    }
    this.#paintPicked(scene);
  }

  /**
   * Draws the picture: all but what changes with the mouse and with the step that is chosen.
   * @param {Scene} scene
   */
  #paintAll(scene) {
    const { pen, picture, canvas, size } = this;
    picture.width = canvas.width;
    picture.height = canvas.height;
    pen.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    pen.fillStyle = this.colour("--surface");
    pen.fillRect(0, 0, size.width, size.height);
    pen.font = FONT;
    pen.textBaseline = "middle";
    this.bars = barsOf(scene, this.view, this.room);
    const { heights, order } = scene;
    const most = topOf(Float64Array.from(this.bars.at, (place) => heights[order[place]]), scene.median);
    const scale = (this.floor - ABOVE) / (most || 1);
    this.#paintAxis(most, scale);
    this.#paintBars(scale);
    this.#paintBreaks(most);
    if (!scene.sorted) {
      this.#paintGaps();
    }
    this.#paintMedian(scale);
    this.#paintSlow(scale);
    if (scene.rates) {
      this.#paintRates();
    }
    this.#paintNumbers();
  }

  /**
   * @param {number} most
   * @param {number} scale
   */
  #paintAxis(most, scale) {
    const { pen: context, floor, size } = this;
    const median = floor - scale * /** @type {Scene} */ (this.scene).median;
    context.textAlign = "right";
    for (const tick of ticksOf(most, (floor - ABOVE) / 44, 10)) {
      const y = Math.round(floor - tick * scale);
      context.fillStyle = this.colour("--line");
      context.fillRect(LEFT, y, size.width - LEFT, 1);
      if (Math.abs(y - median) > MEDIAN) {
        context.fillStyle = this.colour("--quiet");
        context.fillText(time(tick), LEFT - 8, y);
      }
    }
  }

  /**
   * The sides of a bar, on whole pixels.
   * @param {number} left  of its slot, in pixels of the bars
   * @param {number} part  of the slot
   */
  #sidesOf(left, part = this.bars.wide < 3 ? 1 : this.bars.wide < 10 ? 0.8 : 0.72) {
    const { wide } = this.bars;
    const margin = (wide * (1 - part)) / 2;
    const from = Math.round(LEFT + left + margin);
    return { left: from, right: Math.max(from + 1, Math.round(LEFT + left + wide - margin)) };
  }

  /** Draws within the room of the bars: one at its edge may be partly outside. @param {() => void} draw */
  #clipped(draw) {
    const { pen: context, size } = this;
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, this.room + 1, size.height);
    context.clip();
    draw();
    context.restore();
  }

  /** @param {number} scale */
  #paintBars(scale) {
    const { pen: context, bars, floor } = this;
    const { steps, order, shown, paints } = /** @type {Scene} */ (this.scene);
    const below = new Float64Array(bars.at.length); // what is drawn of each bar
    const isWide = bars.wide >= 10;
    this.#clipped(() => {
      steps.times.forEach((times, phase) => {
        if (!shown[phase]) {
          return;
        }
        context.fillStyle = this.colour(paints[phase]);
        bars.at.forEach((place, bar) => {
          const part = times[order[place]];
          const bottom = Math.round(floor - below[bar] * scale);
          below[bar] += part;
          const top = Math.max(ABOVE, Math.round(floor - below[bar] * scale));
          if (top < bottom) {
            const { left, right } = this.#sidesOf(bars.left[bar]);
            const line = isWide && below[bar] > part && bottom - top > 3 ? 1 : 0; // between phases
            context.fillRect(left, top, right - left, bottom - top - line);
          }
        });
      });
    });
    context.fillStyle = this.colour("--line-strong");
    context.fillRect(LEFT, floor, this.size.width - LEFT, 1);
  }

  /**
   * Marks the bars that are higher than what is drawn: a break near their top, and their height where that has room.
   * @param {number} most
   */
  #paintBreaks(most) {
    const { pen: context, bars } = this;
    const { order, heights } = /** @type {Scene} */ (this.scene);
    context.textAlign = "center";
    const cut = Array.from(bars.at, (_, bar) => bar).filter((bar) => heights[order[bars.at[bar]]] > most * 1.0001);
    cut.sort((a, b) => heights[order[bars.at[b]]] - heights[order[bars.at[a]]]);
    /** @type {[from: number, to: number][]} */
    const taken = []; // by texts: the highest bars have theirs first
    for (const bar of cut) {
      const { left, right } = this.#sidesOf(bars.left[bar]);
      context.fillStyle = this.colour("--surface");
      context.beginPath();
      context.moveTo(left - 1, ABOVE + 13);
      context.lineTo(right + 1, ABOVE + 8);
      context.lineTo(right + 1, ABOVE + 11);
      context.lineTo(left - 1, ABOVE + 16);
      context.fill();
      const text = time(heights[order[bars.at[bar]]]);
      const half = context.measureText(text).width / 2 + 3;
      const middle = Math.max(LEFT, Math.min((left + right) / 2, this.size.width - half));
      if (taken.every(([from, to]) => middle + half < from || middle - half > to)) {
        context.fillStyle = this.colour("--text");
        context.fillText(text, middle, 8);
        taken.push([middle - half, middle + half]);
      }
    }
  }

  #paintGaps() {
    const { pen: context, bars, view } = this;
    const { slots } = /** @type {Scene} */ (this.scene);
    if (bars.wide < 3 || bars.many !== null) {
      return;
    }
    context.strokeStyle = this.colour("--line-strong");
    context.lineWidth = 1;
    context.setLineDash([2, 3]);
    context.beginPath();
    for (const place of bars.at) {
      const gap = place > 0 ? slots[place] - slots[place - 1] - 1 : 0;
      const x = Math.round(LEFT + (slots[place] - gap / 2 - view.from) * bars.wide) + 0.5;
      if (gap > 0 && x > LEFT) {
        context.moveTo(x, ABOVE / 2);
        context.lineTo(x, this.size.height);
      }
    }
    context.stroke();
    context.setLineDash([]);
  }

  /** @param {number} scale */
  #paintMedian(scale) {
    const { pen: context, floor, size } = this;
    const { median } = /** @type {Scene} */ (this.scene);
    const y = Math.round(floor - median * scale) + 0.5;
    context.strokeStyle = context.fillStyle = this.colour("--text");
    context.lineWidth = 1;
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(LEFT, y);
    context.lineTo(size.width, y);
    context.stroke();
    context.setLineDash([]);
    context.textAlign = "right";
    context.fillText("median", LEFT - 8, y - 8);
    context.fillText(time(median), LEFT - 8, y + 8);
  }

  /**
   * Marks slow steps above their bars.
   * @param {number} scale
   */
  #paintSlow(scale) {
    const { pen: context, bars, floor } = this;
    const { steps, order, heights } = /** @type {Scene} */ (this.scene);
    context.fillStyle = this.colour("--warn");
    this.#clipped(() => {
      bars.at.forEach((place, bar) => {
        const step = order[place];
        if (steps.slow[step] === 1) {
          const { left, right } = this.#sidesOf(bars.left[bar]);
          if (bars.wide < 4) {
            context.fillRect(left, ABOVE - 10, right - left, 5); // all at one height: many may stand side by side
            return;
          }
          const [middle, top] = [(left + right) / 2, Math.max(ABOVE, Math.round(floor - heights[step] * scale)) - 3];
          const half = Math.min(5, Math.max(3, bars.wide / 3));
          context.beginPath();
          context.moveTo(middle - half, top - 1.5 * half);
          context.lineTo(middle + half, top - 1.5 * half);
          context.lineTo(middle, top);
          context.fill();
        }
      });
    });
  }

  /** The strip of items a second. */
  #paintRates() {
    const { pen: context, bars, floor, size } = this;
    const { steps, order } = /** @type {Scene} */ (this.scene);
    const bottom = size.height - BELOW;
    const top = floor + HEADING + 6;
    const rates = Float64Array.from(bars.at, (place) => steps.rates[order[place]]);
    const most = rates.reduce((high, rate) => (rate > high ? rate : high), 0);
    context.textAlign = "left";
    context.fillStyle = this.colour("--quiet");
    context.fillText("items a second", LEFT, floor + HEADING / 2 + 3);
    context.textAlign = "right";
    context.fillText(rateText(most), LEFT - 8, top + 4);
    context.fillText("0", LEFT - 8, bottom - 2);
    context.fillStyle = this.colour("--st-rate");
    this.#clipped(() => {
      rates.forEach((rate, bar) => {
        const high = Math.round(((bottom - top) * rate) / (most || 1));
        if (high > 0) {
          const { left, right } = this.#sidesOf(bars.left[bar]);
          context.fillRect(left, bottom - high, right - left, high);
        }
      });
    });
    context.fillStyle = this.colour("--line-strong");
    context.fillRect(LEFT, bottom, size.width - LEFT, 1);
  }

  /**
   * A frame around the picked step.
   * @param {Scene} scene
   */
  #paintPicked({ order, slots }) {
    const { context, view, bars } = this;
    const at = order.indexOf(this.picked);
    if (at < 0) {
      return;
    }
    const wide = this.room / view.span;
    const from = (slots[at] - view.from) * wide;
    const middle = LEFT + from + Math.max(1, wide) / 2;
    if (middle < LEFT || middle > LEFT + this.room) {
      return;
    }
    const half = Math.max(3, bars.wide / 2);
    context.strokeStyle = this.colour("--accent");
    context.lineWidth = 2;
    context.beginPath();
    context.roundRect(Math.round(middle - half), 3, Math.round(2 * half), this.size.height - 6, 3);
    context.stroke();
  }

  /** The numbers of steps, at round distances, and where steps begin that do not follow on. */
  #paintNumbers() {
    const { pen: context, view, size } = this;
    const { steps, order, slots, sorted } = /** @type {Scene} */ (this.scene);
    const wide = this.room / view.span;
    const y = size.height - BELOW / 2;
    context.fillStyle = this.colour("--quiet");
    context.textAlign = "left";
    context.fillText("step", 8, y);
    context.textAlign = "center";
    const [first, last] = [placeFrom(slots, view.from - 0.5), placeFrom(slots, view.from + view.span)];
    const digits = String(order.reduce((most, step) => Math.max(most, steps.number[step]), 0)).length;
    const stride = strideOf(wide, 7 * digits + 16);
    if (sorted && stride > 1) {
      context.textAlign = "left";
      context.fillText("the longest first", LEFT, y);
      return;
    }
    let until = -Infinity;
    for (let at = first; at < last; at++) {
      const number = steps.number[order[at]];
      const isFirst = at === 0 || slots[at] > slots[at - 1] + 1;
      if (number % stride === 0 || isFirst) {
        const text = String(number);
        const half = context.measureText(text).width / 2;
        const x = LEFT + (slots[at] + 0.5 - view.from) * wide;
        if (x - half > until && x - half >= LEFT - 8 && x + half <= size.width) {
          context.fillText(text, x, y);
          until = x + half + 10;
        }
      }
    }
  }

  #listen() {
    const { element, canvas } = this;
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#over(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", () => (this.press = null));
    canvas.addEventListener("pointerleave", () => this.#leave());
    canvas.addEventListener("dblclick", (event) => {
      const hit = this.hitAt(event.offsetX - LEFT);
      if (hit !== null) {
        this.hands.onOpen(hit.step);
      }
    });
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const { way, by } = wheelOf(event);
    this.hands.onHover(null, 0, 0);
    if (way === "zoom") {
      this.zoom(by, Math.max(0, Math.min(1, (event.offsetX - LEFT) / this.room)));
    } else {
      this.move({ from: this.view.from + (by / this.room) * this.view.span, span: this.view.span });
      this.settle();
    }
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button === 0) {
      this.press = { x: event.offsetX, from: this.view.from, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    }
  }

  /** @param {PointerEvent} event */
  #over(event) {
    const { press } = this;
    this.pointer = event.offsetX - LEFT;
    if (press !== null && (press.moved || Math.abs(event.offsetX - press.x) >= DRAG)) {
      press.moved = true;
      this.hands.onHover(null, 0, 0);
      this.move({ from: press.from - ((event.offsetX - press.x) / this.room) * this.view.span, span: this.view.span });
      return;
    }
    const hit = this.hitAt(this.pointer);
    this.element.classList.toggle("over", hit !== null);
    this.hands.onHover(hit, event.clientX, event.clientY);
    this.draw();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { press } = this;
    this.press = null;
    if (press?.moved) {
      this.hands.onMoved();
    } else if (press !== null) {
      this.hands.onPick(this.hitAt(event.offsetX - LEFT)?.step ?? -1);
    }
  }

  #leave() {
    this.pointer = -1;
    this.element.classList.remove("over");
    this.hands.onHover(null, 0, 0);
    this.draw();
  }
}
