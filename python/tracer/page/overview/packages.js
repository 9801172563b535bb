// Where the time went by package. A row leads to the package's functions, and to its boxes in the
// flame graph.

import { functionsOf } from "../search_pattern.js";
import { h } from "../ui/dom.js";
import { exactTime, share, time } from "../ui/format.js";
import { panel, shortList } from "./panel.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../container.js").Kind} Kind
 * @typedef {{name: string, package: string, module: string, kind: Kind, own: number}} Sum
 */

const SHOWN = 8; // packages, until the others are asked for

/** @type {Record<Kind, string>} */
const KINDS = {
  own: "The program's own code",
  site: "Installed packages",
  library: "The standard library",
  builtin: "Written in C",
  native: "Within native code",
};

/** @param {App} app */
export function packages(app) {
  const { profile, threads } = app;
  const figures = profile.figures(threads);
  const sums = sumsOf(profile, figures.tottime);
  if (sums.length === 0) {
    return null;
  }
  const strip = h("div", { class: "strip", "aria-hidden": "true" });
  for (const [kind, own] of byKind(sums)) {
    const part = h("i", { "data-kind": kind, "data-tip": `${KINDS[kind]}: ${time(own)}, ${share(own, figures.total)}` });
    part.style.flexGrow = String(own / figures.total);
    strip.append(part);
  }
  const list = h("ul", { class: "amounts packages" });
  const items = sums.map((sum) => item(app, sum, figures.total));
  return panel("By package", "own time", strip, list, shortList(list, items, SHOWN, "other"));
}

/**
 * The packages that took time, the longest first.
 * @param {import("../profile.js").Profile} profile
 * @param {Float64Array} tottime
 */
function sumsOf(profile, tottime) {
  /** @type {Map<string, Sum>} */
  const sums = new Map();
  for (let row = 0; row < profile.rowCount; row++) {
    const { package: name, module, kind } = profile.fileOf(row);
    const shown = kind === "builtin" ? "built in" : name || module || "?";
    const sum = sums.get(`${kind} ${shown}`) ?? { name: shown, package: name, module, kind, own: 0 };
    sum.own += tottime[row];
    sums.set(`${kind} ${shown}`, sum);
  }
  return [...sums.values()].filter(({ own }) => own > 0).sort((a, b) => b.own - a.own);
}

/**
 * @param {App} app
 * @param {Sum} sum
 * @param {number} total
 */
function item(app, sum, total) {
  const { name, kind, own } = sum;
  const filter = { search: null, module: null, package: null, kinds: null };
  const wanted = kind === "builtin" ? { kinds: kind } : sum.package ? { package: sum.package } : { module: sum.module };
  const toTable = { click: () => app.open("table", { ...filter, ...wanted }) };
  const toFlame = { click: () => app.open("flame", { search: functionsOf(name), merged: null, at: null, zoom: null }) };
  return h(
    "li",
    null,
    h("i", { class: "dot", "data-kind": kind, "data-tip": KINDS[kind] }),
    h("button", { class: "link fn", "data-tip": "Its functions in the table", on: toTable }, name),
    h("span", { class: "amount", "data-tip": exactTime(own) }, time(own)),
    h("span", { class: "amount quiet" }, share(own, total)),
    kind === "builtin" ? h("span") : h("button", { class: "link", "data-tip": `${name} in the flame graph`, on: toFlame }, "flame"),
  );
}

/** @param {{kind: Kind, own: number}[]} sums */
function byKind(sums) {
  /** @type {Map<Kind, number>} */
  const kinds = new Map();
  for (const { kind, own } of sums) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + own);
  }
  return [...kinds].sort((a, b) => b[1] - a[1]);
}
