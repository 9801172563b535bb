// Two profiles compared: sums, and what explains that one took longer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Comparison } from "../../python/tracer/page/compare/comparison.js";
import { profile, thread } from "./packed.mjs";

/** A profile of one run with so many calls; times in ms. */
function ran(ncalls, real, user, system) {
  const figures = { a: { ncalls, primitive: ncalls, tottime: 5, cumtime: 5 } };
  const run = { real: real * 1e6, user: user * 1e6, system: system * 1e6 };
  return profile(["a"], [thread("MainThread", "", ["a"], { figures })], { facts: { runs: [run] } });
}

test("sums of both", () => {
  const { totals } = new Comparison(ran(100, 20, 3, 4), ran(101, 30, 5, 6));
  assert.deepEqual(totals, { tottime: [5, 5], ncalls: [100, 101], real: [20e6, 30e6], busy: [7e6, 11e6] });
});

test("a row that is no function is not listed", () => {
  const before = ran(100, 20, 3, 4);
  const figures = { a: { ncalls: 3, primitive: 3, tottime: 5, cumtime: 5 } };
  const functions = ["a", { name: "<paths not kept>", file: "~" }];
  const after = profile(functions, [thread("", "", ["a"], { figures })], { facts: { runs: [] } });
  for (const comparison of [new Comparison(before, after), new Comparison(after, before)]) {
    const listed = comparison.listed(undefined, undefined, []);
    assert.deepEqual([...listed].map((row) => comparison.label(row)), ["app.a"]);
    assert.equal(comparison.functions.length, 1);
  }
});

test("as many calls that took longer than the processor worked", () => {
  const waited = (...runs) => new Comparison(...runs.map((run) => ran(...run))).hasWaited;
  assert.equal(waited([100, 200, 190, 0], [101, 380, 200, 10]), true);
  assert.equal(waited([100, 200, 190, 0], [102, 380, 200, 10]), false);
  assert.equal(waited([100, 200, 190, 0], [100, 380, 370, 0]), false);
  assert.equal(waited([100, 200, 200, 0], [100, 240, 200, 0]), false);
  assert.equal(waited([100, 200, 200, 0], [100, 241, 200, 0]), true);
  assert.equal(waited([100, 200, 0, 0], [100, 380, 0, 0]), false);
  assert.equal(waited([100, 380, 200, 10], [100, 200, 190, 0]), false);
});
