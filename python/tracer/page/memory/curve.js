// The curve of memory: live bytes, and what of the process is in real memory, over the run. The peak and the end are
// marked, and a click there shows who had the memory then.

import { FONT } from "../flame/labels.js";
import { Canvas, ticksOf } from "../ui/canvas.js";
import { h } from "../ui/dom.js";
import { bytes, exactBytes, time } from "../ui/format.js";
import { coloursNow } from "../ui/theme.js";
import { placeOfMost, stretchAt } from "./model.js";

/**
 * @typedef {import("./model.js").Curve} Curve
 * @typedef {import("../container.js").Measure} Measure
 * @typedef {"live" | "peak"} Mark
 * @typedef {object} Hands
 * @property {(mark: Mark) => void} onPick
 * @property {(tip: HTMLElement | null, x: number, y: number) => void} onHover
 * @property {(text: string) => void} say
 */

const [LEFT, RIGHT, ABOVE, BELOW] = [68, 14, 20, 20]; // pixels beside the curve
const FAR = 3; // times the live memory, from which on the process has a scale of its own
const STEP = 0.02; // of the run, that an arrow key moves by

export class CurveChart extends Canvas {
  /**
   * @param {Curve} curve
   * @param {{live: number, peak: number}} sizes  bytes at the marks
   * @param {Hands} hands
   * @param {boolean} [isRunning]  whether the program is: its end is now
   */
  constructor(curve, sizes, hands, isRunning = false) {
    super("mem-chart", "curve of memory", "Live memory over the run: arrows move, Enter shows who had it at the peak, End at the end");
    this.isRunning = isRunning;
    this.colour = coloursNow();
    this.curve = curve;
    this.sizes = sizes;
    this.hands = hands;
    this.length = Math.max(1, curve.at.at(-1) ?? 1);
    const [live, resident] = [curve.most, curve.resident].map((values) => values.reduce((most, it) => Math.max(most, it), 0));
    this.hasResident = resident > 0;
    this.hasScale = resident > FAR * live; // on the right: live memory would be a flat line
    this.top = Math.max(1, live, this.hasScale ? 0 : resident);
    this.topOfResident = this.hasScale ? resident : this.top;
    /** @type {Record<Mark, number>} moments */
    this.moments = { live: this.length, peak: curve.at[Math.max(0, placeOfMost(curve.most))] ?? 0 };
    /** @type {Measure} */
    this.chosen = "live";
    this.pointer = -1; // the moment at the mouse, or that keys moved to
    const { canvas, element } = this;
    canvas.addEventListener("pointermove", (event) => this.#over(event));
    canvas.addEventListener("pointerleave", () => this.#leave());
    canvas.addEventListener("click", (event) => hands.onPick(this.markAt(event.offsetX)));
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("blur", () => this.#leave());
  }

  /** Pixels that the run has. */
  get room() {
    return Math.max(1, this.size.width - LEFT - (this.hasScale ? LEFT : RIGHT));
  }

  /** @param {Measure} measure */
  choose(measure) {
    this.chosen = measure;
    this.draw();
  }

  /** @param {number} moment */
  across(moment) {
    return LEFT + (this.room * moment) / this.length;
  }

  /**
   * @param {number} size
   * @param {number} [top]  of the scale
   */
  #up(size, top = this.top) {
    return ABOVE + (this.size.height - ABOVE - BELOW) * (1 - size / top);
  }

  /**
   * The mark that a click at a pixel means: the nearer one.
   * @param {number} x
   * @returns {Mark}
   */
  markAt(x) {
    const { live, peak } = this.moments;
    return Math.abs(x - this.across(peak)) <= Math.abs(x - this.across(live)) ? "peak" : "live";
  }

  /** @param {PointerEvent} event */
  #over(event) {
    this.pointer = Math.max(0, Math.min(1, (event.offsetX - LEFT) / this.room)) * this.length;
    const mark = this.markAt(event.offsetX);
    this.hands.onHover(this.#tip(mark), event.clientX, event.clientY);
    this.draw();
  }

  #leave() {
    this.pointer = -1;
    this.hands.onHover(null, 0, 0);
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = event.key === "ArrowLeft" ? -STEP : event.key === "ArrowRight" ? STEP : 0;
    if (step !== 0) {
      const from = this.pointer < 0 ? this.moments.peak : this.pointer;
      this.pointer = Math.max(0, Math.min(this.length, from + step * this.length));
      this.hands.say(this.#textsAtPointer().join(", "));
      this.draw();
    } else if (event.key === "Enter" || event.key === "Home" || event.key === "End") {
      this.hands.onPick(event.key === "End" ? "live" : "peak");
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation(); // the keys of the view are not meant
  }

  /** What was at the pointer's moment. */
  #textsAtPointer() {
    const { curve, pointer } = this;
    const place = Math.max(0, stretchAt(curve.at, pointer));
    const [least, most, last, resident] = [curve.least, curve.most, curve.last, curve.resident].map((values) => values[place] ?? 0);
    const between = most - least > 1024 ? `between ${bytes(least)} and ${bytes(most)}` : "";
    return [`${time(pointer)} into the run`, `${bytes(last)} live`, between, resident > 0 ? `${bytes(resident)} of the process in real memory` : ""].filter(Boolean);
  }

  /** @param {Mark} mark */
  #tip(mark) {
    const [when, ...rest] = this.#textsAtPointer();
    const leads = mark === "peak" ? "A click shows who had the memory at the peak" : this.isRunning ? "A click shows who has the memory now" : "A click shows who had the memory at the end";
    return h(
      "div",
      null,
      h("strong", null, when),
      ...rest.map((line) => h("div", null, line)),
      h("div", { class: "quiet" }, `${mark === "peak" ? "Peak" : this.isRunning ? "Now" : "End"}: ${exactBytes(this.sizes[mark])}`),
      h("div", { class: "quiet" }, leads),
    );
  }

  paint() {
    const { context, size } = this;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = this.colour("--surface");
    context.fillRect(0, 0, size.width, size.height);
    context.font = FONT;
    context.textBaseline = "middle";
    this.#paintAxes();
    this.#paintLive();
    this.#paintResident();
    this.#paintKey(this.#paintMarks());
    if (this.pointer >= 0) {
      context.fillStyle = this.colour("--quiet");
      context.fillRect(Math.round(this.across(this.pointer)), ABOVE, 1, size.height - ABOVE - BELOW);
    }
  }

  #paintAxes() {
    const { context, size } = this;
    const floor = size.height - BELOW;
    context.textAlign = "right";
    for (const tick of ticksOf(this.top, (floor - ABOVE) / 30, 2)) {
      const y = Math.round(this.#up(tick));
      context.fillStyle = this.colour(tick === 0 ? "--line-strong" : "--line");
      context.fillRect(LEFT, y, this.room, 1);
      context.fillStyle = this.colour("--quiet");
      context.fillText(bytes(tick), LEFT - 8, y);
    }
    context.fillStyle = this.colour("--mem-resident");
    context.textAlign = "left";
    for (const tick of this.hasScale ? ticksOf(this.topOfResident, (floor - ABOVE) / 30, 2) : []) {
      context.fillText(bytes(tick), size.width - LEFT + 8, Math.round(this.#up(tick, this.topOfResident)));
    }
    for (const tick of ticksOf(this.length, this.room / 110, 10)) {
      const x = this.across(tick);
      context.fillStyle = this.colour("--line-strong");
      context.fillRect(Math.round(x), floor, 1, 4);
      context.fillStyle = this.colour("--quiet");
      context.textAlign = x > size.width - 40 ? "right" : "center";
      context.fillText(time(tick), Math.min(x, size.width - 4), floor + 11);
    }
  }

  /**
   * Goes along values as steps.
   * @param {Float64Array} values
   * @param {number} first  the stretch to begin with
   * @param {number} [top]  of the scale
   */
  #trace(values, first = 0, top = this.top) {
    const { context, curve, length } = this;
    for (let at = first; at < values.length; at++) {
      const y = this.#up(values[at], top);
      context.lineTo(this.across(curve.at[at]), y);
      context.lineTo(this.across(at + 1 < values.length ? curve.at[at + 1] : length), y);
    }
  }

  #paintLive() {
    const { context, curve, size } = this;
    const floor = size.height - BELOW;
    for (const [values, name] of /** @type {const} */ ([[curve.most, "--mem-range"], [curve.last, "--mem-fill"]])) {
      context.fillStyle = this.colour(name);
      context.beginPath();
      context.moveTo(LEFT, floor);
      this.#trace(values);
      context.lineTo(this.across(this.length), floor);
      context.fill();
    }
    context.strokeStyle = this.colour("--mem-live");
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.beginPath();
    this.#trace(curve.last);
    context.stroke();
  }

  #paintResident() {
    const { context, curve } = this;
    const first = curve.resident.findIndex((resident) => resident > 0);
    if (first < 0) {
      return;
    }
    context.strokeStyle = this.colour("--mem-resident");
    context.lineWidth = 1.5;
    context.setLineDash([5, 3]);
    context.beginPath();
    this.#trace(curve.resident, first, this.topOfResident);
    context.stroke();
    context.setLineDash([]);
  }

  /**
   * The marks, and above them what they are.
   * @returns {[from: number, to: number][]} pixels that the texts take, from left to right
   */
  #paintMarks() {
    const { context, curve, size, sizes, moments, chosen } = this;
    const heights = { live: curve.last.at(-1) ?? 0, peak: curve.most[Math.max(0, placeOfMost(curve.most))] ?? 0 };
    let end = size.width - 4; // where the text on the right begins
    /** @type {[number, number][]} */
    const taken = [];
    for (const mark of /** @type {Mark[]} */ (["live", "peak"])) {
      const [x, y] = [this.across(moments[mark]), this.#up(heights[mark])];
      const isChosen = chosen === mark;
      context.globalAlpha = 0.45;
      context.fillStyle = this.colour("--warn");
      context.fillRect(Math.round(x), ABOVE - 4, 1, y - ABOVE + 4);
      context.globalAlpha = 1;
      context.fillStyle = isChosen ? this.colour("--warn") : this.colour("--surface");
      context.strokeStyle = this.colour("--warn");
      context.lineWidth = 2;
      context.beginPath();
      context.arc(x, y, isChosen ? 5 : 4, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
      const text = `${mark === "peak" ? "peak" : this.isRunning ? "now" : "end"} ${bytes(sizes[mark])}`;
      const wide = context.measureText(text).width;
      const left = Math.max(4, Math.min(x - wide / 2, end - wide));
      context.fillStyle = isChosen ? this.colour("--warn") : this.colour("--text");
      context.textAlign = "left";
      context.fillText(text, left, ABOVE / 2);
      taken.unshift([left, left + wide]);
      end = left - 14;
    }
    return taken;
  }

  /**
   * What the lines are, in the first gap between the texts that has room for it.
   * @param {[from: number, to: number][]} taken
   */
  #paintKey(taken) {
    const { context, size } = this;
    const resident = this.hasScale ? "process (RSS), on the right" : "process (RSS)";
    const legend = [["live", "--mem-live"], ...(this.hasResident ? [[resident, "--mem-resident"]] : [])];
    const wide = legend.reduce((sum, [text]) => sum + context.measureText(text).width + 37, 0);
    const starts = [LEFT, ...taken.map(([, to]) => Math.max(LEFT, to + 18))];
    const ends = [...taken.map(([from]) => from), size.width];
    let x = starts.find((start, gap) => start + wide <= ends[gap]) ?? Infinity;
    context.textAlign = "left";
    for (const [text, name] of legend) {
      context.fillStyle = this.colour(name);
      context.fillRect(x, ABOVE / 2 - 1, 14, 2);
      context.fillStyle = this.colour("--quiet");
      context.fillText(text, x + 19, ABOVE / 2);
      x += 37 + context.measureText(text).width;
    }
  }
}
