// What is told of steps in words: of all of them, in the card at the mouse, and in the panel of the one that was chosen.

import { momentText } from "../timeline/camera.js";
import { h } from "../ui/dom.js";
import { count, counted, exactTime, shortCount, share, time } from "../ui/format.js";
import { namesOf } from "./colours.js";

/**
 * @typedef {import("./model.js").Chosen} Chosen
 * @typedef {import("./model.js").Steps} Steps
 */

/**
 * All steps in a few words: "30 steps, median 120 ms, 2 slow".
 * @param {Chosen} chosen
 */
export function summaryOf({ order, median, slow, rate }) {
  const words = [counted(order.length, "step"), `median ${time(median)}`, slow.length > 0 ? `${count(slow.length)} slow` : "none slow"];
  return [...words, ...(Number.isNaN(rate) ? [] : [`${rateText(rate)} items a second`])].join(", ");
}

/**
 * Whether there may have been further steps: a timeline has room for so many ranges.
 * @param {Steps} steps
 */
export function lostOf({ profile }) {
  const lost = profile.timeline.reduce((sum, { dropped }) => sum + (dropped.ranges ?? 0), 0);
  return lost > 0 ? `The timeline had no room for ${counted(lost, "further range")}: steps among them are missing.` : "";
}

/**
 * A number of items as text, or of items a second.
 * @param {number} rate
 */
export function rateText(rate) {
  if (rate > 0 && rate < 99.5) {
    return String(Number(rate.toPrecision(3)));
  }
  return rate < 1e5 ? count(rate) : shortCount(rate);
}

/** A time with its sign, to the nanosecond. @param {number} ns */
export function difference(ns) {
  const whole = Math.round(ns);
  return whole > 0 ? `+${time(whole)}` : time(whole);
}

/** @param {string} name  of a colour */
export function swatch(name) {
  const box = h("i", { class: "st-swatch", "aria-hidden": "true" });
  box.style.background = `var(${name})`;
  return box;
}

/**
 * How long a step is beside the median.
 * @param {Chosen} chosen
 * @param {number} step
 */
function besideMedian({ steps, median }, step) {
  const more = Math.round(steps.length[step] - median);
  if (more === 0) {
    return `as long as the median`;
  }
  return `${time(Math.abs(more))} (${share(Math.abs(more), median)}) ${more > 0 ? "more" : "less"} than the median`;
}

/**
 * @param {Steps} steps
 * @param {number} step
 */
function itemsText({ items, rates }, step) {
  if (Number.isNaN(items[step])) {
    return "";
  }
  const rate = Number.isNaN(rates[step]) ? "" : `, ${rateText(rates[step])} a second`;
  return `${rateText(items[step])} items${rate}`;
}

/**
 * A step as one line, for those who cannot see the chart.
 * @param {Chosen} chosen
 * @param {number} step
 */
export function lineOf(chosen, step) {
  const { steps } = chosen;
  const slow = steps.slow[step] === 1 ? ", slow" : "";
  return `${time(steps.length[step])}${slow}, ${besideMedian(chosen, step)}`;
}

/**
 * The phases of a step, those that take part in any.
 * @param {Chosen} chosen
 */
const phasesOf = ({ steps, totals }) => steps.phases.map((_, phase) => phase).filter((phase) => totals[phase] > 0);

/**
 * The card at the mouse.
 * @param {Chosen} chosen
 * @param {import("./chart.js").Hit} hit
 */
export function cardOf(chosen, { step, many }) {
  const { steps, medians } = chosen;
  const names = namesOf(steps.phases);
  const items = itemsText(steps, step);
  return h(
    "div",
    { class: "flame-tip" },
    h("strong", null, `Step ${steps.number[step]}: ${time(steps.length[step])}`),
    steps.slow[step] === 1 && h("span", { class: "st-slow" }, " ▼ slow"),
    h("div", { class: "quiet" }, besideMedian(chosen, step)),
    h(
      "table",
      null,
      ...phasesOf(chosen).map((phase) => {
        const own = steps.times[phase][step];
        return h("tr", null, h("th", null, swatch(names[phase]), steps.phases[phase]), h("td", null, time(own)), h("td", { class: "quiet" }, difference(own - medians[phase])));
      }),
    ),
    items !== "" && h("div", null, items),
    many > 1 && h("div", { class: "quiet" }, `The highest of ${counted(many, "step")} that are drawn here`),
  );
}

/**
 * The facts of a step, for the panel.
 * @param {Chosen} chosen
 * @param {number} step
 */
export function factsOf(chosen, step) {
  const { steps, medians } = chosen;
  const { profile } = steps;
  const names = namesOf(steps.phases);
  const length = steps.length[step];
  const range = steps.rangeOf(step);
  const items = itemsText(steps, step);
  const { name = "" } = profile.threads[steps.thread[step]] ?? {};
  /** @type {(text: string, tip?: string) => HTMLElement} */
  const head = (text, tip) => h("th", { scope: "col", "data-tip": tip }, text);
  /** @type {[string, string][]} */
  const facts = [
    ["items", items],
    ["began", `${momentText(range.from, Math.max(1, length / 100))} after the start`],
    ["thread", profile.threads.length > 1 ? name || `Thread ${steps.thread[step] + 1}` : ""],
    ["process", profile.timeline.length > 1 ? String(profile.timeline[steps.process[step]].pid) : ""],
  ];
  const given = facts.filter(([, text]) => text !== "");
  return h(
    "div",
    { class: "st-facts" },
    h("h2", null, `Step ${steps.number[step]}`, h("small", null, `  ${time(length)}`), steps.slow[step] === 1 && h("small", { class: "st-slow" }, "  ▼ slow")),
    h("p", { class: "quiet tl-note" }, `${capital(besideMedian(chosen, step))}.`),
    h(
      "table",
      { class: "tl-table" },
      h("thead", null, h("tr", null, head("phase"), head("time"), head("of the step"), head("median", "The median of the phase's times in all steps"), head("difference"))),
      h(
        "tbody",
        null,
        ...phasesOf(chosen).map((phase) => {
          const { limits } = steps.profile.container.header;
          const own = steps.times[phase][step];
          const more = own - medians[phase];
          return h(
            "tr",
            null,
            h("td", null, swatch(names[phase]), steps.phases[phase]),
            h("td", { "data-tip": exactTime(own) }, time(own)),
            h("td", null, share(own, length)),
            h("td", { class: "quiet" }, time(medians[phase])),
            h("td", { class: more > limits.slowPhase * chosen.median ? "st-slow" : null }, difference(more)),
          );
        }),
      ),
    ),
    h("dl", { class: "tl-facts" }, ...given.flatMap(([title, text]) => [h("dt", null, title), h("dd", null, text)])),
  );
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
