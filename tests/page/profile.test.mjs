// What profile.js works out: trees, totals, edges by the outermost rule, figures of several
// threads, search. The expected numbers were worked out by hand.

import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_ROW } from "../../python/tracer/page/nodes.js";
import { profile, thread } from "./packed.mjs";

const NAMES = ["main", "a", "b", "c"];

/** {caller's name: [calls, primitive, resumes, time, cumtime]}, likewise of callees. */
const named = (of, edges) =>
  Object.fromEntries(
    edges.map((edge) => [
      edge.row === NO_ROW ? "" : of.nameOf(edge.row),
      [edge.calls, edge.primitive, edge.resumes, edge.time, edge.cumtime],
    ]),
  );

const one = (drawing, more) => profile(NAMES, [thread("MainThread", drawing, NAMES, more)]);

test("parents, ends and totals follow from the depths", () => {
  const tree = one(`
    main 1 10
      a 2 20
        b 3 30
      b 4 40
    c 5 50
  `).tree("all");
  assert.deepEqual([...tree.parent], [-1, 0, 1, 2, 1, 0]);
  assert.deepEqual([...tree.end], [6, 5, 4, 4, 5, 6]);
  assert.deepEqual([...tree.total], [150, 100, 50, 30, 40, 50]);
  assert.deepEqual([...tree.totalCalls], [15, 10, 5, 3, 4, 5]);
  assert.equal(tree.maxDepth, 3);
  assert.deepEqual(tree.children(0), [1, 5]);
  assert.deepEqual(tree.children(1), [2, 4]);
  assert.deepEqual(tree.path(3), [0, 1, 2]);
});

test("a tree may be its root alone", () => {
  const empty = one("");
  assert.equal(empty.tree("all").count, 1);
  assert.deepEqual(empty.tree("all").children(0), []);
  assert.deepEqual(empty.edges("all").callers(0), []);
});

test("a node counts for the time of its edge where it is outermost", () => {
  // a -> b twice on one path: the inner one adds calls and own time, not total time.
  const recursive = one(`
    a 1 1
      b 2 10
        a 3 100
          b 4 1000
        c 5 5
  `);
  const edges = recursive.edges("all");
  assert.deepEqual(named(recursive, edges.callers(2)), { a: [6, 2, 0, 1010, 1115] });
  assert.deepEqual(named(recursive, edges.callers(1)), { "": [1, 1, 0, 1, 1116], b: [3, 3, 0, 100, 1100] });
  assert.deepEqual(named(recursive, edges.callees(2)), { a: [3, 3, 0, 100, 1100], c: [5, 5, 0, 5, 5] });
});

test("the same function below another caller is another edge", () => {
  const tree = one(`
    a 1 1
      b 1 10
        c 1 100
          b 1 1000
  `);
  const edges = tree.edges("all");
  assert.deepEqual(named(tree, edges.callers(2)), { a: [1, 1, 0, 10, 1110], c: [1, 1, 0, 1000, 1000] });
});

test("an edge begins anew behind its outermost node", () => {
  const tree = one(`
    a 1 0
      b 1 1
        a 1 0
          b 1 2
      b 1 4
    a 1 0
      b 1 8
  `);
  assert.deepEqual(named(tree, tree.edges("all").callers(2)), { a: [4, 3, 0, 15, 15] });
});

test("direct recursion is an edge of a function with itself", () => {
  const tree = one(`
    a 1 1
      a 2 2
        a 3 4
  `);
  assert.deepEqual(named(tree, tree.edges("all").callers(1)), { a: [5, 2, 0, 6, 6], "": [1, 1, 0, 1, 7] });
});

test("resumes go through edges, too", () => {
  const tree = one(`
    a 1 1
      b 1 10 99
  `);
  assert.deepEqual(named(tree, tree.edges("all").callers(2)), { a: [1, 1, 99, 10, 10] });
});

test("edges without paths are added, and what stands for them in the tree is none", () => {
  const names = ["main", "a", "b", "<paths not kept>"];
  const stored = { caller: 1, callee: 2, calls: 7, primitive: 7, resumes: 1, time: 70, cumtime: 700 };
  const drawing = `
    a 1 1
      b 2 20
      <paths not kept> 0 70
  `;
  const cut = profile(names, [thread("MainThread", drawing, names, { edges: [stored] })]);
  const edges = cut.edges("all");
  assert.deepEqual(named(cut, edges.callees(1)), { b: [9, 9, 1, 90, 720] });
  assert.deepEqual(edges.callers(3), []);
});

test("of estimated paths the stored edges are all", () => {
  const stored = { caller: 1, callee: 2, calls: 7, primitive: 6, time: 70, cumtime: 700 };
  const drawing = `
    a 1 1
      b 2 20
  `;
  const threads = [thread("", drawing, NAMES, { edges: [stored] })];
  const estimated = profile(NAMES, threads, { rule: "by halves" });
  assert.deepEqual(named(estimated, estimated.edges("all").callees(1)), { b: [7, 6, 0, 70, 700] });
});

test("thousands of edges are told apart", () => {
  const names = Array.from({ length: 3000 }, (_, row) => `f${row}`);
  const drawing = names.map((name, row) => `  ${name} 1 0\n    ${names[(row * 7 + 1) % 3000]} 2 ${row}`).join("\n");
  const wide = profile(names, [thread("MainThread", drawing, names)]);
  const edges = wide.edges("all");
  assert.equal(edges.count, 6000);
  for (const row of [0, 1, 1499, 2999]) {
    assert.deepEqual(named(wide, edges.callees(row)), { [names[(row * 7 + 1) % 3000]]: [2, 2, 0, row, row] });
  }
});

const TWO = [
  thread(
    "MainThread",
    `
    main 1 1
      a 2 20
        b 1 5
    `,
    NAMES,
    { figures: { main: { ncalls: 1, primitive: 1, tottime: 1, cumtime: 26 }, a: { ncalls: 2, primitive: 2, tottime: 20, cumtime: 25, highest: 13 }, b: { ncalls: 1, primitive: 1, tottime: 5, cumtime: 5 } } },
  ),
  thread(
    "worker",
    `
    c 1 7
    main 1 100
      b 1 9
      a 3 30
        b 1 6 4
    `,
    NAMES,
    { figures: { a: { ncalls: 3, primitive: 1, tottime: 30, cumtime: 36, resumes: 4, suspended: 11, highest: 12 }, c: { ncalls: 1, primitive: 1, tottime: 7, cumtime: 7 } } },
  ),
];

test("threads are merged by path, children in the order of first sight", () => {
  const both = profile(NAMES, TWO);
  const tree = both.tree("all");
  const paths = Array.from({ length: tree.count }, (_, node) => tree.path(node).map((row) => NAMES[row]).join(">"));
  assert.deepEqual(paths, ["", "main", "main>a", "main>a>b", "main>b", "c"]);
  assert.deepEqual([...tree.depth], [0, 1, 2, 3, 2, 1]);
  assert.deepEqual([...tree.calls], [0, 2, 5, 2, 1, 1]);
  assert.deepEqual([...tree.self], [0, 101, 50, 11, 9, 7]);
  assert.deepEqual([...tree.resumes], [0, 0, 0, 4, 0, 0]);
  assert.deepEqual([...tree.total], [178, 171, 61, 11, 9, 7]);
  assert.equal(both.tree("all"), tree);
  assert.equal(both.tree(1).count, 6);
});

test("figures of all threads are sums, or the largest", () => {
  const both = profile(NAMES, TWO);
  const { ncalls, primitive, tottime, cumtime, resumes, suspended, columns, present, total, totalCalls } = both.figures("all");
  assert.deepEqual([...ncalls], [1, 5, 1, 1]);
  assert.deepEqual([...primitive], [1, 3, 1, 1]);
  assert.deepEqual([...tottime], [1, 50, 5, 7]);
  assert.deepEqual([...cumtime], [26, 61, 5, 7]);
  assert.deepEqual([...resumes], [0, 4, 0, 0]);
  assert.deepEqual([...suspended], [0, 11, 0, 0]);
  assert.deepEqual([...columns.highest], [0, 13, 0, 0]);
  assert.equal(columns.ncalls, ncalls);
  assert.deepEqual([...present], [1, 1, 1, 1]);
  assert.equal(total, 63);
  assert.equal(totalCalls, 8);
  assert.deepEqual([...both.figures(1).present], [0, 1, 0, 1]);
  assert.equal(both.figures(1).total, 37);
});

test("edges of all threads are sums, thread by thread", () => {
  const both = profile(NAMES, TWO);
  assert.deepEqual(named(both, both.edges("all").callers(2)), { a: [2, 2, 4, 11, 11], main: [1, 1, 0, 9, 9] });
  assert.deepEqual(named(both, both.edges(0).callers(2)), { a: [1, 1, 0, 5, 5] });
});

test("threads of one name have keys of their own", () => {
  const three = profile(NAMES, ["x", "y", "x"].map((name) => thread(name, "main 1 1", NAMES)));
  assert.deepEqual([0, 1, 2].map((place) => three.threadKey(place)), ["x", "y", "x#2"]);
  assert.deepEqual(["x", "y", "x#2", "", undefined, "gone"].map((key) => three.threadOf(key)), [0, 1, 2, "all", "all", "all"]);
});

test("no two threads have one key", () => {
  const names = ["x", "x#2", "x", "x"];
  const four = profile(NAMES, names.map((name) => thread(name, "main 1 1", NAMES)));
  const keys = names.map((_, place) => four.threadKey(place));
  assert.deepEqual(keys, ["x", "x#2", "x#2#2", "x#3"]);
  assert.deepEqual(keys.map((key) => four.threadOf(key)), [0, 1, 2, 3]);
});

const FUNCTIONS = [
  { name: "Tree.walk", file: "/src/trees.py", line: 10 },
  { name: "<lambda>", file: "/src/trees.py", line: 20 },
  { name: "<lambda>", file: "/src/trees.py", line: 30 },
  { name: "<builtins.len>", file: "~", line: 0 },
];

test("a function is found again by its key", () => {
  const some = profile(FUNCTIONS, []);
  const keys = FUNCTIONS.map((_, row) => some.key(row));
  assert.deepEqual(keys, ["trees.Tree.walk", "trees.<lambda>", "trees.<lambda>:30", "<builtins.len>"]);
  assert.deepEqual(keys.map((key) => some.rowOf(key)), [0, 1, 2, 3]);
  assert.deepEqual([undefined, "", "nothing"].map((key) => some.rowOf(key)), [-1, -1, -1]);
});

test("functions of one label and line have keys of their own, however many they are", () => {
  const equals = [5, 5, 5, 5, 6].map((line) => ({ name: "<lambda>", file: "/src/trees.py", line }));
  const some = profile([...equals, { name: "<lambda>:5", file: "/src/trees.py", line: 7 }], []);
  const keys = Array.from({ length: 6 }, (_, row) => some.key(row));
  const label = "trees.<lambda>";
  assert.deepEqual(keys, [label, `${label}:5`, `${label}:5#2`, `${label}:5#3`, `${label}:6`, `${label}:5:7`]);
  assert.deepEqual(keys.map((key) => some.rowOf(key)), [0, 1, 2, 3, 4, 5]);
  const many = profile(Array.from({ length: 20_000 }, () => equals[0]), []);
  assert.equal(new Set(Array.from({ length: 20_000 }, (_, row) => many.key(row))).size, 20_000);
});

test("findings of all threads, and of each that has any", () => {
  const findings = { all: ["of all"], 1: ["of the second"] };
  const found = (count) => {
    const some = profile(NAMES, Array.from({ length: count }, (_, at) => thread(`T${at}`, "", NAMES)), { findings });
    return ["all", ...some.threads.keys()].map((threads) => some.findings(threads));
  };
  assert.deepEqual(found(3), [["of all"], [], ["of the second"], []]);
  assert.deepEqual(found(1), [["of all"], ["of all"]], "one thread is all");
});

test("text and expressions are sought in names, labels and places", () => {
  const some = profile(FUNCTIONS, []);
  const found = (pattern) => [...some.matches(pattern)].flatMap((match, row) => (match ? [row] : []));
  assert.deepEqual(found("WALK"), [0]);
  assert.deepEqual(found("trees.py:20"), [1]);
  assert.deepEqual(found("trees."), [0, 1, 2]);
  assert.deepEqual(found("/^<.*>$/"), [1, 2, 3]);
  assert.deepEqual(found("/LEN/"), []);
  assert.deepEqual(found("/LEN/i"), [3]);
  assert.deepEqual(found("/(/"), []);
  assert.deepEqual(found("len/"), []);
  assert.deepEqual(found("."), [0, 1, 2, 3]);
});
