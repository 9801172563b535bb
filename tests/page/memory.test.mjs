// Memory: profiles by measure, who holds most, where the view begins, what is told, and the axes of the curve.

import assert from "node:assert/strict";
import { test } from "node:test";

import { kindsOf } from "../../python/tracer/page/memory/columns.js";
import { hasMemory, memoryOf, placeOfMost, stretchAt } from "../../python/tracer/page/memory/model.js";
import { holder, missing, sentence, whereHolders } from "../../python/tracer/page/memory/sentence.js";
import { textsOf, wordsOf } from "../../python/tracer/page/memory/words.js";
import { bytes, exactBytes } from "../../python/tracer/page/ui/format.js";
import { profile, thread } from "./packed.mjs";

const MIB = 2 ** 20;
const FUNCTIONS = ["main", "keep", { name: "loads", file: "/x/site-packages/json.py" }, { name: "<len>", file: "~" }];
const NAMES = ["main", "keep", "loads", "<len>"];

/** A thread seen by a measure, from a drawing of its tree: "name blocks bytes". */
function contexts(drawing) {
  const { nodes } = thread("", drawing, NAMES);
  const rows = [...new Set(nodes.row.slice(1))];
  const sum = (column, row) => column.reduce((total, value, node) => total + (nodes.row[node] === row ? value : 0), 0);
  const figures = {
    row: rows,
    ncalls: rows.map((row) => sum(nodes.calls, row)),
    tottime: rows.map((row) => sum(nodes.time, row)),
    cumtime: rows.map((row) => sum(nodes.time, row)),
  };
  return { nodes, figures };
}

const LIVE = `
  main 1 100
    keep 10 200
      loads 5 3000
        <len> 2 40
      keep 1 6
    <len> 1 5`;
const PEAK = `
  main 1 100
    keep 90 6000
      loads 5 3000
        <len> 2 40
      keep 1 6
    <len> 1 5`;

function made({ live = LIVE, facts = {} } = {}) {
  const measures = { live: [contexts(live)], peak: [contexts(PEAK)], allocated: [contexts(PEAK)], temporary: [contexts("\n main 0 0")] };
  const none = { live: [0, 0], peak: [0, 0], allocated: [0, 0], temporary: [0, 0] };
  const memory = {
    live: [3351, 20],
    peak: [9151, 100],
    missed: [0, 0],
    outside: none,
    lost: 0,
    resident: 30 * MIB,
    cutOff: null,
    measures,
    curves: [{ name: "", at: [0, 2e6, 5e6, 8e6], least: [0, 10, 400, 300], most: [0, 500, 9151, 3400], last: [0, 400, 500, 3351], resident: [0, 0, 0, 0] }],
    lines: [],
    ...facts,
  };
  return profile(FUNCTIONS, [thread("MainThread", LIVE, NAMES)], { memory });
}

test("a measure is a profile of bytes and blocks", () => {
  const model = memoryOf(made());
  const live = model.seenBy("live");
  assert.equal(live.tree(0).total[0], 3351);
  assert.equal(live.tree("all").totalCalls[0], 20);
  const { ncalls, tottime, total, present, waited } = live.figures("all");
  assert.deepEqual([...tottime], [100, 206, 3000, 45]);
  assert.deepEqual([...ncalls], [1, 11, 5, 3]);
  assert.deepEqual([total, [...present], [...waited]], [3351, [1, 1, 1, 1], [0, 0, 0, 0]]);
  assert.equal(model.seenBy("peak").figures("all").total, 9151);
  assert.equal(model.seenBy("live"), live);
  assert.deepEqual(live.edges("all").callees(1).map(({ row, calls }) => [row, calls]), [[2, 5], [1, 1]]);
});

test("what libraries and C have belongs to the program's own function that called them", () => {
  const model = memoryOf(made());
  assert.deepEqual([...model.heldBy("live", "all")], [105, 3246, 0, 0]);
  const { row, name, before, after } = holder(model, "live", "all");
  assert.deepEqual([row, name, before, after], [1, "keep", " Most is by ", ": 3.17 KiB (96.9%)."]);
  assert.equal(holder(model, "temporary", "all"), null);
});

test("a program without own code has what its functions have by themselves", () => {
  const model = memoryOf(made({ live: "\n loads 1 10\n   <len> 1 30" }));
  assert.deepEqual([...model.heldBy("live", "all")], [0, 0, 10, 30]);
});

test("the view begins with what is live at the end where that is half of the peak", () => {
  const first = (live, peak) => memoryOf(made({ facts: { live: [live, 1], peak: [peak, 1] } })).first;
  assert.equal(first(50, 100), "live");
  assert.equal(first(49, 100), "peak");
  const model = memoryOf(made());
  assert.equal(model.first, "peak");
  assert.deepEqual(["live", "temporary", "gone", undefined].map((text) => model.measureOf(text)), ["live", "temporary", "peak", "peak"]);
});

test("a sentence says what is shown", () => {
  const model = memoryOf(made());
  assert.equal(sentence(model, "live", "all"), "At the end 3.27 KiB were still live, in 20 blocks: 36.6% of the peak.");
  assert.equal(sentence(model, "peak", "all"), "At the peak, 5 ms into the run, 8.94 KiB were live, in 100 blocks.");
  assert.equal(sentence(model, "allocated", 0), "8.94 KiB of MainThread were allocated in all, in 100 blocks, live or not.");
  assert.match(sentence(model, "temporary", "all"), /^0 were allocated and freed at once, in 0 blocks/);
});

test("of a program that runs, what is live is live now", () => {
  const model = memoryOf(made());
  assert.match(whereHolders({ views: [{ name: "memory" }] })[0], /run with --live --memory/);
  const { container } = model.whole;
  const live = { running: true };
  model.whole.container = { ...container, header: { ...container.header, live } };
  assert.equal(sentence(model, "live", "all"), "3.27 KiB are live now, in 20 blocks: 36.6% of the peak.");
  assert.match(sentence(model, "peak", "all"), /^At the peak, 5 ms/);
  assert.deepEqual(["live", "peak"].map((measure) => textsOf(measure, model.isRunning).title), ["Now", "At the peak"]);
  assert.equal(kindsOf(model, "live").columnsOf(model.seenBy("live"), "all")[0].title, "now");
  live.running = false; // it ended, and this is its last snapshot
  assert.match(sentence(model, "live", "all"), /^At the end 3.27 KiB/);
});

test("all calls of a function have the blocks of its callees, as the bytes are", () => {
  const tree = memoryOf(made()).seenBy("live").tree("all");
  assert.equal(wordsOf("live").callsOf({ calls: [4], totalCalls: [18] }), 18);
  assert.equal(tree.totalCalls[2], 18);
});

test("the peaks of several runs are added up", () => {
  const curve = { name: "", at: [0], least: [0], most: [5], last: [0], resident: [0] };
  const model = memoryOf(made({ facts: { curves: [curve, curve] } }));
  assert.equal(sentence(model, "peak", "all"), "At the peak of each of the 2 runs, 8.94 KiB were live, in 100 blocks.");
  assert.match(sentence(model, "live", "all"), /^At the end of each of the 2 runs 3.27 KiB were still live/);
});

test("what is not in the figures is told", () => {
  assert.deepEqual(missing(memoryOf(made()), "live"), []);
  const outside = { live: [0, 0], peak: [4000, 2], allocated: [100, 1], temporary: [0, 0] };
  const model = memoryOf(made({ facts: { cutOff: 2e9, lost: 3, missed: [2048, 1], outside } }));
  assert.deepEqual(missing(model, "live"), [
    "Another tool took over the allocators 2 s into the run: what was allocated after that is not known.",
    "3 allocations could not be recorded: memory was out.",
    "2 KiB were live when recording paused, and are not followed any more.",
  ]);
  assert.equal(missing(model, "peak")[2], "3.91 KiB more belong to no function: they were allocated where no recorded function ran.");
  assert.equal(missing(model, "allocated").length, 2);
});

test("the table has the chosen measure first", () => {
  const model = memoryOf(made());
  const columns = kindsOf(model, "peak").columnsOf(model.seenBy("peak"), "all");
  assert.deepEqual(columns.map(({ title }) => title), ["at peak", "cum", "blocks", "at end", "allocated", "temporary"]);
  assert.deepEqual(columns.map(({ values }) => values[1]), [6006, 6006, 91, 206, 6006, 0]);
  assert.equal(columns[0].text(6006), "5.87 KiB");
  assert.equal(columns[0].exact(6006), "6,006 bytes = 5.87 KiB");
  assert.equal(columns[0].file(6006), 6006);
});

test("a box tells its bytes and blocks, and those of all below", () => {
  const model = memoryOf(made());
  const seen = model.seenBy("live");
  const tree = seen.tree("all");
  const layout = { tree, value: tree.total, width: tree.total[0], isAbove: () => false };
  const { lineOf } = wordsOf("live");
  const line = (node, metric) => lineOf({ profile: seen, figures: seen.figures("all"), layout, metric, inverted: false, of: -1 }, node);
  assert.deepEqual(line(2, "time"), ["app.keep", "3.17 KiB (96.9%) · 18 blocks · own 200 B"]);
  assert.deepEqual(line(0, "time"), ["All", "3.27 KiB"]);
  assert.deepEqual(line(0, "calls"), ["All", "20 blocks"]);
});

test("a profile without memory has none", () => {
  assert.equal(hasMemory(profile(FUNCTIONS, [thread("MainThread", LIVE, NAMES)])), false);
  assert.equal(hasMemory(made()), true);
});

test("of several runs, the curve of the one with the highest peak is shown", () => {
  const curve = (name, most) => ({ name, at: [0], least: [0], most: [most], last: [0], resident: [0] });
  assert.equal(memoryOf(made({ facts: { curves: [curve("one", 5), curve("two", 7), curve("three", 7)] } })).curve.name, "two");
});

test("moments find their stretch of the curve, and the highest its place", () => {
  const times = Float64Array.of(0, 10, 20);
  assert.deepEqual([-1, 0, 9, 10, 19, 20, 99].map((moment) => stretchAt(times, moment)), [-1, 0, 0, 1, 1, 2, 2]);
  assert.equal(placeOfMost(Float64Array.of(1, 7, 7, 2)), 1);
  assert.equal(placeOfMost(Float64Array.of(0, 0)), -1);
});

test("bytes have three digits and a unit", () => {
  assert.deepEqual([0, 1, 1023, 1024, 1536, 999 * 1024, 1023.6 * 1024, 5 * MIB, 3 * 1024 * MIB, -2048].map(bytes), [
    "0", "1 B", "1,023 B", "1 KiB", "1.50 KiB", "999 KiB", "1.00 MiB", "5 MiB", "3 GiB", "−2 KiB",
  ]);
  assert.deepEqual([1, 1000, 2048].map(exactBytes), ["1 byte", "1,000 bytes", "2,048 bytes = 2 KiB"]);
});
