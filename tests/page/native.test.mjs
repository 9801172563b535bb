// Native samples: a profile of CPU times with native functions, one library alone, and what is told.

import assert from "node:assert/strict";
import { test } from "node:test";

import { byGroup, NATIVES } from "../../python/tracer/page/flame/colours.js";
import { folded } from "../../python/tracer/page/flame/hidden_frames.js";
import { nativeOf, NativeProfile, within } from "../../python/tracer/page/native_profile.js";
import { columnsFor, wordsFor } from "../../python/tracer/page/ways.js";
import { profile, thread } from "./packed.mjs";

const MS = 1e6;
const NAMES = ["main", "fit", "matmul", "dgemm", "deflate"];
const FILES = [
  { path: "/src/app.py", module: "app", package: "app", kind: "own" },
  { path: "/lib/numpy.so", module: "numpy.so", package: "numpy.so", kind: "native" },
  { path: "/lib/blas.so.3", module: "blas.so.3", package: "blas.so.3", kind: "native" },
  { path: "", module: "(no file)", package: "(no file)", kind: "native" },
];
const drawing = `
  main 1 ${10 * MS}
    fit 2 ${20 * MS}
      matmul 1 ${10 * MS}
        dgemm 10 ${100 * MS}
    deflate 4 ${40 * MS}`;
const figures = {
  main: { ncalls: 1, tottime: 10 * MS, cumtime: 180 * MS },
  fit: { ncalls: 2, tottime: 20 * MS, cumtime: 130 * MS },
  matmul: { ncalls: 1, tottime: 10 * MS, cumtime: 110 * MS },
  dgemm: { ncalls: 10, tottime: 100 * MS, cumtime: 100 * MS },
  deflate: { ncalls: 4, tottime: 40 * MS, cumtime: 40 * MS },
};

function made() {
  const native = {
    hz: 100,
    samples: 18,
    unit: 10 * MS,
    parts: { native: 150 * MS, Python: 30 * MS, overhead: 0 },
    files: FILES,
    rows: { file: [0, 0, 1, 2, 3], line: [1, 5, 0, 0, 0], name: NAMES },
    threads: [thread("MainThread", drawing, NAMES, { figures })],
  };
  const traced = thread("MainThread", "main 1 50\n  fit 1 900", ["main", "fit"], { figures: { fit: { ncalls: 1, tottime: 900, cumtime: 900 } } });
  return profile(["main", { name: "fit", line: 5 }], [traced], { native });
}

test("a profile with samples is seen by them, one without is not", () => {
  const whole = made();
  const seen = nativeOf(whole);
  assert.ok(seen instanceof NativeProfile);
  assert.equal(nativeOf(whole), seen);
  assert.equal(nativeOf(profile(["main"], [thread("MainThread", "main 1 5", ["main"])])), null);
  assert.equal(seen.tree("all").total[0], 180 * MS);
  assert.equal(seen.figures("all").total, 180 * MS);
  assert.deepEqual(seen.edges("all").callees(1).map(({ row, cumtime }) => [row, cumtime]), [[2, 110 * MS]]);
});

test("a native function is told with its library", () => {
  const seen = nativeOf(made());
  assert.deepEqual([0, 3, 4].map((row) => seen.label(row)), ["app.main", "dgemm (blas.so.3)", "deflate"]);
  assert.deepEqual([3, 4].map((row) => seen.place(row)), ["/lib/blas.so.3", "code in no file"]);
  assert.equal(seen.rowOf("dgemm (blas.so.3)"), 3);
  assert.deepEqual(seen.libraries, [["blas.so.3", 100 * MS], ["(no file)", 40 * MS], ["numpy.so", 10 * MS]]);
});

test("a sum of samples has its error, and the traced time beside it", () => {
  const seen = nativeOf(made());
  assert.equal(Math.round(seen.errorOf(100 * MS) / 1e4), Math.round((2 * Math.sqrt(10) * 10 * MS) / 1e4));
  assert.deepEqual([0, 1, 3].map((row) => seen.traced(row, "all")), [0, 900, 0]);
  assert.deepEqual(columnsFor(seen).columnsOf(seen, 0).map(({ title }) => title), ["own CPU", "+-", "cum CPU", "samples", "traced own"]);
  assert.equal(columnsFor(seen.whole).of, "time");
  assert.deepEqual([wordsFor(seen).own, wordsFor(seen.whole).own], ["Own CPU", "Own time"]);
});

test("one library alone has its samples, those of its callees, and the paths to it", () => {
  const seen = nativeOf(made());
  const names = (tree) => [...tree.row.slice(1)].map((row) => NAMES[row]);
  const blas = within(seen.tree(0), seen, "blas.so.3");
  assert.deepEqual([names(blas), blas.total[0]], [["main", "fit", "matmul", "dgemm"], 100 * MS]);
  const numpy = within(seen.tree(0), seen, "numpy.so");
  assert.equal(numpy.total[0], 110 * MS);
  assert.equal(within(seen.tree(0), seen, "(no file)").total[0], 40 * MS);
});

test("native code is folded into the function that it ran for", () => {
  const seen = nativeOf(made());
  const tree = folded(seen.tree(0), seen, { builtins: false, libraries: false, natives: true });
  assert.deepEqual([...tree.self], [0, 50 * MS, 130 * MS]);
});

test("native code has a colour of its own, whatever its library", () => {
  const { byRow, legend, paints } = byGroup(["app", "app", "numpy.so", "blas.so.3"], ["own", "own", "native", "native"], [1, 2, 3, 4], false);
  assert.equal(byRow[2], byRow[3]);
  assert.notEqual(byRow[0], byRow[2]);
  assert.deepEqual([legend[0].name, legend[0].value, legend[0].paint], [NATIVES, 7, paints[byRow[2]]]);
});
