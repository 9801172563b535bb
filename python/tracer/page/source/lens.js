// The figures of a function, above its first line.

import { heatOf } from "../flame/colours.js";
import { h } from "../ui/dom.js";
import { count, exactTime, share, time } from "../ui/format.js";

/**
 * @param {import("../profile.js").Profile} profile
 * @param {import("../profile.js").Figures} figures
 * @param {number} row
 * @param {{told: import("../profile.js").CallsTold | null, indent: number, withLine: boolean, byTotal: boolean}} look
 *   told: its calls; withLine: it says where the function is; byTotal: the total time is the hot one
 */
export function lens(profile, figures, row, { told, indent, withLine, byTotal }) {
  const own = figures.tottime[row];
  const all = figures.cumtime[row];
  const tip = [
    profile.label(row),
    told && `${told.full} call${told.full === "1" ? "" : "s"}`,
    `tottime: ${exactTime(own)}`,
    `cumtime: ${exactTime(all)}`,
  ]
    .filter(Boolean)
    .join("\n");
  const element = h(
    "div",
    { class: "lens", role: "row", "data-row": row, "data-tip": tip },
    h("span", { class: "fn" }, profile.nameOf(row)),
    h(
      "span",
      { class: "lens-figures" },
      withLine && `line ${count(profile.rows.line[row])} · `,
      `${told === null ? "" : `${told.short} call${told.short === "1" ? "" : "s"} · `}tottime `,
      h("b", null, time(own)),
      ` ${share(own, figures.total)} · cumtime `,
      h("b", null, time(all)),
      ` ${share(all, figures.total)}`,
    ),
  );
  element.style.setProperty("--indent", String(indent));
  element.style.setProperty("--heat", heatOf((byTotal ? all : own) / (figures.total || 1)).toFixed(3));
  element.classList.toggle("by-total", byTotal);
  return element;
}
