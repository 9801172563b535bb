// The timeline's arithmetic: reading a log, its rows, the longest of many, bins, sums of a range, the camera. Held
// against a slow way to the same result.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Bins } from "../../python/tracer/page/timeline/bins.js";
import {
  around, between, momentText, panned, partOf, revealing, ticksOf, timeAt, wholeOf, zoomed,
} from "../../python/tracer/page/timeline/camera.js";
import { Contexts } from "../../python/tracer/page/timeline/contexts.js";
import { Excerpt } from "../../python/tracer/page/timeline/excerpt.js";
import { Log } from "../../python/tracer/page/timeline/decode.js";
import { drawnFlows, FlowEnds } from "../../python/tracer/page/timeline/flows.js";
import { fullRows, Rows, rowsIn, tellingRow } from "../../python/tracer/page/timeline/heights.js";
import { gapLabel, gapText, waitedIn } from "../../python/tracer/page/timeline/gaps.js";
import { Lanes } from "../../python/tracer/page/timeline/lanes.js";
import { Lists } from "../../python/tracer/page/timeline/lists.js";
import { slicesOf } from "../../python/tracer/page/timeline/model.js";
import { ownOf } from "../../python/tracer/page/timeline/own_time.js";
import { Pyramid } from "../../python/tracer/page/timeline/pyramid.js";
import { namedText, wantedBy } from "../../python/tracer/page/timeline/search.js";
import { addRows, addSlices, sumsOf } from "../../python/tracer/page/timeline/statistics.js";
import { spanTrack, stacked } from "../../python/tracer/page/timeline/span_tracks.js";
import { partBeside } from "../../python/tracer/page/timeline/fibers.js";
import { KINDS, profile, thread } from "./packed.mjs";
import { binsOf, logOf, randomOf, randomRun } from "./timelines.mjs";

const NO_ROW = 0xffffffff;
const none = new Uint32Array(0);

function readAll(bytes, scale = 1, shift = 0) {
  const log = new Log(bytes, scale, shift);
  log.blocks.forEach((block) => log.read(block));
  return log;
}

function lanesOf(log, contexts) {
  const lanes = new Lanes(log, contexts);
  while (!lanes.place());
  return lanes;
}

/** The slices of a row, as objects. */
const rowOf = (lanes, row) =>
  Array.from({ length: lanes.offsets[row + 1] - lanes.offsets[row] }, (_, i) => {
    const at = lanes.offsets[row] + i;
    return { start: lanes.starts[at], end: lanes.ends[at], node: lanes.nodes[at] };
  });

test("a log is read to the last nanosecond, over blocks, with numbers of every length", () => {
  const records = [
    { start: 0, end: 5, node: 3 },
    { start: 5, end: 5, node: 100000 },
    { start: 2 ** 21, end: 2 ** 22 + 1, node: 1 },
    { start: 2 ** 28, end: 2 ** 35 + 3, node: 2 ** 30 },
    { start: 2 ** 50 + 1, end: 2 ** 52 + 1, node: 2 },
    { start: 2 ** 52 - 100, end: 2 ** 52 - 50, node: 1 }, // the clock went back
  ];
  for (const size of [1, 2, 100]) {
    const log = readAll(logOf(records, size));
    assert.equal(log.count, records.length);
    records.forEach(({ start, end, node }, i) => {
      assert.deepEqual([log.starts[i], log.ends[i], log.nodes[i]], [start, end, node]);
    });
  }
});

test("records of node 0 are gaps, or say something of the slice before", () => {
  const log = readAll(
    logOf([
      { start: 1, end: 3, node: 0, value: 2 << 2 },
      { start: 0, end: 4, node: 5 },
      { start: 0, end: 4, node: 0, value: (7 << 2) | 1 },
      { start: 0, end: 4, node: 0, value: 3 },
    ], 2),
  );
  assert.equal(log.count, 2);
  assert.deepEqual(log.idle, [2]);
  assert.deepEqual(log.notes, [{ kind: 1, number: 7, at: 1 }, { kind: 3, number: 0, at: 1 }]);
});

test("ticks become nanoseconds from the run's start on", () => {
  const log = readAll(logOf([{ start: 10, end: 30, node: 1 }]), 0.5, -3);
  assert.deepEqual([log.starts[0], log.ends[0]], [2, 12]);
});

test("a log that is cut off, or lies about its length, gives what is there", () => {
  const whole = logOf([{ start: 0, end: 5, node: 3 }, { start: 6, end: 9, node: 4 }], 1);
  for (let length = 0; length <= whole.length; length++) {
    const log = readAll(whole.subarray(0, length));
    assert.ok(log.count <= 2);
  }
  const lies = whole.slice();
  new DataView(lies.buffer).setUint32(12, 0xffffffff, true);
  assert.ok(new Log(lies, 1, 0).starts.length < 10);
});

test("each slice stands in the row of its depth, in order of time", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const run = randomRun(seed, 400);
    const contexts = new Contexts(run.parent, run.row, none, () => false);
    const lanes = lanesOf(readAll(logOf(run.slices, 1 + (seed % 50))), contexts);
    assert.equal(lanes.count, run.slices.length);
    for (let row = 0; row < lanes.height; row++) {
      const expected = run.slices.filter((slice) => slice.row === row).map(({ start, end, node }) => ({ start, end, node }));
      assert.deepEqual(rowOf(lanes, row), expected);
    }
  }
});

test("what a threshold leaves nests as before", () => {
  const run = randomRun(5, 2000);
  const contexts = new Contexts(run.parent, run.row, none, () => false);
  const kept = run.slices.filter(({ start, end }) => end - start >= 500);
  assert.ok(kept.length > 50 && kept.length < run.slices.length / 2);
  const lanes = lanesOf(readAll(logOf(kept)), contexts);
  for (let row = 0; row < lanes.height; row++) {
    assert.equal(rowOf(lanes, row).length, kept.filter((slice) => slice.row === row).length);
  }
});

test("a function that is left out takes no row, its callees move up", () => {
  // root > 1 (shown) > 2 (left out) > 3 (shown)
  const contexts = new Contexts(Uint32Array.from([0, 0, 1, 2]), Uint32Array.from([NO_ROW, 0, NO_ROW, 1]), none, () => false);
  const records = [{ start: 2, end: 3, node: 3 }, { start: 1, end: 4, node: 2 }, { start: 0, end: 5, node: 1 }];
  const lanes = lanesOf(readAll(logOf(records)), contexts);
  assert.deepEqual([0, 1].map((row) => rowOf(lanes, row)), [[{ start: 0, end: 5, node: 1 }], [{ start: 2, end: 3, node: 3 }]]);
  assert.equal(contexts.shownParent[3], 1);
});

test("calls without a path, and gaps, are below the innermost slice around them", () => {
  // root > 1 > 2 ; 3 and 4 stand for paths that were not kept
  const row = Uint32Array.from([NO_ROW, 0, 1, 2, 2]);
  const contexts = new Contexts(Uint32Array.from([0, 0, 1, 0, 0]), row, Uint32Array.from([3, 4]), (of) => of === 2);
  const records = [
    { start: 1, end: 2, node: 3 },
    { start: 4, end: 5, node: 0, value: 1 << 2 }, // within 4, which is C
    { start: 3, end: 6, node: 4 },
    { start: 3, end: 7, node: 3 },
    { start: 0, end: 8, node: 2 },
    { start: 10, end: 12, node: 0, value: 2 << 2 },
    { start: 0, end: 20, node: 1 },
  ];
  const lanes = lanesOf(readAll(logOf(records, 3)), contexts);
  const rows = Array.from({ length: lanes.height }, (_, at) => rowOf(lanes, at));
  assert.deepEqual(rows, [
    [{ start: 0, end: 20, node: 1 }],
    [{ start: 0, end: 8, node: 2 }, { start: 10, end: 12, node: contexts.inPython }],
    [{ start: 1, end: 2, node: 3 }, { start: 3, end: 7, node: 3 }],
    [{ start: 3, end: 6, node: 4 }],
    [{ start: 4, end: 5, node: contexts.inC }],
  ]);
  assert.equal(lanes.idle.get(4), 1);
  assert.equal(lanes.idle.get(10), 2);
  assert.equal(lanes.parent(lanes.offsets[4]), lanes.offsets[3]);
});

test("the caller of each slice is found, also of one that took no time", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const run = randomRun(seed, 300, { still: 6 });
    const contexts = new Contexts(run.parent, run.row, none, () => false);
    const lanes = lanesOf(readAll(logOf(run.slices)), contexts);
    for (let slice = 0; slice < lanes.count; slice++) {
      const caller = lanes.parent(slice);
      const node = lanes.nodes[slice];
      assert.equal(caller < 0 ? 0 : lanes.nodes[caller], run.parent[node]);
      assert.ok(caller < 0 || (lanes.starts[caller] <= lanes.starts[slice] && lanes.ends[caller] >= lanes.ends[slice]));
    }
  }
});

test("the longest of any stretch of slices", () => {
  const random = randomOf(3);
  for (const count of [1, 15, 16, 17, 255, 256, 257, 5000]) {
    const starts = Float64Array.from({ length: count }, (_, i) => 1000 * i);
    const ends = starts.map((start) => start + random(900));
    const pyramid = new Pyramid(starts, ends);
    for (let turn = 0; turn < 300; turn++) {
      const first = random(count);
      const last = first + 1 + random(count - first);
      const lengths = Array.from(ends.subarray(first, last), (end, i) => end - starts[first + i]);
      const found = pyramid.longest(first, last);
      assert.ok(found >= first && found < last);
      assert.equal(ends[found] - starts[found], Math.max(...lengths));
    }
  }
});

test("what is drawn: each slice that is wide enough, and of the others the longest of each pixel", () => {
  const run = randomRun(11, 3000);
  const contexts = new Contexts(run.parent, run.row, none, () => false);
  const lanes = lanesOf(readAll(logOf(run.slices)), contexts);
  const random = randomOf(8);
  for (let turn = 0; turn < 60; turn++) {
    const from = run.began + random(run.ended - run.began);
    const to = from + 1 + random(run.ended - from + 1);
    const least = (to - from) / (1 + random(200));
    for (let row = 0; row < lanes.height; row++) {
      const visited = [];
      lanes.visit(row, from, to, least, (...box) => visited.push(box));
      const all = rowOf(lanes, row);
      const seen = all.filter(({ start, end }) => end > from && start < to);
      for (const [slice, start, end] of visited) {
        const within = all.filter((one) => one.start >= start && one.end <= end);
        const longest = Math.max(...within.map((one) => one.end - one.start));
        assert.equal(lanes.ends[slice] - lanes.starts[slice], longest);
        assert.ok(longest >= least || end - start < 2 * least);
      }
      for (const { start, end } of seen.filter((one) => one.end - one.start >= least)) {
        assert.ok(visited.some((box) => box[1] === start && box[2] === end));
      }
      const covered = visited.reduce((sum, box) => sum + seen.filter((one) => one.start >= box[1] && one.end <= box[2]).length, 0);
      assert.ok(covered >= seen.length); // one that takes no time may lie at the edge of two
    }
  }
});

test("the slices of some functions, alone", () => {
  const run = randomRun(21, 1500, { still: 0 });
  const contexts = new Contexts(run.parent, run.row, none, () => false);
  const lanes = lanesOf(readAll(logOf(run.slices)), contexts);
  const found = slicesOf({ lanes, contexts }, (row) => row === 2);
  const expected = run.slices.filter(({ node }) => run.row[node] === 2);
  assert.equal(found.length, expected.length);
  const visited = [];
  for (let row = 0; row < lanes.height; row++) {
    lanes.visitSome(found, row, run.began - 1, run.ended + 1, 0.5, (slice) => visited.push(slice));
  }
  assert.deepEqual(visited, [...found]);
  assert.ok(visited.every((slice) => run.row[lanes.nodes[slice]] === 2));
});

/** Own and cumulative times of functions between two times, slowly: by a look at each moment between two events. */
function slowly({ slices, parent, row }, from, to, rows) {
  const own = new Float64Array(rows);
  const cumulative = new Float64Array(rows);
  const calls = new Float64Array(rows);
  const moments = [...new Set([from, to, ...slices.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  for (const { start, node } of slices) {
    calls[row[node]] += start >= from && start < to ? 1 : 0;
  }
  for (let i = 0; i + 1 < moments.length; i++) {
    const [begin, end] = [moments[i], moments[i + 1]];
    if (begin < from || end > to) {
      continue;
    }
    const open = slices.filter((slice) => slice.start <= begin && slice.end >= end).sort((a, b) => b.row - a.row);
    if (open.length > 0) {
      own[row[open[0].node]] += end - begin;
      for (const of of new Set(open.map(({ node }) => row[node]))) {
        cumulative[of] += end - begin;
      }
    }
  }
  return { own, cumulative, calls, parent };
}

test("figures of a range from the slices", () => {
  const random = randomOf(4);
  for (let seed = 1; seed <= 12; seed++) {
    const run = randomRun(seed, 300);
    const contexts = new Contexts(run.parent, run.row, none, () => false);
    const line = { lanes: lanesOf(readAll(logOf(run.slices)), contexts), contexts };
    const from = run.began + random((run.ended - run.began) / 2);
    const to = from + 1 + random(run.ended - from);
    const sums = { calls: new Float64Array(contexts.count), own: new Float64Array(contexts.count) };
    addSlices(sums, line, from, to);
    const rows = { calls: new Float64Array(6), own: new Float64Array(6), cumulative: new Float64Array(6) };
    assert.equal(addRows({ line, sums }, rows), false);
    const expected = slowly(run, from, to, 6);
    assert.deepEqual(rows.calls, expected.calls);
    assert.deepEqual(rows.own, expected.own);
    assert.deepEqual(rows.cumulative, expected.cumulative);
  }
});

test("figures of a range from the bins in it, and at its ends from the slices", () => {
  const random = randomOf(11);
  for (let seed = 1; seed <= 12; seed++) {
    const run = randomRun(seed, 300);
    const contexts = new Contexts(run.parent, run.row, none, () => false);
    const lanes = lanesOf(readAll(logOf(run.slices)), contexts);
    const empty = () => ({ calls: new Float64Array(contexts.count), own: new Float64Array(contexts.count) });
    const width = Math.ceil((run.ended - run.began) / (5 + random(40)));
    const bins = [];
    for (let start = Math.floor(run.began / width); start * width < run.ended; start++) {
      const sums = empty();
      addSlices(sums, { lanes, contexts }, start * width, (start + 1) * width);
      const entries = [...sums.own.keys()].map((node) => [node, sums.calls[node], sums.own[node]]);
      bins.push({ start, width: 1, entries: entries.filter(([, calls, own]) => calls !== 0 || own !== 0) });
    }
    const process = { least: 0, lost: 0, since: 0 };
    const line = { lanes, contexts, process, began: run.began, ended: run.ended, bins: new Bins(binsOf(bins), width, 1, 0) };
    for (let turn = 0; turn < 20; turn++) {
      const from = run.began + random(run.ended - run.began);
      const to = from + 1 + random(run.ended - from);
      const [expected, found] = [empty(), sumsOf(line, { from, to })];
      addSlices(expected, line, from, to);
      assert.deepEqual(found.sums, expected);
      assert.deepEqual([found.from, found.to], [from, to]);
      assert.ok(found.bins >= Math.min(run.ended, to) - from - 2 * width && found.bins <= to - from);
      const old = sumsOf({ ...line, process: { ...process, since: from + 1 } }, { from, to });
      assert.ok(old.from <= from && old.to >= Math.min(to, run.ended));
    }
  }
});

test("bins add up, each alone and in groups, and by whole bins", () => {
  const random = randomOf(9);
  const bins = [];
  let unit = 3;
  for (let i = 0; i < 200; i++) {
    const width = 1 << random(3);
    const nodes = Array.from({ length: random(6) }, () => random(40));
    bins.push({ start: unit, width, entries: [...new Set(nodes)].map((node) => [node, random(1000), random(2000) - 1000]) });
    unit += width + (random(4) === 0 ? random(5) : 0);
  }
  const read = new Bins(binsOf(bins), 1000, 1, -500);
  assert.equal(read.count, bins.length);
  assert.deepEqual(read.starts, bins.map(({ start }) => start * 1000 - 500));
  for (let turn = 0; turn < 200; turn++) {
    const from = random(unit * 1000);
    const to = from + 1 + random(unit * 1000 - from);
    const { first, last } = read.within(from, to);
    const wanted = bins.filter(({ start, width }) => (start + width) * 1000 - 500 > from && start * 1000 - 500 < to);
    assert.equal(last - first, wanted.length);
    const sums = { calls: new Float64Array(40), own: new Float64Array(40) };
    read.add(sums, first, last);
    const [calls, own] = [new Float64Array(40), new Float64Array(40)];
    for (const [node, more, time] of wanted.flatMap(({ entries }) => entries)) {
      calls[node] += more;
      own[node] += time;
    }
    assert.deepEqual(sums, { calls, own });
  }
});

test("a recursive context is known by the path above it", () => {
  // root > a > b > a ; root > b > b
  const contexts = new Contexts(Uint32Array.from([0, 0, 1, 2, 0, 4]), Uint32Array.from([NO_ROW, 0, 1, 0, 1, 1]), none, () => false);
  assert.deepEqual([...contexts.recursive], [0, 0, 0, 1, 0, 1]);
});

test("spans that overlap stand below each other, others share a row", () => {
  const span = (start, end) => ({ kind: "Range", name: "", start, end, open: false, line: null, fiber: null, facts: [] });
  const { lanes, ends } = stacked([span(0, 10), span(2, 4), span(3, 12), span(4, 6), span(10, 11)]);
  assert.deepEqual(lanes.map((lane) => [...lane]), [[0, 4], [1, 3], [2]]);
  assert.deepEqual([...ends], [10, 4, 12, 6, 11]);
});

const DAY = 86_400e9;

test("a nanosecond of a long run fills the screen, and each place of it is exact", () => {
  const bounds = { begin: 0, end: DAY };
  let view = wholeOf(bounds);
  for (let i = 0; i < 400; i++) {
    view = zoomed(view, 0.37, 0.8, bounds);
  }
  assert.equal(view.span, 1);
  assert.ok(Math.abs(timeAt(view, 0.37) - 0.37 * DAY) < 1);
  // A thousandth of a nanosecond, a day after the start, is still a step of the picture.
  const moved = panned(view, 0.001, bounds);
  assert.ok(Math.abs(partOf(view, moved.origin) - partOf(moved, moved.origin) - 0.001) < 1e-9);
  assert.equal(Number.isInteger(view.origin), true);
});

test("the place under the mouse stays while zooming", () => {
  const bounds = { begin: 0, end: 1e9 };
  let view = wholeOf(bounds);
  for (const factor of [0.5, 0.1, 0.9, 0.3, 2, 0.01]) {
    const before = timeAt(view, 0.3);
    view = zoomed(view, 0.3, factor, bounds);
    assert.ok(Math.abs(timeAt(view, 0.3) - before) < 1e-3);
  }
});

test("no view leaves the run", () => {
  const bounds = { begin: 0, end: 1000 };
  assert.deepEqual(panned(wholeOf(bounds), 5, bounds), wholeOf(bounds));
  const view = around(900, 990, bounds);
  assert.deepEqual(panned(view, 1000, bounds).origin + panned(view, 1000, bounds).rest + view.span, 1000);
  assert.equal(panned(view, -1000, bounds).origin, 0);
});

test("a motion begins and ends where it should", () => {
  const bounds = { begin: 0, end: 1e9 };
  const [one, other] = [around(1e6, 2e6, bounds), around(5e8, 5e8 + 10, bounds)];
  const start = between(one, other, 0);
  assert.ok(Math.abs(start.origin + start.rest - one.origin - one.rest) < 1e-6);
  assert.equal(between(one, other, 1), other);
});

test("the ruler's times are round, and told with the digits that tell them apart", () => {
  const { step, ticks } = ticksOf({ origin: 1_234_567_890, rest: 0.5, span: 100 }, 10);
  assert.equal(step, 10);
  assert.deepEqual(ticks.map(({ time }) => time % 10), ticks.map(() => 0));
  assert.equal(ticks.length, 10);
  assert.deepEqual(
    [[1.5e9, 1e8], [1_234_567_890, 10], [250e6, 50e6], [12_345, 1], [12.25, 0.25], [0, 50e6]].map(([time, step_]) => momentText(time, step_)),
    ["1.5 s", "1.23456789 s", "250 ms", "12.345 µs", "12.3 ns", "0 ms"],
  );
});

test("a profile of a range has the tree and the figures of that range", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  for (let seed = 1; seed <= 8; seed++) {
    const run = randomRun(seed, 250);
    const own = binsOfRun(run, 1000);
    const container = containerOf({ ...run, slices: logOf(run.slices), bins: binsOf(own) });
    const whole = profile(names, [thread("t", "", names)], { timeline: [container.process], findings: { all: ["a finding"] } });
    whole.container = container;
    const from = 1000 * Math.floor((run.began + (run.ended - run.began) / 3) / 1000);
    const to = from + 1000 * (25 + seed);
    const shift = run.began; // the timeline begins with the first slice
    const excerpt = new Excerpt(whole, { from: from - shift, to: to - shift });
    const expected = slowly(run, from, to, names.length);
    const { ncalls, tottime, cumtime } = excerpt.figures("all");
    assert.deepEqual(ncalls, expected.calls);
    assert.deepEqual(tottime, expected.own);
    assert.deepEqual(cumtime, expected.cumulative);
    assert.equal(excerpt.tree("all").total[0], expected.own.reduce((sum, time) => sum + time, 0));
    assert.deepEqual(excerpt.exact, { from: from - shift, to: to - shift });
    assert.deepEqual([whole.findings("all"), excerpt.findings("all")], [["a finding"], []], "findings are about the whole run");
  }
});

/** The bins of a run, each of `width` ticks: what the core makes of it. */
function binsOfRun({ slices, parent, began, ended }, width) {
  const bins = [];
  for (let start = Math.floor(began / width); start * width < ended; start++) {
    const [from, to] = [start * width, (start + 1) * width];
    const cells = new Map();
    const add = (node, calls, own) => {
      const known = cells.get(node) ?? [node, 0, 0];
      cells.set(node, [node, known[1] + calls, known[2] + own]);
    };
    for (const { start: begin, end, node } of slices) {
      const part = Math.max(0, Math.min(to, end) - Math.max(from, begin));
      if (part > 0 || (begin >= from && begin < to)) {
        add(node, begin >= from && begin < to ? 1 : 0, part);
        if (parent[node] !== 0) {
          add(parent[node], 0, -part);
        }
      }
    }
    bins.push({ start, width: 1, entries: [...cells.values()].filter(([, calls, own]) => calls !== 0 || own !== 0) });
  }
  return bins;
}

/** A container with the timeline of a process of one thread, whose blocks are the columns themselves. */
function containerOf({ parent, row, slices, bins, began, ended }) {
  const line = { thread: 0, slices, bins, parent, row, overflow: [], resumed: [], began, ended, over: true };
  const lists = { tasks: {}, stacks: {}, ranges: {}, marks: {}, counters: {}, flows: {}, collections: {}, forks: {} };
  return {
    header: { figures: KINDS },
    integers: (numbers) => Uint32Array.from(numbers),
    floats: (numbers) => Float64Array.from(numbers),
    bytes: (bytes) => bytes,
    process: { ...lists, tick: 1, unit: 1000, least: 0, since: 0, lost: 0, clock: [], threads: [line] },
  };
}

/** The lanes of slices [row, start, end]; each row has a context of its own. */
function lanesOfRows(slices) {
  const rows = 1 + slices.reduce((most, [row]) => Math.max(most, row), 0);
  const parent = Uint32Array.from({ length: rows + 1 }, (_, node) => Math.max(0, node - 1));
  const row = Uint32Array.from({ length: rows + 1 }, (_, node) => (node === 0 ? NO_ROW : node - 1));
  const records = slices.map(([at, start, end]) => ({ start, end, node: at + 1, at })).sort((a, b) => a.end - b.end || b.at - a.at);
  return lanesOf(readAll(logOf(records)), new Contexts(parent, row, none, () => false));
}

test("a track has the rows that a stretch of time needs, and those in which little runs are thin", () => {
  const lanes = lanesOfRows([[0, 0, 1000], [1, 0, 900], [2, 100, 150], [3, 110, 120]]);
  assert.equal(rowsIn(lanes, 0, 1000), 4);
  assert.equal(rowsIn(lanes, 120, 800), 3);
  assert.equal(rowsIn(lanes, 150, 800), 2);
  assert.equal(rowsIn(lanes, 2000, 3000), 0);
  assert.equal(fullRows(lanes, 0, 1000, 4), 2);
  assert.equal(fullRows(lanes, 100, 150, 4), 4);
});

test("the heights of rows and the row at a height agree", () => {
  for (const [count, full, height] of [[10, 10, 180], [10, 4, 96], [40, 2, 74], [300, 5, 385], [0, 0, 18]]) {
    const rows = new Rows(count, full);
    assert.equal(rows.height, height);
    for (let row = 0; row < count + 3; row++) {
      assert.equal(rows.rowAt(rows.topOf(row)), row);
      assert.equal(rows.rowAt(rows.topOf(row + 1) - 0.5), row);
    }
  }
});

test("a collapsed track shows the outermost row in which calls follow each other", () => {
  const main = [0, 0, 1000];
  const steps = [[2, 0, 100], [2, 100, 400], [2, 400, 700], [2, 700, 900]];
  assert.equal(tellingRow(lanesOfRows([main, [1, 0, 160], [1, 160, 1000], ...steps]), 0, 1000, 3), 2);
  assert.equal(tellingRow(lanesOfRows([main, [1, 0, 160], [1, 160, 1000]]), 0, 1000, 2), 1);
  assert.equal(tellingRow(lanesOfRows([main, [1, 0, 50]]), 0, 1000, 2), 0, "a moment tells nothing");
  assert.equal(tellingRow(lanesOfRows([main, [1, 0, 980]]), 0, 1000, 2), 1, "one call in another");
});

test("a thing is brought on the screen with what is around it, and a moment at the zoom that there is", () => {
  const bounds = { begin: 0, end: 1e9 };
  const whole = wholeOf(bounds);
  assert.deepEqual(revealing(whole, 5e8, 5e8, bounds), whole, "a mark that is in sight");
  const close = around(1e8, 1.1e8, bounds, 0);
  assert.deepEqual(revealing(close, 5e8, 5e8, bounds), around(4.95e8, 5.05e8, bounds, 0), "one that is not");
  assert.equal(revealing(whole, 5e8, 5e8 + 1000, bounds).span, 21000, "a short slice");
  assert.deepEqual(revealing(whole, 5e8, 6e8, bounds), whole);
});

test("a search finds ranges, marks and tasks by name and by value", () => {
  const things = [
    { name: "request", facts: [["rid", "199"]] },
    { name: "request", facts: [["rid", "200"], ["path", "/a"]] },
    { name: "Rid 199" },
  ];
  const found = (pattern) => things.filter(wantedBy(pattern)).map((thing) => things.indexOf(thing));
  assert.deepEqual(found("rid=199"), [0]);
  assert.deepEqual(found("/^rid=/"), [0, 1]);
  assert.deepEqual(found("199"), [0, 2]);
  assert.deepEqual(found("REQ"), [0, 1]);
  const item = { span: null, fiber: null };
  assert.equal(namedText([{ ...item, span: { kind: "Range" } }, { ...item, span: { kind: "Range" } }, { ...item, fiber: { kind: "task" } }]), "2 ranges, 1 task");
});

test("more than twenty arrows are hidden unasked, but for those of what is picked", () => {
  const flows = Array.from({ length: 21 }, (_, at) => ({ name: "job", start: at, end: at + 10 }));
  const lit = new Set([flows[3]]);
  assert.deepEqual(drawnFlows(flows, "", lit, 0, 100), [flows[3]]);
  assert.equal(drawnFlows(flows, "all", lit, 0, 100).length, 21);
  assert.equal(drawnFlows(flows, "", lit, 12, 100).length, 19, "few in sight");
  assert.deepEqual(drawnFlows(flows, "none", lit, 12, 100), [flows[3]]);
});

test("an arrow ends at the innermost range around, of the same task, else at the innermost call", () => {
  const line = { lanes: lanesOfRows([[0, 0, 1000], [1, 0, 500], [2, 200, 300]]), contexts: { isGap: () => false }, fibers: [] };
  const span = (start, end, fiber = null) => ({ start, end, fiber, line });
  const ranges = spanTrack([span(100, 400), span(150, 350, {}), span(200, 280)], "0r", "Ranges", "range");
  const list = { tracks: [], byId: new Map(), idOf: () => "0" };
  const ends = new FlowEnds(list);
  const flow = { from: line, start: 250, to: line, end: 600 };
  assert.deepEqual(ends.of(flow, "from"), { id: "0", row: 2 });
  assert.deepEqual(ends.of(flow, "to"), { id: "0", row: 0 });
  list.tracks = [ranges];
  list.byId.set("0r", ranges);
  assert.deepEqual(ends.of(flow, "from"), { id: "0r", row: 2 });
  assert.deepEqual(ends.of(flow, "to"), { id: "0", row: 0 });
  assert.deepEqual(ends.of({ ...flow, start: 320 }, "from"), { id: "0r", row: 0 }, "not the range of a task that did not run");
});

test("the parts of a task follow each other: it runs, it waits", () => {
  const fiber = { start: 0, end: 100, starts: [10, 30, 40, 60], ends: [20, 40, 40, 90] };
  const parts = [[0, 10, true], [10, 20, false], [20, 30, true], [30, 40, false], [40, 40, false], [40, 60, true], [60, 90, false], [90, 100, true]]
    .map(([start, end, waits]) => ({ start, end, waits }));
  for (const step of [1, -1]) {
    const way = step > 0 ? parts : [...parts].reverse();
    let part = way[0];
    const found = [part];
    while ((part = partBeside(fiber, part.start, part.waits, step)) !== null && found.length < 20) {
      found.push(part);
    }
    // a stretch without a length, and that before it, begin where the other ends
    const known = way.filter(({ start, end }) => step > 0 ? !(start === 40 && end === 40) : true);
    assert.deepEqual(found.filter(({ start, end }) => start !== end), known.filter(({ start, end }) => start !== end));
  }
});

test("a list is sorted by a column, and filtered by a search and by a range", () => {
  const range = (name, start, end, facts = []) => ({ span: { kind: "Range", name, start, end, facts }, fiber: null, line: { name: "MainThread" } });
  const task = (name, start, end, running) => ({ span: null, fiber: { name, start, end, running }, line: null });
  const lists = new Lists([range("a", 0, 10), range("b", 5, 40, [["rid", "7"]]), range("c", 50, 55), task("t", 0, 9, 1), task("u", 1, 4, 2)], {});
  const names = (...given) => lists.chosen(...given).map(({ name }) => name).join("");
  assert.deepEqual(lists.kinds, ["ranges", "tasks"]);
  assert.equal(names("ranges", null, null), "bac", "the slowest first");
  assert.equal(names("ranges", ({ facts }) => facts.length > 0, null), "b");
  assert.equal(names("ranges", null, { from: 20, to: 52 }), "bc");
  assert.equal(names("tasks", null, null), "tu");
  lists.sorted.tasks = { column: "ran", down: true };
  assert.equal(names("tasks", null, null), "ut");
  lists.sorted.ranges = { column: "begin", down: false };
  assert.equal(names("ranges", null, null), "abc");
});

test("the own time of a slice and the longest right below it, of many", () => {
  const steps = Array.from({ length: 300_000 }, (_, at) => [1, 10 * at, 10 * at + 1 + (at % 7 === 0 ? 1 : 0) + (at === 250_000 ? 5 : 0)]);
  const lanes = lanesOfRows([[0, 0, 3_000_000], ...steps]);
  const line = { lanes, contexts: { isGap: () => false } };
  const { own, count, longest } = ownOf(line, 0);
  assert.equal(count, 300_000);
  assert.equal(own, 3_000_000 - steps.reduce((sum, [, start, end]) => sum + end - start, 0));
  assert.equal(longest.length, 8);
  assert.equal(lanes.starts[longest[0]], 2_500_000);
  assert.deepEqual(longest.slice(1).map((at) => lanes.starts[at]), [0, 70, 140, 210, 280, 350, 420]);
});

test("what a call waited in a range is told by its gaps, of one that reaches beyond by its part", () => {
  const contexts = new Contexts(Uint32Array.from([0, 0]), Uint32Array.from([NO_ROW, 0]), none, () => false);
  const gap = (start, end, idle) => ({ start, end, node: 0, value: idle << 2 });
  const lanes = lanesOf(readAll(logOf([gap(10, 30, 16), gap(50, 60, 10), { start: 0, end: 100, node: 1 }])), contexts);
  const line = { lanes, contexts };
  assert.deepEqual([...waitedIn(line, 0, 100)], [[1, 26]]);
  assert.deepEqual([...waitedIn(line, 20, 55)], [[1, 13]]);
  assert.deepEqual([...waitedIn(line, 60, 100)], []);
  const [first, second] = [0, 1].map((at) => lanes.offsets[1] + at);
  assert.equal(gapText(line, first), "waited 16 ns of 20 ns for a lock, the GIL or a CPU");
  assert.equal(gapText(line, second), "waited 10 ns for a lock, the GIL or a CPU");
  const ruler = { width: (text) => text.length, cut: (text, room) => text.slice(0, room) };
  const labels = [100, 30, 20, 12].map((room) => gapLabel(line, first, ruler, room));
  assert.deepEqual(labels, [gapText(line, first), "waited 16 ns of 20 ns", "waited 16 ns", "waited 16 ns"]);
});
