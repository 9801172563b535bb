// Objects of a type, why each is alive, and where all were allocated: what opens below the row of the type.

import { h } from "../ui/dom.js";
import { bytes, count, counted, exactBytes } from "../ui/format.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("./model.js").Alive} Alive
 * @typedef {import("./model.js").Origins} Origins
 * @typedef {import("./model.js").Place} Place
 * @typedef {import("./model.js").Found} Found
 */

/**
 * @param {App} app
 * @param {Found | undefined} found
 * @param {() => void} again
 */
export function aliveOf(app, found, again) {
  const button = h("button", { class: "link", on: { click: again } }, "Look again");
  if (found !== undefined && found.wait > 0) {
    return [h("p", { class: "quiet" }, `The program looks again in ${counted(Math.ceil(found.wait), "second")}: looking takes at most 2% of its time.`)];
  }
  if (found === undefined || (found.asked && found.objects === null)) {
    return [h("p", { class: "quiet" }, "Looking for objects and what keeps them alive …")];
  }
  if (found.objects === null) {
    return [h("p", { class: "quiet" }, "The program gave no answer. ", button)];
  }
  if (found.objects.length === 0) {
    return [h("p", { class: "quiet" }, "There is no object of this type any more. ", button)];
  }
  return [
    ...(found.origins === null ? [] : originsOf(app, found.origins)),
    h("ol", null, ...found.objects.map((object) => item(object, found.open))),
    h("p", { class: "quiet" }, `${counted(found.objects.length, "object")} of the type, found when the row was opened. `, button),
  ];
}

/**
 * @param {Alive} object
 * @param {Set<string>} open
 */
function item({ address, text, expression, start, steps }, open) {
  const what = typeof text === "number" ? `length ${count(text)}` : text;
  return h(
    "li",
    null,
    h("p", null, h("span", { class: "fn obj-address" }, address), what !== null && h("span", { class: "fn obj-text" }, what)),
    expression === null
      ? h("p", { class: "quiet" }, "No path leads to it: it is garbage that was not collected yet, or C code holds it.")
      : h(
          "details",
          { open: open.has(address), on: { toggle: (event) => void (/** @type {HTMLDetailsElement} */ (event.currentTarget).open ? open.add(address) : open.delete(address)) } },
          h("summary", { class: "fn" }, expression),
          h(
            "ul",
            { class: "obj-steps" },
            h("li", null, start ?? ""),
            ...(steps ?? []).map(([step, kind]) => h("li", null, h("span", { class: "fn" }, step), " ", h("span", { class: "fn quiet" }, kind))),
          ),
        ),
  );
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
