// What the panel tells of one thing of the timeline: when it was, how long, what is above and below it, and where to go
// from there.

import { NO_ROW } from "../nodes.js";
import { h } from "../ui/dom.js";
import { counted, exactTime, share, time } from "../ui/format.js";
import { momentText } from "./camera.js";
import { numberText } from "./curves.js";
import { flowsIn } from "./flows.js";
import { gapText, waitedText } from "./gaps.js";
import { firstFrom } from "./lanes.js";
import { ownOf } from "./own_time.js";
import { addSlices, sumsOf } from "./statistics.js";
import { partBeside, stretchAt, fiberAt, stretchesIn } from "./fibers.js";

/**
 * @typedef {import("./tracks.js").Item} Item
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 * @typedef {import("./model.js").Timeline} Timeline
 * @typedef {import("../profile.js").Profile} Profile
 * @typedef {import("../ui/dom.js").Child} Child
 * @typedef {object} Guide
 * @property {Timeline} timeline
 * @property {(line: ThreadLine, slice: number) => void} goTo
 * @property {(time: number, line: ThreadLine) => void} goToTime  to what ran then
 * @property {(fiber: import("./model.js").Fiber, part: import("./fibers.js").Part) => void} goToPart
 * @property {(kind: import("./lists.js").Kind) => void} list
 * @property {(row: number, view: string) => void} open
 * @property {() => void} fit
 * @property {() => void} mark
 */

const LISTED = 8; // callees, and functions that ran meanwhile

/** @param {Item} item */
export function titleOf({ line, slice, span, fiber, value, track }) {
  if (slice >= 0 && line !== null) {
    const row = line.contexts.functionOf(line.lanes.nodes[slice]);
    return row === NO_ROW ? gapText(line, slice) : line.process.profile.nameOf(row);
  }
  if (fiber !== null) {
    return value === 0 ? `${fiber.name} waits` : fiber.name;
  }
  return span === null ? `${track.name}: ${numberText(value)}` : span.name;
}

/**
 * Which kind of thing it is, or where the function stands.
 * @param {Item} item
 */
function subtitleOf({ line, slice, span, fiber, value }) {
  if (slice >= 0 && line !== null) {
    const row = line.contexts.functionOf(line.lanes.nodes[slice]);
    const { profile } = line.process;
    return row === NO_ROW ? "a gap: the thread waited for a part of it, and ran the rest" : profile.place(row) || "builtin";
  }
  if (fiber !== null) {
    return fiber.kind === "stack" ? "greenlet" : value === 0 ? "task, waiting" : "task, running";
  }
  return span === null ? "counter" : span.kind;
}

/** @param {Item} item */
export const lengthText = ({ start, end }) => (end > start ? time(end - start) : "no time");

/**
 * The card under the mouse.
 * @param {Item} item
 */
export function cardOf(item) {
  const { line, start, slice, span } = item;
  const rows = [
    ["lasted", lengthText(item) + (isOpen(item) ? ", not ended" : "")],
    ["began at", momentText(start, 1000)],
  ];
  if (slice >= 0 && line !== null) {
    const isGap = line.contexts.isGap(line.lanes.nodes[slice]);
    rows.splice(1, 0, isGap ? ["waited", waitedText(line, slice)] : ["own time", time(ownOf(line, slice).own)]);
  }
  if (line !== null) {
    rows.push(["thread", line.name]);
  }
  for (const fact of span?.facts ?? []) {
    rows.push(fact);
  }
  return h(
    "div",
    { class: "flame-tip" },
    h("strong", null, titleOf(item)),
    h("div", { class: "quiet" }, subtitleOf(item)),
    h("table", null, ...rows.map(([name, value]) => h("tr", null, h("th", null, name), h("td", null, value)))),
  );
}

/** @param {Item} item */
export function isOpen({ line, slice, span, fiber }) {
  return slice >= 0 ? line?.lanes.open.has(slice) === true : span !== null ? span.open : fiber?.open === true;
}

/**
 * How many slices lie within a slice, in all rows below.
 * @param {ThreadLine} line
 * @param {number} slice
 */
function countWithin({ lanes }, slice) {
  const { starts, ends, offsets } = lanes;
  const { gapStarts } = lanes;
  let count = firstFrom(gapStarts, starts[slice]) - firstFrom(gapStarts, ends[slice]); // gaps are no slices
  for (let row = lanes.rowOf(slice) + 1; row < lanes.height; row++) {
    const all = starts.subarray(offsets[row], offsets[row + 1]);
    const found = firstFrom(all, ends[slice]) - firstFrom(all, starts[slice]);
    if (found === 0) {
      break;
    }
    count += found;
  }
  return count;
}

/**
 * The slices around a slice, the innermost first.
 * @param {ThreadLine} line
 * @param {number} slice
 */
export function callersOf({ lanes }, slice) {
  const found = [];
  for (let at = lanes.parent(slice); at >= 0; at = lanes.parent(at)) {
    found.push(at);
  }
  return found;
}

/**
 * @param {Item} item
 * @param {Guide} guide
 * @returns {HTMLElement}
 */
export function detailsOf(item, guide) {
  return h("div", { class: "tl-details" }, head(item, guide), facts(item, guide), ...lists(item, guide));
}

/**
 * @param {Item} item
 * @param {Guide} guide
 */
function head(item, guide) {
  const { line, slice } = item;
  const row = slice >= 0 && line !== null ? line.contexts.functionOf(line.lanes.nodes[slice]) : NO_ROW;
  const ways = [["butterfly", "Callers, callees"], ["flame", "Flame graph"], ["table", "Table"], ["source", "Source"]];
  /** @type {(text: string, tip: string, click: () => void) => HTMLElement} */
  const button = (text, tip, click) => h("button", { class: "button", "data-tip": tip, on: { click } }, text);
  return h(
    "header",
    null,
    h("h2", { class: row === NO_ROW ? "" : "fn" }, titleOf(item)),
    h("p", { class: "path quiet" }, subtitleOf(item)),
    item.track.list === undefined ? null : h("p", { class: "tl-ways" }, button("List them", "All, to be sorted (l)", () => guide.list("tasks"))),
    h("p", { class: "tl-ways" }, button("Zoom to it", "Fit it to the screen (f)", () => guide.fit()), button("Select its time", "Its statistics, in all threads (m)", () => guide.mark())),
    row === NO_ROW
      ? null
      : h("p", { class: "tl-ways" }, ...ways.map(([view, name]) => h("button", { class: "link", on: { click: () => guide.open(row, view) } }, name))),
  );
}

/**
 * @param {Item} item
 * @param {Guide} guide
 */
function facts(item, guide) {
  const { line, start, end, slice, span, fiber, value } = item;
  /** @type {[string, Child, string?][]} */
  const rows = [["Lasted", `${lengthText(item)}${isOpen(item) ? ", had not ended" : ""}`, exactTime(end - start)]];
  if (slice >= 0 && line !== null) {
    const node = line.lanes.nodes[slice];
    if (line.contexts.isGap(node)) {
      const idle = line.lanes.idle.get(start) ?? 0;
      rows.push(["Waited", waitedText(line, slice), exactTime(idle)]);
    } else {
      const { own } = ownOf(line, slice);
      const isAll = line.process.least === 0 && line.process.lost === 0;
      rows.push([isAll ? "Own time" : "Own time, and calls not drawn", `${time(own)} (${share(own, end - start) || "0%"})`, exactTime(own)]);
      rows.push(["Within it", counted(countWithin(line, slice), "slice")]);
    }
  }
  rows.push(["Began", momentText(start, 1)], ["Ended", momentText(end, 1)]);
  if (line !== null) {
    rows.push(["Thread", line.name]);
    const task = span === null ? fiberAt(line, (start + end) / 2) : span.fiber;
    if (task !== null && fiber === null) {
      const part = stretchAt(task, (start + end) / 2);
      rows.push([task.kind === "task" ? "Task" : "Greenlet", part === null ? task.name : h("button", { class: "link", on: { click: () => guide.goToPart(task, part) } }, task.name)]);
    }
  }
  if (span !== null && span.fiber !== null) {
    const ran = stretchesIn(span.fiber, start, end).reduce((sum, [from, to]) => sum + to - from, 0);
    rows.push(["Its task ran", `${time(ran)} (${share(ran, end - start) || "0%"})`, exactTime(ran)]);
  }
  if (fiber !== null) {
    rows.push(["It ran in all", time(fiber.running)], ["It waited in all", time(fiber.end - fiber.start - fiber.running)]);
    rows.push(["Stretches", String(fiber.starts.length)]);
  }
  if (span === null && fiber === null && slice < 0) {
    rows.push(["Value", numberText(value)]);
  }
  for (const [name, text] of span?.facts ?? []) {
    rows.push([name, text]);
  }
  return h("dl", { class: "tl-facts" }, ...rows.flatMap(([name, text, exact]) => [h("dt", null, name), h("dd", { "data-tip": exact }, text)]));
}

/**
 * @param {Item} item
 * @param {Guide} guide
 */
function lists(item, guide) {
  const { line, slice, span, fiber, value, start, end } = item;
  const found = [];
  if (slice >= 0 && line !== null) {
    const { lanes, contexts } = line;
    const callers = callersOf(line, slice);
    found.push(list("Called by, the nearest first", callers.map((at) => sliceLink(line, at, guide))));
    if (contexts.isGap(lanes.nodes[slice])) {
      found.push(list("What the other threads ran meanwhile", ranIn(othersOf(line), [[start, end]])));
    } else {
      const { count, longest } = ownOf(line, slice);
      const title = count > longest.length ? `The longest of ${counted(count, "slice")} right below it` : "Calls right below it";
      found.push(list(title, longest.map((at) => sliceLink(line, at, guide))));
    }
  }
  if (fiber !== null && line !== null) {
    /** @type {(key: string, step: 1 | -1) => Child} */
    const way = (key, step) => {
      const part = partBeside(fiber, start, value === 0, step);
      const text = part === null ? "" : `${part.waits ? "It waits" : "It runs"} ${step > 0 ? "after" : "before"} (${key})`;
      return part === null ? null : link(text, time(part.end - part.start), () => guide.goToPart(fiber, part));
    };
    found.push(list("Its other parts", [way("<", -1), way(">", 1)]));
    if (value === 0) {
      found.push(list("What its thread ran meanwhile", ranIn([line], [[start, end]])));
      found.push(list("What the other threads ran meanwhile", ranIn(othersOf(line), [[start, end]])));
    }
  }
  if (line !== null && slice < 0 && end > start && (fiber === null || value !== 0)) {
    const times = span !== null && span.fiber !== null ? stretchesIn(span.fiber, start, end) : null;
    found.push(list("What ran in it, by own time", ranIn([(span?.fiber ?? fiber)?.line ?? line], times ?? [[start, end]])));
  }
  const flows = guide.timeline.processes.flatMap((process) => process.flows);
  const links = [
    ...flowsIn(flows, item, "from").map((flow) =>
      link(`${flow.name} → ${flow.to.name}`, `${time(flow.end - flow.start)} later`, () => guide.goToTime(flow.end, flow.to)),
    ),
    ...flowsIn(flows, item, "to").map((flow) =>
      link(`${flow.name} ← ${flow.from.name}`, `${time(flow.end - flow.start)} before`, () => guide.goToTime(flow.start, flow.from)),
    ),
  ];
  found.push(list("Flows", links.slice(0, 2 * LISTED)));
  return found;
}

/** @param {ThreadLine} line */
const othersOf = (line) => line.process.lines.filter((other) => other !== line);

/**
 * @param {string} text
 * @param {string} note
 * @param {() => void} click
 */
const link = (text, note, click) => h("li", null, h("button", { class: "link", on: { click } }, text), h("span", null, note));

/**
 * @param {string} title
 * @param {Child[]} entries
 */
function list(title, entries) {
  const given = entries.filter((entry) => entry !== null);
  return given.length === 0 ? null : h("section", null, h("h3", null, title), h("ol", { class: "tl-list" }, ...given));
}

/**
 * @param {ThreadLine} line
 * @param {number} slice
 * @param {Guide} guide
 */
function sliceLink(line, slice, guide) {
  const { lanes, contexts, process } = line;
  const row = contexts.functionOf(lanes.nodes[slice]);
  const name = row === NO_ROW ? "a wait" : process.profile.nameOf(row);
  return h(
    "li",
    null,
    h("button", { class: "link fn", on: { click: () => guide.goTo(line, slice) } }, name),
    h("span", null, time(lanes.ends[slice] - lanes.starts[slice])),
  );
}

/**
 * The functions of most own time of some threads in some stretches of time: of several,
 * from their slices.
 * @param {ThreadLine[]} lines
 * @param {[number, number][]} times
 */
function ranIn(lines, times) {
  /** @type {{name: string, own: number}[]} */
  const found = [];
  for (const line of lines) {
    const { contexts, process } = line;
    /** @type {import("./bins.js").Sums} */
    let sums = { calls: new Float64Array(contexts.count), own: new Float64Array(contexts.count) };
    if (times.length === 1) {
      ({ sums } = sumsOf(line, { from: times[0][0], to: times[0][1] }));
    } else {
      times.forEach(([from, to]) => addSlices(sums, line, from, to));
    }
    /** @type {Map<number, number>} */
    const rows = new Map();
    for (let node = 1; node < contexts.count; node++) {
      if (contexts.row[node] !== NO_ROW && sums.own[node] > 0) {
        rows.set(contexts.row[node], (rows.get(contexts.row[node]) ?? 0) + sums.own[node]);
      }
    }
    for (const [row, own] of rows) {
      found.push({ name: lines.length > 1 ? `${process.profile.nameOf(row)} · ${line.name}` : process.profile.nameOf(row), own });
    }
  }
  found.sort((a, b) => b.own - a.own);
  return found.slice(0, LISTED).map(({ name, own }) => h("li", null, h("span", { class: "fn" }, name), h("span", null, time(own))));
}
