// Going through a timeline by keys and links: from slice to slice, to callers and callees, to what was found, along tasks
// and flows.

import { flowsIn } from "./flows.js";
import { firstFrom } from "./lanes.js";
import { slicesOf } from "./model.js";
import { partBeside, fiberAt } from "./fibers.js";
import { NO_ROW } from "../nodes.js";

/**
 * @typedef {import("./tracks.js").Item} Item
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 * @typedef {import("./model.js").Fiber} Fiber
 * @typedef {{app: import("../app.js").App, chart: import("./chart.js").Chart, list: import("./track_list.js").TrackList,
 *   timeline: import("./model.js").Timeline, found: Map<ThreadLine, Uint32Array> | null, named: Item[], pick(item: Item | null): void,
 *   goTo(item: Item | null): void, turnFlows(): void, showList(kind?: import("./lists.js").Kind | null): void, select(range: {from: number, to: number} | null): void}} Shown
 */

export class Walker {
  /** @param {Shown} shown */
  constructor(shown) {
    this.shown = shown;
    this.timeline = shown.timeline;
  }

  registerKeys() {
    const { app, chart, list } = this.shown;
    const { keys } = app;
    keys.register("w s", "Closer, farther, at the mouse", ({ key }) => chart.zoom(key === "w" ? 0.6 : 1 / 0.6));
    keys.register("a d", "Earlier, later", ({ key }) => chart.pan(key === "a" ? -0.25 : 0.25));
    keys.register("+ = -", "", ({ key }) => chart.zoom(key === "-" ? 1 / 0.6 : 0.6));
    keys.register("PageUp PageDown", "Scroll the tracks", ({ key }) => chart.scrollBy((key === "PageUp" ? -0.8 : 0.8) * chart.room));
    keys.register("ArrowLeft ArrowRight", "The slice before, after, of the same row", ({ key }) => this.#beside(key === "ArrowLeft" ? -1 : 1));
    keys.register("ArrowUp ArrowDown", "The caller, the longest callee", ({ key }) => this.#along(key === "ArrowDown"));
    keys.register("f Enter", "Fit what is clicked or selected to the screen", () => this.fit());
    keys.register("m", "Select the time of what was clicked: its statistics", () => this.mark());
    keys.register("0", "The whole run", () => chart.reset());
    keys.register("Escape", "Nothing clicked, then nothing selected", () => this.#leave());
    keys.register("n N", "The next, the previous slice that was found or is lit up", ({ key }) => this.nextHit(key === "n" ? 1 : -1));
    keys.register("x", "The longest of what was found or is lit up", () => this.longestHit());
    keys.register(". ,", "The next, the previous slice of the same function", ({ key }) => this.#nextSame(key === "." ? 1 : -1));
    keys.register("> <", "Along: where the task runs or waits next, before; the other end of a flow", ({ key }) => this.#follow(key === ">" ? 1 : -1));
    keys.register("z", "Collapse or expand the track", () => this.#onTrack((id) => app.set(list.turn(id))));
    keys.register("Z", "Collapse all tracks, or expand them", () => app.set(list.turnAll()));
    keys.register("l", "The lists of ranges, tasks and marks", () => this.shown.showList());
    keys.register("e", "Show or hide the arrows of flows", () => this.shown.turnFlows());
    keys.register("p", "Pin the track at the top, or no longer", () => this.#onTrack((id) => app.set(list.pin(id))));
    keys.register("J K", "Move the track down, up", ({ key }) =>
      this.#onTrack((id) => {
        const patch = list.shift(id, key === "J" ? 1 : -1);
        if (patch !== null) {
          app.set(patch);
        }
      }),
    );
  }

  /**
   * The track that a key is about: that whose name has the focus, else that of what was clicked, or is under the mouse.
   * @param {(id: string) => void} action
   */
  #onTrack(action) {
    const { chart, app } = this.shown;
    const focused = document.activeElement?.closest("[data-track]")?.getAttribute("data-track");
    const id = focused ?? chart.hovered?.track.id ?? chart.picked?.track.id;
    if (id === undefined) {
      app.announce("Click something of the track, or give its name the focus");
    } else {
      action(id);
    }
  }

  /**
   * @param {ThreadLine} line
   * @param {number} slice
   */
  goTo(line, slice) {
    this.shown.goTo(this.#item(line, slice));
  }

  /**
   * The item of a slice, in its thread's track.
   * @param {ThreadLine} line
   * @param {number} slice
   * @returns {Item | null}
   */
  #item(line, slice) {
    const { list } = this.shown;
    const track = list.byId.get(list.idOf(line));
    const { lanes } = line;
    if (track === undefined || slice < 0) {
      return null;
    }
    const row = lanes.rowOf(slice);
    return { track, start: lanes.starts[slice], end: lanes.ends[slice], row, line, slice, span: null, fiber: null, value: NaN };
  }

  /**
   * To the innermost slice of a thread at a time.
   * @param {number} time
   * @param {ThreadLine} line
   */
  goToTime(time, line) {
    let found = -1;
    for (let row = 0; row < line.lanes.height; row++) {
      const slice = line.lanes.at(row, time);
      found = slice >= 0 ? slice : found;
    }
    this.goTo(line, found);
  }

  /**
   * To a stretch or a wait of a task.
   * @param {Fiber} fiber
   * @param {import("./fibers.js").Part} part
   */
  goToPart(fiber, { start, end, waits }) {
    const { list } = this.shown;
    const track = list.byId.get(`${list.idOf(fiber.line)}${fiber.kind[0]}${fiber.number}`);
    if (track !== undefined) {
      const { line } = fiber;
      this.shown.goTo({ track, start, end, row: 0, line, slice: -1, span: null, fiber, value: waits ? 0 : NaN });
    }
  }

  /** @param {import("./lists.js").Kind | null} kind */
  list(kind) {
    this.shown.showList(kind);
  }

  /**
   * Opens another view with a function.
   * @param {number} row
   * @param {string} view
   */
  open(row, view) {
    const { app } = this.shown;
    app.open(view, { row: app.whole.key(row), range: null });
  }

  /** @returns {Item | null} what was clicked, else something in the middle of the screen */
  get #here() {
    const { chart } = this.shown;
    if (chart.picked !== null) {
      return chart.picked;
    }
    const { origin, rest, span } = chart.goal;
    for (const line of this.timeline.lines) {
      const slice = line.lanes.at(0, origin + rest + span / 2);
      if (slice >= 0) {
        this.goTo(line, slice);
        return null;
      }
    }
    return null;
  }

  /** @param {1 | -1} step */
  #beside(step) {
    const item = this.#here;
    if (item === null || item.line === null) {
      return;
    }
    if (item.fiber !== null) {
      this.#follow(step);
    } else if (item.slice >= 0) {
      const { lanes } = item.line;
      const row = lanes.rowOf(item.slice);
      const next = item.slice + step;
      if (next >= lanes.offsets[row] && next < lanes.offsets[row + 1]) {
        this.goTo(item.line, next);
      }
    }
  }

  /** @param {boolean} down */
  #along(down) {
    const item = this.#here;
    if (item === null || item.line === null || item.slice < 0) {
      return;
    }
    const { lanes } = item.line;
    if (!down) {
      this.goTo(item.line, lanes.parent(item.slice));
      return;
    }
    const row = lanes.rowOf(item.slice) + 1;
    if (row < lanes.height) {
      const all = lanes.starts.subarray(lanes.offsets[row], lanes.offsets[row + 1]);
      const [first, last] = [item.start, item.end].map((time) => lanes.offsets[row] + firstFrom(all, time));
      this.goTo(item.line, last > first ? (lanes.pyramid?.longest(first, last) ?? -1) : -1);
    }
  }

  fit() {
    const { chart } = this.shown;
    const { picked, range } = chart;
    if (picked !== null) {
      chart.fit({ from: picked.start, to: picked.end });
    } else if (range !== null) {
      chart.fit(range);
    } else {
      chart.reset();
    }
  }

  mark() {
    const { chart, app } = this.shown;
    if (chart.picked === null) {
      app.announce("Click a slice first: its time is selected then");
    } else {
      const { start, end } = chart.picked;
      this.shown.select({ from: Math.floor(start), to: Math.max(Math.ceil(end), Math.floor(start) + 1) });
    }
  }

  #leave() {
    const { chart } = this.shown;
    if (chart.picked !== null) {
      this.shown.pick(null);
    } else if (this.shown.app.state.list) {
      this.shown.showList(null);
    } else if (chart.range !== null) {
      this.shown.select(null);
    }
  }

  /** @param {1 | -1} step */
  nextHit(step) {
    const { found, app } = this.shown;
    if (found === null) {
      app.announce("Nothing is searched for, and no function is chosen");
    } else if (!this.#next(found, step, this.#nextNamed(step))) {
      app.announce(step > 0 ? "There is none after it" : "There is none before it");
    }
  }

  longestHit() {
    const { found, named, app, list } = this.shown;
    /** @type {{length: number, go: () => void} | null} */
    let best = null;
    for (const [line, slices] of found ?? []) {
      const { starts, ends } = line.lanes;
      let longest = -1;
      for (const slice of list.byId.has(list.idOf(line)) ? slices : []) {
        longest = longest < 0 || ends[slice] - starts[slice] > ends[longest] - starts[longest] ? slice : longest;
      }
      if (longest >= 0 && ends[longest] - starts[longest] > (best?.length ?? -1)) {
        best = { length: ends[longest] - starts[longest], go: () => this.goTo(line, longest) };
      }
    }
    for (const item of named) {
      const whole = item.fiber ?? item;
      if (whole.end - whole.start > (best?.length ?? -1)) {
        best = { length: whole.end - whole.start, go: () => this.shown.goTo(item) };
      }
    }
    if (best === null) {
      app.announce(found === null ? "Nothing is searched for, and no function is chosen" : "Nothing was found");
    } else {
      best.go();
    }
  }

  /**
   * The next of the ranges, marks and tasks that were found by their names.
   * @param {1 | -1} step
   */
  #nextNamed(step) {
    const { chart, named } = this.shown;
    const { picked, goal } = chart;
    const time = picked?.start ?? goal.origin + goal.rest;
    const here = named.findIndex((item) => item.track === picked?.track && item.row === picked.row && item.start === picked.start);
    if (here >= 0) {
      return named[here + step] ?? null;
    }
    return (step > 0 ? named.find(({ start }) => start > time) : named.findLast(({ start }) => start < time)) ?? null;
  }

  /** @param {1 | -1} step */
  #nextSame(step) {
    const item = this.#here;
    const row = item !== null && item.line !== null && item.slice >= 0 ? item.line.contexts.functionOf(item.line.lanes.nodes[item.slice]) : NO_ROW;
    if (row !== NO_ROW) {
      const same = new Map(this.timeline.lines.map((line) => [line, slicesOf(line, (of) => of === row)]));
      if (!this.#next(same, step)) {
        this.shown.app.announce(step > 0 ? "It is the last one" : "It is the first one");
      }
    }
  }

  /**
   * Goes to the first of some slices that begins after what was clicked, or to the last before; of those that begin
   * together, by their rows.
   * @param {Map<ThreadLine, Uint32Array>} slices
   * @param {1 | -1} step
   * @param {Item | null} [other]  what else is to be gone to, if it is nearer
   */
  #next(slices, step, other = null) {
    const { chart, list } = this.shown;
    const { picked, goal } = chart;
    const time = picked?.start ?? goal.origin + goal.rest;
    /** @type {{line: ThreadLine, slice: number, key: number[]} | null} */
    let best = null;
    const here = picked === null ? [time, -1, -1] : [time, this.timeline.lines.findIndex((line) => line === picked.line), picked.slice >= 0 ? picked.slice : -1];
    this.timeline.lines.forEach((line, place) => {
      const found = slices.get(line) ?? new Uint32Array(0);
      if (!list.byId.has(list.idOf(line))) {
        return;
      }
      const { lanes } = line;
      for (let row = 0; row < lanes.height; row++) {
        const [first, last] = [firstFrom(found, lanes.offsets[row]), firstFrom(found, lanes.offsets[row + 1])];
        const middle = firstBy(found, first, last, (slice) => compare([lanes.starts[slice], place, slice], here) > (step > 0 ? 0 : -1));
        const at = step > 0 ? middle : middle - 1;
        if (at >= first && at < last) {
          const key = [lanes.starts[found[at]], place, found[at]];
          if (best === null || compare(key, best.key) * step < 0) {
            best = { line, slice: found[at], key };
          }
        }
      }
    });
    const next = /** @type {{line: ThreadLine, slice: number} | null} */ (best);
    if (other !== null && (next === null || (other.start - next.line.lanes.starts[next.slice]) * step < 0)) {
      this.shown.goTo(other);
    } else if (next !== null) {
      this.goTo(next.line, next.slice);
    }
    return next !== null || other !== null;
  }

  /** @param {1 | -1} step */
  #follow(step) {
    const { chart, app } = this.shown;
    const { picked } = chart;
    if (picked === null || picked.line === null) {
      app.announce("Click a slice or a task first");
      return;
    }
    const { line, start, end } = picked;
    const [flow] = flowsIn(line.process.flows, picked, step > 0 ? "from" : "to");
    if (flow !== undefined && picked.fiber === null) {
      this.goToTime(step > 0 ? flow.end : flow.start, step > 0 ? flow.to : flow.from);
      return;
    }
    const fiber = picked.fiber ?? picked.span?.fiber ?? fiberAt(line, (start + end) / 2);
    if (fiber === null) {
      app.announce("No flow and no task leads on from here");
      return;
    }
    const part = partBeside(fiber, start, picked.fiber !== null && picked.value === 0, step);
    if (part === null) {
      app.announce(step > 0 ? "The task has no later part" : "The task has no earlier part");
    } else {
      this.goToPart(fiber, part);
    }
  }
}

/**
 * @param {number[]} one
 * @param {number[]} other
 */
const compare = (one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2];

/**
 * The first place at which a condition holds that holds from some place on.
 * @param {Uint32Array} slices
 * @param {number} low
 * @param {number} high
 * @param {(slice: number) => boolean} holds
 */
function firstBy(slices, low, high, holds) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(slices[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
