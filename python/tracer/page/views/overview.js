// The overview: what was run, what stands out, and where the time went.

import { packages } from "../overview/packages.js";
import { panel, shortList } from "../overview/panel.js";
import { openLine, pointedOut } from "../overview/pointed_out.js";
import { commandLine, details } from "../overview/run.js";
import { COUNTED } from "../samples.js";
import { fill, h } from "../ui/dom.js";
import { count, counted, exactTime, memory, share, shortCount, time } from "../ui/format.js";
import { bar, twoParts } from "../ui/parts.js";
import { areWaitsShown, worked } from "../waits.js";

/**
 * @typedef {import("../app.js").App} App
 */

const TOP = 12; // functions
const THREADS = 12;
/** What the header on the terminal calls so, too. */
const WAITED =
  "The part of the time in functions in which their threads did not run: they slept, or waited for a lock, for input and output, for the GIL or for a processor. Added up over all threads, those with nothing to do too, so it may be longer than the run.";

/** @type {import("../app.js").View} */
export const overview = {
  name: "overview",
  title: "Overview",
  key: "o",
  mount(host, app) {
    let seen = "";
    return {
      update(state) {
        if (seen !== `of ${state.thread}`) {
          seen = `of ${state.thread}`;
          show(host, app);
        }
      },
    };
  },
};

/**
 * @param {HTMLElement} host
 * @param {App} app
 */
function show(host, app) {
  const { profile } = app;
  fill(
    host,
    h(
      "div",
      { class: "overview" },
      heading(app),
      profile.rowCount > 0 && tiles(app),
      app.other !== null &&
        h(
          "p",
          { class: "notice" },
          `This is ${profile.name || "the one"}, compared with ${app.other.name || "the other"}. `,
          h("button", { class: "link", on: { click: () => app.open("compare") } }, "Compare"),
        ),
      profile.rule !== null &&
        h("p", { class: "notice" }, h("strong", null, "The paths are an estimate. "), profile.rule),
      h("div", { class: "halves" }, h("div", null, (profile.rowCount > 0 || profile.lines.length === 0) && topFunctions(app), timedByLine(app), details(profile.facts)), h("div", null, pointedOut(app), packages(app), threadTimes(app))),
    ),
  );
}

/** @param {App} app */
function heading({ profile, title }) {
  const { runs } = profile.facts;
  const commands = [...new Set(runs.map((run) => commandLine(run.command)))];
  const when = runs.map((run) => new Date(run.started * 1000)).sort((a, b) => Number(a) - Number(b));
  const words = [
    when.length > 0 && dateOf(when[0]),
    runs.length > 1 && `${runs.length} runs, added up`,
    ...new Set(runs.map((run) => run.python)),
    ...profile.facts.backends,
  ];
  return h(
    "div",
    { class: "heading" },
    commands.length > 0
      ? commands.map((line) => h("p", { class: "command" }, h("span", { "aria-hidden": "true" }, "$ "), h("code", null, line)))
      : h("p", { class: "command" }, h("code", null, title || "A profile")),
    h("p", { class: "quiet" }, words.filter(Boolean).join(" · ")),
  );
}

/** @param {Date} date */
function dateOf(date) {
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });
}

/** @param {App} app */
function tiles({ profile, threads }) {
  const figures = profile.figures(threads);
  const { runs } = profile.facts;
  /** @param {"real" | "user" | "system"} name */
  const sum = (name) => runs.reduce((total, run) => total + run[name], 0);
  const functions = figures.present.reduce((total, present) => total + present, 0);
  const primitive = figures.primitive.reduce((a, b) => a + b, 0);
  const most = Math.max(0, ...runs.map((run) => run.memory));
  const chosen = threads === "all" ? "" : `of ${profile.threads[threads].name}`;
  return h(
    "dl",
    { class: "tiles" },
    runs.length > 0 &&
      tile("Real time", time(sum("real")), exactTime(sum("real")), `${time(sum("user"))} user, ${time(sum("system"))} sys`),
    tile("In functions", time(figures.total), exactTime(figures.total), chosen || (profile.threads.length > 1 ? "all threads, added up" : "own times, added up")),
    areWaitsShown(figures) &&
      tile("Waited", time(figures.totalWaited), `${exactTime(figures.totalWaited)}\n${WAITED}`, `of ${time(figures.total)} in ${counted(threads === "all" ? profile.facts.threads : 1, "thread")}`),
    tile("Calls", ...callsOfAll(profile, figures, primitive)),
    tile("Functions", count(functions), "", counted(moduleCount(profile), "module")),
    tile("Threads", count(profile.facts.threads || profile.threads.length), "", threads === "all" ? "" : "one of them is shown"),
    most > 0 && tile("Memory", memory(most), `${count(most)} bytes`, "at most"),
  );
}

/**
 * The calls of all functions: short, in full, and what is known of them.
 * @param {import("../profile.js").Profile} profile
 * @param {import("../profile.js").Figures} figures
 * @param {number} primitive
 * @returns {[string, string, string]}
 */
function callsOfAll({ samples }, { totalCalls }, primitive) {
  if (samples === null) {
    return [shortCount(totalCalls), count(totalCalls), primitive === totalCalls ? "none recursive" : `${shortCount(primitive)} primitive`];
  }
  const inPart = samples.counted.filter((it) => it === COUNTED.atLeast).length;
  if (totalCalls === 0) {
    return ["–", "Calls are counted for all threads together", "not known"];
  }
  return [shortCount(totalCalls), `${count(totalCalls)}${inPart > 0 ? " or more" : ""}`, inPart > 0 ? `or more: ${counted(inPart, "function")} in part` : "counted"];
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} exact
 * @param {string} more
 */
function tile(name, value, exact, more) {
  const [number, unit = ""] = value.split(" ");
  const rest = value.slice(number.length + 1);
  return h(
    "div",
    { class: "tile", "data-tip": exact || null },
    h("dt", null, name),
    h("dd", null, h("b", null, number), rest !== "" && h("span", { class: "unit" }, ` ${unit === rest ? unit : rest}`)),
    more !== "" && h("dd", { class: "quiet" }, more),
  );
}

/** @param {import("../profile.js").Profile} profile */
function moduleCount(profile) {
  return new Set(profile.files.map((file) => file.module)).size;
}

/** @param {import("../container.js").Facts} facts */
function uncalled({ include, exclude }) {
  if (include.length > 0) {
    return `No function was called of what was included: ${include.join(", ")}.`;
  }
  return exclude.length > 0 ? "No function was called but of what was excluded." : "No function was called.";
}

/** @param {App} app */
function topFunctions(app) {
  const { profile, threads } = app;
  const figures = profile.figures(threads);
  const rows = highest(figures.tottime, TOP);
  const most = rows.length > 0 ? figures.tottime[rows[0]] : 0;
  const hasWaits = areWaitsShown(figures);
  const items = rows.map((row) => {
    const own = figures.tottime[row];
    const waited = hasWaits ? Math.min(own, figures.waited[row]) : 0;
    const place = profile.kindOf(row) === "builtin" ? "written in C" : `${profile.moduleOf(row)}:${profile.rows.line[row]}`;
    return barRow(
      profile.nameOf(row),
      place,
      [time(own), share(own, figures.total)],
      bar(own / most, waited / own, profile.kindOf(row)),
      {
        "data-tip": `${profile.label(row)}\n${exactTime(figures.tottime[row])} in itself, ${exactTime(figures.cumtime[row])} with what it calls\n${counted(figures.ncalls[row], "call")}${hasWaits ? `\nIn itself it ${twoParts(own, waited)}` : ""}`,
        on: { click: () => app.open("butterfly", { row: profile.key(row) }) },
      },
    );
  });
  return panel(
    "Where the time went",
    hasWaits ? "tottime; hatched: waited" : "tottime: without what a function calls",
    items.length > 0 ? h("ol", { class: "bar-list" }, ...items) : h("p", { class: "quiet" }, figures.totalCalls > 0 ? "No function took any time." : uncalled(profile.facts)),
    h("button", { class: "onward", on: { click: () => app.open("table", { search: null }) } }, "All functions"),
  );
}

/** @param {App} app */
function timedByLine(app) {
  const timed = app.profile.lines.map((one) => ({
    file: one.file,
    line: one.line,
    name: one.name,
    hits: one.lines.reduce((sum, [, hits]) => sum + hits, 0),
    total: one.lines.reduce((sum, [, , time]) => sum + time, 0),
    longest: one.lines.toSorted((a, b) => b[2] - a[2])[0]?.[0] ?? 0,
  }));
  const sorted = timed.filter(({ hits }) => hits > 0).sort((a, b) => b.total - a.total);
  if (sorted.length === 0) {
    return null;
  }
  const items = sorted.slice(0, TOP).map(({ file, line, name, hits, total, longest }) => {
    const place = `${file.replace(/^.*\//, "")}:${line}${longest > 0 ? `, most on line ${longest}` : ""}`;
    return barRow(name, place, [time(total)], bar(sorted[0].total > 0 ? total / sorted[0].total : 0, 0), {
      "data-tip": `${file}:${line}\n${exactTime(total)} on its lines\n${counted(hits, "hit")}`,
      on: { click: () => openLine(app, { file, line }) },
    });
  });
  return panel("Timed by line", `${counted(sorted.length, "function")}, with what the lines call`, h("ol", { class: "bar-list" }, ...items));
}

/** @param {App} app */
function threadTimes(app) {
  const { profile } = app;
  if (profile.threads.length < 2) {
    return null;
  }
  const all = profile.threads.map((thread, place) => ({ thread, place, ...profile.sums(place) }));
  all.sort((a, b) => b.total - a.total);
  const most = all[0].total;
  const sum = all.reduce((time, { total }) => time + total, 0);
  const hasWaits = areWaitsShown(profile.figures("all"));
  const items = all.map(({ thread, place, total, totalWaited, totalCalls }) => {
    const parts = [
      hasWaits && `busy ${time(worked(total, totalWaited))}`,
      hasWaits && `waited ${time(totalWaited)}`,
      thread.idle >= profile.container.header.limits.idle && `idle ${time(thread.idle)}`,
    ].filter(Boolean);
    return barRow(
      thread.name || `Thread ${place + 1}`,
      parts.join(" · ") || String(thread.native_id || ""),
      [time(total), share(total, sum)],
      bar(most > 0 ? total / most : 0, hasWaits && total > 0 ? totalWaited / total : 0),
      {
        "aria-pressed": String(app.threads === place),
        "data-tip": [`${exactTime(total)}, ${counted(totalCalls, "call")}`, hasWaits && twoParts(total, totalWaited), thread.idle > 0 && `idle ${exactTime(thread.idle)}: no recorded function of it ran`].filter(Boolean).join("\n"),
        on: { click: () => app.set({ thread: app.threads === place ? null : profile.threadKey(place) }, { push: true }) },
      },
    );
  });
  const list = h("ol", { class: "bar-list" });
  return panel("Threads", "click for one alone", list, shortList(list, items, THREADS, "other thread"));
}

/**
 * A row with a bar, which leads somewhere.
 * @param {string} name
 * @param {string} where
 * @param {string[]} amounts
 * @param {HTMLElement} its  bar
 * @param {import("../ui/dom.js").Attributes} more
 */
function barRow(name, where, [amount, part], its, more) {
  return h(
    "li",
    null,
    h(
      "button",
      { class: "bar-row", ...more },
      h("span", { class: "what" }, h("span", { class: "fn" }, name), h("small", { class: "where" }, where)),
      h("span", { class: "amount" }, amount),
      part !== undefined && h("span", { class: "amount quiet" }, part),
      its,
    ),
  );
}

/**
 * The rows of the highest values, the highest first.
 * @param {Float64Array} values
 * @param {number} most
 */
function highest(values, most) {
  /** @type {number[]} */
  const best = [];
  for (let row = 0; row < values.length; row++) {
    if (values[row] > 0 && (best.length < most || values[row] > values[best[best.length - 1]])) {
      const at = best.findIndex((other) => values[row] > values[other]);
      best.splice(at < 0 ? best.length : at, 0, row);
      best.length = Math.min(best.length, most);
    }
  }
  return best;
}
