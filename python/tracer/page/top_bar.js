// The bar at the top: the views as tabs, threads, search, theme, help.

import { fill, h, icon } from "./ui/dom.js";
import { seconds, time } from "./ui/format.js";
import { showHelp } from "./ui/help.js";
import { nextTheme, theme } from "./ui/theme.js";
import { WAYS } from "./ways.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").View} View
 */

const THEMES = /** @type {const} */ ({
  auto: ["auto", "Theme: as the system has it"],
  light: ["sun", "Theme: light"],
  dark: ["moon", "Theme: dark"],
});

export class TopBar {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.name = h("h1", null);
    this.offered = ""; // the threads
    /** The ways to see the profile that have their keys. @type {Set<string>} */
    this.hasKey = new Set();
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
    this.search = h("input", {
      type: "search",
      placeholder: "Search",
      "aria-label": "Search functions: text or /regex/",
      "data-tip": "Functions by text, or by /regex/",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.search.addEventListener("input", () => this.#searchFor(this.search.value));
    this.search.addEventListener("keydown", (event) => this.#searchKey(event));
    this.thread = h("select", { "aria-label": "Thread" });
    this.thread.addEventListener("change", () => app.set({ thread: this.thread.value }, { push: true }));
    this.theme = button("", "auto", () => this.#changeTheme());
    const whole = { click: () => app.set({ range: null }, { push: true }) };
    this.excerpt = h("button", { class: "button excerpt", hidden: true, on: whole });
    this.ways = WAYS.map(({ name, title, key, about }) =>
      h("button", { class: "button seen", hidden: true, "data-tip": `${about} (${key})`, on: { click: () => this.#turn(name) } }, title),
    );
    this.live = h("div", { class: "live", role: "group", "aria-label": "The program", hidden: true });
    fill(
      /** @type {Element} */ (document.getElementById("bar")),
      h("div", { class: "brand" }, mark(), this.name),
      this.tabs,
      h(
        "div",
        { class: "tools" },
        this.live,
        this.excerpt,
        ...this.ways,
        this.thread,
        h("label", { class: "search" }, icon("search"), this.search, h("kbd", { "aria-hidden": "true" }, "/")),
        this.theme,
        button("Keyboard", "help", () => showHelp(app.keys)),
      ),
    );
    this.#nameTheme();
    this.#registerKeys();
  }

  /** Shows the title of the profile, and offers its threads. */
  describe() {
    const { profile, whole, keys: keyboard } = this.app;
    for (const { name, key, about, of } of WAYS) {
      if (!this.hasKey.has(name) && of(whole) !== null) {
        this.hasKey.add(name);
        keyboard.everywhere(key, about, () => this.#turn(name));
      }
    }
    const { threads } = profile;
    const keys = threads.map((_, place) => profile.threadKey(place));
    if (this.offered !== keys.join("\n")) {
      this.offered = keys.join("\n");
      const options = keys.map((key, place) => h("option", { value: key }, threads[place].name || `Thread ${place + 1}`));
      fill(this.thread, h("option", { value: "" }, `All ${keys.length} threads`), ...options);
      this.thread.hidden = keys.length < 2;
    }
  }

  /**
   * Shows the state.
   * @param {View[]} open  the views that are available
   * @param {View} shown
   */
  update(open, shown) {
    const { app, search, thread, tabs } = this;
    const { state } = app;
    if (search.value !== (state.search ?? "")) {
      search.value = state.search ?? "";
    }
    this.#entitle(shown);
    this.excerpt.hidden = app.excerpt === null;
    if (app.excerpt !== null) {
      const { range, exact } = app.excerpt;
      fill(this.excerpt, `${time(range.to - range.from)} of the run`, icon("close"));
      const figures = `Figures from ${seconds(exact.from)} s to ${seconds(exact.to)} s of the run`;
      this.excerpt.setAttribute("data-tip", `${figures}. A click leads back to all of it`);
    }
    this.ways.forEach((button, place) => {
      const seen = WAYS[place].of(app.whole);
      button.hidden = seen === null || shown.excerpts !== true;
      button.setAttribute("aria-pressed", String(app.profile === seen));
    });
    thread.value = shown.whole ? "" : (state.thread ?? "");
    thread.disabled = shown.whole === true;
    if (tabs.children.length !== open.length) {
      fill(tabs, ...open.map((view) => this.#tab(view)));
    }
    for (const tab of tabs.children) {
      const chosen = tab.id === `tab-${shown.name}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.setAttribute("tabindex", chosen ? "0" : "-1");
    }
  }

  /**
   * Shows the title; of two profiles that are compared, which one the view is about.
   * @param {View} shown
   */
  #entitle({ whole }) {
    const { profile, other, title } = this.app;
    const [one, two] = [profile.name, other?.name ?? ""];
    const isOfOne = whole !== true && one !== "" && two !== "";
    fill(this.name, ...(isOfOne ? [one, h("small", null, ` → ${two}`)] : [title || "tracer"]));
    this.name.setAttribute("data-tip", isOfOne ? `${title}\nThis view is of ${one} alone` : title);
  }

  /** @param {View} view */
  #tab({ name, title, key }) {
    const tab = h(
      "button",
      { role: "tab", id: `tab-${name}`, "aria-controls": "view", "aria-keyshortcuts": key },
      title,
    );
    tab.addEventListener("click", () => this.app.go(name));
    tab.addEventListener("keydown", (event) => this.#tabKey(event, tab));
    return tab;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} tab
   */
  #tabKey(event, tab) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const tabs = [...this.tabs.children];
    const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
    if (step !== 0 && next instanceof HTMLElement) {
      event.preventDefault();
      next.click();
      next.focus();
    }
  }

  /** @param {string} search */
  #searchFor(search) {
    const { app } = this;
    if (app.view.searches === undefined) {
      app.open("table", { search });
    } else {
      app.set({ search });
    }
  }

  /** @param {KeyboardEvent} event */
  #searchKey(event) {
    if (event.key === "Escape") {
      this.app.set({ search: null });
      this.search.blur();
    } else if (event.key === "Enter") {
      this.search.blur();
    }
  }

  #registerKeys() {
    const { app } = this;
    const { keys } = app;
    for (const { name, title, key } of app.views) {
      keys.register(key, title, () => app.go(name));
    }
    keys.register("/", "Search functions", () => this.search.select());
    keys.register("[", "Back", () => app.address.back());
    keys.register("{ }", "Previous, next thread", (event) => this.#nextThread(event.key === "}" ? 1 : -1));
    keys.register("d", "Light, dark, or as the system has it", () => this.#changeTheme());
    keys.register("?", "This list", () => showHelp(keys));
  }

  /** @param {number} step */
  #nextThread(step) {
    const options = [...this.thread.options];
    const next = options.at((this.thread.selectedIndex + step) % options.length);
    if (next !== undefined && options.length > 2) {
      this.app.set({ thread: next.value });
      this.app.announce(next.text);
    }
  }

  /**
   * Turns from the times to another way to see the profile, and back.
   * @param {string} way
   */
  #turn(way) {
    const { app } = this;
    if (app.view.excerpts !== true) {
      app.open("flame", { seen: way });
    } else {
      app.set({ seen: app.state.seen === way ? null : way, zoom: null, at: null, sort: null }, { push: true });
    }
  }

  #changeTheme() {
    nextTheme();
    this.#nameTheme();
  }

  #nameTheme() {
    const [shape, name] = THEMES[theme()];
    this.theme.setAttribute("data-tip", name);
    this.theme.setAttribute("aria-label", name);
    fill(this.theme, icon(shape));
  }
}

/**
 * @param {string} name
 * @param {Parameters<typeof icon>[0]} shape
 * @param {() => void} click
 */
function button(name, shape, click) {
  return h("button", { class: "button plain", "aria-label": name, "data-tip": name, on: { click } }, icon(shape));
}

function mark() {
  return h("span", { class: "mark", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
}
