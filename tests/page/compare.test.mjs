// Two profiles compared: sums, and what explains that one took longer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULT_SORT } from "../../python/tracer/page/compare/changes.js";
import { Comparison } from "../../python/tracer/page/compare/comparison.js";
import { LineChanges } from "../../python/tracer/page/compare/lines.js";
import { PackageChanges } from "../../python/tracer/page/compare/packages.js";
import { sortingsOf } from "../../python/tracer/page/table/order.js";
import { common, profile, thread } from "./packed.mjs";

const compared = (before, after, more) => new Comparison(before, after, common(before, after, more));

/** A profile of one run with so many calls; times in ms. */
function ran(ncalls, real, user, system) {
  const figures = { a: { ncalls, primitive: ncalls, tottime: 5, cumtime: 5 } };
  const run = { real: real * 1e6, user: user * 1e6, system: system * 1e6 };
  return profile(["a"], [thread("MainThread", "", ["a"], { figures })], { facts: { runs: [run] } });
}

test("sums of both", () => {
  const { totals } = compared(ran(100, 20, 3, 4), ran(101, 30, 5, 6));
  assert.deepEqual(totals, { tottime: [5, 5], ncalls: [100, 101], real: [20e6, 30e6] });
});

test("a row that is no function is not listed", () => {
  const before = ran(100, 20, 3, 4);
  const figures = { a: { ncalls: 3, primitive: 3, tottime: 5, cumtime: 5 } };
  const functions = ["a", { name: "<paths not kept>", file: "~" }];
  const after = profile(functions, [thread("", "", ["a"], { figures })], { facts: { runs: [] } });
  for (const comparison of [compared(before, after), compared(after, before)]) {
    const listed = comparison.listed(undefined, undefined, []);
    assert.deepEqual([...listed].map((row) => comparison.label(row)), ["app.a"]);
    assert.equal(comparison.listable.length, 1);
  }
});

/** A profile of functions {name: [ncalls, tottime]}; the file's name is before the colon, if there is one. */
function profileOf(functions, more = {}) {
  const names = Object.keys(functions);
  const rows = names.map((name) => (name.includes(":") ? { name, file: `/lib/site-packages/${name.split(":")[0]}.py` } : { name, file: name.startsWith("<") ? "~" : "/src/app.py" }));
  const figures = Object.fromEntries(names.map((name) => [name, { ncalls: functions[name][0], primitive: functions[name][0], tottime: functions[name][1], cumtime: functions[name][1] }]));
  return profile(rows, [thread("MainThread", "", names, { figures })], { facts: { runs: [], unlike: [] }, ...more });
}

const listed = (changes, search) => [...changes.listed(search, undefined, sortingsOf(DEFAULT_SORT))].map((row) => changes.tell(row).name);

test("what changed beyond noise comes first", () => {
  const before = profileOf({ a: [10, 100], b: [10, 200], c: [10, 1000], d: [10, 300] });
  const after = profileOf({ a: [10, 104], b: [10, 219], c: [10, 1040], d: [10, 280] });
  const changes = compared(before, after, { noise: 20 });
  assert.deepEqual(listed(changes), ["c", "d", "b", "a"]);
  assert.deepEqual([...changes.change], [0, 0, 40, 20]);
});

test("packages have the sums of their functions", () => {
  const one = { "m:f": [1, 10], "m:g": [2, 20], "<len>": [7, 5] };
  const changes = new PackageChanges(compared(profileOf({ ...one, "m:gone": [1, 1] }), profileOf({ ...one, "m:g": [3, 50], "<sum>": [1, 2] })));
  const rows = [...changes.listable].map((row) => [
    changes.tell(row).name,
    changes.status(row),
    ...["tottime", "ncalls"].flatMap((metric) => [changes.pairs[metric].before[row], changes.pairs[metric].after[row]]),
  ]);
  assert.deepEqual(rows, [
    ["app", "changed", 31, 60, 4, 4],
    ["built in", "changed", 5, 7, 7, 8],
  ]);
  assert.deepEqual(changes.metrics, ["tottime", "ncalls"]);
  assert.equal(changes.searchOf(0), "/^app\\./");
  assert.deepEqual(listed(changes, "app"), ["app"]);
});

test("a package that is new or gone is told so", () => {
  const [before, after] = [profileOf({ f: [1, 1] }), profileOf({ "<len>": [1, 1] })];
  const changes = new PackageChanges(compared(before, after));
  assert.deepEqual([...changes.listable].map((row) => [changes.tell(row).name, changes.status(row)]).sort(), [["app", "gone"], ["built in", "new"]]);
});

test("functions of one label have keys of their own, by which the flame graph finds a box again", () => {
  const lambdas = [1, 2, 2].map((line) => ({ name: "<lambda>", file: "/src/app.py", line }));
  const [one, other] = [lambdas, []].map((rows) => profile(rows, [thread("MainThread", "", [])], { facts: { runs: [], unlike: [] } }));
  for (const both of [compared(one, one), compared(one, other), compared(other, one)]) {
    assert.deepEqual([0, 1, 2].map((row) => both.key(row)), ["app.<lambda>", "app.<lambda>:2", "app.<lambda>:2#2"]);
  }
});

test("lines are matched by their text, however far they moved", () => {
  const timed = (text, ...lines) => ({
    sources: { "/src/app.py": { text, state: "same" } },
    lines: [{ file: "/src/app.py", line: 1, name: "f", lines }],
  });
  // [line, hits, time, in C, own, suspended]
  const before = profileOf({ f: [1, 9] }, timed("def f():\n  a()\n  b()\n  a()\n  x", [2, 1, 10, 1, 2, 0], [3, 2, 20, null, null, 0], [4, 1, 5, 0, 5, 0], [5, 1, 1, 0, 1, 0]));
  const after = profileOf({ f: [1, 9] }, timed("def f():\n  new()\n  b()\n  a()\n  a()", [2, 1, 7, 0, 7, 0], [3, 4, 50, null, null, 0], [4, 1, 11, 0, 3, 0], [5, 1, 5, 0, 5, 0]));
  const changes = new LineChanges(compared(before, after));
  const rows = [...changes.listable].map((row) => [
    changes.tell(row).name,
    changes.tell(row).where,
    changes.status(row),
    ...["tottime", "cumtime", "ncalls"].map((metric) => changes.pairs[metric].delta[row]),
  ]);
  assert.deepEqual(rows, [
    ["a()", "app.py:4", "changed", 0, 1, 0],
    ["b()", "app.py:3", "changed", 30, 30, 2],
    ["a()", "app.py:5", "same", 0, 0, 0],
    ["x", "app.py:5", "gone", -1, -1, -1],
    ["new()", "app.py:2", "new", 7, 7, 1],
  ]);
  assert.deepEqual(listed(changes), ["b()", "new()", "x", "a()", "a()"]);
  assert.deepEqual(changes.places.map((place) => place?.line ?? null), [2, 3, 4, 5, null]);
});

test("lines without their text are matched by where they are in their function", () => {
  const timed = (first, line) => ({ lines: [{ file: "/src/app.py", line: first, name: "f", lines: [[line, 1, 4, 0, 4, 0]] }] });
  const changes = new LineChanges(compared(profileOf({ f: [1, 9] }, timed(1, 3)), profileOf({ f: [1, 9] }, timed(11, 13))));
  assert.deepEqual([...changes.listable].map((row) => [changes.tell(row).name, changes.status(row)]), [["f", "same"]]);
});

test("where the parts of no line are known, its whole time is told once", () => {
  const timed = { lines: [{ file: "/src/app.py", line: 1, name: "f", lines: [[2, 1, 4, null, null, 0]] }] };
  const many = profileOf({ a: [1, 100], b: [1, 100], c: [1, 100], d: [1, 100], e: [1, 100] }, timed);
  const more = profileOf({ a: [1, 110], b: [1, 110], c: [1, 110], d: [1, 110], e: [1, 110] }, timed);
  const comparison = compared(many, more, { noise: 5 });
  const changes = new LineChanges(comparison);
  assert.deepEqual([changes.metrics, changes.noise], [["cumtime", "ncalls"], 0]);
});
