// The frame around the views: the view that is shown, and the state that the views share. A view
// gets the App, and changes the state by set() and open() alone.

import { seenBy } from "./ways.js";
import { TopBar } from "./top_bar.js";
import { Profile } from "./profile.js";
import { fill } from "./ui/dom.js";
import { say } from "./ui/help.js";
import { Keys } from "./ui/keys.js";
import { Address, patched } from "./ui/state.js";
import { Tooltip } from "./ui/tooltip.js";

/**
 * @typedef {import("./container.js").Container} Container
 * @typedef {import("./timeline/excerpt.js").Excerpt} Excerpt
 * @typedef {import("./ui/state.js").State} State
 * @typedef {{update(state: State): void, destroy?(): void}} Mounted
 * @typedef {{name: string, title: string, key: string, searches?: string, whole?: boolean, excerpts?: boolean, available?(app: App): boolean, mount(host: HTMLElement, app: App): Mounted}} View
 *   `searches`: what the search does in the view; a view without `searches` leaves it to the table.
 *   `whole`: the view shows all threads together, whichever thread is chosen
 *   `excerpts`: the view shows the range alone that is selected in the timeline, or native samples or waits where these were chosen
 */

/** The keys of the state that all views share. The other keys are a view's own. */
const SHARED = ["thread", "row", "search", "metric", "range", "seen"];

export class App {
  /**
   * @param {readonly View[]} views
   * @param {Container} container
   * @param {typeof import("./timeline/excerpt.js").excerptOf} excerptOf
   */
  constructor(views, container, excerptOf) {
    this.views = views;
    this.excerptOf = excerptOf;
    const [profile, other] = profilesOf(container);
    this.profile = profile; // what the view shows: the whole, or an excerpt of it
    this.whole = profile;
    /** @type {Excerpt | null} what the view shows alone of the run */
    this.excerpt = null;
    this.other = other;
    this.title = container.header.title;
    this.live = container.header.live;
    /** @type {{paused: boolean, held: boolean} | null} of a program that runs: whether its page may change now */
    this.follower = null;
    this.view = views[0];
    /** @type {Mounted | null} */
    this.mounted = null;
    /** @type {Record<string, State>} each view's own state, as the user left it */
    this.left = {};
    this.host = /** @type {HTMLElement} */ (document.getElementById("view"));
    this.keys = new Keys();
    this.tip = new Tooltip();
    this.address = new Address(() => this.#show());
    this.bar = new TopBar(this);
    this.#describe();
    this.#show();
  }

  /**
   * Takes new data: a newer snapshot of a program that still runs.
   * @param {Container} container
   */
  take(container) {
    const [profile, other] = profilesOf(container);
    this.whole = profile;
    this.profile = profile;
    this.other = other;
    this.title = container.header.title;
    this.live = container.header.live;
    this.#choose(this.view);
    this.#describe();
    const { scrollTop } = this.scroller;
    const hadFocus = this.host.contains(document.activeElement);
    this.#mount(this.view);
    this.scroller.scrollTop = scrollTop;
    if (hadFocus) {
      this.host.focus({ preventScroll: true });
    }
  }

  get state() {
    return this.address.state;
  }

  /** The chosen threads: "all", or one by its place. */
  get threads() {
    return this.profile.threadOf(this.state.thread);
  }

  /** The row of the chosen function, or -1. */
  get selectedRow() {
    return this.profile.rowOf(this.state.row);
  }

  /** The element that scrolls in the shown view. */
  get scroller() {
    return this.host.querySelector(".scroller") ?? this.host;
  }

  /**
   * Changes the state; null removes a key. The address and the view follow.
   * @param {Record<string, string | null>} patch
   * @param {{push?: boolean}} [options]  push: Back leads to the state before
   */
  set(patch, { push = false } = {}) {
    this.address.write(patched(this.state, patch), push);
    this.#show();
  }

  /**
   * Goes to a view, whose own state is as the user left it. Back returns.
   * @param {string} view
   * @param {Record<string, string | null>} [patch]
   */
  open(view, patch = {}) {
    const given = Object.entries(this.state);
    this.left[this.view.name] = Object.fromEntries(given.filter(([key]) => !SHARED.includes(key)));
    const shared = Object.fromEntries(given.filter(([key]) => SHARED.includes(key)));
    this.address.write(patched({ ...this.left[view], ...shared, view }, patch), true);
    this.#show();
  }

  /**
   * Goes to a view, if another one is shown.
   * @param {string} view
   */
  go(view) {
    if (view !== this.view.name) {
      this.open(view);
    }
  }

  /**
   * Shows a text for a moment, and has a screen reader read it out.
   * @param {string} text
   * @param {{quiet?: boolean}} [options]  quiet: only a screen reader gets the text
   */
  announce(text, { quiet = false } = {}) {
    say(text, quiet);
  }

  /** Shows the view that the state names; if it names none, the comparison or the first view. */
  #show() {
    const open = this.views.filter((view) => view.available?.(this) ?? true);
    const wanted = this.state.view ?? (this.other === null ? "" : "compare");
    const view = open.find(({ name }) => name === wanted) ?? open[0];
    const isOther = this.#choose(view);
    if (isOther) {
      this.bar.describe();
    }
    this.bar.update(open, view);
    if (this.mounted === null || view !== this.view || isOther) {
      this.#mount(view);
    } else {
      this.mounted.update(this.state);
    }
  }

  /**
   * Takes the profile for a view: native samples or waits where these were chosen, an excerpt where a range is selected, if
   * the view shows such.
   * @param {View} view
   * @returns {boolean} whether the profile is another one than before
   */
  #choose(view) {
    const { profile, whole, excerpt } = this;
    const seen = view.excerpts === true ? seenBy(whole, this.state.seen) : null;
    this.excerpt = view.excerpts === true && seen === null ? this.excerptOf(whole, this.state.range, excerpt) : null;
    this.profile = seen ?? this.excerpt ?? whole;
    return this.profile !== profile;
  }

  /** @param {View} view */
  #mount(view) {
    this.mounted?.destroy?.();
    this.tip.hide();
    this.keys.change(view.title);
    fill(this.host);
    this.host.scrollTop = 0;
    this.host.dataset.view = view.name;
    this.host.setAttribute("aria-labelledby", `tab-${view.name}`);
    this.view = view;
    this.mounted = view.mount(this.host, this);
    this.mounted.update(this.state);
  }

  #describe() {
    document.title = this.title ? `${this.title} · tracer` : "tracer";
    this.bar.describe();
  }
}

/**
 * The profile, and the profile that it is compared with, or null.
 * @param {Container} container
 * @returns {[Profile, Profile | null]}
 */
function profilesOf(container) {
  const [one, other] = container.header.profiles.map((packed) => new Profile(container, packed));
  return [one, other ?? null];
}
