// Who holds the objects of a type, and where all were allocated: what opens below the row of the type.

import { fill, h } from "../ui/dom.js";
import { bytes, count, counted, exactBytes } from "../ui/format.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("./model.js").Alive} Alive
 * @typedef {import("./model.js").Holder} Holder
 * @typedef {import("./model.js").Origins} Origins
 * @typedef {import("./model.js").Place} Place
 * @typedef {import("./model.js").Found} Found
 */

const SAMPLE = 100; // objects: where there are as many, there may be more of the type
const MINUTE = 60; // seconds

/** What opens the row of another type; `own`: that of the row. @typedef {{own: string, open(name: string): void}} Types */

/**
 * @param {App} app
 * @param {Found | undefined} found
 * @param {boolean} ended  whether the program has ended
 * @param {() => void} again
 * @param {Types} types
 */
export function aliveOf(app, found, ended, again, types) {
  const button = h("button", { class: "link", disabled: ended, on: { click: again } }, "Look again");
  const quiet = (/** @type {string} */ text) => h("p", { class: "quiet" }, text, button);
  const waiting = found !== undefined && isWaiting(found, ended) ? [h("p", { class: "quiet obj-wait" }, waitOf(found))] : [];
  if (found?.answer) {
    const { objects, holders, others, origins } = found.answer;
    const age = h("p", { class: "quiet" }, h("span", { class: "obj-age" }, ageOf(found, ended)), button);
    if (objects === 0) {
      return [age, ...waiting, h("p", { class: "quiet" }, "There was no object of this type any more.")];
    }
    return [
      age,
      ...waiting,
      ...(origins === null ? [] : originsOf(app, origins)),
      h("p", { class: "quiet" }, `Held by, of ${objects === 1 ? "the one object" : objects < SAMPLE ? `all ${count(objects)} objects` : `a sample of ${count(objects)} objects`} of the type`),
      h("ol", { class: "obj-holders" }, ...holders.map((holder) => item(app, holder, objects, found.open, types))),
      others[0] > 0 && h("p", { class: "quiet" }, `${counted(others[0], "other holder")} of ${counted(others[1], "object")}`),
    ];
  }
  if (ended) {
    return [quiet("The program has ended. ")];
  }
  if (waiting.length > 0) {
    return waiting;
  }
  return [found === undefined || found.asked ? h("p", { class: "quiet" }, "Looking for objects and what keeps them alive …") : quiet("The program gave no answer. ")];
}

/**
 * Tells anew how old an answer is, and how long the page waits for another one.
 * @param {HTMLElement} panel  with what aliveOf() returned
 * @param {Found} found
 * @param {boolean} ended
 */
export function tellTime(panel, found, ended) {
  const [age, wait] = [panel.querySelector(".obj-age"), panel.querySelector(".obj-wait")];
  if (age !== null) {
    fill(age, ageOf(found, ended));
  }
  if (wait !== null) {
    fill(wait, waitOf(found));
  }
}

/**
 * @param {Found} found
 * @param {boolean} ended
 */
const isWaiting = ({ asked, due }, ended) => asked && due > 0 && !ended;

/**
 * Where the program has just looked.
 * @param {Found} found
 */
function waitOf({ due }) {
  const seconds = Math.max(1, Math.ceil((due - performance.now()) / 1000));
  return `The program looks again in ${counted(seconds, "second")}: looking takes at most 2% of its time.`;
}

/**
 * @param {Found} found
 * @param {boolean} ended
 */
function ageOf({ at }, ended) {
  const seconds = Math.floor((performance.now() - at) / 1000);
  const age = seconds < MINUTE ? counted(seconds, "second") : counted(Math.floor(seconds / MINUTE), "minute");
  return `Found ${seconds < 2 ? "just now" : `${age} ago`}${ended ? ", before the program ended" : "; the row counts on"}. `;
}

const UNHELD = { tracer: "tracer itself holds them", none: "no path: garbage that the collector has not met, or C code holds them" };

/**
 * One holder: a click shows the path to one of its objects.
 * @param {App} app
 * @param {Holder} holder
 * @param {number} all
 * @param {Set<string>} open  holders that are expanded
 * @param {Types} types
 */
function item(app, { kind, holder, count: number, example }, all, open, types) {
  const name = holder ?? kind;
  const toggle = (/** @type {Event} */ event) => void (/** @type {HTMLDetailsElement} */ (event.currentTarget).open ? open.add(name) : open.delete(name));
  const what = kind === "path" ? h("span", { class: "fn" }, holder ?? "") : h("span", { class: "quiet" }, UNHELD[kind]);
  return h(
    "li",
    null,
    h("details", { open: open.has(name), on: { toggle } }, h("summary", null, h("span", { class: "obj-share" }, `${count(number)} of ${count(all)}`), " ", what), ...exampleOf(app, example, types)),
  );
}

/**
 * @param {App} app
 * @param {Alive} object
 * @param {Types} types
 */
function exampleOf(app, { address, text, expression, start, steps }, types) {
  const what = typeof text === "number" ? `length ${count(text)}` : text;
  return [
    h("p", { class: "obj-example" }, h("span", { class: "quiet" }, "one of them: "), h("span", { class: "fn obj-address" }, address), what !== null && h("span", { class: "fn obj-text" }, what)),
    expression !== null && h("p", { class: "fn obj-example" }, expression),
    expression !== null &&
      h(
        "ul",
        { class: "obj-steps" },
        h("li", null, ...(functionIn(app, start ?? "") ?? [start])),
        ...(steps ?? []).map(([step, kind]) => h("li", null, h("span", { class: "fn" }, step), " ", h("span", { class: "fn quiet" }, ...(functionIn(app, kind) ?? [typeOf(kind, types)])))),
      ),
  ];
}

/**
 * A text that names a function and its place: the name leads to the source, where the page knows the function. Null of any
 * other text.
 * @param {App} app
 * @param {string} text
 */
function functionIn(app, text) {
  const [, before, name, file, line] = /^((?:cache of )?function |method |frame of |variable .+ of )(.+?), (.+):(\d+)$/s.exec(text) ?? [];
  if (name === undefined) {
    return null;
  }
  const known = hasFunction(app.profile, name, file, Number(line));
  return known ? [before, toSource(app, name, file, line), `, ${file}:${line}`] : [text];
}

/**
 * Whether the profile has a function of this name that begins at the line or before.
 * @param {import("../profile.js").Profile} profile
 * @param {string} name
 * @param {string} file
 * @param {number} line
 */
const hasFunction = (profile, name, file, line) =>
  profile.rows.name.some((known, row) => known === name && profile.rows.line[row] <= line && profile.fileOf(row).path === file);

/**
 * @param {App} app
 * @param {string} name
 * @param {string} file
 * @param {string} line
 */
const toSource = (app, name, file, line) =>
  h("button", { class: "link fn", on: { click: () => app.open("source", { file, line, row: null }) } }, name);

/**
 * @param {string} name
 * @param {Types} types
 */
const typeOf = (name, { own, open }) => (name === own ? name : h("button", { class: "link fn", on: { click: () => open(name) } }, name));

/**
 * @param {App} app
 * @param {Origins} origins
 */
function originsOf(app, { places, others }) {
  return [
    h("p", { class: "quiet" }, "Allocated by"),
    h(
      "ul",
      { class: "obj-origins" },
      ...places.map(({ count: number, size, place }) =>
        h("li", null, h("span", { class: "obj-size", "data-tip": exactBytes(size) }, bytes(size)), ` ${counted(number, "object")} `, ...(place === null ? ["older than the recording, or of no function of the program"] : placeOf(app, place))),
      ),
      others > 0 && h("li", { class: "quiet" }, `${counted(others, "other place")}`),
    ),
  ];
}

/**
 * The function, which leads to its source where the page has that, and where it is.
 * @param {App} app
 * @param {Place} place
 */
function placeOf(app, { function: name, file, first, line }) {
  const there = String(line || first);
  const known = app.profile.rowAt(file, first) >= 0;
  return [known ? toSource(app, name, file, there) : h("span", { class: "fn" }, name), " ", h("span", { class: "fn quiet" }, `${file}:${there}`)];
}
