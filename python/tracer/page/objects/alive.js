// Who holds the objects of a type, and where all were allocated: what opens below the row of the type.

import { h } from "../ui/dom.js";
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
const ENDED = "The program has ended. ";

/**
 * @param {App} app
 * @param {Found | undefined} found
 * @param {boolean} ended  whether the program has ended
 * @param {() => void} again
 */
export function aliveOf(app, found, ended, again) {
  const button = h("button", { class: "link", disabled: ended, on: { click: again } }, "Look again");
  const quiet = (/** @type {string} */ text) => [h("p", { class: "quiet" }, text, button)];
  if (found?.answer) {
    const { objects, holders, others, origins } = found.answer;
    if (objects === 0) {
      return quiet(ended ? `There was no object of this type any more. ${ENDED}` : "There is no object of this type any more. ");
    }
    return [
      ...waiting(found, ended),
      ...(origins === null ? [] : originsOf(app, origins)),
      h("p", { class: "quiet" }, `Held by, of ${objects === 1 ? "the one object" : objects < SAMPLE ? `all ${count(objects)} objects` : `a sample of ${count(objects)} objects`} of the type`),
      h("ol", { class: "obj-holders" }, ...holders.map((holder) => item(holder, objects, found.open))),
      others[0] > 0 && h("p", { class: "quiet" }, `${counted(others[0], "other holder")} of ${counted(others[1], "object")}`),
      ...quiet(ended ? `Found when the row was opened. ${ENDED}` : "Found when the row was opened. "),
    ];
  }
  if (ended) {
    return quiet(ENDED);
  }
  if (found !== undefined && found.wait > 0) {
    return waiting(found, ended);
  }
  return found === undefined || found.asked ? [h("p", { class: "quiet" }, "Looking for objects and what keeps them alive …")] : quiet("The program gave no answer. ");
}

/**
 * Where the program has just looked.
 * @param {Found} found
 * @param {boolean} ended
 */
function waiting({ asked, wait }, ended) {
  return asked && wait > 0 && !ended ? [h("p", { class: "quiet" }, `The program looks again in ${counted(Math.ceil(wait), "second")}: looking takes at most 2% of its time.`)] : [];
}

const UNHELD = { tracer: "tracer itself holds them", none: "no path: garbage that the collector has not met, or C code holds them" };

/**
 * One holder: a click shows the path to one of its objects.
 * @param {Holder} holder
 * @param {number} all
 * @param {Set<string>} open  holders that are unfolded
 */
function item({ kind, holder, count: number, example }, all, open) {
  const name = holder ?? kind;
  const toggle = (/** @type {Event} */ event) => void (/** @type {HTMLDetailsElement} */ (event.currentTarget).open ? open.add(name) : open.delete(name));
  const what = kind === "path" ? h("span", { class: "fn" }, holder ?? "") : h("span", { class: "quiet" }, UNHELD[kind]);
  return h(
    "li",
    null,
    h("details", { open: open.has(name), on: { toggle } }, h("summary", null, h("span", { class: "obj-share" }, `${count(number)} of ${count(all)}`), " ", what), ...exampleOf(example)),
  );
}

/** @param {Alive} object */
function exampleOf({ address, text, expression, start, steps }) {
  const what = typeof text === "number" ? `length ${count(text)}` : text;
  return [
    h("p", { class: "obj-example" }, h("span", { class: "quiet" }, "one of them: "), h("span", { class: "fn obj-address" }, address), what !== null && h("span", { class: "fn obj-text" }, what)),
    expression !== null && h("p", { class: "fn obj-example" }, expression),
    expression !== null &&
      h(
        "ul",
        { class: "obj-steps" },
        h("li", null, start ?? ""),
        ...(steps ?? []).map(([step, kind]) => h("li", null, h("span", { class: "fn" }, step), " ", h("span", { class: "fn quiet" }, kind))),
      ),
  ];
}

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
  const where = `${file}:${line || first}`;
  const known = app.profile.rowAt(file, first) >= 0;
  const toSource = () => app.open("source", { file, line: String(line || first), row: null });
  return [known ? h("button", { class: "link fn", on: { click: toSource } }, name) : h("span", { class: "fn" }, name), " ", h("span", { class: "fn quiet" }, where)];
}
