// Follows a program that still runs: asks the server for each newer snapshot of the profile, unless
// the user has paused that. The user can also save the profile as it is now.

import { fill, h, icon } from "./ui/dom.js";
import { saveFile } from "./ui/files.js";
import { unpackResponse } from "./container.js";

/** @typedef {import("./app.js").App} App */

const NOTHING = 204; // the status of an answer without a profile: the program has given none yet
const SHORTEST = 500; // ms between two requests
const AFTER_FAILURE = 2000; // ms
const FAILURES = 3; // in a row: after so many, the server has gone
const CLICK = 100; // ms after a button is let go, in which the browser makes a click of it

/** Fetches the data beside the page, as soon as there is any. */
export async function fetched() {
  for (;;) {
    const response = await fetch("data");
    if (response.status !== NOTHING) {
      return unpackResponse(response);
    }
    await passed(SHORTEST);
  }
}

/**
 * Follows a program, where there is one to follow.
 * @param {App} app
 */
export function follow(app) {
  if (app.live?.running) {
    new Live(app).start();
  }
}

class Live {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    app.follower = this;
    this.paused = false;
    this.held = false; // a button of the mouse, or a finger, is down
    this.state = "running";
    this.letting = 0; // the timeout after which nothing is held, or 0
    /** @type {() => void} */
    this.wake = () => {};
    this.pulse = h("i", { class: "pulse", "aria-hidden": "true" });
    this.word = h("span", { role: "status" });
    this.pause = h("button", { class: "button plain", on: { click: () => this.#toggle() } });
    this.save = h(
      "button",
      { class: "button plain", "aria-label": "Save the profile as it is now", "data-tip": "Save the profile as it is now", on: { click: () => this.#save() } },
      icon("save"),
    );
    app.bar.live.hidden = false;
    fill(app.bar.live, this.pulse, this.word, this.pause, this.save);
    app.keys.everywhere("P", "Pause, go on following the program", () => this.#toggle());
    app.keys.everywhere("S", "Save the profile as it is now", () => this.#save());
    document.addEventListener("visibilitychange", () => this.wake());
    for (const type of /** @type {const} */ (["pointerdown", "pointermove", "pointerup", "pointercancel"])) {
      document.addEventListener(type, (event) => this.#hold(event), true);
    }
    this.#say();
  }

  async start() {
    let failures = 0;
    while (this.state === "running") {
      await this.#free();
      try {
        const response = await fetch("next");
        failures = 0;
        if (response.status !== NOTHING) {
          const container = await unpackResponse(response);
          await this.#free({ show: true });
          this.#take(container);
        }
      } catch {
        failures++;
        this.state = failures < FAILURES ? "running" : "out of reach";
        await passed(AFTER_FAILURE);
      }
      this.#say();
      await passed(SHORTEST);
    }
    this.app.announce(this.state === "ended" ? "The program has ended" : "The program cannot be reached any more");
  }

  /** @param {import("./container.js").Container} container */
  #take(container) {
    const { host } = this.app;
    const { live } = container.header;
    if (live?.number !== this.app.live?.number) {
      const focused = pathTo(host, document.activeElement);
      this.app.take(container);
      elementAt(host, focused)?.focus({ preventScroll: true });
    }
    this.state = live?.running ? "running" : "ended";
  }

  /**
   * Waits while the user has paused, or nobody sees the page.
   * @param {{show?: boolean}} [options]  show: also while a click is half done, as before new data
   */
  async #free({ show = false } = {}) {
    while (this.paused || document.hidden || (show && this.held)) {
      await new Promise((resolve) => (this.wake = () => resolve(null)));
    }
  }

  /**
   * Notes whether a button is down. Until the user lets it go, the element under it must stay: else
   * the browser makes no click of it.
   * @param {PointerEvent} event
   */
  #hold({ type, buttons }) {
    if (type !== "pointercancel" && buttons > 0) {
      this.held = true;
      clearTimeout(this.letting);
      this.letting = 0;
    } else if (this.held && !this.letting) {
      this.letting = setTimeout(() => {
        this.letting = 0;
        this.held = false;
        this.wake();
      }, CLICK);
    }
  }

  #toggle() {
    if (this.state === "running") {
      this.paused = !this.paused;
      this.wake();
      this.#say();
      this.app.announce(this.paused ? "Paused" : "Following the program");
    }
  }

  #say() {
    const { state, paused, pause } = this;
    const name = paused ? "Go on (P)" : "Pause (P)";
    const runs = state === "running";
    this.pulse.classList.toggle("still", paused || !runs);
    fill(this.word, runs && paused ? "paused" : state);
    pause.hidden = !runs;
    this.save.hidden = !runs;
    if (pause.getAttribute("aria-label") !== name) {
      pause.setAttribute("aria-label", name);
      pause.setAttribute("data-tip", name);
      fill(pause, icon(paused ? "play" : "pause"));
    }
  }

  async #save() {
    const path = this.app.live?.save;
    if (!path || this.state !== "running") {
      return;
    }
    const response = await fetch(path, { method: "POST" }).catch(() => null);
    if (response?.status === NOTHING) {
      this.app.announce("There is nothing to save yet");
    } else if (response?.ok) {
      saveFile("profile.out", await response.blob());
      this.app.announce("Saved as profile.out");
    } else {
      this.app.announce("The profile could not be saved: the program gave no answer");
    }
  }
}

/** @param {number} milliseconds */
function passed(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * The path from an element to one inside of it: the position of each child. Empty if it is not
 * inside.
 * @param {Element} from
 * @param {Element | null} to
 */
function pathTo(from, to) {
  /** @type {number[]} */
  const path = [];
  for (let element = to; element !== from; element = element.parentElement) {
    if (element?.parentElement == null) {
      return [];
    }
    path.unshift([...element.parentElement.children].indexOf(element));
  }
  return path;
}

/**
 * The element that such a path leads to now, or null.
 * @param {Element} from
 * @param {number[]} path
 */
function elementAt(from, path) {
  /** @type {Element | undefined} */
  let element = from;
  for (const place of path) {
    element = element?.children[place];
  }
  return path.length > 0 && element instanceof HTMLElement ? element : null;
}
