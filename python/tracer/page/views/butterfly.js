// The butterfly: who called a function, the function, and whom it called, with what went through
// each edge. A click walks there; Back walks back.

import { callsOf, card, ribbon, selfCard } from "../butterfly/cards.js";
import { allCallsOf, widestBoxOf } from "../flame/places.js";
import { fill, h, svg } from "../ui/dom.js";
import { NativeProfile } from "../native_profile.js";
import { longestOf } from "../flame/tooltip.js";
import { count, counted, exactTime, share, shortCount, time } from "../ui/format.js";
import { bar, twoParts } from "../ui/parts.js";
import { areWaitsShown, worked } from "../waits.js";
import { NO_ROW } from "../nodes.js";
import { FLAGS } from "../profile.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../edges.js").Edge} Edge
 * @typedef {{element: HTMLElement, weight: number}} Weighted   a card, and the time through its edge
 * @typedef {{weight: number, make(): HTMLElement}} Planned   a card that may never be seen
 * @typedef {[name: string, text: string, exact: string, beside: string]} Shown   a figure in the middle
 */

const FEW = 60; // cards on a side before the rest is asked for
const OFFERED = 40; // functions that are offered when none is chosen, or one is sought
/** The figures that have their own words in the middle; others are told as the header names them. */
const NAMED = new Set(["ncalls", "primitive", "tottime", "cumtime", "waited", "longest", "longest_at"]);

/** @type {import("../app.js").View} */
export const butterfly = {
  name: "butterfly",
  title: "Butterfly",
  key: "b",
  searches: "offers functions to walk to",
  excerpts: true,
  mount: (host, app) => new Butterfly(host, app),
};

class Butterfly {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   */
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.seen = "";
    /** @type {string | null} the search that has led to the function */
    this.found = null;
    /** @type {Weighted[]} */
    this.callers = [];
    /** @type {Weighted[]} */
    this.callees = [];
    this.threads = svg("svg", { class: "ribbons", "aria-hidden": "true" });
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(host);
    const { keys } = app;
    keys.register("ArrowUp ArrowDown", "Previous, next function on this side", (event) =>
      this.#step(event.key === "ArrowUp" ? -1 : 1),
    );
    keys.register("ArrowLeft ArrowRight", "To the callers, to the callees", (event) =>
      this.#cross(event.key === "ArrowLeft"),
    );
    keys.register("Enter", "Walk to the function that has the focus", () => {});
    keys.register("Backspace", "Walk back", () => app.address.back());
    keys.register("x", "Choose another function", () => app.set({ row: null, search: null }, { push: true }));
  }

  /** @param {import("../ui/state.js").State} state */
  update(state) {
    const seen = JSON.stringify([state.thread ?? "", state.row ?? "", state.search ?? ""]);
    if (seen === this.seen) {
      return;
    }
    this.seen = seen;
    const row = this.app.selectedRow;
    const search = state.search ?? "";
    // What was sought elsewhere, where the function was chosen, is not sought here.
    this.found ??= row < 0 ? "" : search;
    this.found = search === this.found ? search : "";
    if (row < 0 || search !== this.found) {
      this.#offer(row, search);
    } else {
      this.#show(row);
    }
  }

  destroy() {
    this.observer.disconnect();
  }

  /**
   * Functions to begin with.
   * @param {number} row  the one that is left, -1 if none
   * @param {string} search
   */
  #offer(row, search) {
    const { app } = this;
    const { profile } = app;
    const figures = profile.figures(app.threads);
    const found = search ? profile.matches(search) : figures.present;
    const rows = [];
    for (let at = 0; at < profile.rowCount; at++) {
      if (found[at] && figures.present[at]) {
        rows.push(at);
      }
    }
    /** @param {number} at */
    const isOwn = (at) => Number(profile.kindOf(at) === "own");
    rows.sort((a, b) => (search ? 0 : isOwn(b) - isOwn(a)) || figures.cumtime[b] - figures.cumtime[a]);
    const items = rows.slice(0, OFFERED).map((at) => {
      const total = figures.cumtime[at];
      const waited = this.#waitedWithin(at);
      const exact = [exactTime(total), waited > 0 && twoParts(total, waited)].filter(Boolean).join("\n");
      const figuresOf = { main: time(total), exact, more: this.#beside(figures.ncalls[at], total), part: figures.total > 0 ? total / figures.total : 0, waited: total > 0 ? waited / total : 0 };
      return h("li", null, this.#card(at, figuresOf));
    });
    const missed = this.app.state.row !== undefined && row < 0;
    this.callers = this.callees = [];
    fill(
      this.host,
      h(
        "div",
        { class: "offer" },
        h("h2", null, search ? `${counted(rows.length, "function")} found` : rows.length > 0 ? "Choose a function" : "Nothing was called"),
        missed && h("p", { class: "quiet" }, `${app.state.row} is not in this profile.`),
        rows.length > 0 && h("p", { class: "quiet" }, search ? "The longest first; a click walks there." : "The program's own first, the longest with all that they call; or search for one by /."),
        rows.length > 0 && h("ol", { class: "cards" }, ...items),
        search !== "" && rows.length === 0 && h("button", { class: "button", on: { click: () => app.set({ search: null }) } }, "Clear the search"),
      ),
    );
  }

  /** @param {number} row */
  #show(row) {
    const { app } = this;
    const { profile } = app;
    const figures = profile.figures(app.threads);
    const edges = app.profile.edges(app.threads);
    const cumtime = figures.cumtime[row];
    const callers = edges.callers(row);
    const callees = edges.callees(row);
    const plannedCallers = callers.map((edge) => this.#planned(edge, cumtime, edge.row === row));
    const plannedCallees = callees.map((edge) => this.#planned(edge, cumtime, edge.row === row));
    const own = figures.tottime[row];
    if (callees.length > 0 && own > 0) {
      const at = callees.findIndex((edge) => edge.cumtime < own);
      plannedCallees.splice(at < 0 ? plannedCallees.length : at, 0, { weight: own, make: () => selfCard(own, cumtime, this.#shownWait(figures.waited[row])) });
    }
    this.callers = [];
    this.callees = [];
    this.centre = this.#centre(row);
    fill(
      this.host,
      h(
        "div",
        { class: "butterfly" },
        this.threads,
        this.#side("Callers", callers.length, plannedCallers, this.callers, "Nobody called it: a thread began with it, or recording did."),
        h("section", { class: "body", "aria-label": "The function" }, this.centre),
        this.#side("Callees", callees.length, plannedCallees, this.callees, "It called nothing that was recorded."),
      ),
    );
    this.#draw();
    const sides = `${counted(callers.length, "caller")}, ${counted(callees.length, "callee")}`;
    app.announce(`${profile.nameOf(row)}: ${sides}`, { quiet: true });
  }

  /** @param {number} row */
  #centre(row) {
    const { app } = this;
    const { profile } = app;
    const figures = profile.figures(app.threads);
    const own = figures.tottime[row];
    const total = figures.cumtime[row];
    const calls = figures.ncalls[row];
    const primitive = figures.primitive[row];
    const waited = this.#shownWait(Math.min(own, figures.waited[row]));
    const within = this.#waitedWithin(row);
    if (profile instanceof NativeProfile) {
      return this.#frame(row, own, total, 0, this.#sampled(profile, row));
    }
    const told = profile.callsTold(row, app.threads);
    /** @type {Shown[]} */
    const shown = [
      ["cumtime", time(total), within > 0 ? `${exactTime(total)}\n${twoParts(total, within)}` : exactTime(total), `${share(total, figures.total)} of all${within > 0 ? `, ${share(within, total)} waited` : ""}`],
      ["tottime", time(own), exactTime(own), `${share(own, figures.total)} of all`],
    ];
    if (told !== null) {
      shown.push(["ncalls", told.short, told.full, told.about]);
    }
    if (primitive > 0) {
      shown.push(["cumtime per call", time(total / primitive), exactTime(total / primitive), `tottime ${time(own / calls)}`]);
    }
    if (waited > 0) {
      shown.push(["busy", time(worked(own, waited)), exactTime(worked(own, waited)), `${share(worked(own, waited), own)} of tottime`]);
      shown.push(["waited", time(waited), exactTime(waited), `${share(waited, own)} of tottime`]);
    }
    if (figures.longest[row] > 0) {
      const [text, when] = longestOf(figures, row);
      shown.push(["longest call", text, `${exactTime(figures.longest[row])}\nThe longest stretch from a call or resume`, when]);
    }
    for (const { name, about, time: isTime } of profile.kinds.filter((kind) => !NAMED.has(kind.name))) {
      const value = figures.columns[name][row];
      const isWait = name !== "suspended" || (profile.flags[row] & FLAGS.works) === 0;
      if (value !== 0 && isWait) {
        shown.push([name, isTime ? time(value) : shortCount(value), isTime ? exactTime(value) : count(value), about]);
      }
    }
    return this.#frame(row, own, total, waited, shown);
  }

  /**
   * The figures of a function that is seen by native samples.
   * @param {NativeProfile} profile
   * @param {number} row
   * @returns {Shown[]}
   */
  #sampled(profile, row) {
    const { threads } = this.app;
    const { tottime, cumtime, ncalls, total } = profile.figures(threads);
    /** @type {(name: string, amount: number) => Shown} */
    const cpu = (name, amount) => [name, time(amount), exactTime(amount), `± ${time(profile.errorOf(amount))}, ${share(amount, total)} of all`];
    const shown = [cpu("cum CPU", cumtime[row]), cpu("own CPU", tottime[row])];
    const traced = profile.traced(row, threads);
    shown.push(["samples", count(ncalls[row]), count(ncalls[row]), "while it ran itself"]);
    if (traced > 0) {
      shown.push(["tottime", time(traced), exactTime(traced), "as it was traced, with what it waited"]);
    }
    return shown;
  }

  /**
   * @param {number} row
   * @param {number} own
   * @param {number} total
   * @param {number} waited
   * @param {Shown[]} shown
   */
  #frame(row, own, total, waited, shown) {
    const { profile } = this.app;
    const place = profile.place(row);
    return h(
      "div",
      { class: "focus" },
      h("p", { class: "where" }, h("i", { class: "dot", "data-kind": profile.kindOf(row) }), profile.kindOf(row) === "builtin" ? "written in C" : profile.moduleOf(row)),
      h("h2", { class: "fn", tabindex: "-1" }, profile.nameOf(row)),
      place !== "" && h("p", { class: "path", "data-tip": place }, h("bdi", null, place)),
      h("div", { "data-tip": `${share(own, total)} of its time is its own${waited > 0 ? `\nOf that it ${twoParts(own, waited)}` : ""}` }, bar(total > 0 ? own / total : 0, own > 0 ? waited / own : 0, profile.kindOf(row))),
      h("dl", { class: "figures" }, ...shown.map(([name, text, exact, beside]) => h("div", { "data-tip": exact }, h("dt", null, name), h("dd", null, text), h("dd", null, beside)))),
      h("p", { class: "ways" }, ...this.#ways(row)),
    );
  }

  /**
   * A wait, where waits are told.
   * @param {number} waited
   */
  #shownWait(waited) {
    const { profile, threads } = this.app;
    return areWaitsShown(profile.figures(threads)) ? waited : 0;
  }

  /**
   * What stands beside a time: calls, or of samples the share of all.
   * @param {number} calls
   * @param {number} amount
   */
  #beside(calls, amount) {
    const { profile, threads } = this.app;
    const isShare = profile instanceof NativeProfile || (profile.samples !== null && calls === 0);
    return isShare ? share(amount, profile.figures(threads).total) : callsOf(calls);
  }

  /**
   * What a function waited with all that it called, where waits are told.
   * @param {number} row
   */
  #waitedWithin(row) {
    const { profile, threads } = this.app;
    return this.#shownWait(1) > 0 ? Math.min(profile.figures(threads).cumtime[row], profile.waitedWithin(threads)[row]) : 0;
  }

  /** @param {number} row */
  #ways(row) {
    const { app } = this;
    const kind = app.profile.kindOf(row);
    const hasCode = app.profile instanceof NativeProfile && app.profile.codeOf(row).length > 0;
    const hasSource = kind === "native" ? hasCode : kind !== "builtin";
    const key = app.profile.key(row);
    /** @type {(text: string, view: string, patch: Record<string, string | null>, tip: string) => HTMLElement} */
    const way = (text, view, patch, tip) => h("button", { class: "link", "data-tip": tip, on: { click: () => app.open(view, patch) } }, text);
    return [
      way("All its calls", "flame", allCallsOf(key), "A flame graph of all its calls as one, callers above and callees below"),
      way("Flame graph", "flame", widestBoxOf(key), "Its widest box among all"),
      hasSource && way("Source", "source", { row: key, line: null }, "Its lines"),
    ];
  }

  /**
   * @param {Edge} edge
   * @param {number} whole
   * @param {boolean} recursion
   * @returns {Planned}
   */
  #planned(edge, whole, recursion) {
    return { weight: edge.cumtime, make: () => this.#edgeCard(edge, whole, recursion) };
  }

  /**
   * @param {Edge} edge
   * @param {number} whole
   * @param {boolean} recursion
   */
  #edgeCard(edge, whole, recursion) {
    const calls = edge.calls > 0 || edge.resumes === 0 ? this.#beside(edge.calls, edge.cumtime) : `${shortCount(edge.resumes)} resumes`;
    const waited = this.#shownWait(Math.min(edge.cumtime, edge.waited));
    const exact = [
      exactTime(edge.cumtime),
      `${share(edge.cumtime, whole)} of the function in the middle`,
      !(this.app.profile instanceof NativeProfile) && (this.app.profile.samples === null ? `${count(edge.calls)} calls, ${count(edge.primitive)} primitive` : edge.calls > 0 && `${count(edge.calls)} calls`),
      edge.resumes > 0 && `${count(edge.resumes)} resumes`,
      waited > 0 && twoParts(edge.cumtime, waited),
    ];
    return this.#card(edge.row, {
      main: time(edge.cumtime),
      exact: exact.filter(Boolean).join("\n"),
      more: recursion ? `${calls} of itself` : calls,
      part: whole > 0 ? edge.cumtime / whole : 0,
      waited: edge.cumtime > 0 ? waited / edge.cumtime : 0,
    });
  }

  /**
   * @param {number} row
   * @param {{main: string, exact: string, more: string, part: number, waited: number}} figures
   */
  #card(row, { main, exact, more, part, waited }) {
    const { app } = this;
    const { profile } = app;
    if (row === NO_ROW) {
      return card(null, "beginning of a thread", "", main, more, exact, part, waited, null);
    }
    const kind = profile.kindOf(row);
    const where = kind === "builtin" ? "" : profile.moduleOf(row);
    const tip = `${profile.label(row)}\n${exact}`;
    const walk = () => app.set({ row: profile.key(row), search: null }, { push: true });
    return card(kind, profile.nameOf(row), where, main, more, tip, part, waited, walk);
  }

  /**
   * @param {string} title
   * @param {number} number
   * @param {Planned[]} planned
   * @param {Weighted[]} made  where those that are made go
   * @param {string} none
   */
  #side(title, number, planned, made, none) {
    const list = h("ol", { class: "cards" });
    /** @param {Planned[]} cards */
    const add = (cards) => {
      for (const { weight, make } of cards) {
        const element = make();
        made.push({ element, weight });
        list.append(h("li", null, element));
      }
    };
    add(planned.slice(0, FEW));
    const rest = planned.length - FEW;
    const more = h(
      "button",
      {
        class: "onward",
        hidden: rest <= 0,
        on: {
          click: () => {
            more.hidden = true;
            add(planned.slice(FEW));
            this.#draw();
          },
        },
      },
      `${count(Math.max(0, rest))} more`,
    );
    const side = h(
      "section",
      { class: `side ${title.toLowerCase()}`, "aria-label": title },
      h("h2", null, title, h("small", null, number === 0 ? "none" : count(number))),
      planned.length > 0 ? list : h("p", { class: "quiet" }, none),
      more,
    );
    side.addEventListener("scroll", () => this.#draw(), { passive: true });
    return side;
  }

  /** Draws a ribbon from each card to the middle, as thick as its part of the time. */
  #draw() {
    const { centre } = this;
    if (!centre?.isConnected || this.callers.length + this.callees.length === 0) {
      fill(this.threads);
      return;
    }
    const frame = /** @type {Element} */ (this.threads.parentElement).getBoundingClientRect();
    const middle = centre.getBoundingClientRect();
    const ribbons = [];
    for (const [cards, leftward] of /** @type {[Weighted[], boolean][]} */ ([[this.callers, true], [this.callees, false]])) {
      const shown = cards.filter(({ element }) => element.isConnected);
      const whole = shown.reduce((sum, { weight }) => sum + weight, 0) || 1;
      const room = Math.min(middle.height - 24, 180);
      let from = middle.top - frame.top + (middle.height - room) / 2;
      for (const { element, weight } of shown) {
        const thick = (room * weight) / whole;
        const box = element.getBoundingClientRect();
        const y = box.top - frame.top + box.height / 2;
        const [x1, x2] = leftward ? [middle.left, box.right] : [middle.right, box.left];
        if (thick > 0.15 && box.bottom > frame.top && box.top < frame.bottom) {
          ribbons.push(ribbon(x1 - frame.left, from, x2 - frame.left, y, thick, Math.min(thick, box.height - 8)));
        }
        from += thick;
      }
    }
    fill(this.threads, ...ribbons);
  }

  /** @param {number} by */
  #step(by) {
    const cards = [...(document.activeElement?.closest(".cards") ?? this.host).querySelectorAll("button.card")];
    const at = cards.indexOf(/** @type {Element} */ (document.activeElement));
    const next = cards[at < 0 ? 0 : Math.max(0, Math.min(cards.length - 1, at + by))];
    if (next instanceof HTMLElement) {
      next.focus();
    }
  }

  /** @param {boolean} leftward */
  #cross(leftward) {
    const card = this.host.querySelector(`${leftward ? ".callers" : ".callees"} button.card`);
    if (card instanceof HTMLElement) {
      card.focus();
    }
  }
}
