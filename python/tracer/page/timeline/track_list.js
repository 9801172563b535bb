// Which tracks a timeline has, and how they stand: collapsed, pinned, in another order. How they stand is in the state, as
// lists of their names.

import { counted } from "../ui/format.js";
import { counterTrack, headTrack } from "./curves.js";
import { ROW } from "./painter.js";
import { markTrack, spanTrack } from "./span_tracks.js";
import { fiberTrack, threadTrack } from "./tracks.js";

/**
 * @typedef {import("./tracks.js").Track} Track
 * @typedef {import("./model.js").Timeline} Timeline
 * @typedef {import("./model.js").ThreadLine} ThreadLine
 * @typedef {import("../ui/state.js").State} State
 */

/**
 * A track at its place.
 * @typedef {{track: Track, top: number, height: number, collapsed: boolean, pinned: boolean}} Placed
 *   top: of a pinned one from the top of the chart, else from the end of those
 */

const SHOWN = 12; // tasks of a thread that are shown unasked

/**
 * @param {Timeline} timeline
 * @param {"all" | number} threads
 * @returns {Track[]}
 */
export function tracksOf(timeline, threads) {
  const several = timeline.processes.length > 1;
  /** @type {Track[]} */
  const tracks = [];
  timeline.processes.forEach((process, i) => {
    const prefix = several ? `${i}.` : "";
    const group = several ? `${prefix}process` : "";
    /** @param {Track} track */
    const add = (track) => {
      track.group ||= group;
      tracks.push(track);
    };
    if (several) {
      tracks.push(headTrack(group, `Process ${process.pid}`, process.name, false, []));
    }
    if (process.collections.length > 0) {
      add(spanTrack(process.collections, `${prefix}gc`, "Garbage collections", "collection"));
    }
    process.counters.forEach((counter, at) => add(counterTrack(counter, `${prefix}c${at}`)));
    for (const line of process.lines.filter(({ thread }) => threads === "all" || thread === threads)) {
      const id = idOf(line, several);
      const of = process.lines.length > 1 ? ` · ${line.name}` : "";
      const marks = process.marks.filter((mark) => mark.line === line);
      const ranges = process.ranges.filter((range) => range.line === line);
      if (marks.length > 0) {
        add(markTrack(marks, `${id}m`, `Marks${of}`));
      }
      if (ranges.length > 0) {
        add(spanTrack(ranges, `${id}r`, `Ranges${of}`, "range"));
      }
      for (const [kind, noun] of /** @type {const} */ ([["task", "task"], ["stack", "greenlet"]])) {
        const fibers = line.fibers.filter((fiber) => fiber.kind === kind);
        if (fibers.length > 0) {
          const head = `${id}${kind}s`;
          add(headTrack(head, counted(fibers.length, noun), `of ${line.name}`, fibers.length > SHOWN, fibers));
          fibers.forEach((fiber) => add(fiberTrack(fiber, `${id}${kind[0]}${fiber.number}`, head)));
        }
      }
      add(threadTrack(line, id, line.name));
    }
  });
  return tracks;
}

/**
 * @param {ThreadLine} line
 * @param {boolean} several  processes
 */
const idOf = (line, several) => (several ? `${line.process.place}.${line.place}` : `${line.place}`);

/** @param {string | undefined} text */
const listed = (text) => (text === undefined || text === "" ? [] : text.split("~"));

/** The tracks in their order, each at its height. */
export class TrackList {
  /**
   * @param {Timeline} timeline
   * @param {"all" | number} threads
   */
  constructor(timeline, threads) {
    this.timeline = timeline;
    this.several = timeline.processes.length > 1;
    /** @type {Track[]} */
    this.tracks = [];
    /** @type {Map<string, Track>} */
    this.byId = new Map();
    this.choose(threads);
    /** @type {Placed[]} */
    this.placed = [];
    /** @type {Set<string>} those that are not as at first */
    this.turned = new Set();
    /** @type {string[]} */
    this.pinned = [];
    /** @type {[string, string][]} a track, and that before which it stands */
    this.moved = [];
    this.pinnedHeight = 0;
    this.height = 0;
    this.fitted = { from: timeline.begin, to: timeline.end, room: Infinity };
  }

  /**
   * Has the tracks of a thread alone, or of all.
   * @param {"all" | number} threads
   */
  choose(threads) {
    this.tracks = tracksOf(this.timeline, threads);
    this.byId = new Map(this.tracks.map((track) => [track.id, track]));
  }

  /** @param {State} state */
  read(state) {
    this.turned = new Set(listed(state.turned));
    this.pinned = listed(state.pinned).filter((id) => this.byId.has(id));
    this.moved = listed(state.order).map((pair) => /** @type {[string, string]} */ (pair.split("<")));
    this.#place();
  }

  /** @param {Track} track */
  isCollapsed(track) {
    return track.collapsed !== this.turned.has(track.id);
  }

  /**
   * What has a name or a value that is sought, by time.
   * @param {(thing: import("./search.js").Named) => boolean} wants
   */
  named(wants) {
    return this.tracks.flatMap((track) => track.named?.(wants) ?? []).sort((a, b) => a.start - b.start);
  }

  /** @param {Track} track */
  isShown(track) {
    return this.find(track.id) !== null;
  }

  /** @param {Track} track */
  #isHidden(track) {
    for (let above = this.byId.get(track.group); above !== undefined; above = this.byId.get(above.group)) {
      if (this.isCollapsed(above)) {
        return true;
      }
    }
    return false;
  }

  /** All tracks in their order. */
  #ordered() {
    const order = [...this.tracks];
    for (const [id, before] of this.moved) {
      const from = order.findIndex((track) => track.id === id);
      if (from >= 0) {
        const [track] = order.splice(from, 1);
        const to = order.findIndex((other) => other.id === before);
        order.splice(to < 0 ? order.length : to, 0, track);
      }
    }
    return order;
  }

  /**
   * Gives each track the height that a stretch of time needs. Returns whether one has another height than before.
   * @param {number} from
   * @param {number} to
   * @param {number} room  pixels for all
   */
  fit(from, to, room) {
    const heights = this.placed.map(({ height }) => height);
    this.fitted = { from, to, room };
    this.#place();
    return this.placed.some(({ height }, i) => height !== heights[i]);
  }

  #place() {
    this.#placeAll(false);
    if (this.pinnedHeight + this.height > this.fitted.room) {
      this.#placeAll(true);
    }
  }

  /** @param {boolean} tight */
  #placeAll(tight) {
    const { from, to } = this.fitted;
    this.placed = [];
    let top = 0;
    /** @type {(track: Track, pinned: boolean) => void} */
    const put = (track, pinned) => {
      const collapsed = this.isCollapsed(track);
      track.fit?.(from, to, tight);
      const height = Math.max(track.heightOf(collapsed), pinned ? ROW + 2 : 0);
      this.placed.push({ track, top, height, collapsed, pinned });
      top += height;
    };
    for (const id of this.pinned) {
      put(/** @type {Track} */ (this.byId.get(id)), true);
    }
    this.pinnedHeight = top;
    top = 0;
    for (const track of this.#ordered()) {
      if (!this.pinned.includes(track.id) && !this.#isHidden(track)) {
        put(track, false);
      }
    }
    this.height = top;
  }

  /**
   * What the state is to be, once a track is collapsed or expanded.
   * @param {string} id
   */
  turn(id) {
    const turned = new Set(this.turned);
    if (!turned.delete(id)) {
      turned.add(id);
    }
    return { turned: [...turned].join("~") };
  }

  /** The tracks that can be collapsed, but for those of processes. */
  get #expanded() {
    const groups = new Set(this.tracks.filter(({ collapsible, collapsed }) => collapsible && !collapsed).map(({ group }) => group));
    return this.tracks.filter(({ id, collapsible, collapsed }) => collapsible && !collapsed && !groups.has(id));
  }

  get isAnyExpanded() {
    return this.#expanded.some((track) => !this.isCollapsed(track));
  }

  /** Once all tracks are collapsed; if they are so, as at first. */
  turnAll() {
    return { turned: this.isAnyExpanded ? this.#expanded.map(({ id }) => id).join("~") : "" };
  }

  /**
   * Once a track is pinned, or no longer.
   * @param {string} id
   */
  pin(id) {
    const others = this.pinned.filter((pinned) => pinned !== id);
    return { pinned: (others.length < this.pinned.length ? others : [...others, id]).join("~") };
  }

  /**
   * Once a track stands before another one; "": at the end.
   * @param {string} id
   * @param {string} before
   * @returns {Record<string, string>}
   */
  put(id, before) {
    if (this.pinned.includes(id)) {
      const others = this.pinned.filter((pinned) => pinned !== id);
      const to = others.indexOf(before);
      others.splice(to < 0 ? others.length : to, 0, id);
      return { pinned: others.join("~") };
    }
    const moved = this.moved.filter(([track]) => track !== id);
    return { order: [...moved, [id, before]].map((pair) => pair.join("<")).join("~") };
  }

  /**
   * Once a track stands one place up (-1) or down (1); null, if there is none.
   * @param {string} id
   * @param {number} step
   */
  shift(id, step) {
    const pinned = this.pinned.includes(id);
    const list = this.placed.filter((placed) => placed.pinned === pinned).map(({ track }) => track.id);
    const at = list.indexOf(id);
    const to = at + step;
    if (at < 0 || to < 0 || to >= list.length) {
      return null;
    }
    return this.put(id, step < 0 ? list[to] : (list[to + 1] ?? ""));
  }

  /**
   * The name of a thread's track.
   * @param {ThreadLine} line
   */
  idOf(line) {
    return idOf(line, this.several);
  }

  /** @param {string} id */
  find(id) {
    return this.placed.find(({ track }) => track.id === id) ?? null;
  }

  /**
   * The state in which a track can be seen: its groups expanded.
   * @param {Track} track
   */
  shown(track) {
    const turned = new Set(this.turned);
    for (let above = this.byId.get(track.group); above !== undefined; above = this.byId.get(above.group)) {
      if (above.collapsed !== turned.has(above.id) && !turned.delete(above.id)) {
        turned.add(above.id);
      }
    }
    return { turned: [...turned].join("~") };
  }
}
