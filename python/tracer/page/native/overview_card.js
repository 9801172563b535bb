// The overview's card that tells of native code and leads to it.

import { withCard } from "../overview/with_card.js";
import { h } from "../ui/dom.js";
import { counted, share, time } from "../ui/format.js";
import { nativeOf } from "../native_profile.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../app.js").View} View
 */

const LISTED = 5; // native functions

/**
 * The overview with the card above its own.
 * @param {View} overview
 */
export const withNative = (overview) => withCard(overview, (whole) => nativeOf(whole) !== null, card);

/** @param {App} app */
function card(app) {
  const seen = nativeOf(app.whole);
  if (seen === null) {
    return h("section", null);
  }
  const { parts, samples } = seen.native;
  const { tottime, total } = seen.figures("all");
  const shares = Object.entries(parts).map(([name, cpu]) => `${share(cpu, total)} ${name}`);
  const rows = Array.from({ length: seen.rowCount }, (_, row) => row).filter((row) => seen.kindOf(row) === "native" && tottime[row] > 0);
  rows.sort((a, b) => tottime[b] - tottime[a]);
  const items = rows.slice(0, LISTED).map((row) =>
    h(
      "li",
      null,
      h("i", { class: "dot", "data-kind": "native" }),
      h("button", { class: "link fn", "data-tip": `${seen.place(row)}\nIts callers and callees`, on: { click: () => app.open("butterfly", { row: seen.key(row), seen: "cpu" }) } }, seen.nameOf(row)),
      h("small", { class: "where" }, seen.moduleOf(row)),
      ` ${time(tottime[row])}, ${share(tottime[row], total)}`,
    ),
  );
  return h(
    "section",
    { class: "panel native-card" },
    h("h2", null, "Native code"),
    h("p", null, `${time(total)} of CPU in ${counted(samples, "sample")}: ${shares.join(", ")}. `, h("button", { class: "link", on: { click: () => app.open("flame", { seen: "cpu" }) } }, "Flame graph with native functions")),
    h("ol", null, ...items),
  );
}
