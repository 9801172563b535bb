// The steps' arithmetic: where bars are, which one a pixel is of, bins of many steps, medians, what the state says of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { namesOf } from "../../python/tracer/page/steps/colours.js";
import {
  barAt, barsOf, byHeight, kept, placeFrom, revealing, slotsOf, strideOf, topOf, viewOf, viewText, wholeOf, zoomed,
} from "../../python/tracer/page/steps/layout.js";
import { afterClick } from "../../python/tracer/page/steps/legend.js";
import { Chosen, hasSteps, heightsOf, hiddenText, medianOf, shownOf, Steps, stepsOf } from "../../python/tracer/page/steps/model.js";
import { difference, lostOf, rateText, summaryOf } from "../../python/tracer/page/steps/texts.js";
import { profile, thread } from "./packed.mjs";
import { randomOf } from "./timelines.mjs";

const PROCESS = { name: "", pid: 1, tick: 2, unit: 1, least: 0, since: 0, lost: 0, ring: false, clock: [[0, 0]], dropped: {}, threads: [] };

/** A profile of steps {number, start, end, thread, process, slow, items, times}; ticks of 2 ns. */
function stepped(list, phases = ["load", "forward"], timeline = [PROCESS]) {
  const column = (name, missing = 0) => list.map((step) => step[name] ?? missing);
  const steps = {
    phases,
    ...Object.fromEntries(["process", "thread", "number", "start", "end", "slow"].map((name) => [name, column(name)])),
    items: list.some(({ items }) => items !== undefined) ? column("items", null) : null,
    times: phases.map((_, phase) => list.map(({ times = [] }) => times[phase] ?? 0)),
  };
  return profile(["main"], [thread("MainThread", "main 1 5", ["main"]), thread("other", "main 1 5", ["main"])], { timeline, steps });
}

const THREE = stepped([
  { number: 3, start: 100, end: 150, items: 8, times: [10, 25] },
  { number: 4, start: 160, end: 200, items: 8, times: [5, 20] },
  { number: 9, start: 300, end: 420, slow: 1, times: [90, 30] },
]);

test("a step has its times in nanoseconds, and what is of no phase is of Others", () => {
  const steps = new Steps(THREE);
  assert.deepEqual(steps.phases, ["load", "forward", "Others"]);
  assert.deepEqual([...steps.length], [100, 80, 240]);
  assert.deepEqual(steps.times.map((times) => [...times]), [[20, 10, 180], [50, 40, 60], [30, 30, 0]]);
  assert.deepEqual([...steps.rates], [8e7, 1e8, NaN]);
  assert.deepEqual(steps.rangeOf(1), { from: 320, to: 400 });
  assert.equal(stepsOf(THREE), stepsOf(THREE));
  assert.equal(hasSteps(THREE), true);
  assert.equal(hasSteps(profile(["main"], [])), false);
});

test("medians, totals and the rate are of the chosen steps", () => {
  const chosen = new Chosen(new Steps(THREE), "all");
  assert.equal(chosen.median, 100);
  assert.deepEqual(chosen.medians, [20, 50, 30]);
  assert.deepEqual(chosen.totals, [210, 150, 60]);
  assert.equal(chosen.total, 420);
  assert.deepEqual([...chosen.slow], [2]);
  assert.equal(chosen.rate, (16 / 180) * 1e9);
  assert.equal(summaryOf(chosen), "3 steps, median 100 ns, 1 slow, 88.9M items a second");
  const none = new Chosen(new Steps(THREE), 1);
  assert.deepEqual([none.order.length, none.median, none.total, none.rate], [0, 0, 0, NaN]);
  assert.equal(summaryOf(none), "0 steps, median 0, none slow");
});

test("medians of one, two, many", () => {
  assert.deepEqual([[], [4], [4, 1], [9, 1, 5], [1, 2, 3, 100]].map((list) => medianOf(Float64Array.from(list))), [0, 4, 2.5, 5, 2.5]);
});

test("steps of one thread stand together, and those that do not follow on stand apart", () => {
  const steps = new Steps(
    stepped([
      { number: 0, start: 0, end: 1, thread: 1 },
      { number: 0, start: 1, end: 2 },
      { number: 1, start: 5, end: 6, thread: 1 },
      { number: 1, start: 6, end: 7 },
      { number: 5, start: 9, end: 10 },
    ]),
  );
  assert.deepEqual([...steps.order], [1, 3, 4, 0, 2]);
  const { slots, count } = slotsOf(steps.order, (step, before) => steps.isApart(step, before));
  assert.deepEqual([...slots], [0, 1, 3, 5, 6]);
  assert.equal(count, 7);
  assert.deepEqual([...new Chosen(steps, 1).order], [0, 2]);
});

test("the state names a step by its number, and by which of that number it is", () => {
  const steps = new Steps(stepped([{ number: 7 }, { number: -2, start: 1 }, { number: 7, start: 2 }, { number: 7, start: 3, thread: 1 }]));
  assert.deepEqual([0, 1, 2, 3].map((step) => steps.keyOf(step)), ["7", "-2", "7~2", "7~3"]);
  assert.deepEqual(["7", "-2", "7~2", "7~3", "8", "", undefined].map((key) => steps.stepOf(key)), [0, 1, 2, 3, -1, -1, -1]);
});

test("the state names what is hidden, whatever phases are called", () => {
  const phases = ["load", "a,b", "+", "Others", "Others"];
  for (let bits = 0; bits < 32; bits++) {
    const shown = phases.map((_, place) => ((bits >> place) & 1) === 1);
    const text = hiddenText(phases, shown);
    assert.deepEqual(shownOf(phases, text ?? undefined), shown);
  }
  assert.equal(hiddenText(phases, [true, true, true, true, true]), null);
  assert.equal(hiddenText(phases, [false, false, false, true, false]), "load,a%2Cb,%2B,+");
  assert.deepEqual(shownOf(["load", "Others"], "gone,load"), [false, true]);
});

test("a click hides a phase, with Shift it leaves that one alone, and once more shows all", () => {
  const all = [true, true, true];
  assert.deepEqual(afterClick(all, 1, false), [true, false, true]);
  assert.deepEqual(afterClick([true, false, true], 1, false), all);
  assert.deepEqual(afterClick(all, 1, true), [false, true, false]);
  assert.deepEqual(afterClick([false, true, false], 1, true), all);
  assert.deepEqual(afterClick([false, true, false], 1, false), all); // else nothing would be left
});

test("heights are of the phases that are shown, and sort the steps", () => {
  const steps = new Steps(THREE);
  const heights = heightsOf(steps, [false, true, true]);
  assert.deepEqual([...heights], [80, 70, 60]);
  assert.deepEqual([...byHeight(steps.order, heights)], [0, 1, 2]);
  assert.deepEqual([...byHeight(steps.order, steps.length)], [2, 0, 1]);
});

/** n steps in a row, of these heights. */
const row = (heights, slots = heights.map((_, at) => at)) => ({
  slots: Float64Array.from(slots),
  order: Uint32Array.from(heights, (_, at) => at),
  heights: Float64Array.from(heights),
});

test("a bar for each step, where slots have a pixel", () => {
  const bars = barsOf(row([1, 2, 3], [0, 1, 3]), { from: 0, span: 4 }, 80);
  assert.deepEqual([[...bars.at], [...bars.left], bars.wide, bars.many], [[0, 1, 2], [0, 20, 60], 20, null]);
  assert.deepEqual([-1, 0, 19.9, 20, 39.9, 40, 59, 60, 79.9, 80].map((x) => barAt(bars, x)), [-1, 0, 0, 1, 1, -1, -1, 2, 2, -1]);
  // Of those at the edges of the view, a part is seen.
  const some = barsOf(row([1, 2, 3, 4]), { from: 0.5, span: 2 }, 40);
  assert.deepEqual([[...some.at], [...some.left]], [[0, 1, 2], [-10, 10, 30]]);
  assert.equal(barAt(some, 0), 0);
});

test("the highest of the steps in a pixel, where slots are narrower", () => {
  const bars = barsOf(row([1, 5, 2, 2, 0, 9, 7, 7]), { from: 0, span: 8 }, 4);
  assert.deepEqual([[...bars.at], [...bars.left], bars.wide], [[1, 2, 5, 6], [0, 1, 2, 3], 1]);
  assert.deepEqual([...bars.many], [2, 2, 2, 2]);
  assert.deepEqual([0, 1.5, 3.9, 4].map((x) => barAt(bars, x)), [0, 1, 3, -1]);
  const apart = barsOf(row([1, 2], [0, 9]), { from: 0, span: 10 }, 5); // the pixels between have none
  assert.deepEqual([[...apart.at], [...apart.left]], [[0, 1], [0, 4]]);
  assert.deepEqual([0, 1, 3, 4].map((x) => barAt(apart, x)), [0, -1, -1, 1]);
});

test("bins are those of a slow way, of any view", () => {
  const random = randomOf(5);
  const heights = Array.from({ length: 3000 }, () => random(100));
  let slot = 0;
  const scene = row(heights, heights.map(() => (slot += 1 + (random(20) === 0 ? 1 : 0))));
  for (let round = 0; round < 60; round++) {
    const width = 1 + random(300);
    const span = width + random(3000) + 1;
    const from = random(2500);
    const bars = barsOf(scene, { from, span }, width);
    const best = new Map();
    const many = new Map();
    scene.slots.forEach((place, at) => {
      const column = Math.floor((place - from) * (width / span));
      if (place >= from && place < from + span) {
        many.set(column, (many.get(column) ?? 0) + 1);
        if (!best.has(column) || heights[at] > heights[best.get(column)]) {
          best.set(column, at);
        }
      }
    });
    const columns = [...best.keys()].sort((a, b) => a - b);
    assert.deepEqual([...bars.left], columns);
    assert.deepEqual([...bars.at], columns.map((column) => best.get(column)));
    assert.deepEqual([...bars.many], columns.map((column) => many.get(column)));
  }
});

test("a hundred thousand steps are laid out in no time", () => {
  const scene = row(Array.from({ length: 1e5 }, (_, at) => at % 977));
  const since = performance.now();
  for (let round = 0; round < 20; round++) {
    barsOf(scene, { from: 0, span: 1e5 }, 1300);
  }
  assert.ok((performance.now() - since) / 20 < 100); // milliseconds, of which they take one
});

test("a view stays within the whole, and bars do not get wider than they may", () => {
  assert.equal(wholeOf(3, 720), 10);
  assert.equal(wholeOf(300, 720), 300);
  assert.deepEqual(kept({ from: -5, span: 20 }, 100), { from: 0, span: 20 });
  assert.deepEqual(kept({ from: 95, span: 20 }, 100), { from: 80, span: 20 });
  assert.deepEqual(kept({ from: 3, span: Infinity }, 100), { from: 0, span: 100 });
  assert.deepEqual(kept({ from: 3, span: 1 }, 100), { from: 3, span: 8 });
  assert.deepEqual(kept({ from: 3, span: 1 }, 5), { from: 0, span: 5 });
  assert.deepEqual(zoomed({ from: 0, span: 100 }, 0.5, 0.5, 100), { from: 25, span: 50 });
  assert.deepEqual(zoomed({ from: 25, span: 50 }, 0, 0.5, 100), { from: 25, span: 25 });
  assert.deepEqual(zoomed({ from: 25, span: 50 }, 1, 4, 100), { from: 0, span: 100 });
  const view = { from: 40, span: 16 };
  assert.equal(revealing(view, 40, 100), view);
  assert.equal(revealing(view, 55, 100), view);
  assert.deepEqual(revealing(view, 56, 100), { from: 43, span: 16 });
  assert.deepEqual(revealing(view, 20, 100), { from: 18, span: 16 });
});

test("a view as text gives the view again", () => {
  assert.equal(viewText({ from: 0, span: 100 }, 100), null);
  assert.equal(viewText({ from: 12.3456, span: 50 }, 100), "12.35~50");
  assert.deepEqual(viewOf("12.35~50", 100), { from: 12.35, span: 50 });
  for (const text of [undefined, "", "x", "~", "5~0", "-3~x"]) {
    assert.deepEqual(viewOf(text, 100), { from: 0, span: 100 });
  }
});

test("few bars that are far higher than the others are cut off", () => {
  const heights = (list) => Float64Array.from(list);
  assert.equal(topOf(heights([10, 12, 11, 30]), 11), 30);
  assert.equal(topOf(heights([...Array(19).fill(10), 51]), 10), 30);
  assert.equal(topOf(heights([...Array(19).fill(10), 50]), 10), 50);
  assert.equal(topOf(heights([1, 2]), 40), 40); // the median is seen
  assert.equal(topOf(heights([]), 0), 0);
  assert.equal(topOf(heights([0, 0, 5]), 0), 5);
});

test("numbers below the bars are round", () => {
  assert.deepEqual([[40, 30], [40, 41], [10, 45], [0.1, 30], [0.013, 37]].map(([wide, room]) => strideOf(wide, room)), [1, 2, 5, 500, 5000]);
  assert.equal(placeFrom(Float64Array.from([0, 1, 3]), 2), 2);
});

test("known phases have their colours, others have the next ones", () => {
  assert.deepEqual(namesOf(["load", "a", "optimizer", "b", "c", "d", "e", "Others"]), [
    "--st-load", "--st-1", "--st-optimizer", "--st-2", "--st-3", "--st-4", "--st-1", "--st-others",
  ]);
  assert.deepEqual(namesOf(["Others", "Others"]), ["--st-1", "--st-others"]); // a category of that name
});

test("differences have a sign, and rates three digits", () => {
  assert.deepEqual([5e6, -5e6, 0.2, -0.2, 0].map(difference), ["+5 ms", "−5 ms", "0", "0", "0"]);
  assert.deepEqual([0, 0.1234, 12.345, 99.6, 1234.4, 5e6].map(rateText), ["0", "0.123", "12.3", "100", "1,234", "5M"]);
});

test("ranges for which there was no room are told", () => {
  assert.equal(lostOf(new Steps(THREE)), "");
  const lost = stepped([{ number: 1, end: 5 }], [], [{ ...PROCESS, dropped: { ranges: 1, marks: 3 } }]);
  assert.equal(lostOf(new Steps(lost)), "The timeline had no room for 1 further range: steps among them are missing.");
});
