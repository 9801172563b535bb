// The frame around the views: which one is seen, and the state they share. A view gets the App, and
// changes the state by set() and open() alone.

import { TopBar } from "./top_bar.js";
import { Profile } from "./profile.js";
import { fill } from "./ui/dom.js";
import { say } from "./ui/help.js";
import { Keys } from "./ui/keys.js";
import { Address, patched } from "./ui/state.js";
import { Tooltip } from "./ui/tooltip.js";

/**
 * @typedef {import("./container.js").Container} Container
 * @typedef {import("./ui/state.js").State} State
 * @typedef {{update(state: State): void, destroy?(): void}} Mounted
 * @typedef {{name: string, title: string, key: string, searches?: string,
 *   whole?: boolean, available?(app: App): boolean, mount(host: HTMLElement, app: App): Mounted}} View
 *   `searches`: what the search does there; without it, it leads to the table.
 *   `whole`: it shows all threads together, whichever is chosen
 */

/** What goes with you from view to view. The rest of the state is a view's own. */
const SHARED = ["thread", "row", "search", "metric"];

export class App {
  /**
   * @param {readonly View[]} views
   * @param {Container} container
   */
  constructor(views, container) {
    this.views = views;
    const [profile, other] = profilesOf(container);
    this.profile = profile;
    this.other = other;
    this.title = container.header.title;
    this.live = container.header.live;
    this.view = views[0];
    /** @type {Mounted | null} */
    this.mounted = null;
    /** @type {Record<string, State>} what a view's own state was when it was left */
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
   * Takes other data, as when a program that runs is looked at again.
   * @param {Container} container
   */
  take(container) {
    const [profile, other] = profilesOf(container);
    this.profile = profile;
    this.other = other;
    this.title = container.header.title;
    this.live = container.header.live;
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

  /** The threads that are looked at: "all" or one by its place. */
  get threads() {
    return this.profile.threadOf(this.state.thread);
  }

  /** The function that is looked at, -1 if none. */
  get selectedRow() {
    return this.profile.rowOf(this.state.row);
  }

  /** What is scrolled in the view that is seen. */
  get scroller() {
    return this.host.querySelector(".scroller") ?? this.host;
  }

  /**
   * Changes the state; null takes a key away. The view is told, and the address follows.
   * @param {Record<string, string | null>} patch
   * @param {{push?: boolean}} [options]  push: Back leads to what was before
   */
  set(patch, { push = false } = {}) {
    this.address.write(patched(this.state, patch), push);
    this.#show();
  }

  /**
   * Goes to a view; Back returns.
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
   * Goes to a view, if it is not there already.
   * @param {string} view
   */
  go(view) {
    if (view !== this.view.name) {
      this.open(view);
    }
  }

  /**
   * Says something, on the screen and to a screen reader.
   * @param {string} text
   * @param {{quiet?: boolean}} [options]  quiet: to a screen reader alone
   */
  announce(text, { quiet = false } = {}) {
    say(text, quiet);
  }

  /** Shows what the state says. */
  #show() {
    const open = this.views.filter((view) => view.available?.(this) ?? true);
    const wanted = this.state.view ?? (this.other === null ? "" : "compare");
    const view = open.find(({ name }) => name === wanted) ?? open[0];
    this.bar.update(open, view);
    if (this.mounted === null || view !== this.view) {
      this.#mount(view);
    } else {
      this.mounted.update(this.state);
    }
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
 * The profile, and the one that it is compared with, if any.
 * @param {Container} container
 * @returns {[Profile, Profile | null]}
 */
function profilesOf(container) {
  const [one, other] = container.header.profiles.map((packed) => new Profile(container, packed));
  return [one, other ?? null];
}
