// The canvas with the tracks, to move in: wheel, drag, keys. What a click leads to is its owner's.

import { Canvas, DRAG, isStill, wheelOf } from "../ui/canvas.js";
import { around, between, panned, partOf, revealing, timeAt, wholeOf, zoomed } from "./camera.js";
import { drawnFlows, FlowEnds, flowsIn } from "./flows.js";
import { drawFlows, drawRange, drawRuler, RULER } from "./overlay.js";
import { Pen, ROW } from "./painter.js";

/**
 * @typedef {import("./camera.js").View} View
 * @typedef {import("./camera.js").Bounds} Bounds
 * @typedef {import("./painter.js").Scene} Scene
 * @typedef {import("./tracks.js").Item} Item
 * @typedef {import("./track_list.js").TrackList} TrackList
 * @typedef {import("./track_list.js").Placed} Placed
 * @typedef {{from: number, to: number}} Range
 * @typedef {object} Owner
 * @property {(item: Item | null) => void} onPick
 * @property {(item: Item) => void} onOpen  by a double click
 * @property {(item: Item | null, x: number, y: number) => void} onHover
 * @property {(range: Range | null) => void} onRange  by a drag
 * @property {() => void} onMoved  a while after a movement has ended
 * @property {() => void} onDrawn
 */

const NEAR = 3; // pixels beside a narrow box that count as the box

export class Chart extends Canvas {
  /**
   * @param {TrackList} list
   * @param {Bounds} bounds
   * @param {Owner} owner
   */
  constructor(list, bounds, owner) {
    super("tl-chart", "timeline", "Timeline");
    this.list = list;
    this.bounds = bounds;
    this.owner = owner;
    /** @type {Scene | null} */
    this.scene = null;
    this.view = wholeOf(bounds);
    this.scroll = 0;
    /** @type {Item | null} */
    this.picked = null;
    /** @type {Item | null} */
    this.hovered = null;
    /** @type {Range | null} */
    this.range = null;
    /** @type {import("./model.js").Flow[]} */
    this.flows = [];
    this.flowEnds = new FlowEnds(list);
    this.flowsWay = ""; // as drawnFlows() has it
    this.hidesFlows = false; // some that are in sight
    /** @type {Set<import("./model.js").Flow>} those that begin or end in what is picked */
    this.litFlows = new Set();
    this.pointer = -1; // where the mouse is, from the left
    this.pointerTop = 0; // and from the top
    /** @type {{from: View, to: View, scroll: number, toScroll: number, since: number} | null} */
    this.motion = null;
    /** @type {{x: number, y: number, view: View, scroll: number, way: "range" | "pan", dragged: boolean} | null} */
    this.press = null;
    this.#listen();
  }

  /** @param {Item | null} item */
  pick(item) {
    this.picked = item;
    this.litFlows = new Set(item === null ? [] : [...flowsIn(this.flows, item, "from"), ...flowsIn(this.flows, item, "to")]);
  }

  /** What is on the screen once nothing moves any more. */
  get goal() {
    return this.motion === null ? this.view : this.motion.to;
  }

  get goalScroll() {
    return this.motion === null ? this.scroll : this.motion.toScroll;
  }

  /** Pixels for tracks that scroll. */
  get room() {
    return Math.max(ROW, this.size.height - RULER - this.#pinnedHeight);
  }

  get #pinnedHeight() {
    return Math.min(this.list.pinnedHeight, (this.size.height - RULER) * 0.6);
  }

  /** Pixels above the tracks that scroll. */
  get above() {
    return RULER + this.#pinnedHeight;
  }

  /** @param {number} scroll */
  #bounded(scroll) {
    return Math.max(0, Math.min(scroll, this.list.height + ROW - this.room));
  }

  /**
   * @param {View} view
   * @param {number} [scroll]
   * @param {boolean} [moving]
   */
  move(view, scroll = this.goalScroll, moving = true) {
    const to = this.#bounded(scroll);
    if (!moving || isStill()) {
      this.motion = null;
      this.view = view;
      this.scroll = to;
    } else {
      this.motion = { from: this.view, to: view, scroll: this.scroll, toScroll: to, since: performance.now() };
    }
    this.draw();
    this.settle();
  }

  /** @param {number} factor  below 1: closer; at the mouse, if it is over the chart */
  zoom(factor) {
    const part = this.pointer >= 0 ? this.pointer / this.size.width : 0.5;
    this.move(zoomed(this.goal, part, factor, this.bounds));
  }

  /** @param {number} share  of the screen */
  pan(share) {
    this.move(panned(this.goal, share, this.bounds));
  }

  /** @param {number} pixels */
  scrollBy(pixels) {
    this.move(this.goal, this.goalScroll + pixels);
  }

  /** @param {Range} range */
  fit({ from, to }) {
    const view = around(from, to, this.bounds);
    this.arrange(view);
    this.move(view, this.picked === null ? this.goalScroll : this.#scrollFor(this.picked));
  }

  get wholeView() {
    return wholeOf(this.bounds);
  }

  reset() {
    this.move(this.wholeView);
  }

  /**
   * Brings an item on the screen.
   * @param {Item} item
   * @param {boolean} [moving]
   */
  reveal(item, moving = true) {
    this.fitRoom();
    const view = revealing(this.goal, item.start, item.end, this.bounds);
    this.arrange(view);
    this.move(view, this.#scrollFor(item), moving);
  }

  /** What is picked stays in sight where the chart has become lower. */
  keepPicked() {
    this.fitRoom();
    if (this.picked !== null) {
      this.move(this.goal, this.#scrollFor(this.picked));
    }
  }

  /** Takes the size that it has: the panel may have come, or gone. */
  fitRoom() {
    if (this.element.clientHeight !== this.size.height) {
      this.resize();
    }
  }

  /**
   * Gives each track the height that a view needs. What is under the mouse, else what is picked, stays where it is.
   * @param {View} view
   */
  arrange({ origin, rest, span }) {
    const under = this.pointer < 0 ? null : this.itemAt(this.pointer, this.pointerTop);
    const kept = under ?? this.picked;
    const track = kept?.track ?? this.#trackAt(this.pointer < 0 ? this.above : this.pointerTop)?.track;
    const before = track === undefined ? null : this.#heightOfRow(track.id, kept?.row ?? 0);
    const room = this.size.height - RULER;
    if (this.list.fit(origin + rest, origin + rest + span, room) && before !== null && track !== undefined) {
      const moved = (this.#heightOfRow(track.id, kept?.row ?? 0) ?? before) - before;
      this.scroll += moved;
      if (this.motion !== null) {
        this.motion.scroll += moved;
        this.motion.toScroll = this.#bounded(this.motion.toScroll + moved);
      }
      this.draw();
    }
  }

  /**
   * Where a row of a track is among those that scroll.
   * @param {string} id
   * @param {number} row
   */
  #heightOfRow(id, row) {
    const placed = this.list.find(id);
    return placed === null || placed.pinned ? null : placed.top + placed.track.boxOf(row, placed.collapsed).top;
  }

  /**
   * How far the tracks are to be scrolled for an item to be in sight.
   * @param {Item} item
   */
  #scrollFor(item) {
    const placed = this.list.find(item.track.id);
    const scroll = this.goalScroll;
    if (placed === null || placed.pinned) {
      return scroll;
    }
    const box = item.track.boxOf(item.row, placed.collapsed);
    const top = placed.top + box.top;
    return top < scroll ? top - 2 * ROW : top + box.height > scroll + this.room ? top + box.height + 2 * ROW - this.room : scroll;
  }

  /** @override */
  paint() {
    const { scene, size, context } = this;
    if (scene === null || size.height <= RULER) {
      return;
    }
    if (this.motion !== null) {
      const { from, to, scroll, toScroll, since } = this.motion;
      const part = this.passed(since);
      this.view = between(from, to, part);
      this.scroll = scroll + (toScroll - scroll) * (1 - (1 - part) ** 3);
      this.motion = part < 1 ? this.motion : null;
    }
    this.scroll = this.#bounded(this.scroll);
    const { shades } = scene;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = shades.ground;
    context.fillRect(0, 0, size.width, size.height);
    const pen = new Pen(context, scene, this.view, size);
    this.#drawTracks(pen, false, this.above, size.height);
    if (this.list.pinned.length > 0) {
      this.#drawTracks(pen, true, RULER, this.above);
      context.fillStyle = shades.strong;
      context.fillRect(0, this.above - 1, size.width, 1);
    }
    const flows = drawnFlows(this.flows, this.flowsWay, this.litFlows, pen.from, pen.to);
    this.hidesFlows = this.flowsWay !== "all" && flows.length < drawnFlows(this.flows, "all", this.litFlows, pen.from, pen.to).length;
    drawFlows(pen, flows, this.litFlows, (flow, side) => this.#heightOf(flow, side));
    drawRange(pen, this.range);
    drawRuler(pen, this.view, this.range, this.press === null ? this.pointer : -1);
    const { room, above, scroll } = this;
    this.drawThumb(shades.ring, { whole: this.list.height + ROW, room, scroll, above });
    this.owner.onDrawn();
  }

  /**
   * @param {Pen} pen
   * @param {boolean} pinned
   * @param {number} from
   * @param {number} to
   */
  #drawTracks(pen, pinned, from, to) {
    const { context, size } = this;
    context.save();
    context.beginPath();
    context.rect(0, from, size.width, to - from);
    context.clip();
    pen.floor = from;
    for (const placed of this.list.placed) {
      const top = this.#topOf(placed);
      if (placed.pinned === pinned && placed.height > 0 && top < to && top + placed.height > from) {
        placed.track.paint(pen, top, placed.collapsed, to);
        pen.flush();
        context.globalAlpha = 1;
        pen.alpha = 1;
        context.fillStyle = pen.fill = pen.scene.shades.line;
        context.fillRect(0, top + placed.height - 1, size.width, 1);
      }
    }
    pen.finish();
    for (const [item, colour, width] of /** @type {[Item | null, string, number][]} */ ([
      [this.hovered, pen.scene.shades.hover, 1.5],
      [this.picked, pen.scene.shades.ring, 2],
    ])) {
      const placed = item === null ? null : this.list.find(item.track.id);
      if (item !== null && placed !== null && placed.pinned === pinned) {
        const box = item.track.boxOf(item.row, placed.collapsed);
        if (box.top < placed.height) {
          pen.ring(item.start, item.end, this.#topOf(placed) + box.top, box.height, colour, width);
        }
      }
    }
    context.restore();
  }

  /** @param {Placed} placed */
  #topOf({ top, pinned }) {
    return pinned ? RULER + top : this.above + top - this.scroll;
  }

  /**
   * Where an arrow begins or ends, from the top; what is out of sight, at the edge.
   * @param {import("./model.js").Flow} flow
   * @param {"from" | "to"} side
   */
  #heightOf(flow, side) {
    const { id, row } = this.flowEnds.of(flow, side);
    const placed = this.list.find(id);
    if (placed === null) {
      return this.above;
    }
    const { top, height } = placed.track.boxOf(row, placed.collapsed);
    return Math.max(placed.pinned ? RULER : this.above, this.#topOf(placed) + Math.min(top, placed.height) + height / 2);
  }

  /** @override */
  settled() {
    if (this.press === null) {
      this.arrange(this.goal);
    }
    this.owner.onMoved();
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#over(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", () => (this.press = null));
    canvas.addEventListener("pointerleave", () => {
      this.pointer = -1;
      this.#hover(null, 0, 0);
      this.draw();
    });
    canvas.addEventListener("dblclick", (event) => {
      const item = this.itemAt(event.offsetX, event.offsetY);
      if (item !== null) {
        this.owner.onOpen(item);
      }
    });
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  itemAt(x, y) {
    const { size, view, scene } = this;
    const placed = y < RULER || scene === null ? null : this.#trackAt(y);
    return placed === null
      ? null
      : placed.track.at(timeAt(view, x / size.width), (NEAR * view.span) / size.width, y - this.#topOf(placed), placed.collapsed);
  }

  /** @param {number} y */
  #trackAt(y) {
    const pinned = y < this.above;
    return this.list.placed.find((placed) => {
      const top = this.#topOf(placed);
      return placed.pinned === pinned && y >= top && y < top + placed.height;
    }) ?? null;
  }

  /**
   * Where an item is in the window.
   * @param {Item} item
   */
  placeOf(item) {
    const placed = this.list.find(item.track.id);
    const box = this.canvas.getBoundingClientRect();
    const part = Math.max(0, Math.min(1, partOf(this.view, (item.start + item.end) / 2)));
    const top = placed === null ? this.above : this.#topOf(placed) + item.track.boxOf(item.row, placed.collapsed).top;
    return { x: box.left + part * this.size.width, y: box.top + top + 8 };
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const { way, by } = wheelOf(event);
    const { goal, goalScroll, size, bounds } = this;
    this.motion = null;
    if (way === "scroll") {
      this.scroll = this.#bounded(goalScroll + by);
      this.view = goal;
    } else if (way === "pan") {
      this.view = panned(goal, by / size.width, bounds);
    } else {
      this.view = zoomed(goal, event.offsetX / size.width, by, bounds);
    }
    this.#hover(null, 0, 0);
    this.draw();
    this.settle();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button > 1) {
      return;
    }
    const pans = event.shiftKey || event.button === 1 || event.offsetY < RULER;
    const { clientX: x, clientY: y } = event;
    this.press = { x, y, view: this.view, scroll: this.scroll, way: pans ? "pan" : "range", dragged: false };
    this.canvas.setPointerCapture(event.pointerId);
    this.element.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event */
  #over(event) {
    const { press, size, bounds } = this;
    this.pointer = event.offsetX;
    this.pointerTop = event.offsetY;
    this.draw();
    if (press === null) {
      this.#hover(this.itemAt(event.offsetX, event.offsetY), event.clientX, event.clientY);
      return;
    }
    const across = event.clientX - press.x;
    const along = event.clientY - press.y;
    if (!press.dragged && (press.way === "pan" ? Math.hypot(across, along) : Math.abs(across)) > DRAG) {
      press.dragged = true;
      this.motion = null;
      this.#hover(null, 0, 0);
      this.element.classList.add(press.way === "pan" ? "dragged" : "ranging");
    }
    if (press.dragged && press.way === "pan") {
      this.view = panned(press.view, -across / size.width, bounds);
      this.scroll = this.#bounded(press.scroll - along);
    } else if (press.dragged) {
      this.range = this.#rangeTo(event.offsetX);
    }
  }

  /** @param {number} x */
  #rangeTo(x) {
    const { press, size, view, bounds } = this;
    const begun = /** @type {{x: number}} */ (press).x - this.canvas.getBoundingClientRect().left;
    const times = [begun, x].map((place) => Math.round(timeAt(view, Math.max(0, Math.min(1, place / size.width)))));
    const [from, to] = times.sort((a, b) => a - b);
    return { from: Math.max(bounds.begin, from), to: Math.min(bounds.end, Math.max(to, from + 1)) };
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { press } = this;
    this.press = null;
    this.element.classList.remove("dragged", "ranging");
    if (press === null) {
      return;
    }
    if (!press.dragged) {
      if (event.button === 0 && event.offsetY >= RULER) {
        this.owner.onPick(this.itemAt(event.offsetX, event.offsetY));
      }
    } else if (press.way === "range") {
      this.owner.onRange(this.range);
    } else {
      this.settle();
    }
  }

  /**
   * @param {Item | null} item
   * @param {number} x
   * @param {number} y
   */
  #hover(item, x, y) {
    this.hovered = item;
    this.element.classList.toggle("over", item !== null);
    this.owner.onHover(item, x, y);
  }
}
