// Beside the source: the function that is looked at, who calls it and whom it calls, as links to
// where those are.

import { allCallsOf, widestBoxOf } from "../flame/places.js";
import { NO_ROW } from "../nodes.js";
import { fill, h } from "../ui/dom.js";
import { counted, exactTime, share, shortCount, time } from "../ui/format.js";
import { way } from "../ui/parts.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../edges.js").Edge} Edge
 */

const MOST = 30; // links of a list

/**
 * @param {HTMLElement} panel
 * @param {App} app
 * @param {number} row  -1: none
 */
export function sidePanel(panel, app, row) {
  panel.hidden = row < 0;
  if (row < 0) {
    fill(panel);
    return;
  }
  const { profile, threads } = app;
  const figures = profile.figures(threads);
  const edges = profile.edges(threads);
  const told = profile.callsTold(row, threads);
  /** @type {[string, string, string, string][]} */
  const facts = [
    ["Calls", told?.short ?? "–", "", told === null ? "not known" : `${told.full} call${told.full === "1" ? "" : "s"}`],
    timeFact("Own", figures.tottime[row], figures.total),
    timeFact("Total", figures.cumtime[row], figures.total),
  ];
  fill(
    panel,
    h("h3", { class: "fn" }, profile.nameOf(row)),
    h("div", { class: "quiet path" }, profile.place(row)),
    h(
      "dl",
      { class: "source-facts" },
      ...facts.map(([name, text, part, tip]) =>
        h(
          "div",
          { "data-tip": tip },
          h("dt", null, name),
          h("dd", null, text),
          h("dd", { class: "quiet" }, part),
        ),
      ),
    ),
    h(
      "div",
      { class: "ways" },
      way("Butterfly", () => app.open("butterfly")),
      way("All its calls", () => app.open("flame", allCallsOf(profile.key(row)))),
      way("Flame graph", () => app.open("flame", widestBoxOf(profile.key(row)))),
      way("Table", () => app.open("table")),
    ),
    ...linkList("Calls", app, edges.callees(row)),
    ...linkList("Called by", app, edges.callers(row)),
  );
}

/**
 * @param {string} name
 * @param {number} took
 * @param {number} whole
 * @returns {[name: string, text: string, part: string, tip: string]}
 */
const timeFact = (name, took, whole) => [name, time(took), share(took, whole), exactTime(took)];

/**
 * @param {string} title
 * @param {App} app
 * @param {Edge[]} edges
 */
function linkList(title, app, edges) {
  const { profile } = app;
  /** @param {number} calls */
  const isKnown = (calls) => profile.samples === null || calls > 0;
  const known = edges.filter(({ row }) => row !== NO_ROW);
  if (known.length === 0) {
    return [];
  }
  const links = known.slice(0, MOST).map(({ row, calls, cumtime }) => {
    const place = profile.place(row);
    const key = profile.key(row);
    const tip = `${profile.label(row)}\n${place}\n${isKnown(calls) ? `${counted(calls, "call")}, ` : ""}${exactTime(cumtime)}`;
    const click = () =>
      place === "" ? app.open("butterfly", { row: key }) : app.set({ row: key, line: null }, { push: true });
    return h(
      "li",
      null,
      h("button", { class: "link fn", "data-tip": tip, on: { click } }, profile.nameOf(row)),
      h("span", { class: "quiet" }, isKnown(calls) ? `${shortCount(calls)} ×` : ""),
      h("span", null, time(cumtime)),
    );
  });
  const rest = known.length - links.length;
  return [
    h("h4", null, title),
    h("ul", { class: "source-links" }, ...links, rest > 0 && h("li", { class: "quiet" }, `and ${rest} more`)),
  ];
}
