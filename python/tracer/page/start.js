// Starts the page with its views: finds the data, in the page or beside it, and opens the first view.

import { App } from "./app.js";
import { fetched, follow } from "./live.js";
import { fill, h } from "./ui/dom.js";
import { startTheme } from "./ui/theme.js";
import { unpackText } from "./container.js";
import { VIEWS } from "./views/index.js";

/** @typedef {import("./app.js").View} View */

async function loaded() {
  const inline = document.getElementById("data");
  if (inline === null) {
    return fetched();
  }
  const text = inline.textContent ?? "";
  inline.remove(); // megabytes that nobody needs twice
  return unpackText(text);
}

/**
 * @param {View[]} parts  views that this page has besides those that each has; they stand before the source
 * @param {((overview: View) => View)[]} cards  what adds to the overview
 * @param {typeof import("./timeline/excerpt.js").excerptOf} excerptOf
 */
export async function start(parts, cards, excerptOf) {
  startTheme();
  const views = VIEWS.flatMap((view) => {
    if (view.name === "overview") {
      return [cards.reduceRight((overview, add) => add(overview), view)];
    }
    return view.name === "source" ? [...parts, view] : [view];
  });
  try {
    const app = new App(views, await loaded(), excerptOf);
    const { takeEarlyKeys } = /** @type {{takeEarlyKeys?: () => KeyboardEvent[]}} */ (globalThis); // of loader.js
    app.keys.begin(takeEarlyKeys?.() ?? []);
    performance.mark("tracer-ready");
    document.documentElement.dataset.ready = app.view.name;
    follow(app);
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** @param {string} why */
function tell(why) {
  const host = document.getElementById("view");
  if (host !== null) {
    fill(
      host,
      h(
        "div",
        { class: "empty", role: "alert" },
        h("h2", null, "This profile could not be opened"),
        h("p", null, why),
      ),
    );
  }
}
