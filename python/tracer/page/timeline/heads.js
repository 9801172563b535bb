// The names of the tracks, left of them, with what collapses, pins and moves a track.

import { fill, h } from "../ui/dom.js";
import { ROW } from "./painter.js";

/**
 * @typedef {import("./track_list.js").Placed} Placed
 * @typedef {import("./track_list.js").TrackList} TrackList
 * @typedef {object} Owner
 * @property {(id: string) => void} onTurn  collapses or expands
 * @property {(id: string) => void} onPin
 * @property {(id: string, before: string) => void} onPut
 * @property {(pixels: number) => void} onScroll
 */

const DRAG = 4;

export class Heads {
  /**
   * @param {TrackList} list
   * @param {Owner} owner
   */
  constructor(list, owner) {
    this.list = list;
    this.owner = owner;
    this.pinned = h("div", { class: "tl-heads-part" });
    this.rest = h("div", { class: "tl-heads-part" });
    this.element = h("div", { class: "tl-heads", role: "list", "aria-label": "Tracks" }, this.pinned, this.rest);
    /** @type {Map<string, HTMLElement>} */
    this.known = new Map();
    this.shown = "";
    this.element.addEventListener("wheel", (event) => {
      event.preventDefault();
      owner.onScroll(event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1));
    }, { passive: false });
  }

  /**
   * Shows the names of the tracks that can be seen.
   * @param {import("./chart.js").Chart} chart
   */
  update({ above, room, scroll, list }) {
    const key = `${above} ${room} ${scroll} ${list.placed.length} ${list.height} ${list.pinnedHeight}`;
    if (key === this.shown && this.list === list) {
      return;
    }
    this.shown = key;
    const ruler = this.element.firstElementChild === null ? 0 : 24;
    this.pinned.style.top = `${ruler}px`;
    this.pinned.style.height = `${above - ruler}px`;
    this.rest.style.top = `${above}px`;
    this.rest.style.height = `${room}px`;
    const focused = document.activeElement;
    for (const pinned of [true, false]) {
      const heads = list.placed
        .filter((placed) => placed.pinned === pinned && placed.height > 0 && (pinned || (placed.top < scroll + room && placed.top + placed.height > scroll)))
        .map((placed) => this.#head(placed, pinned ? placed.top : placed.top - scroll));
      const home = pinned ? this.pinned : this.rest;
      if (heads.length !== home.children.length || heads.some((head, i) => head !== home.children[i])) {
        fill(home, ...heads);
      }
    }
    if (focused instanceof HTMLElement && this.element.contains(focused)) {
      focused.focus({ preventScroll: true }); // which it loses where it is put anew
    }
  }

  /** All are made anew: a track was collapsed, pinned or moved. */
  forget() {
    this.shown = "";
  }

  /**
   * @param {Placed} placed
   * @param {number} top
   */
  #head({ track, height, collapsed, pinned }, top) {
    let head = this.known.get(track.id);
    if (head === undefined) {
      head = this.#make(track);
      this.known.set(track.id, head);
    }
    head.style.transform = `translateY(${top}px)`;
    head.style.height = `${height}px`;
    // The name of a track of which the top is out of sight stays in sight.
    head.style.paddingTop = `${Math.max(0, Math.min(-top, height - ROW - 2))}px`;
    head.querySelector(".tl-collapse")?.setAttribute("aria-expanded", String(!collapsed));
    const pin = head.querySelector(".tl-pin");
    pin?.setAttribute("aria-pressed", String(pinned));
    return head;
  }

  /** @param {import("./tracks.js").Track} track */
  #make({ id, name, note, indent, collapsible }) {
    const { owner } = this;
    const label = [h("span", { class: "tl-name" }, name), note === "" ? null : h("small", null, note)];
    const collapse = collapsible
      ? h("button", { class: "tl-collapse", "aria-label": `Collapse or expand ${name}`, on: { click: () => owner.onTurn(id) } }, ...label)
      : h("span", { class: "tl-collapse flat" }, ...label);
    const pin = h(
      "button",
      { class: "tl-pin", "aria-label": `Pin ${name}`, "data-tip": "Keep it at the top (p)", on: { click: () => owner.onPin(id) } },
      "⚲",
    );
    const tip = note === "" ? name : `${name}\n${note}`;
    const head = h("div", { class: "tl-head", role: "listitem", "data-track": id, "data-indent": indent, "data-tip": tip }, collapse, pin);
    head.addEventListener("pointerdown", (event) => this.#press(event, head, id));
    return head;
  }

  /**
   * A drag moves the track.
   * @param {PointerEvent} event
   * @param {HTMLElement} head
   * @param {string} id
   */
  #press(event, head, id) {
    const from = event.clientY;
    let dragged = false;
    /** @param {PointerEvent} moved */
    const move = (moved) => {
      if (!dragged && Math.abs(moved.clientY - from) > DRAG) {
        dragged = true;
        head.classList.add("moved");
      }
      if (dragged) {
        this.#markPlace(this.#before(moved.clientY, head));
      }
    };
    /** @param {PointerEvent} end */
    const up = (end) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      head.classList.remove("moved");
      this.#markPlace(undefined);
      if (dragged) {
        addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
        setTimeout(() => head.click()); // takes that handler away, if no click came
        const before = this.#before(end.clientY, head);
        owner(this, id, before);
      }
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  }

  /**
   * The head above which a track lands that is dropped at a height; null: at the end.
   * @param {number} y
   * @param {HTMLElement} head
   */
  #before(y, head) {
    const heads = [...(head.parentElement?.children ?? [])];
    const found = heads.find((other) => {
      const { top, height } = other.getBoundingClientRect();
      return y < top + height / 2;
    });
    return found instanceof HTMLElement ? found : null;
  }

  /** @param {HTMLElement | null | undefined} before */
  #markPlace(before) {
    for (const head of this.element.querySelectorAll(".tl-head.target")) {
      head.classList.remove("target");
    }
    before?.classList.add("target");
  }
}

/**
 * @param {Heads} heads
 * @param {string} id
 * @param {HTMLElement | null} before
 */
function owner(heads, id, before) {
  const target = before?.dataset.track ?? "";
  if (target !== id) {
    heads.owner.onPut(id, target);
  }
}
