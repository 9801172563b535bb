// The overview's card that tells of memory and leads to it.

import { withCard } from "../overview/with_card.js";
import { h } from "../ui/dom.js";
import { hasMemory, memoryOf } from "./model.js";
import { holder, sentence, whereHolders } from "./sentence.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../app.js").View} View
 */

/**
 * The overview with the card above its own.
 * @param {View} overview
 */
export const withMemory = (overview) => withCard(overview, hasMemory, card);

/** @param {App} app */
function card(app) {
  const model = memoryOf(app.whole);
  const lines = /** @type {const} */ (["peak", "live"]).map((measure) => {
    const found = holder(model, measure, "all");
    return h(
      "p",
      null,
      sentence(model, measure, "all"),
      found !== null && found.before,
      found !== null && h("span", { class: "fn" }, found.name),
      found !== null && `${found.after} `,
      h("button", { class: "link", on: { click: () => app.open("memory", { measure: measure === model.first ? null : measure }) } }, "Who allocated it"),
    );
  });
  return h("section", { class: "panel mem-card" }, h("h2", null, "Memory"), ...lines, h("p", { class: "quiet mem-holders" }, ...whereHolders(app)));
}
