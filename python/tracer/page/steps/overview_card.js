// The overview's card that tells of the steps and leads to them.

import { withCard } from "../overview/with_card.js";
import { h } from "../ui/dom.js";
import { share, time } from "../ui/format.js";
import { namesOf } from "./colours.js";
import { Chosen, hasSteps, stepsOf } from "./model.js";
import { summaryOf } from "./texts.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../app.js").View} View
 */

/**
 * The overview with the card above its own.
 * @param {View} overview
 */
export const withSteps = (overview) => withCard(overview, hasSteps, card);

/** @param {App} app */
function card(app) {
  const chosen = new Chosen(stepsOf(app.whole), "all");
  const { steps, totals, total } = chosen;
  const names = namesOf(steps.phases);
  const parts = steps.phases.map((phase, place) => {
    const part = h("i", { "data-tip": `${phase}: ${time(totals[place])}, ${share(totals[place], total)}` });
    part.style.flexGrow = String(totals[place] / (total || 1));
    part.style.background = `var(${names[place]})`;
    return part;
  });
  return h(
    "section",
    { class: "panel st-card" },
    h("h2", null, "Steps", h("small", null, summaryOf(chosen))),
    h("div", { class: "strip", "aria-hidden": "true" }, ...parts.filter((_, place) => totals[place] > 0)),
    h("button", { class: "onward", on: { click: () => app.open("steps") } }, "Each step by phase"),
  );
}
