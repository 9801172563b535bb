// The source view's arithmetic: colours of Python, where functions end, what a line took.

import assert from "node:assert/strict";
import { test } from "node:test";

import { coloured, lastLineOf } from "../../python/tracer/page/source/python.js";
import { filesByTime, heatOfFile, innermost, warmthOf } from "../../python/tracer/page/source/heat.js";
import { largestLine } from "../../python/tracer/page/source/memory_lines.js";
import { complete, whyNone } from "../../python/tracer/page/source/missing.js";
import { columnsOf } from "../../python/tracer/page/source/lines.js";

const SOURCE = `@decorated(
    1,
)
def outer(a, b=")",
          c="#"):
    """Text
no indent: return 1
    """
    def inner():
        return [x
for x in a]

    # the last comment
    return lambda: 'it''s \\' # none' # a comment

class Other:
    number = 0x1f
    s = r'''raw "
    ''' + f"{a}"
last = 1`;
const LINES = SOURCE.split("\n");

const kindsAt = (line, kind) =>
  coloured(LINES)
    [line - 1].pieces.filter((piece) => piece.kind === kind)
    .map(({ from, to }) => LINES[line - 1].slice(from, to));

test("strings, comments, keywords, numbers and names are told apart", () => {
  assert.deepEqual(kindsAt(4, "keyword"), ["def"]);
  assert.deepEqual(kindsAt(4, "name"), ["outer"]);
  assert.deepEqual(kindsAt(4, "string"), ['")"']);
  assert.deepEqual(kindsAt(5, "string"), ['"#"']);
  assert.deepEqual(kindsAt(7, "string"), ["no indent: return 1"]);
  assert.deepEqual(kindsAt(8, "string"), ['    """']);
  assert.deepEqual(kindsAt(14, "string"), ["'it'", "'s \\' # none'"]);
  assert.deepEqual(kindsAt(14, "comment"), ["# a comment"]);
  assert.deepEqual(kindsAt(17, "number"), ["0x1f"]);
  assert.deepEqual(kindsAt(18, "string"), ["r'''raw \""]);
  assert.deepEqual(kindsAt(19, "string"), ["    '''", 'f"{a}"']);
  assert.deepEqual(kindsAt(20, "number"), ["1"]);
});

test("a function ends where its indentation does", () => {
  const colours = coloured(LINES);
  const last = (first) => lastLineOf(LINES, colours, first);
  assert.equal(last(1), 14, "decorators, heads of several lines, text without indentation");
  assert.equal(last(9), 11, "brackets go on");
  assert.equal(last(14), 14, "a lambda is its line");
  assert.equal(last(16), 19);
  assert.equal(last(99), 99, "a line that is not there");
});

const FILES = [
  { path: "/p/one.py", module: "one", package: "one", kind: "own" },
  { path: "/p/two.py", module: "two", package: "two", kind: "own" },
  { path: "~", module: "", package: "", kind: "builtin" },
];
const PROFILE = {
  rowCount: 5,
  rows: { file: [0, 0, 1, 2, 0], line: [1, 9, 3, 0, 0], name: ["outer", "inner", "f", "<len>", "<module>"] },
  fileOf: (row) => FILES[PROFILE.rows.file[row]],
  nameOf: (row) => PROFILE.rows.name[row],
  sources: { "/p/one.py": { text: SOURCE, state: "same" } },
  lines: [
    { file: "/p/one.py", line: 9, name: "inner", lines: [[10, 2, 30, 10, 5, 0]] },
    { file: "/p/one.py", line: 9, name: "inner", lines: [[10, 1, 4, null, 1, 7], [11, 1, 6, 0, 6, 0]] },
    { file: "/p/two.py", line: 3, name: "f", lines: [[4, 1, 99, 0, 0, 0]] },
  ],
  memoryLines: [],
};
const FIGURES = { limits: { waitedPart: 0.001, waitedTime: 0 }, present: Uint8Array.of(1, 1, 1, 1, 1), tottime: Float64Array.of(5, 20, 40, 80, 1) };

test("a file's functions and lines", () => {
  const heat = heatOfFile(PROFILE, FIGURES, "/p/one.py");
  assert.deepEqual(heat.spans, [
    { row: 4, first: 1, last: 20 },
    { row: 0, first: 1, last: 14 },
    { row: 1, first: 9, last: 11 },
  ]);
  assert.equal(heat.ownTime, 26);
  assert.deepEqual([...innermost(heat)].slice(8, 12), [1, 2, 2, 2]);
  assert.deepEqual(heat.timed.get(10), { hits: 3, time: 34, inC: null, own: 6, suspended: 7, waited: 0, python: null, native: null, error: null, isCounted: true, whole: 30 });
  assert.equal(heat.hottest, 34, 'its parts are not known, so all of it');
  assert.equal(heat.longest, 34);
});

/** What the line has, of {name: [hits, time, in C, own, suspended]} of functions. */
const lineOf = (functions) => {
  const { python, native, error, isCounted, ...figures } = sampledLineOf(functions);
  return figures;
};

/** The same with the CPU time by samples, which functions have as the last two of eight figures. */
const sampledLineOf = (functions) => {
  const lines = Object.entries(functions).map(([name, of]) => ({ file: "/p/one.py", line: 1, name, lines: [[31, ...of]] }));
  return heatOfFile({ ...PROFILE, lines }, FIGURES, "/p/one.py").timed.get(31);
};

test("a line's time has that of a generator expression on it once", () => {
  const expected = { hits: 4, time: 166, inC: 160, own: 11, suspended: 0, waited: 0, whole: 166 };
  const outer = [4, 166, 160, 6, 0];
  const inner = [44, 131, 3, 5, 9];
  assert.deepEqual(lineOf({ share: outer, "share.<locals>.<genexpr>": inner }), expected);
  assert.deepEqual(lineOf({ "share.<locals>.<genexpr>": inner, share: outer }), expected, "in any order");
  assert.deepEqual(lineOf({ "<module>": outer, "<genexpr>": inner }), expected, "at the module's level");
  assert.deepEqual(lineOf({ "<module>": outer, C: outer, "C.<genexpr>": inner }), { ...expected, own: 17 });
  assert.deepEqual(lineOf({ share: [4, 166, null, null, 0], "share.<locals>.<genexpr>": inner }), { ...expected, inC: null, own: null });
});

test("no part of a line is more than the line", () => {
  const heat = lineOf({ f: [1, 100, 90, 10, 0], "f.<locals>.<lambda>": [9, 95, 0, 95, 0] });
  assert.deepEqual(heat, { hits: 1, time: 100, inC: 90, own: 100, suspended: 0, waited: 0, whole: 100 });
  assert.equal(warmthOf(heat), 100);
});

test("a lambda that is called from another line stands for its line", () => {
  assert.deepEqual(lineOf({ f: [1, 2, 0, 2, 0], "f.<locals>.<lambda>": [9, 95, 5, 90, 0] }), {
    hits: 9, time: 95, inC: 5, own: 92, suspended: 0, waited: 0, whole: 95,
  });
});

test("what stands side by side on a line is added up", () => {
  const sum = { hits: 3, time: 30, inC: 3, own: 27, suspended: 6, waited: 0, whole: 20 };
  const [one, two] = [[1, 10, 1, 9, 2], [2, 20, 2, 18, 4]];
  assert.deepEqual(lineOf({ f: one, fg: two }), sum);
  assert.deepEqual(lineOf({ "f.<locals>.<lambda>": one, "g.<locals>.<lambda>": two }), sum);
  const both = { f: [1, 99, 90, 9, 0], "f.<locals>.one": one, "f.<locals>.two": two };
  assert.deepEqual(lineOf(both), { hits: 1, time: 99, inC: 90, own: 36, suspended: 0, waited: 0, whole: 99 });
});

test("what lines waited is added up: no wait is on two lines", () => {
  const inner = { "f.<locals>.<genexpr>": [9, 60, 0, 60, 0, 20] };
  assert.equal(lineOf({ f: [1, 100, 90, 10, 0, 30], ...inner }).waited, 50);
  assert.equal(lineOf({ f: [1, 100, 90, 10, 0, 90], ...inner }).waited, 100, "no more than the line has");
  assert.equal(lineOf({ f: [1, 100, 90, 10, 0, 30], g: [1, 100, 90, 10, 0, null] }).waited, 30);
  const titles = (waited) => {
    const lines = [{ file: "/p/one.py", line: 1, name: "f", lines: [[3, 1, 10000, 0, 1, 0, 0], [4, 1, 20, 0, 1, 0, waited]] }];
    return columnsOf(heatOfFile({ ...PROFILE, lines }, FIGURES, "/p/one.py")).map(({ title }) => title);
  };
  assert.deepEqual(titles(10), ["Hits", "Time", "%", "Own", "In C", "Waited"]);
  assert.deepEqual(titles(9), ["Hits", "Time", "%", "Own", "In C"], "less than a thousandth is not told");
});

test("a line's time by samples has its error, and its hits say whether they are all", () => {
  const of = (hits, error, isCounted) => [hits, 100, null, 10, 0, null, null, null, error, isCounted];
  const cells = (functions) => {
    const heat = sampledLineOf(functions);
    return [heat.error, ...columnsOf({ timed: new Map([[31, heat]]), hasParts: false }).slice(0, 2).map(({ cell }) => cell(heat, {}))];
  };
  const [error, hits, [, tip]] = cells({ f: of(7000, 30, false) });
  assert.deepEqual([error, hits], [30, ["7,000+", "7,000 hits at least"]]);
  assert.match(tip, /^100 ns\n\+- 30 ns\n/);
  assert.deepEqual(cells({ f: of(40, 30, true) })[1], ["40", "40 hits"]);
  assert.deepEqual(cells({ f: of(0, 30, false) })[1], ["", "Not counted"]);
  assert.deepEqual(cells({ f: of(40, 30, true), g: of(2, 40, false) }).slice(0, 2), [50, ["42+", "42 hits at least"]]);
});

test("a line has the samples of all functions on it, and columns where there are some", () => {
  const heat = sampledLineOf({ f: [1, 100, 90, 10, 0, 0, 8, 4], "f.<locals>.<lambda>": [9, 60, 0, 60, 0, 0, 20, 1] });
  assert.deepEqual([heat.python, heat.native], [28, 5]);
  const unknown = sampledLineOf({ f: [1, 100, 90, 10, 0, 0, 8, 4], g: [9, 60, 0, 60, 0, 0] });
  assert.deepEqual([unknown.python, unknown.native], [null, null]);
  const titles = (python, native) => {
    const lines = [{ file: "/p/one.py", line: 1, name: "f", lines: [[3, 1, 100, 0, 1, 0, 0, python, native]] }];
    return columnsOf(heatOfFile({ ...PROFILE, lines }, FIGURES, "/p/one.py")).map(({ title }) => title);
  };
  assert.deepEqual(titles(0, 7), ["Hits", "Time", "%", "Own", "In C", "Python", "Native"]);
  assert.deepEqual(titles(7, 0), ["Hits", "Time", "%", "Own", "In C", "Python", "Native"]);
  assert.deepEqual(titles(0, 0), ["Hits", "Time", "%", "Own", "In C"]);
  assert.deepEqual(titles(null, null), ["Hits", "Time", "%", "Own", "In C"]);
});

test("whether a coroutine was suspended, on any line", () => {
  const timed = [1, 4].map((line) => ({ file: "/p/one.py", line, name: `f${line}`, lines: [[line + 2, 1, 1, 0, 1, line === 1 ? 5 : 0]] }));
  const heat = (lines) => heatOfFile({ ...PROFILE, lines }, FIGURES, "/p/one.py");
  assert.deepEqual([3, 6].map((line) => heat(timed).timed.get(line).suspended), [5, 0]);
  assert.deepEqual([heat(timed).hasSuspended, heat(timed.slice(1)).hasSuspended], [true, false]);
});

test("a file without source has its functions all the same", () => {
  const heat = heatOfFile(PROFILE, FIGURES, "/p/two.py");
  assert.deepEqual(heat.lines, []);
  assert.equal(heat.state, "missing");
  assert.deepEqual(heat.spans, [{ row: 2, first: 3, last: 3 }]);
});

test("files are in the order of their time, builtins are none", () => {
  assert.deepEqual(
    filesByTime(PROFILE, FIGURES).map(({ path, time, stored }) => [path, time, stored]),
    [["/p/two.py", 40, false], ["/p/one.py", 26, true]],
  );
});

test("the memory of lines stands beside their times", () => {
  const memoryLines = [
    { file: "/p/one.py", line: 9, name: "inner", lines: [[10, 2, 500, 3000, 500, 700], [12, 4, 0, 64, 0, 0]] },
    { file: "/p/one.py", line: 1, name: "outer", lines: [[10, 1, 7, 10, 7, 9]] },
    { file: "/p/two.py", line: 3, name: "f", lines: [[4, 1, 99, 9999, 9999, 9999]] },
  ];
  const heat = heatOfFile({ ...PROFILE, memoryLines }, FIGURES, "/p/one.py");
  assert.equal(heat.largest, 709);
  assert.deepEqual(heat.timed.get(10).memory, { allocated: 3010, live: 507, peak: 709 });
  assert.equal(heat.timed.get(10).time, 34);
  const { memory, hits, time } = heat.timed.get(12); // a line that was not timed
  assert.deepEqual([memory, hits, time], [{ allocated: 64, live: 0, peak: 0 }, 4, 0]);
  assert.equal(heat.timed.get(11).memory, undefined);
  assert.equal(heatOfFile(PROFILE, FIGURES, "/p/one.py").largest, -1);
});

test("a column of memory that no line has is left out", () => {
  const titles = (...figures) => {
    const memoryLines = [{ file: "/p/one.py", line: 1, name: "f", lines: figures.map((each, at) => [at + 3, 1, 0, ...each]) }];
    return columnsOf(heatOfFile({ ...PROFILE, lines: [], memoryLines }, FIGURES, "/p/one.py")).map(({ title }) => title);
  };
  assert.deepEqual(titles([9, 4, 5], [8, 0, 0]).slice(-3), ["At peak", "At end", "Allocated"]);
  assert.deepEqual(titles([9, 0, 5], [8, 0, 0]).slice(-2), ["At peak", "Allocated"]);
  assert.deepEqual(titles([9, 0, 0]).at(-2), "%");
});

test("the largest line of a function is that of its own lines", () => {
  const memoryLines = [
    { file: "/p/one.py", line: 1, name: "f", lines: [[3, 1, 0, 90, 10, 5], [4, 1, 0, 20, 20, 0]] },
    { file: "/p/one.py", line: 9, name: "g", lines: [[10, 1, 0, 99, 99, 99]] },
  ];
  const profile = { memoryLines, rows: { line: [1, 20] }, fileOf: () => ({ path: "/p/one.py" }), nameOf: () => "f" };
  assert.deepEqual(["allocated", "live", "peak"].map((measure) => largestLine(profile, 0, measure)), [3, 4, 3]);
  assert.equal(largestLine(profile, 1, "live"), 0);
});

/** An app of a program, and what came of it when the answer to a file is `answer`; null: there is none. */
async function asked(answer, live = { running: true, sources: true }) {
  const paths = [];
  globalThis.fetch = async (path) => {
    paths.push(path);
    if (answer === null) {
      throw new Error("nobody is there");
    }
    return { ok: true, json: async () => ({ source: answer.source }) };
  };
  let updates = 0;
  let updated = () => {};
  const app = { live, whole: { sources: {} }, follower: null, set: () => (updates++, updated()) };
  const done = new Promise((resolve) => (updated = resolve));
  const first = complete(app, "/lib/a b.py");
  if (first === "asked") {
    assert.equal(complete(app, "/lib/a b.py"), "asked"); // once is enough
    await done;
  }
  return { app, paths, updates, first, then: complete(app, "/lib/a b.py") };
}

test("the page of a program asks for a source once, and keeps the answer", async () => {
  const source = { text: "x = 1\n", state: "same" };
  const { app, paths, updates, then } = await asked({ source });
  assert.deepEqual([paths, updates, then], [["source/%2Flib%2Fa%20b.py"], 1, ""]);
  assert.deepEqual(app.whole.sources, { "/lib/a b.py": source });
  app.whole = { sources: {} }; // newer data that has not got it
  assert.equal(complete(app, "/lib/a b.py"), "");
  assert.deepEqual([app.whole.sources["/lib/a b.py"], paths.length], [source, 1]);
});

test("where there is no source the page says why", async () => {
  const why = ({ app, then }) => whyNone(app, "/lib/a b.py", then)[1];
  assert.match(why(await asked({ source: null })), /no text of Python/);
  assert.match(why(await asked(null)), /Nobody answered/);
  const refused = await asked(null, { running: true, sources: false });
  assert.match(why(refused), /runs with --no-source/);
  assert.deepEqual([refused.paths, refused.first], [[], ""]);
  assert.match(why(await asked(null, null)), /made with --sources/);
  assert.match(whyNone({ live: null, whole: { sources: { "e.py": { text: "" } } } }, "e.py", "")[1], /is empty/);
});
