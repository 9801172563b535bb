// The flame graph's arithmetic: layout, order, folding, the inverted tree, differences, labels,
// the camera. Exact where the answer is known, else held against a slow way to the same result.

import assert from "node:assert/strict";
import { test } from "node:test";

import { between, bounded, panned, revealed, wholeOf, zoomed } from "../../python/tracer/page/flame/camera.js";
import { byGroup, byShare, changePaints, noPlaces } from "../../python/tracer/page/flame/colours.js";
import { change, gathered, leading, united } from "../../python/tracer/page/compare/matching.js";
import { folded } from "../../python/tracer/page/flame/hidden_frames.js";
import { inverted } from "../../python/tracer/page/flame/inverted.js";
import { Labels, Ruler, shortened, spoken } from "../../python/tracer/page/flame/labels.js";
import { Layout, widthsOf } from "../../python/tracer/page/flame/layout.js";
import {
  follow,
  heaviestFirst,
  nodeOfTrail,
  trailOf,
} from "../../python/tracer/page/flame/order.js";
import { layoutOfCalls } from "../../python/tracer/page/flame/merged_calls.js";
import { rearranged } from "../../python/tracer/page/nodes.js";
import { found, nextFound, withinBox } from "../../python/tracer/page/flame/search.js";
import { plain, randomTree, textOf, treeOf } from "./trees.mjs";

const TREE = treeOf(`
  0 c1 t10
    1 c2 t20
      2 c4 t5
    2 c1 t40
  3 c1 t0
    1 c1 t25
`);

/** @param {import("../../python/tracer/page/nodes.js").Nodes} tree */
const byTime = (tree) => new Layout(tree, widthsOf(tree, "time"));

/** What visit() tells, as a list. */
const boxesIn = (layout, depth, from, to, least) => {
  const boxes = [];
  layout.visit(depth, from, to, least, (...box) => boxes.push(box));
  return boxes;
};

test("boxes lie within their parents, side by side", () => {
  const layout = byTime(TREE);
  assert.equal(layout.width, 100);
  assert.equal(layout.height, 4);
  assert.deepEqual([...layout.start], [0, 0, 0, 0, 25, 75, 75]);
  assert.deepEqual(boxesIn(layout, 1, 0, 100, 1), [
    [1, 0, 75],
    [5, 75, 100],
  ]);
  assert.deepEqual(boxesIn(layout, 2, 0, 100, 1), [
    [2, 0, 25],
    [4, 25, 65],
    [6, 75, 100],
  ]);
  assert.deepEqual(boxesIn(layout, 2, 25, 70, 1), [[4, 25, 65]]);
  assert.deepEqual(boxesIn(layout, 9, 0, 100, 1), []);
});

test("widths by calls are of all calls below", () => {
  const layout = new Layout(TREE, widthsOf(TREE, "calls"));
  assert.equal(layout.width, 10);
  assert.deepEqual(boxesIn(layout, 2, 0, 10, 0.1), [
    [2, 0, 6],
    [4, 6, 7],
    [6, 8, 9],
  ]);
});

test("boxes that are too narrow are one stretch", () => {
  const tree = treeOf(`
    0 c1 t0
      1 c1 t2
      2 c1 t3
      3 c1 t50
      4 c1 t4
      5 c1 t4
      6 c1 t37
  `);
  assert.deepEqual(boxesIn(byTime(tree), 2, 0, 100, 10), [
    [-1, 0, 5],
    [4, 5, 55],
    [-1, 55, 63],
    [7, 63, 100],
  ]);
});

test("what is told is what there is, at any zoom", () => {
  for (let seed = 1; seed < 30; seed++) {
    const tree = randomTree(400, 30, seed);
    const layout = byTime(tree);
    for (const [from, to, pixels] of [
      [0, 1, 40],
      [0.2, 0.3, 100],
      [0.5, 0.501, 7],
      [0.9, 1, 1000],
    ]) {
      const [low, high] = [from * layout.width, to * layout.width];
      const least = (high - low) / pixels;
      for (let depth = 0; depth < layout.height; depth++) {
        const boxes = boxesIn(layout, depth, low, high, least);
        const wide = boxes.filter(([node]) => node >= 0).map(([node]) => node);
        const expected = [];
        for (let node = 0; node < tree.count; node++) {
          const seen = layout.start[node] < high && layout.start[node] + layout.value[node] > low;
          if (tree.depth[node] === depth && seen && layout.value[node] >= least) {
            expected.push(node);
          }
        }
        assert.deepEqual(wide, expected);
        assert.ok(boxes.length <= 2 * pixels + 3, `${boxes.length} boxes for ${pixels} pixels`);
        for (let at = 1; at < boxes.length; at++) {
          assert.ok(boxes[at][1] >= boxes[at - 1][2], "one after the other");
        }
      }
    }
  }
});

test("a box is found at its place, and its neighbours", () => {
  const layout = byTime(TREE);
  assert.equal(layout.at(2, 30), 4);
  assert.equal(layout.at(2, 70), -1);
  assert.equal(layout.at(3, 4.9), 3);
  assert.equal(layout.at(3, 5), -1);
  assert.equal(layout.at(-1, 5), -1);
  assert.equal(layout.at(4, 5), -1);
  assert.equal(layout.beside(2, 1), 4);
  assert.equal(layout.beside(4, 1), 6);
  assert.equal(layout.beside(6, 1), -1);
  assert.equal(layout.beside(4, -1), 2);
  assert.equal(layout.along(1, true), 4);
  assert.equal(layout.along(6, true), -1);
  assert.equal(layout.along(6, false), 5);
  assert.equal(layout.along(0, false), -1);
});

test("times below nothing have no width, and nothing overlaps", () => {
  const tree = treeOf(`
    0 c1 t-5
      1 c1 t30
      2 c1 t-7
  `);
  const layout = byTime(tree);
  assert.equal(layout.width, 30);
  assert.deepEqual(boxesIn(layout, 2, 0, 30, 1), [[2, 0, 30]]);
});

test("the heaviest come first, and equals stay in order", () => {
  const sorted = rearranged(TREE, heaviestFirst(TREE, TREE.total));
  assert.equal(
    textOf(sorted),
    plain(`
      0 c1 t10
        2 c1 t40
        1 c2 t20
          2 c4 t5
      3 c1 t0
        1 c1 t25
    `),
  );
  const equal = treeOf(Array.from({ length: 50 }, (_, row) => `${row} c1 t${row % 3}`).join("\n"));
  const rows = [...rearranged(equal, heaviestFirst(equal, equal.total)).row].slice(1);
  const expected = [2, 1, 0].flatMap((rest) => rows.map((_, row) => row).filter((row) => row % 3 === rest));
  assert.deepEqual(rows, expected);
});

test("trails lead back, in another order and in another run", () => {
  const keyOf = (row) => `module.function${row}`;
  const sorted = rearranged(TREE, heaviestFirst(TREE, TREE.total));
  for (let node = 1; node < TREE.count; node++) {
    const there = nodeOfTrail(sorted, trailOf(TREE, node, keyOf), keyOf);
    assert.deepEqual(sorted.path(there), TREE.path(node));
  }
  assert.equal(trailOf(TREE, 0, keyOf), "");
  assert.equal(nodeOfTrail(TREE, "", keyOf), 0);
  assert.equal(nodeOfTrail(TREE, "nonsense", keyOf), 0);
  assert.equal(follow(TREE, [0, 1, 2]), 3);
  assert.equal(follow(TREE, [0, 9, 2]), 1);
});

/** What folding asks of a profile whose functions are written as "kind package name". */
const functions = (...rows) => {
  const words = rows.map((row) => row.split(" "));
  const ask = (place) => (row) => words[row][place] ?? "";
  return { kindOf: ask(0), packageOf: ask(1), nameOf: ask(2) };
};

test("folding gives the time of builtins to their callers", () => {
  const tree = folded(TREE, functions("own", "builtin", "own", "own"), { builtins: true, libraries: false });
  assert.equal(
    textOf(tree),
    plain(`
      0 c1 t30
        2 c5 t45
      3 c1 t25
    `),
  );
  assert.equal(tree.total[0], TREE.total[0]);
});

test("folding leaves of a library what the program called", () => {
  const kinds = functions("own", "library", "site", "builtin", "own");
  const tree = treeOf(`
    0 c1 t1
      1 c1 t2
        2 c1 t4
          4 c1 t8
            3 c1 t16
        3 c1 t32
      3 c1 t64
  `);
  assert.equal(
    textOf(folded(tree, kinds, { builtins: false, libraries: true })),
    plain(`
      0 c1 t1
        1 c1 t38
          4 c1 t8
            3 c1 t16
        3 c1 t64
    `),
  );
  assert.equal(
    textOf(folded(tree, kinds, { builtins: true, libraries: true })),
    plain(`
      0 c1 t65
        1 c1 t38
          4 c1 t24
    `),
  );
  assert.equal(
    folded(tree, kinds, { builtins: false, libraries: false }),
    tree,
  );
});

test("folding keeps which modules the program imported", () => {
  const rows = functions("own app <module>", "library importlib load", "site pandas <module>", "site numpy <module>", "builtin", "own app.views <module>");
  const tree = treeOf(`
    0 c1 t1
      1 c2 t2
        4 c1 t4
          2 c1 t8
            1 c1 t16
              3 c1 t32
        3 c1 t64
      5 c1 t128
        1 c1 t256
          4 c1 t512
  `);
  assert.equal(
    textOf(folded(tree, rows, { builtins: false, libraries: true })),
    plain(`
      0 c1 t1
        1 c2 t6
          2 c1 t56
          3 c1 t64
        5 c1 t128
          1 c1 t768
    `),
  );
});

test("a function that is kept is not folded", () => {
  const kinds = functions("own", "builtin", "own", "own");
  assert.equal(textOf(folded(TREE, kinds, { builtins: true, libraries: true }, 1)), textOf(TREE));
});

const CALLS = treeOf(`
  0 c1 t1
    1 c2 t10
      2 c4 t5
      1 c9 t20
        0 c3 t2
    3 c1 t40
      1 c5 t3
        4 c1 t7
  1 c1 t100
`);

test("all calls of a function are one: callers above, callees below", () => {
  const layout = layoutOfCalls(CALLS, 1, "time", true);
  const { tree, split } = layout;
  const boxes = Array.from({ length: tree.count }, (_, node) => [
    layout.levelOf(node),
    node === 0 ? "-" : tree.row[node],
    layout.start[node],
    layout.value[node],
    tree.calls[node],
  ]);
  assert.deepEqual(boxes, [
    [2, "-", 0, 147, 8],
    [3, 1, 0, 22, 9],
    [4, 0, 0, 2, 3],
    [3, 4, 22, 7, 1],
    [3, 2, 29, 5, 4],
    [1, 0, 0, 37, 2],
    [1, 3, 37, 10, 0],
    [0, 0, 37, 10, 5],
  ]);
  assert.equal(split, 5);
  assert.equal(tree.self[0], 113);
  assert.deepEqual(boxesIn(layout, 1, 0, 147, 1), [
    [5, 0, 37],
    [6, 37, 47],
  ]);
  assert.deepEqual([layout.at(2, 80), layout.at(0, 40), layout.at(0, 80)], [0, 7, -1]);
  assert.deepEqual([layout.along(0, true), layout.along(0, false), layout.along(7, true)], [1, 5, 6]);
  assert.deepEqual([layout.beside(1, 1), layout.beside(5, 1), layout.beside(6, 1)], [3, 6, -1]);
  const keyOf = (row) => `f${row}`;
  assert.equal(nodeOfTrail(tree, trailOf(tree, 5, keyOf), keyOf, split), 5);
  assert.equal(nodeOfTrail(tree, trailOf(tree, 1, keyOf), keyOf), 1);
  assert.equal(nodeOfTrail(tree, trailOf(tree, 1, keyOf), keyOf, split), 0, "it is no caller");
});

test("all calls by their number: those below them are counted on both sides", () => {
  const layout = layoutOfCalls(CALLS, 1, "calls", true);
  assert.deepEqual([...layout.value], [25, 12, 3, 4, 1, 18, 6, 6]);
  assert.equal(layoutOfCalls(CALLS, 9, "calls", true).width, 0);
});

test("all calls: their time is the cumtime, and the callers' that of theirs", () => {
  for (let seed = 1; seed < 20; seed++) {
    const tree = randomTree(200, 8, seed);
    for (let row = 0; row < 8; row++) {
      let [cumtime, begun] = [0, 0];
      for (let node = 1; node < tree.count; node++) {
        if (tree.row[node] === row && !tree.path(tree.parent[node]).includes(row)) {
          cumtime += tree.total[node];
          begun += tree.parent[node] === 0 ? tree.total[node] : 0;
        }
      }
      const { tree: both, value, split } = layoutOfCalls(tree, row, "time", false);
      assert.equal(value[0], cumtime);
      const callers = both.children(0).filter((node) => node >= split);
      assert.equal(callers.reduce((sum, node) => sum + both.total[node], 0), cumtime - begun);
    }
  }
});

test("inverted: functions by own time, callers below", () => {
  assert.equal(
    textOf(inverted(TREE, "time", 0)),
    plain(`
      1 c0 t0
        3 c1 t25
        0 c2 t20
      2 c0 t0
        0 c1 t40
        1 c0 t0
          0 c4 t5
      0 c1 t10
      3 c1 t0
    `),
  );
});

test("inverted: the same as by walking every path", () => {
  for (let seed = 1; seed < 20; seed++) {
    const tree = randomTree(200, 8, seed);
    const expected = new Map();
    for (let node = 1; node < tree.count; node++) {
      const path = tree.path(node).reverse();
      for (let length = 1; length <= path.length; length++) {
        const key = path.slice(0, length).join();
        const [time, calls, waited] = expected.get(key) ?? [0, 0, 0];
        expected.set(key, [time + tree.self[node], calls + tree.calls[node], waited + tree.waited[node]]);
      }
    }
    for (const metric of ["time", "busy", "calls"]) {
      const turned = inverted(tree, metric, -1);
      const got = new Map();
      for (let node = 1; node < turned.count; node++) {
        got.set(turned.path(node).join(), [turned.total[node], turned.totalCalls[node], turned.totalWaited[node]]);
      }
      assert.equal(got.size, turned.count - 1, "siblings differ");
      assert.deepEqual([...got].sort(), [...expected].sort());
      assert.equal(turned.total[0], tree.total[0]);
    }
  }
});

test("inverted: small paths are not followed, and lose nothing", () => {
  const tree = randomTree(500, 20, 3);
  const turned = inverted(tree, "time", 0.01);
  assert.ok(turned.count < inverted(tree, "time", 0).count);
  assert.equal(turned.total[0], tree.total[0]);
  for (let node = 1; node < turned.count; node++) {
    assert.ok(turned.self[node] >= 0);
  }
});

test("a search counts the outermost boxes once", () => {
  const layout = byTime(TREE);
  assert.deepEqual(found(layout, Uint8Array.from([0, 0, 1, 0])), { value: 45, boxes: 2, rows: 1 });
  assert.deepEqual(found(layout, Uint8Array.from([1, 1, 1, 0])), { value: 100, boxes: 5, rows: 3 });
  assert.deepEqual(found(layout, new Uint8Array(4)), { value: 0, boxes: 0, rows: 0 });
  const twos = Uint8Array.from([0, 0, 1, 0]);
  assert.deepEqual(found(layout, twos, withinBox(layout, 2)), { value: 5, boxes: 1, rows: 1 });
  assert.deepEqual(found(layout, twos, withinBox(layout, 5)), { value: 0, boxes: 0, rows: 0 });
  assert.deepEqual(found(layout, twos, { first: 1, end: 7, from: 3, to: 45 }), { value: 22, boxes: 2, rows: 1 });
  assert.deepEqual(found(layout, twos, { first: 1, end: 7, from: 65, to: 100 }), { value: 0, boxes: 0, rows: 0 });
  assert.equal(nextFound(layout, twos, 0, 1), 3);
  assert.equal(nextFound(layout, twos, 3, 1), 4);
  assert.equal(nextFound(layout, twos, 4, 1), 3);
  assert.equal(nextFound(layout, twos, 3, -1), 4);
  assert.equal(nextFound(layout, new Uint8Array(4), 3, 1), -1);
});

test("rows in common lead back to the first row that each is", () => {
  const rows = leading(Uint32Array.of(1, 0, 0), Uint32Array.of(0, 2));
  assert.equal(rows.count, 3);
  assert.deepEqual([...rows.rowBefore], [1, 0, -1]);
  assert.deepEqual([...rows.rowAfter], [0, -1, 1]);
  assert.deepEqual([...gathered(Float64Array.of(1, 2, 3), rows.before, rows.count)], [5, 1, 0]);
  assert.equal(leading(new Uint32Array(0), new Uint32Array(0)).count, 0);
});

test("two trees as one: what is in either has a box", () => {
  const other = treeOf(`
    0 c1 t1
      2 c2 t30
    1 c1 t7
  `);
  const rows = leading(Uint32Array.of(0, 1, 2, 3), Uint32Array.of(0, 1, 2));
  const { both, before, after } = united(TREE, other, rows);
  assert.equal(
    textOf(both),
    plain(`
      0 c2 t11
        1 c2 t20
          2 c4 t5
        2 c3 t70
      3 c1 t0
        1 c1 t25
      1 c1 t7
    `),
  );
  assert.deepEqual([...before.total], [100, 75, 25, 5, 40, 25, 25, 0]);
  assert.deepEqual([...after.total], [38, 31, 0, 0, 30, 0, 0, 7]);
  assert.deepEqual(
    [change(0, 5), change(5, 0), change(4, 4), change(0, 0), change(10, 5)],
    [1, -1, 0, 0, -0.5],
  );
});

test("names are shortened from the outside", () => {
  assert.deepEqual(shortened("A.f.<locals>.<lambda>"), [
    "A.f.<locals>.<lambda>",
    "A.f.<lambda>",
    "f.<lambda>",
    "<lambda>",
  ]);
  assert.deepEqual(shortened("plain"), ["plain"]);
  assert.deepEqual(shortened("<img src=x.y>"), ["<img src=x.y>"]);
  assert.deepEqual(shortened(""), [""]);
  assert.equal(spoken("<built-in method builtins.len>", "", "builtin"), "len");
  assert.equal(spoken("<builtins.len>", "", "builtin"), "len");
  assert.equal(spoken("<built-in method time.sleep>", "", "builtin"), "time.sleep");
  assert.equal(spoken("<method 'append' of 'list' objects>", "", "builtin"), "list.append");
  assert.equal(spoken("<paths not kept>", "", "builtin"), "paths not kept");
  assert.equal(spoken("<module>", "json.tool", "library"), "json.tool (module)");
  assert.equal(spoken("<lambda>", "json.tool", "own"), "<lambda>");
});

test("a label is as long as has room", () => {
  const ruler = new Ruler((text) => (text === "…" ? 5 : 10));
  const names = ["Class.method", "𝒳𝒴𝒵𝒲"];
  const labels = new Labels((row) => names[row], ruler);
  assert.equal(labels.fit(0, 120), "Class.method");
  assert.equal(labels.fit(0, 119), "method");
  assert.equal(labels.fit(0, 59), "metho…");
  assert.equal(labels.fit(0, 35), "met…");
  assert.equal(labels.fit(0, 34), "");
  assert.equal(labels.fit(1, 40), "𝒳𝒴𝒵𝒲");
  assert.equal(labels.fit(1, 39), "𝒳𝒴𝒵…", "no half of a letter");
});

const BOUNDS = { width: 1000, room: 600, root: 0, height: 400 };

test("the camera stays within its bounds", () => {
  assert.deepEqual(bounded({ from: -50, to: 50, scroll: 900 }, BOUNDS), { from: 0, to: 100, scroll: 200 });
  assert.deepEqual(bounded({ from: 950, to: 1050, scroll: -1 }, BOUNDS), { from: 900, to: 1000, scroll: 0 });
  assert.deepEqual(bounded({ from: 0, to: 5000, scroll: 0 }, { ...BOUNDS, room: 100 }), {
    from: 0,
    to: 1000,
    scroll: 0,
  });
  assert.deepEqual(panned({ from: 100, to: 200, scroll: 0 }, 0.5, 30, BOUNDS), {
    from: 150,
    to: 250,
    scroll: 30,
  });
});

test("the whole has the root in sight", () => {
  assert.deepEqual(wholeOf(BOUNDS), { from: 0, to: 1000, scroll: 0 });
  assert.equal(wholeOf({ ...BOUNDS, root: 150 }).scroll, 0);
  assert.equal(wholeOf({ ...BOUNDS, root: 300 }).scroll, 100);
  assert.equal(wholeOf({ ...BOUNDS, root: 580 }).scroll, 200);
});

test("the camera zooms about a place", () => {
  assert.deepEqual(zoomed({ from: 200, to: 400, scroll: 0 }, 250, 0.5, BOUNDS), {
    from: 225,
    to: 325,
    scroll: 0,
  });
  const close = zoomed({ from: 200, to: 400, scroll: 0 }, 250, 1e-9, BOUNDS);
  assert.equal(close.to - close.from, 1, "no closer than a unit");
  assert.deepEqual(zoomed({ from: 200, to: 400, scroll: 0 }, 250, 1e9, BOUNDS), {
    from: 0,
    to: 1000,
    scroll: 0,
  });
});

test("a movement begins here, ends there, and keeps what both have on the screen", () => {
  const one = { from: 0, to: 1000, scroll: 0 };
  const other = { from: 300, to: 400, scroll: 100 };
  assert.deepEqual(between(one, other, 1), other);
  assert.deepEqual(between(one, other, 0), one);
  for (const part of [0.1, 0.4, 0.9]) {
    const { from, to } = between(one, other, part);
    assert.ok(from >= 0 && from <= 300 && to >= 400 && to <= 1000 && to > from);
  }
});

test("a level is brought on the screen", () => {
  const view = { from: 0, to: 1000, scroll: 0 };
  assert.equal(revealed(view, 3, 20, BOUNDS).scroll, 0);
  assert.equal(revealed(view, 25, 20, BOUNDS).scroll, 160);
  assert.equal(revealed({ ...view, scroll: 200 }, 0, 20, BOUNDS).scroll, 0);
});

test("colours: the program's own code has one, however little time it took", () => {
  const names = ["a", "b", "", "a", ...Array.from({ length: 20 }, (_, at) => `more${at}`)];
  const kinds = names.map((name) => (name === "" ? "builtin" : name === "a" ? "own" : "library"));
  const times = names.map((_, row) => (row < 4 ? 100 : 1));
  kinds[23] = "own";
  const { paints, byRow, legend } = byGroup(names, kinds, times, false);
  assert.equal(byRow[0], byRow[3]);
  assert.equal(new Set([0, 1, 2, 23].map((row) => byRow[row])).size, 4);
  assert.ok(byRow.every((slot) => slot > 0 && slot < paints.length), "nothing is as what is folded");
  assert.deepEqual(
    [...legend.slice(0, 3), ...legend.slice(-2)].map(({ name, value }) => [name, value]),
    [
      ["a", 200],
      ["more19", 1],
      ["b", 100],
      ["12 more", 12],
      ["builtins", 100],
    ],
  );
});

test("colours: libraries that are folded are grey", () => {
  const names = ["app", "lib", "site", "", "lib"];
  const { paints, byRow, legend } = byGroup(names, ["own", "library", "site", "builtin", "library"], [1, 2, 4, 8, 16], true, true);
  const plain = paints[0];
  assert.deepEqual(Array.from(byRow, (slot) => paints[slot] === plain), [false, true, true, false, true]);
  assert.deepEqual(legend.map(({ name, value }) => [name, value]), [["app", 1], ["libraries, folded", 22], ["builtins", 8]]);
});

test("colours: the share of own time, and changes", () => {
  const { byRow } = byShare([0, 1, 99], true);
  assert.equal(byRow[0], 0);
  assert.ok(byRow[1] > 0 && byRow[2] === 12);
  const paints = changePaints(false);
  assert.notEqual(paints(1).fill, paints(-1).fill);
  assert.equal(paints(7), paints(1));
});

test("a group keeps its colour in a newer snapshot, whatever comes to the front", () => {
  const kept = noPlaces();
  const kinds = ["own", "own", "own", "library"];
  const coloursOf = (names, times) => {
    const { paints, byRow } = byGroup(names, kinds, times, false, false, kept);
    return Object.fromEntries(names.map((name, row) => [name, paints[byRow[row]].fill]));
  };
  const before = coloursOf(["app", "views", "base", "json"], [9, 5, 1, 3]);
  const after = coloursOf(["app", "views", "new", "json"], [1, 2, 50, 60]);
  assert.deepEqual([after.app, after.views, after.json], [before.app, before.views, before.json]);
  assert.equal(new Set([...Object.values(before), after.new]).size, 5);
});
