// One sentence that says what the view shows, and one that says who holds most of it.

import { spoken } from "../flame/labels.js";
import { h } from "../ui/dom.js";
import { bytes, counted, share, time } from "../ui/format.js";
import { placeOfMost } from "./model.js";
import { blocks } from "./words.js";

/**
 * @typedef {import("../container.js").Measure} Measure
 * @typedef {import("./model.js").MemoryModel} MemoryModel
 */

/**
 * What is shown, in a sentence.
 * @param {MemoryModel} model
 * @param {Measure} measure
 * @param {import("../profile.js").Threads} threads
 */
export function sentence(model, measure, threads) {
  const { total, totalCalls } = model.seenBy(measure).figures(threads);
  const whose = threads === "all" ? "" : ` of ${model.whole.threads[threads].name || `thread ${threads + 1}`}`;
  const size = `${bytes(total)}${whose}`;
  const number = `in ${blocks(totalCalls)}`;
  const runs = model.facts.curves.length;
  const each = runs > 1 ? ` of each of the ${runs} runs` : "";
  switch (measure) {
    case "live":
      if (model.isRunning) {
        return `${size} are live now, ${number}: ${share(total, model.facts.peak[0]) || "0%"} of the peak.`;
      }
      return `At the end${each} ${size} were still live, ${number}: ${share(total, model.facts.peak[0]) || "0%"} of the peak.`;
    case "peak":
      return `At the peak${each || peakMoment(model)}, ${size} were live, ${number}.`;
    case "allocated":
      return `${size} were allocated in all, ${number}, live or not.`;
    default:
      return `${size} were allocated and freed at once, ${number}, before the thread's next allocation.`;
  }
}

/** @param {MemoryModel} model */
function peakMoment({ curve }) {
  const place = placeOfMost(curve.most);
  return place < 0 ? "" : `, ${time(curve.at[place])} into the run`;
}

/**
 * The function that has most of it, with what it has of libraries and of C below; null: none.
 * @param {MemoryModel} model
 * @param {Measure} measure
 * @param {import("../profile.js").Threads} threads
 */
export function holder(model, measure, threads) {
  const held = model.heldBy(measure, threads);
  const row = placeOfMost(held);
  if (row < 0) {
    return null;
  }
  const { whole } = model;
  const { total } = model.seenBy(measure).figures(threads);
  const name = spoken(whole.nameOf(row), whole.moduleOf(row), whole.kindOf(row));
  const isMost = held[row] > total / 2;
  return { row, name, before: isMost ? " Most is by " : " The largest part is by ", after: `: ${bytes(held[row])} (${share(held[row], total)}).` };
}

/**
 * Where a page says who holds objects: the way there, if this page does.
 * @param {import("../app.js").App} app
 */
export const whereHolders = (app) =>
  app.views.some(({ name }) => name === "objects")
    ? ["Who holds it: ", h("button", { class: "link", on: { click: () => app.open("objects") } }, "Objects")]
    : ["To see who holds objects, run with --live --memory: that page has Objects, too."];

/**
 * What is not in the figures, in sentences.
 * @param {MemoryModel} model
 * @param {Measure} measure
 */
export function missing(model, measure) {
  const { cutOff, lost, missed, outside } = model.facts;
  const [size] = outside[measure];
  const notes = [];
  if (cutOff !== null) {
    notes.push(`Another tool took over the allocators ${time(cutOff)} into the run: what was allocated after that is not known.`);
  }
  if (lost > 0) {
    notes.push(`${counted(lost, "allocation")} could not be recorded: memory was out.`);
  }
  if (measure === "live" && missed[0] > 0) {
    notes.push(`${bytes(missed[0])} were live when recording paused, and are not followed any more.`);
  }
  if (size > model.whole.container.header.limits.outside * model.seenBy(measure).figures("all").total) {
    notes.push(`${bytes(size)} more belong to no function: they were allocated where no recorded function ran.`);
  }
  return notes;
}
