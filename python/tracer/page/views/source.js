// The source: a file with what it took beside it. Above each function its figures, beside each line
// that was timed those of the line, and at the side whom the function that is looked at calls.

import { heatOf } from "../flame/colours.js";
import { choice } from "../flame/controls.js";
import { lens } from "../source/lens.js";
import { filesByTime, heatOfFile, innermost, warmthOf } from "../source/heat.js";
import { codeLine, columnsOf, hitsTold, indentOf, lineCells, lineHeads, measureColumns, piecesOf } from "../source/lines.js";
import { codeLines, codeOf, sumOf, warmestLine } from "../native/code.js";
import { complete, whyNone } from "../source/missing.js";
import { sidePanel } from "../source/panel.js";
import { fill, h } from "../ui/dom.js";
import { counted, share, time } from "../ui/format.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../source/heat.js").FileHeat} FileHeat
 * @typedef {import("../source/heat.js").LineHeat} LineHeat
 * @typedef {import("../source/heat.js").Span} Span
 * @typedef {import("../ui/state.js").State} State
 */

const SETTLING = 4; // frames after which all that is in sight has its height
const CHUNK = 100; // lines that the browser lays out together, once they come into sight

/** @type {Record<string, string>} */
const NOTES = {
  edited: "The file was edited since: this is what it held when it was profiled.",
  gone: "The file is gone: this is what it held when it was profiled.",
  unknown: "Whether the file was edited since is not known.",
  missing: "The profile does not hold this file's source.",
};

/** @type {import("../app.js").View} */
export const source = {
  name: "source",
  title: "Source",
  key: "s",
  mount: (host, app) => new SourceView(host, app),
};

class SourceView {
  /**
   * @param {HTMLElement} host
   * @param {App} app
   */
  constructor(host, app) {
    this.app = app;
    /** @type {FileHeat | null} */
    this.heat = null;
    this.inner = new Int32Array(0);
    this.shown = ""; // what the lines were made for
    this.line = 0; // the one that is looked at, 0 if none
    /** @type {HTMLElement[]} by line, from 1 */
    this.lines = [];
    /** @type {Map<number, HTMLElement>} by row */
    this.lenses = new Map();
    this.files = h("select", {
      class: "wide",
      "aria-label": "File",
      on: { change: () => app.set({ file: this.files.value, row: null, line: null }, { push: true }) },
    });
    this.note = h("span", { class: "source-note" });
    this.sum = h("p", { class: "sum" });
    this.measure = choice(
      "What makes a line hot",
      [
        ["", "Total", "Hot is what takes time with all that it calls (m)"],
        ["own", "Own", "Hot is what takes time itself, or in C (m)"],
        ["memory", "Memory", "Hot is what was live at the peak (m)"],
      ],
      (value) => app.set({ heat: value }),
    );
    this.code = h("div", { class: "code", role: "grid", tabindex: "0", "aria-label": "Source" });
    this.scroller = h("div", { class: "scroller source-scroller" }, this.code);
    this.panel = h("aside", { class: "source-side", "aria-label": "Function", hidden: true });
    fill(
      host,
      h("div", { class: "toolbar" }, this.files, this.measure.element, this.note, h("span", { class: "spring" }), this.sum),
      h("div", { class: "source-body" }, this.scroller, this.panel),
    );
    this.code.addEventListener("click", (event) => this.#click(event));
    app.keys.register("ArrowUp ArrowDown", "Previous, next line", (event) =>
      this.#lookAt(this.line + (event.key === "ArrowUp" ? -1 : 1)),
    );
    app.keys.register("PageUp PageDown", "Twenty lines up, down", (event) =>
      this.#lookAt(this.line + (event.key === "PageUp" ? -20 : 20)),
    );
    app.keys.register("n N", "The next, the previous hot line or function, from the hottest on", (event) =>
      this.#nextHot(event.key === "n" ? 1 : -1),
    );
    app.keys.register("m", "Heat by total time, by own time, or by memory", () => {
      const now = this.offered.indexOf(this.heated);
      app.set({ heat: this.offered[(now + 1) % this.offered.length] });
    });
    app.keys.register("Enter", "Callers and callees of the function", () => {
      if (this.app.selectedRow >= 0) {
        this.app.open("butterfly");
      }
    });
  }

  get byTotal() {
    return this.app.state.heat !== "own";
  }

  /** Whether total and own time of the shown file's lines are the same. */
  get areSame() {
    const { heat } = this;
    return heat !== null && heat.timed.size > 0 && !heat.hasParts;
  }

  /** By what the shown file can be coloured: "" is the total time. */
  get offered() {
    const hasMemory = this.heat !== null && this.heat.largest >= 0;
    return ["", ...(hasMemory && this.areSame ? [] : ["own"]), ...(hasMemory ? ["memory"] : [])];
  }

  /** By what it is. */
  get heated() {
    const { heat } = this.app.state;
    return this.offered.includes(heat ?? "") ? (heat ?? "") : "";
  }

  /**
   * The time by which a line is coloured.
   * @param {LineHeat} line
   */
  #timeOf(line) {
    return this.byTotal ? line.time : warmthOf(line);
  }

  /**
   * The time, or the memory, by which a line is coloured.
   * @param {LineHeat} line
   */
  #warmthOf(line) {
    return this.heated === "memory" ? (line.memory?.peak ?? 0) : this.#timeOf(line);
  }

  /**
   * The time by which functions are coloured, by row.
   * @param {import("../profile.js").Figures} figures
   */
  #timesOf({ cumtime, tottime }) {
    return this.byTotal ? cumtime : tottime;
  }

  /** @param {State} state */
  update(state) {
    const { app } = this;
    const { profile, threads } = app;
    const code = codeOf(app);
    this.files.hidden = code !== null;
    if (code !== null) {
      this.#showNative(code);
      return;
    }
    const figures = profile.figures(threads);
    const row = app.selectedRow;
    const path = this.#pathOf(state, row, filesByTime(profile, figures));
    const known = complete(app, path);
    const shown = JSON.stringify([path, state.thread, state.heat, known]);
    if (shown !== this.shown) {
      this.shown = shown;
      const { scrollTop } = this.scroller;
      const sameFile = path === this.heat?.path;
      this.#fillFiles(filesByTime(profile, figures), path, figures.total);
      this.heat = path === "" ? null : heatOfFile(profile, figures, path);
      this.inner = this.heat === null ? new Int32Array(0) : innermost(this.heat);
      this.measure.offer("own", this.offered.includes("own"));
      this.measure.offer("memory", this.offered.includes("memory"));
      this.measure.reflect(this.heated);
      this.#build(figures, known);
      this.line = 0;
      this.row = -1;
      if (sameFile) {
        this.scroller.scrollTop = scrollTop;
      }
    }
    this.#mark(Number(state.line) || 0, row);
  }

  /**
   * Shows the source of a native function.
   * @param {import("../native/code.js").Code} code
   */
  #showNative(code) {
    const shown = `native ${code.row}`;
    if (shown !== this.shown) {
      this.shown = shown;
      this.heat = null;
      this.lines = [];
      this.lenses = new Map();
      this.line = 0;
      this.note.hidden = this.measure.element.hidden = true;
      fill(this.sum, sumOf(code));
      this.code.classList.add("timed");
      fill(this.code, ...codeLines(this.code, code));
      sidePanel(this.panel, this.app, -1);
      this.scroller.scrollTop = 0;
      this.code.querySelector(`[data-line="${warmestLine(code)}"]`)?.scrollIntoView({ block: "center" });
    }
  }

  /**
   * The file to show: of the function that is looked at, else that was chosen, else the one of the
   * program's own that took most.
   * @param {State} state
   * @param {number} row
   * @param {ReturnType<typeof filesByTime>} files
   */
  #pathOf(state, row, files) {
    const { profile } = this.app;
    if (row >= 0 && profile.kindOf(row) !== "builtin") {
      return profile.fileOf(row).path;
    }
    if (files.some(({ path }) => path === state.file)) {
      return state.file;
    }
    const best = files.find(({ stored, own }) => stored && own) ?? files.find(({ stored }) => stored);
    return (best ?? files[0])?.path ?? "";
  }

  /**
   * @param {ReturnType<typeof filesByTime>} files
   * @param {string} chosen
   * @param {number} total
   */
  #fillFiles(files, chosen, total) {
    /** @param {(typeof files)[number]} file */
    const option = ({ path, time: own }) =>
      h("option", { value: path }, `${path}${own > 0 ? `  (${share(own, total)})` : ""}`);
    const stored = files.filter((file) => file.stored);
    const others = files.filter((file) => !file.stored);
    fill(
      this.files,
      stored.length > 0 && h("optgroup", { label: "With their source" }, ...stored.map(option)),
      others.length > 0 && h("optgroup", { label: "Without" }, ...others.map(option)),
    );
    this.files.value = chosen;
  }

  /**
   * @param {import("../profile.js").Figures} figures
   * @param {string} known  of a source that the profile does not hold
   */
  #build(figures, known) {
    const { heat } = this;
    this.lines = [];
    this.lenses = new Map();
    if (heat === null) {
      fill(this.code, h("div", { class: "empty" }, h("h2", null, "There is no function with a file")));
      fill(this.panel);
      fill(this.note);
      fill(this.sum);
      return;
    }
    fill(this.note, NOTES[heat.state] ?? "");
    this.note.hidden = heat.state === "same";
    const functions = counted(heat.spans.length, "function");
    fill(
      this.sum,
      `${functions} · tottime ${time(heat.ownTime)}, ${share(heat.ownTime, figures.total) || "0%"}`,
    );
    const columns = columnsOf(heat);
    measureColumns(this.code, columns);
    this.measure.element.hidden = this.areSame && heat.largest < 0;
    this.code.classList.toggle("timed", columns.length > 0);
    /** @type {Map<number, Span[]>} */
    const starting = new Map();
    for (const span of heat.spans) {
      starting.set(span.first, [...(starting.get(span.first) ?? []), span]);
    }
    const chunks = [];
    if (columns.length > 0) {
      chunks.push(lineHeads(columns));
    }
    const last = heat.lines.length;
    for (let first = 1; first <= last; first += CHUNK) {
      const rows = [];
      for (let line = first; line < first + CHUNK && line <= last; line++) {
        for (const span of starting.get(line) ?? []) {
          rows.push(this.#lens(span, figures, indentOf(heat.lines[line - 1])));
        }
        rows.push(this.#line(heat, line, figures, columns));
      }
      chunks.push(h("div", { class: "chunk", role: "rowgroup" }, ...rows));
    }
    if (last === 0) {
      const [title, why] = whyNone(this.app, heat.path, known);
      chunks.push(
        h("div", { class: "empty" }, h("h2", null, title), h("p", null, `${why} These are its functions:`)),
        h("div", { class: "chunk" }, ...heat.spans.map((span) => this.#lens(span, figures, 0, true))),
      );
    }
    fill(this.code, ...chunks);
    this.scroller.scrollTop = 0;
  }

  /**
   * The figures of a function, above it.
   * @param {Span} span
   * @param {import("../profile.js").Figures} figures
   * @param {number} indent
   * @param {boolean} [withLine]
   */
  #lens({ row }, figures, indent, withLine = false) {
    const { profile, threads } = this.app;
    const told = profile.callsTold(row, threads);
    const element = lens(profile, figures, row, { told, indent, withLine, byTotal: this.byTotal });
    if (this.heated === "memory") {
      element.style.setProperty("--heat", "0"); // its figures are times
    }
    this.lenses.set(row, element);
    return element;
  }

  /**
   * @param {FileHeat} heat
   * @param {number} line
   * @param {import("../profile.js").Figures} figures
   * @param {import("../source/lines.js").Column[]} columns
   */
  #line(heat, line, figures, columns) {
    const timed = heat.timed.get(line);
    const place = this.inner[line];
    let warmth = 0;
    if (timed !== undefined) {
      const most = this.heated === "memory" ? heat.largest : this.byTotal ? heat.longest : heat.hottest;
      warmth = most > 0 ? Math.sqrt(this.#warmthOf(timed) / most) : 0;
    } else if (heat.timed.size === 0 && place >= 0) {
      const { row } = heat.spans[place];
      const whole = this.app.profile.nameOf(row) === "<module>";
      warmth = whole ? 0 : heatOf(this.#timesOf(figures)[row] / (figures.total || 1));
    }
    const look = { warmth: timed === undefined ? 0 : this.#timeOf(timed), total: this.app.profile.figures("all").total };
    const text = piecesOf(heat.lines[line - 1], heat.colours[line - 1].pieces);
    const element = codeLine(line, lineCells(columns, timed, look), text, warmth);
    element.id = `line-${line}`;
    this.lines[line] = element;
    return element;
  }

  /**
   * Marks the line and the function that are looked at, and brings them into sight.
   * @param {number} line
   * @param {number} row
   */
  #mark(line, row) {
    if (this.heat === null || (line === this.line && row === this.row)) {
      return;
    }
    this.lines[this.line]?.removeAttribute("aria-selected");
    this.lenses.get(this.row ?? -1)?.removeAttribute("aria-selected");
    const lens = this.lenses.get(row);
    const chosen = this.lines[line];
    lens?.setAttribute("aria-selected", "true");
    chosen?.setAttribute("aria-selected", "true");
    const moved = line !== this.line && chosen !== undefined ? chosen : lens;
    this.line = line;
    this.row = row;
    if (chosen !== undefined) {
      this.code.setAttribute("aria-activedescendant", chosen.id);
    }
    sidePanel(this.panel, this.app, row);
    const last = moved === lens ? this.heat.spans.find((span) => span.row === row)?.last : 0;
    this.#reveal(moved, last);
    this.#revealAgain(moved, last, SETTLING);
  }

  /**
   * Likewise in the next frames: lines that were out of sight get their height when they are in sight.
   * @param {HTMLElement | undefined} element
   * @param {number | undefined} last
   * @param {number} frames
   */
  #revealAgain(element, last, frames) {
    requestAnimationFrame(() => {
      if (element?.isConnected && frames > 0) {
        this.#reveal(element, last);
        this.#revealAgain(element, last, frames - 1);
      }
    });
  }

  /**
   * Brings a line into sight, or a function with as much of its lines as there is room for.
   * @param {HTMLElement | undefined} element
   * @param {number} [last]  the function's last line
   */
  #reveal(element, last = 0) {
    const { top, bottom } = this.scroller.getBoundingClientRect();
    const box = element?.getBoundingClientRect();
    const end = this.lines[last]?.getBoundingClientRect() ?? box;
    if (box !== undefined && end !== undefined && (box.top < top + 40 || end.bottom > bottom - 20)) {
      element?.scrollIntoView({ block: last > 0 ? "start" : "center" });
    }
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = event.target instanceof Element ? event.target.closest("[data-line], [data-row]") : null;
    if (!(target instanceof HTMLElement) || String(getSelection()) !== "") {
      return;
    }
    if (target.dataset.row !== undefined) {
      this.app.set({ row: this.app.profile.key(Number(target.dataset.row)), line: null });
    } else {
      this.#lookAt(Number(target.dataset.line));
    }
  }

  /** @param {number} line */
  #lookAt(line) {
    const { heat } = this;
    if (heat === null || heat.lines.length === 0) {
      return;
    }
    const there = Math.max(1, Math.min(heat.lines.length, line));
    const place = this.inner[there];
    const row = place < 0 ? null : this.app.profile.key(heat.spans[place].row);
    this.app.set({ line: String(there), row, file: heat.path });
    const timed = heat.timed.get(there);
    const figures = timed === undefined ? [] : [hitsTold(timed), time(timed.time)];
    const timing = figures.map((told) => (told === "" ? "" : `, ${told}`)).join("");
    this.app.announce(`Line ${there}${timing}: ${heat.lines[there - 1].trim() || "blank"}`, { quiet: true });
  }

  /** @param {1 | -1} step */
  #nextHot(step) {
    const { heat } = this;
    if (heat === null) {
      return;
    }
    const figures = this.app.profile.figures(this.app.threads);
    const hot =
      heat.timed.size > 0
        ? [...heat.timed].sort((a, b) => this.#warmthOf(b[1]) - this.#warmthOf(a[1])).map(([line]) => line)
        : heat.spans
            .toSorted((a, b) => this.#timesOf(figures)[b.row] - this.#timesOf(figures)[a.row])
            .map(({ first }) => first);
    const lines = [...new Set(hot)].slice(0, 50);
    const at = lines.indexOf(this.line);
    const next = at < 0 ? 0 : (at + step + lines.length) % lines.length;
    if (lines.length > 0 && heat.lines.length > 0) {
      this.#lookAt(lines[next]);
    }
  }
}
