// What the overview points out: each rule above and below its threshold.

import assert from "node:assert/strict";
import { test } from "node:test";

import { findings, RULES } from "../../python/tracer/page/findings.js";
import { largestSpot } from "../../python/tracer/page/findings/spots.js";
import { profile, thread } from "./packed.mjs";

const QUIET = { runs: [], tracing: null, backends: ["sys.monitoring"], clocks: ["tsc"], lost: 0, cutOff: [] };
const run = (real, user, system) => ({ real: real * 1e6, user: user * 1e6, system: system * 1e6 });

/** {rule: the name of the function it points at, or null} of functions {name: figures}, by estimated paths. */
function found(functions, facts = {}) {
  const names = Object.keys(functions);
  const figures = Object.fromEntries(
    Object.entries(functions).map(([name, { ncalls = 1, tottime = 0, cumtime = tottime, waited = 0 }]) => [name, { ncalls, primitive: ncalls, tottime, cumtime, waited }]),
  );
  const rows = names.map((name) => ({ name, file: functions[name].file ?? (name.startsWith("<") ? "~" : "/src/app.py") }));
  const some = profile(rows, [thread("MainThread", "", names, { figures })], { facts: { ...QUIET, ...facts }, rule: "an estimate" });
  return Object.fromEntries(
    findings(some, "all").map(({ name, row, title, text }) => {
      assert.ok(title.length > 10 && text.length > 10 && !/NaN|undefined|Infinity/.test(title + text), title + text);
      return [name, row === undefined ? null : names[row]];
    }),
  );
}

const even = { a: { tottime: 50e6, ncalls: 5 }, b: { tottime: 50e6, ncalls: 5 } };

test("every rule has a name of its own and a threshold", () => {
  assert.equal(new Set(RULES.map(({ name }) => name)).size, RULES.length);
  assert.ok(RULES.every(({ threshold }) => threshold >= 0));
});

test("nothing is said of what is not worth a word", () => {
  assert.deepEqual(found(even), {});
  assert.deepEqual(found({}), {});
  assert.deepEqual(found(even, { runs: [run(100, 90, 10)] }), {});
});

test("one function that holds more than half of the time", () => {
  assert.deepEqual(found({ a: { tottime: 51 }, b: { tottime: 49 } }), { "one function": "a" });
  assert.deepEqual(found({ a: { tottime: 50 }, b: { tottime: 50 } }), {});
});

// [line, hits, time, in C, own, suspended]
const timed = (name, ...lines) => ({ file: "/src/app.py", line: 1, name, lines });
/** The finding about a line, in a profile with the functions `rows` and the threads drawn in `trees`. */
function ofLine(rows, trees, lines, threads = "all") {
  const named = rows.map((name) => ({ name, file: name.startsWith("<") ? "~" : "/src/app.py" }));
  const all = trees.map(([tree, figures], at) => thread(`T${at}`, tree, rows, { figures }));
  const [one] = findings(profile(named, all, { lines, facts: QUIET }), threads).filter(({ name }) => name === "one line");
  return one === undefined ? null : [one.title, one.text, one.place.line];
}

test("no wait is told as work", () => {
  assert.deepEqual(found({ a: { tottime: 80, waited: 29 }, b: { tottime: 20 } }), { "one function": "a" });
  assert.deepEqual(found({ a: { tottime: 80, waited: 30 }, b: { tottime: 20 } }), {});
});

/** A finding of the terminal about the first function. */
const TOLD = { rule: "waited_in_c", text: "87% of the run: client, {place}, waits 12.60 s in socket.recv_into", saves: 5, row: 0, callee: null };
const worked = { client: { ncalls: 10, tottime: 10, cumtime: 100 }, ask: { ncalls: 20, tottime: 60 }, parse: { ncalls: 2, tottime: 30 } };
const names = Object.keys(worked);
const client = (more, threads = "all", others = 0) => {
  const own = thread("MainThread", "", names, { figures: worked });
  const all = [own, ...Array.from({ length: others }, (_, at) => thread(`T${at}`, "", names, { figures: {} }))];
  return findings(profile(names.map((name) => ({ name, line: 4 })), all, { facts: QUIET, ...more }), threads);
};

test("what the terminal tells comes first, in its words and its order", () => {
  const other = { ...TOLD, text: "the event loop did not turn for 716 ms", rule: "longest_step", saves: 3, row: null };
  const lost = { facts: { ...QUIET, lost: 1 } };
  const found = client({ findings: [TOLD, other], ...lost });
  assert.deepEqual(found.map(({ name }) => name), ["lost calls", "waited_in_c", "longest_step"], "client, through which all passes, is told of");
  assert.equal(found[1].title, "87% of the run: client, app.py:4, waits 12.60 s in socket.recv_into");
  assert.equal(found[1].text, "Waits for input and output can overlap: in threads, or by asyncio.");
  assert.equal(found[2].title, "The event loop did not turn for 716 ms");
  assert.deepEqual(found.map(({ row }) => row), [undefined, 0, undefined]);
});

test("what the terminal tells, the page's own rules do not tell again", () => {
  assert.deepEqual(client({}).map(({ name }) => name), ["one way"], "the terminal says nothing of ask, nor does the page");
  assert.deepEqual(client({ rule: "an estimate" }).map(({ name }) => name), ["one way", "one function"], "of an estimate the terminal says nothing");
});

test("of a thread among others the page's rules tell, beside what was found in all", () => {
  const found = client({ findings: [TOLD] }, 0, 1);
  assert.deepEqual(found.map(({ name }) => name), ["waited_in_c", "one function"]);
  assert.ok(found[0].text.endsWith("Of all threads together."));
  assert.ok(!client({ findings: [TOLD] }, "all", 1)[0].text.includes("all threads"));
  assert.ok(!client({ findings: [TOLD] }, 0)[0].text.includes("all threads"));
});

test("what was waited passes through nothing", () => {
  const figures = { step: { ncalls: 10, tottime: 1, cumtime: 60 }, x: { tottime: 59, waited: 9 }, y: { tottime: 40 } };
  const told = (waited) => {
    const tree = `step 10 1\n  x 1 59 w${waited}\ny 1 40`;
    const some = profile(["step", "x", "y"], [thread("MainThread", tree, ["step", "x", "y"], { figures })], { facts: QUIET });
    return findings(some, "all").filter(({ name }) => name === "one way").map(({ title, text }) => [title, text.split(" It hands")[0]])[0];
  };
  assert.deepEqual(told(9), ["51.0% of the time passes through step", "51 ns in 10 calls of it and what it calls, without the 9 ns that was waited, 1 ns of that in itself. Fewer calls, or a quicker way, would save the most."]);
  assert.equal(told(10), undefined);
});

test("one line that holds more than half of the time", () => {
  const at = (...lines) => ofLine(["a", "b"], [["", { a: { tottime: 52 }, b: { tottime: 48 } }]], [timed("a", ...lines)]);
  const calls = [2, 1, 100, 0, 1, 0];
  assert.deepEqual(at(calls, [3, 2, 60, 11, 40, 0]), [
    "Line 3 of a holds 51.0% of the time",
    "51 ns in 2 hits, without the Python functions that it calls or that C calls back; 11 ns of that in C.",
    3,
  ]);
  assert.equal(at(calls, [3, 2, 60, 10, 40, 0]), null);
  assert.equal(at([3, 2, 100, null, null, 0]), null);
});

test("what C calls back is no time of the line", () => {
  const rows = ["format", "<str.join>", "run", "work"];
  const figures = { format: { tottime: 2 }, "<str.join>": { tottime: 3 }, run: { tottime: 35 }, work: { tottime: 60 } };
  const tree = `
    format 1 2
      <str.join> 1 3
        run 1 35
          work 1 60`;
  const joins = timed("format", [60, 1, 100, 98, 2, 0]);
  const works = (own) => timed("work", [7, 9, 60, 0, 60 - own, 0], [8, 9, 60, 0, own, 0]);
  const found = (...lines) => ofLine(rows, [[tree, figures]], lines)?.slice(1) ?? null;
  assert.equal(found(joins), null);
  assert.equal(found(joins, works(50)), null);
  assert.deepEqual(found(joins, works(51)), [
    "51 ns in 9 hits, without the Python functions that it calls or that C calls back; 0 of that in C.",
    8,
  ]);
});

test("which line of a function called back is not known, so that it counts for none", () => {
  const rows = ["f", "<sorted>", "<str.join>", "back"];
  const tree = (sorted, back) => `
    f 1 2
      <sorted> 1 ${sorted}
      <str.join> 1 1
        back 1 ${back}`;
  const found = (sorted, back) => {
    const figures = { f: { tottime: 2 }, "<sorted>": { tottime: sorted }, "<str.join>": { tottime: 1 }, back: { tottime: back } };
    const lines = [timed("f", [2, 1, back + 2, back + 1, 1, 0], [3, 1, sorted + 1, sorted, 1, 0])];
    return ofLine(rows, [[tree(sorted, back), figures]], lines);
  };
  assert.equal(found(45, 52), null, "neither of the line that joins");
  assert.equal(found(60, 37), null, "nor of the other one, that may have called back");
  assert.deepEqual(found(80, 17).slice(0, 1), ["Line 3 of f holds 64.0% of the time"]);
});

test("a line of a function that has no figures is told with what C calls back", () => {
  const lines = [timed("left_out", [3, 2, 60, 50, 1, 0])];
  assert.deepEqual(ofLine(["a"], [["", { a: { tottime: 100 } }]], lines), [
    "Line 3 of left_out holds 51.0% of the time",
    "51 ns in 2 hits: 1 ns of its own, and 50 ns in C with the Python functions that C calls back.",
    3,
  ]);
});

test("lines are of all threads: of one among several no line is told", () => {
  const lines = [timed("a", [3, 2, 90, 0, 90, 0])];
  const trees = [["", { a: { tottime: 80 } }], ["", { a: { tottime: 20 } }]];
  assert.equal(ofLine(["a"], trees, lines)[2], 3);
  assert.equal(ofLine(["a"], trees, lines, 0), null);
  assert.equal(ofLine(["a"], [["", { a: { tottime: 100 } }]], lines, 0)[2], 3);
});

test("one way that most of the time takes, where it is taken often", () => {
  const rest = { x: { tottime: 40 }, y: { tottime: 45 } };
  const outer = { main: { tottime: 1, cumtime: 100 }, step: { tottime: 14, cumtime: 60, ncalls: 10 } };
  assert.deepEqual(found({ ...outer, ...rest }), { "one way": "step" });
  assert.deepEqual(found({ ...outer, step: { tottime: 14, cumtime: 60, ncalls: 9 }, ...rest }), {});
  assert.deepEqual(found({ ...outer, step: { tottime: 14, cumtime: 50, ncalls: 10 }, ...rest }), {});
});

test("one way is told of the program's own code, where there is any", () => {
  const frame = { tottime: 1, cumtime: 60, ncalls: 10, file: "/lib/site-packages/frame.py" };
  const deeper = { ...frame, tottime: 13, cumtime: 55 };
  const step = { tottime: 1, cumtime: 70, ncalls: 10 };
  const rest = { x: { tottime: 45 }, y: { tottime: 40 } };
  assert.equal(found({ frame, step, deeper, ...rest })["one way"], "step");
  assert.equal(found({ step, frame, deeper, ...rest })["one way"], "step");
  assert.equal(found({ frame, deeper, ...rest, z: { tottime: 1 } })["one way"], "deeper");
});

test("what could save most comes first, and what is wrong with the figures before it", () => {
  const load = { tottime: 1e6, cumtime: 60e6, file: "<frozen importlib._bootstrap>" };
  const functions = { "<builtins.len>": { ncalls: 200_000, tottime: 20e6 }, _find_and_load: load, a: { tottime: 40e6 }, b: { tottime: 39e6 } };
  assert.deepEqual(Object.keys(found(functions)), ["imports", "tiny calls"]);
  assert.deepEqual(Object.keys(found(functions, { lost: 1 })), ["lost calls", "imports", "tiny calls"]);
  const waiting = { runs: [run(200, 40, 9)] };
  assert.deepEqual(Object.keys(found(functions, waiting)), ["waiting", "imports", "tiny calls"]);
});

test("whom a function hands on to", () => {
  const names = ["step", "render", "log", "execute", "tick"];
  const figures = { step: { ncalls: 10, tottime: 1, cumtime: 800 }, render: { tottime: 100 }, log: { tottime: 79 }, execute: { tottime: 600 }, tick: { tottime: 20 } };
  const tree = `
    step 10 1
      render 5 100
        execute 5 600
      log 3 79
      tick 2 20
    execute 1 0`;
  const told = (drawn) => {
    const some = profile(names, [thread("MainThread", drawn, names, { figures })], { facts: QUIET });
    return findings(some, "all").filter(({ name }) => name === "one way")[0].text.split("itself. ")[1];
  };
  assert.equal(told(tree), "It hands on: render takes 700 ns, and of all below, execute takes the most itself, 600 ns.");
  const even = tree.replace("log 3 79", "log 3 179");
  assert.equal(told(even), "It hands on: render takes 700 ns, log takes 179 ns, and of all below, execute takes the most itself, 600 ns.");
  assert.equal(told(tree.replace("render 5 100", "render 5 700")), "It hands on: render takes 1.30 µs.");
  assert.equal(told(""), "It hands on: what it calls takes the time.");
});

test("what only hands on is no way, or none to be quicker", () => {
  const ways = (kind, tottime) => {
    const file = kind === "own" ? "/src/app.py" : "/lib/site-packages/hooks.py";
    const names = ["call", "x", "y"];
    const figures = { call: { ncalls: 10, tottime, cumtime: 1000 }, x: { tottime: 800 }, y: { tottime: 700 } };
    const rows = names.map((name) => ({ name, file: name === "call" ? file : "/src/app.py" }));
    const some = profile(rows, [thread("MainThread", "", names, { figures })], { facts: QUIET });
    return findings(some, "all").filter(({ name }) => name === "one way").map(({ text }) => text);
  };
  const told = (tottime) => `1 µs in 10 calls of it and what it calls, ${tottime} ns of that in itself.`;
  const saves = "Fewer calls, or a quicker way, would save the most.";
  assert.deepEqual(ways("site", 9), []);
  assert.deepEqual(ways("site", 10), [`${told(10)} ${saves}`]);
  assert.deepEqual(ways("own", 9), [`${told(9)} It hands on: what it calls takes the time.`]);
  assert.deepEqual(ways("own", 10), [`${told(10)} ${saves}`]);
});

test("calls so short that tracing distorts them", () => {
  const other = { z: { tottime: 100e6 } };
  assert.deepEqual(found({ tiny: { ncalls: 100_001, tottime: 100_001 * 199 }, ...other })["tiny calls"], "tiny");
  assert.equal(found({ tiny: { ncalls: 100_001, tottime: 100_001 * 200 }, ...other })["tiny calls"], undefined);
  assert.equal(found({ tiny: { ncalls: 100_000, tottime: 100_000 * 10 }, ...other })["tiny calls"], undefined);
  const much = { z: { tottime: 99 * 100_001 * 100 } };
  assert.equal(found({ tiny: { ncalls: 100_001, tottime: 100_001 * 100 }, ...much })["tiny calls"], undefined); // 1%
});

test("a run that did not work for more than half of the time, where nothing says what was waited", () => {
  assert.deepEqual(found(even, { runs: [run(100, 40, 9)] }), { waiting: null });
  assert.deepEqual(found(even, { runs: [run(100, 41, 9)] }), {});
  assert.deepEqual(found(even, { runs: [run(49, 1, 0)] }), {});
  assert.deepEqual(found({ a: { tottime: 50e6, waited: 1 }, b: { tottime: 50e6 } }, { runs: [run(100, 40, 9)] }), {});
});

test("a run in which the system worked much", () => {
  assert.deepEqual(found(even, { runs: [run(100, 69, 31)], clocks: ["cpu"] }), {});
  assert.deepEqual(found(even, { runs: [run(100, 69, 31)] }), { "system time": null });
  assert.deepEqual(found(even, { runs: [run(100, 70, 30)] }), {});
});

test("imports that took long", () => {
  const load = { tottime: 1, cumtime: 31, file: "<frozen importlib._bootstrap>" };
  const rest = { a: { tottime: 50 }, b: { tottime: 49 } };
  assert.deepEqual(found({ _find_and_load: load, ...rest }), { imports: "_find_and_load" });
  assert.deepEqual(found({ _find_and_load: { ...load, cumtime: 30 }, ...rest }), {});
  assert.deepEqual(found({ _find_and_load: { ...load, file: "/src/own.py" }, ...rest }), {});
});

test("figures that are not whole", () => {
  assert.deepEqual(found(even, { lost: 1 }), { "lost calls": null });
  assert.deepEqual(found(even, { cutOff: [{ name: "worker", after: 5e6 }] }), { "cut off": null });
  assert.deepEqual(found(even, { tracing: { state: "out", taken: 100, kept: 11 } }), { compensation: null });
  assert.deepEqual(found(even, { tracing: { state: "out", taken: 100, kept: 10 } }), {});
});

test("no line is said to have most of the memory where those of libraries have a part of it", () => {
  const [own, library] = [{ path: "/p/one.py", kind: "own" }, { path: "/lib/two.py", kind: "library" }];
  const lines = { file: own.path, line: 1, name: "f", lines: [[3, 1, 0, 90, 10, 5], [4, 1, 0, 20, 20, 0]] };
  const some = (...memoryLines) => ({
    files: [own, library],
    memoryLines,
    rows: { line: [1], file: [0] },
    fileOf: () => own,
    nameOf: () => "f",
    kindOf: () => "own",
    moduleOf: () => "one",
  });
  assert.deepEqual(largestSpot(some(lines), 0), { words: "line 4 of f", place: { file: own.path, line: 4 } });
  assert.deepEqual(largestSpot(some(lines, { ...lines, file: library.path }), 0), { words: "one:1" });
});
