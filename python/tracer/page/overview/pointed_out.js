// The findings as the overview shows them, with the ways to what they are about.

import { findings } from "../findings.js";
import { allCallsOf } from "../flame/places.js";
import { h } from "../ui/dom.js";
import { panel } from "./panel.js";

/** @typedef {import("../app.js").App} App */

/** @param {App} app */
export function pointedOut(app) {
  const found = findings(app.profile, app.threads);
  if (found.length === 0) {
    return null;
  }
  const items = found.map(({ name, title, text, row, place, grave, isMemory }) =>
    h(
      "li",
      { class: grave ? "finding grave" : "finding", "data-rule": name },
      h("h3", null, title),
      h("p", null, text),
      (row !== undefined || place !== undefined) && h("p", { class: "ways" }, ...(isMemory && row !== undefined ? waysToMemory(app, row, place) : waysTo(app, row, place))),
    ),
  );
  return panel("Findings", found.length > 1 && !found[0].isMemory ? "most to save first" : "", h("ul", { class: "findings" }, ...items));
}

/**
 * @param {App} app
 * @param {number | undefined} row
 * @param {import("../findings.js").Place | undefined} place
 */
function waysTo(app, row, place) {
  const toLine = place !== undefined && way("Source", () => openLine(app, place));
  if (row === undefined) {
    return [toLine];
  }
  const key = app.profile.key(row);
  const toFunction = app.profile.kindOf(row) !== "builtin" && way("Source", () => app.open("source", { row: key, line: null }));
  return [
    way("Butterfly", () => app.open("butterfly", { row: key })),
    way("All its calls", () => app.open("flame", allCallsOf(key))),
    toLine || toFunction,
  ];
}

/**
 * To what is live at the end, and to the source with the heat of memory.
 * @param {App} app
 * @param {number} row
 * @param {import("../findings.js").Place | undefined} place
 */
function waysToMemory(app, row, place) {
  const key = app.profile.key(row);
  /** @type {Record<string, string | null>} */
  const at = place === undefined ? { row: key, line: null } : { file: place.file, line: String(place.line), row: null };
  return [
    way("Memory", () => app.open("memory", { ...allCallsOf(key), measure: "live", table: null })),
    way("Source", () => app.open("source", { ...at, heat: app.whole.memoryLines.length > 0 ? "memory" : null })),
  ];
}

/**
 * @param {string} text
 * @param {() => void} click
 */
const way = (text, click) => h("button", { class: "link", on: { click } }, text);

/**
 * @param {App} app
 * @param {import("../findings.js").Place} place
 */
export function openLine(app, { file, line }) {
  app.open("source", { file, line: String(line), row: null });
}
