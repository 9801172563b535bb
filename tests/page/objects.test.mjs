// The live objects of a program that runs: the small curve of a type.

import assert from "node:assert/strict";
import { test } from "node:test";

import { pointsOf } from "../../python/tracer/page/objects/spark.js";

test("a curve goes from its lowest number at the bottom to its highest at the top, true in time", () => {
  assert.deepEqual(pointsOf([0, 1, 4], [100, 300, 200]), ["0.0,22.0", "25.0,2.0", "100.0,12.0"]);
});

test("what hardly changes is hardly a slope", () => {
  // 2% of 1,000 would fill the height; 10 are half of that.
  assert.deepEqual(pointsOf([0, 2], [990, 1000]), ["0.0,22.0", "100.0,12.0"]);
  assert.deepEqual(pointsOf([0, 2], [7, 7]), ["0.0,22.0", "100.0,22.0"]);
});

test("nothing at all, and a single census, have a place", () => {
  assert.deepEqual(pointsOf([0, 1], [0, 0]), ["0.0,22.0", "100.0,22.0"]);
  assert.deepEqual(pointsOf([0], [5]), ["100.0,22.0"]);
});
