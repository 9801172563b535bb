// The findings as the overview shows them, with the ways to what they are about.

import { allCallsOf } from "../flame/places.js";
import { h } from "../ui/dom.js";
import { way } from "../ui/parts.js";
import { panel } from "./panel.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../container.js").Place} Place
 */

/** @param {App} app */
export function pointedOut(app) {
  const found = app.profile.findings(app.threads);
  if (found.length === 0) {
    return null;
  }
  const items = found.map(({ rule, rank, title, text, row, place }) =>
    h(
      "li",
      { class: rank === "grave" ? "finding grave" : "finding", "data-rule": rule },
      h("h3", null, title),
      text !== "" && h("p", null, text),
      (row !== null || place !== null) && h("p", { class: "ways" }, ...(rank === "memory" && row !== null ? waysToMemory(app, row, place) : waysTo(app, rule, row, place))),
    ),
  );
  return panel("Findings", found.length > 1 && found[0].rank !== "memory" ? "most to save first" : "", h("ul", { class: "findings" }, ...items));
}

/**
 * To the function as the finding has seen it, and to its source.
 * @param {App} app
 * @param {string} rule
 * @param {number | null} row
 * @param {Place | null} place
 */
function waysTo(app, rule, row, place) {
  const toLine = place !== null && way("Source", () => openLine(app, place));
  if (row === null) {
    return [toLine];
  }
  const key = app.profile.key(row);
  const seen = rule === "sampled_waits" ? "waits" : null;
  const toFunction = app.profile.kindOf(row) !== "builtin" && way("Source", () => app.open("source", { row: key, line: null }));
  return [
    way("Butterfly", () => app.open("butterfly", { row: key, seen })),
    way("All its calls", () => app.open("flame", { ...allCallsOf(key), seen })),
    toLine || toFunction,
  ];
}

/**
 * To what is live at the end, and to the source with the heat of memory.
 * @param {App} app
 * @param {number} row
 * @param {Place | null} place
 */
function waysToMemory(app, row, place) {
  const key = app.profile.key(row);
  /** @type {Record<string, string | null>} */
  const at = place === null ? { row: key, line: null } : { file: place.file, line: String(place.line), row: null };
  return [
    way("Memory", () => app.open("memory", { ...allCallsOf(key), measure: "live", table: null })),
    way("Source", () => app.open("source", { ...at, heat: app.whole.memoryLines.length > 0 ? "memory" : null })),
  ];
}

/**
 * @param {App} app
 * @param {Place} place
 */
export function openLine(app, { file, line }) {
  app.open("source", { file, line: String(line), row: null });
}
