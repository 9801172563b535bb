// What was waited: its sums, its widths in the flame graph, its columns.

import assert from "node:assert/strict";
import { test } from "node:test";

import { folded } from "../../python/tracer/page/flame/hidden_frames.js";
import { callersOf, inverted } from "../../python/tracer/page/flame/inverted.js";
import { widthsOf } from "../../python/tracer/page/flame/layout.js";
import { layoutOfCalls } from "../../python/tracer/page/flame/merged_calls.js";
import { heaviestFirst } from "../../python/tracer/page/flame/order.js";
import { merged, rearranged } from "../../python/tracer/page/nodes.js";
import { columnsOf } from "../../python/tracer/page/table/columns.js";
import { areWaitsShown, waitedWithin } from "../../python/tracer/page/waits.js";
import { profile, thread } from "./packed.mjs";
import { plain, textOf, treeOf } from "./trees.mjs";

const QUIET = { runs: [], tracing: null, backends: ["sys.monitoring"], clocks: ["tsc"], lost: 0, cutOff: [] };

const TREE = treeOf(`
  0 c1 t10 w2
    1 c2 t20 w20
      2 c4 t5
      1 c1 t8 w3
    2 c1 t40 w30
  3 c1 t7 w1
    1 c1 t25
`);

test("what was waited is summed up along the paths", () => {
  assert.deepEqual([...TREE.totalWaited], [56, 55, 23, 0, 3, 30, 1, 0]);
  assert.deepEqual([...waitedWithin(TREE, 4)], [55, 23, 30, 1], "a recursion counts once");
});

test("trees keep what was waited", () => {
  assert.equal(textOf(merged([TREE, TREE])).split("\n")[1], "  1 c4 t40 w40");
  const order = heaviestFirst(TREE, TREE.total);
  assert.equal(textOf(rearranged(TREE, order)).split("\n").slice(0, 3).join("\n"), "0 c1 t10 w2\n  2 c1 t40 w30\n  1 c2 t20 w20");
  const functions = { kindOf: (row) => (row === 1 ? "builtin" : "own"), nameOf: () => "", packageOf: () => "" };
  assert.equal(
    textOf(folded(TREE, functions, { builtins: true, libraries: false })),
    plain(`
      0 c1 t38 w25
        2 c5 t45 w30
      3 c1 t32 w1
    `),
  );
});

test("the busy width of a box is the time less what was waited", () => {
  assert.deepEqual([...widthsOf(TREE, "busy")], [59, 28, 10, 5, 5, 10, 31, 25]);
  const odd = treeOf("0 c1 t5 w9\n  1 c1 t4 w1");
  assert.deepEqual([...widthsOf(odd, "busy")], [3, 3, 3], "less than nothing is nothing");
});

test("inverted by what was busy", () => {
  const turned = inverted(TREE, "busy", 0);
  assert.deepEqual(turned.children(0).map((node) => turned.row[node]), [1, 2, 0, 3]);
  assert.deepEqual(turned.children(0).map((node) => widthsOf(turned, "busy")[node]), [30, 15, 8, 6]);
  assert.deepEqual(turned.children(0).map((node) => turned.totalWaited[node]), [23, 30, 2, 1]);
});

test("all calls of one function by what was busy: the same on both sides", () => {
  const { tree, value, split } = layoutOfCalls(TREE, 1, "busy", true);
  assert.equal(value[0], 35);
  assert.equal(tree.totalWaited[0], 23);
  const callers = tree.children(0).filter((node) => node >= split);
  assert.deepEqual(callers.map((node) => [tree.row[node], value[node], tree.totalWaited[node]]), [[3, 25, 0], [0, 10, 23]]);
  assert.equal(callersOf(TREE, Uint32Array.from([5]), "busy").totalWaited[1], 30);
});

/** A profile of threads that are drawn; the figures of their functions are summed up from there. */
function drawn(rows, trees, { figures = {} } = {}) {
  const names = rows.map((row) => row.name ?? row);
  const all = Object.entries(trees).map(([name, drawing]) => {
    const sums = {};
    for (const line of drawing.split("\n").filter((text) => text.trim() !== "")) {
      const [, label, calls, own, waited = 0] = /^(.*?) (\d+) (\d+)(?: \d+)?(?: w(\d+))?$/.exec(line.trim());
      const sum = (sums[label] ??= { ncalls: 0, tottime: 0, waited: 0 });
      sum.ncalls += Number(calls);
      sum.primitive = sum.ncalls;
      sum.tottime += Number(own);
      sum.waited += Number(waited);
    }
    for (const label of Object.keys(sums)) {
      Object.assign(sums[label], figures[label]);
    }
    return thread(name, drawing, names, { figures: sums });
  });
  const placed = rows.map((row) => (typeof row === "string" && row.startsWith("<") ? { name: row, file: "~" } : row));
  return profile(placed, all, { facts: QUIET });
}

test("waits are told from the limits of the data on", () => {
  const areShown = (total, totalWaited, waitedTime = 0) => areWaitsShown({ total, totalWaited, limits: { waitedPart: 0.001, waitedTime } });
  assert.deepEqual([areShown(1000, 1), areShown(1001, 1), areShown(0, 0)], [true, false, false]);
  assert.deepEqual([areShown(1000, 10, 10), areShown(1000, 9, 10)], [true, false]);
});

test("busy and waited are columns, and bars have two parts, where something was waited", () => {
  const some = drawn(["main", "<time.sleep>"], { T: "main 1 100\n  <time.sleep> 2 900 w890" });
  const columns = columnsOf(some.kinds, some.figures("all"), () => some.waitedWithin("all"));
  const by = Object.fromEntries(columns.map((column) => [column.key, column]));
  assert.deepEqual([...by.busy.values], [100, 10]);
  assert.deepEqual([...by.waited.values], [0, 890]);
  assert.deepEqual([...by.tottime.waited], [0, 890]);
  assert.deepEqual([...by.cumtime.waited], [890, 890]);
  assert.deepEqual(columns.map(({ key }) => key).slice(0, 6), ["ncalls", "primitive", "tottime", "tottimePer", "busy", "waited"]);
  const quiet = drawn(["main"], { T: "main 1 100000 w99" });
  const without = columnsOf(quiet.kinds, quiet.figures("all"), () => assert.fail("nobody asks"));
  assert.ok(!without.some(({ key, waited }) => key === "busy" || key === "waited" || waited !== null));
});

test("when the longest stretch was has a column with a short head", () => {
  const some = drawn(["main"], { T: "main 1 100" }, { figures: { main: { longest: 60, longest_at: 7 } } });
  const columns = columnsOf(some.kinds, some.figures("all"), () => assert.fail("nobody asks"));
  assert.deepEqual(columns.slice(-2).map(({ title, values }) => [title, values[0]]), [["longest", 60], ["at", 7]]);
});
