// What the table is narrowed by beside the search: kinds of code, a package, a module.

import { timesOf } from "../profile.js";
import { fill, h } from "../ui/dom.js";
import { count, share } from "../ui/format.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../container.js").Kind} Kind
 */

/** @type {[Kind, string, string][]} */
const KINDS = [
  ["own", "own", "The program's own code"],
  ["site", "site", "Installed packages (site-packages)"],
  ["library", "library", "The standard library"],
  ["builtin", "builtin", "Functions written in C"],
  ["native", "native", "Functions within native code, by samples"],
];

/** @param {App} app */
export function filterBar(app) {
  const chips = h("div", { class: "chips", role: "group", "aria-label": "Kinds of code" });
  const select = h("select", { "aria-label": "Package or module" });
  select.addEventListener("change", () => app.set(chosen(select.value)));
  let filled = "";
  return {
    element: h("div", { class: "filters" }, chips, select),

    /** @param {import("../ui/state.js").State} state */
    update(state) {
      const counts = countsOf(app);
      const on = new Set((state.kinds ?? "").split(",").filter((kind) => kind !== ""));
      const focused = document.activeElement?.getAttribute("data-chip");
      const buttons = KINDS.filter(([kind]) => counts[kind] > 0).map(([kind, name, about]) =>
        h(
          "button",
          {
            class: "chip",
            "data-chip": kind,
            "aria-pressed": String(on.has(kind)),
            "data-tip": `${about}: click to see it alone, or with others`,
            on: { click: () => app.set({ kinds: toggled(on, kind) }) },
          },
          h("i", { class: "dot", "data-kind": kind }),
          name,
          h("small", null, count(counts[kind])),
        ),
      );
      fill(chips, ...buttons);
      buttons.find((button) => button.dataset.chip === focused)?.focus();
      if (filled !== app.title + app.profile.rowCount) {
        filled = app.title + app.profile.rowCount;
        fill(select, ...optionsOf(app));
      }
      select.value = state.module ? `m:${state.module}` : state.package ? `p:${state.package}` : "";
    },
  };
}

/** @param {string} value */
function chosen(value) {
  return {
    module: value.startsWith("m:") ? value.slice(2) : null,
    package: value.startsWith("p:") ? value.slice(2) : null,
  };
}

/**
 * @param {Set<string>} on
 * @param {string} kind
 */
function toggled(on, kind) {
  const next = new Set(on);
  if (!next.delete(kind)) {
    next.add(kind);
  }
  return [...next].join(",");
}

/** @param {App} app */
function countsOf({ profile, threads }) {
  const { present } = profile.figures(threads);
  const counts = { own: 0, site: 0, library: 0, builtin: 0, native: 0 };
  for (let row = 0; row < profile.rowCount; row++) {
    if (present[row]) {
      counts[profile.kindOf(row)]++;
    }
  }
  return counts;
}

/** @param {App} app */
function optionsOf({ profile }) {
  const figures = profile.figures("all");
  const packages = timesOf(profile, (row) => profile.packageOf(row));
  const modules = timesOf(profile, (row) => profile.moduleOf(row));
  /** @param {string} title @param {string} prefix @param {[name: string, time: number][]} names */
  const group = (title, prefix, names) =>
    names.length > 0 &&
    h(
      "optgroup",
      { label: title },
      ...names.map(([name, own]) => h("option", { value: prefix + name }, `${name}${own > 0 ? `  (${share(own, figures.total)})` : ""}`)),
    );
  return [
    h("option", { value: "" }, "All modules"),
    group("Packages", "p:", packages),
    group("Modules", "m:", modules),
  ];
}
