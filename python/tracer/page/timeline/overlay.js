// What lies over the tracks: the arrows of flows, the selected range, the ruler with the moment at the mouse.

import { FONT } from "../flame/labels.js";
import { time as timeText } from "../ui/format.js";
import { momentText, ticksOf, timeAt } from "./camera.js";

/**
 * @typedef {import("./camera.js").View} View
 * @typedef {import("./model.js").Flow} Flow
 * @typedef {import("./painter.js").Pen} Pen
 */

export const RULER = 24; // pixels above the tracks
const MOST = 2000; // arrows that are drawn

/**
 * @param {Pen} pen
 * @param {Flow[]} flows
 * @param {Set<Flow>} lit  those that stand out
 * @param {(flow: Flow, side: "from" | "to") => number} heightOf
 */
export function drawFlows(pen, flows, lit, heightOf) {
  const { context } = pen;
  context.strokeStyle = pen.scene.shades.warn;
  context.fillStyle = pen.scene.shades.warn;
  context.lineWidth = 1.2;
  const weak = lit.size > 0 ? 0.12 : 0.35;
  for (const flow of flows.slice(0, MOST)) {
    const [y1, y2] = [heightOf(flow, "from"), heightOf(flow, "to")];
    const [x1, x2] = [pen.across(flow.start), pen.across(flow.end)];
    context.globalAlpha = lit.has(flow) ? 1 : weak;
    const bend = Math.max(20, Math.abs(x2 - x1) / 3);
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    context.stroke();
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 6, y2 - 3.5);
    context.lineTo(x2 - 6, y2 + 3.5);
    context.fill();
  }
  context.globalAlpha = 1;
}

/**
 * @param {Pen} pen
 * @param {{from: number, to: number} | null} range
 */
export function drawRange(pen, range) {
  const { context, size } = pen;
  if (range === null) {
    return;
  }
  const [left, right] = [pen.across(range.from), pen.across(range.to)];
  context.fillStyle = pen.scene.shades.selected;
  context.fillRect(left, RULER, Math.max(1, right - left), size.height - RULER);
  context.fillStyle = pen.scene.shades.accent;
  context.fillRect(left, 0, 1, size.height);
  context.fillRect(Math.max(left + 1, right - 1), 0, 1, size.height);
}

/**
 * @param {Pen} pen
 * @param {View} view
 * @param {{from: number, to: number} | null} range
 * @param {number} pointer  where the mouse is, from the left; -1: nowhere
 */
export function drawRuler(pen, view, range, pointer) {
  const { context, size } = pen;
  const { shades } = pen.scene;
  context.fillStyle = shades.raised;
  context.fillRect(0, 0, size.width, RULER);
  context.fillStyle = shades.strong;
  context.fillRect(0, RULER - 1, size.width, 1);
  const { step, ticks } = ticksOf(view, Math.max(2, size.width / 130));
  context.font = FONT;
  context.textBaseline = "middle";
  for (const { time, part } of ticks) {
    const x = Math.round(part * size.width);
    context.fillStyle = shades.strong;
    context.fillRect(x, 14, 1, RULER - 14);
    context.fillStyle = shades.quiet;
    context.fillText(momentText(time, step), x + 4, RULER / 2);
  }
  if (range !== null) {
    const middle = (Math.max(0, pen.across(range.from)) + Math.min(size.width, pen.across(range.to))) / 2;
    badge(pen, timeText(range.to - range.from), middle, shades.accent, shades.ground);
  }
  if (pointer >= 0) {
    context.fillStyle = shades.strong;
    context.fillRect(Math.round(pointer), RULER, 1, size.height - RULER);
    badge(pen, momentText(timeAt(view, pointer / size.width), pen.least), pointer, shades.text, shades.ground);
  }
}

/**
 * @param {Pen} pen
 * @param {string} text
 * @param {number} middle
 * @param {string} fill
 * @param {string} ink
 */
function badge({ context, size, scene }, text, middle, fill, ink) {
  const width = scene.labels.ruler.width(text);
  const left = Math.max(2, Math.min(size.width - width - 14, middle - width / 2 - 6));
  context.fillStyle = fill;
  context.beginPath();
  context.roundRect(left, 3, width + 12, RULER - 7, 4);
  context.fill();
  context.fillStyle = ink;
  context.fillText(text, left + 6, RULER / 2);
}
