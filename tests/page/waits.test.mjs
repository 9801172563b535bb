// What was waited: its sums, its widths in the flame graph, its columns, and what the overview points
// out of it. tests/python/test_wait_findings.py has the same findings, in the words of the terminal.

import assert from "node:assert/strict";
import { test } from "node:test";

import { findings } from "../../python/tracer/page/findings.js";
import { folded } from "../../python/tracer/page/flame/hidden_frames.js";
import { callersOf, inverted } from "../../python/tracer/page/flame/inverted.js";
import { widthsOf } from "../../python/tracer/page/flame/layout.js";
import { layoutOfCalls } from "../../python/tracer/page/flame/merged_calls.js";
import { heaviestFirst, rearranged } from "../../python/tracer/page/flame/order.js";
import { merged } from "../../python/tracer/page/nodes.js";
import { columnsOf } from "../../python/tracer/page/table/columns.js";
import { areWaitsTold, waitedWithin } from "../../python/tracer/page/waits.js";
import { profile, thread } from "./packed.mjs";
import { plain, textOf, treeOf } from "./trees.mjs";

const MS = 1e6;
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
function drawn(rows, trees, { lines = [], figures = {} } = {}) {
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
  return profile(placed, all, { facts: QUIET, lines });
}

/** The findings of these rules: [title, text, what it saves in ms, the line it leads to]. */
const told = (some, rule, threads = "all") =>
  findings(some, threads)
    .filter(({ name }) => name === rule)
    .map(({ title, text, saves, row, place }) => [title, text, saves / MS, place?.line ?? some.rows.line[row]])[0] ?? null;

test("waits are told from a thousandth of the time on", () => {
  assert.equal(areWaitsTold({ total: 1000, totalWaited: 1 }), true);
  assert.equal(areWaitsTold({ total: 1001, totalWaited: 1 }), false);
  assert.equal(areWaitsTold({ total: 0, totalWaited: 0 }), false);
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

const FETCH = ["main", { name: "fetch", line: 4 }, "<lock.acquire>", "<sqlite3.Cursor.execute>", "<time.sleep>"];
const fetching = (name, wait, work = 100 * MS) => `main 1 ${work}\n  fetch 2 0\n    ${name} 2 ${wait * MS} w${wait * MS}`;

test("what was waited in C: by whom, in what, where", () => {
  const some = drawn(FETCH, { T: fetching("<lock.acquire>", 300) });
  const advice = "Whoever has the lock could release it sooner, or several locks could share its work.";
  assert.deepEqual(told(some, "waits in C"), ["fetch waits 300 ms in lock.acquire", `75.0% of the time, at app:4. ${advice}`, 300, 4]);
  const query = told(drawn(FETCH, { T: fetching("<sqlite3.Cursor.execute>", 300) }), "waits in C");
  assert.equal(query[0], "fetch waits 300 ms in sqlite3.Cursor.execute (I/O, a lock or the GIL)");
});

test("the line of a wait is told where lines were timed", () => {
  const lines = [{ file: "/src/app.py", line: 4, name: "fetch", lines: [[5, 2, 9, 0, 9, 0, 9], [6, 2, 300, 300, 0, 0, 299], [7, 2, 400, 1, 1, 0, null]] }];
  const found = told(drawn(FETCH, { T: fetching("<time.sleep>", 300) }, { lines }), "waits in C");
  assert.ok(found[1].startsWith("75.0% of the time, at line 6 of fetch. A sleep is as long"), found[1]);
  assert.equal(found[3], 6);
});

test("of the lines that wait, the one that names what was called is told", () => {
  const lines = [{ file: "/src/app.py", line: 4, name: "fetch", lines: [[5, 2, 300, 300, 0, 0, 300], [6, 2, 250, 250, 0, 0, 250]] }];
  const some = drawn(FETCH, { T: fetching("<time.sleep>", 250) }, { lines });
  const line = () => told(some, "waits in C")[3];
  assert.equal(line(), 5);
  some.sources = { "/src/app.py": { text: "\n\n\ndef fetch():\n  with LOCK:\n    time.sleep(1)\n", state: "same" } };
  assert.equal(line(), 6);
});

test("waits of several threads could be saved but once", () => {
  const tree = fetching("<lock.acquire>", 300);
  const [title, , saves] = told(drawn(FETCH, { a: tree, b: tree }), "waits in C");
  assert.deepEqual([title, saves], ["fetch waits 600 ms in lock.acquire, 2 threads", 300]);
});

test("short waits are no finding, nor are small shares", () => {
  const is = (wait, work) => told(drawn(FETCH, { T: fetching("<time.sleep>", wait, work * MS) }), "waits in C") !== null;
  assert.deepEqual([is(99, 100), is(100, 100)], [false, true]);
  assert.deepEqual([is(100, 400), is(100, 401)], [true, false]);
});

test("what waits in a queue, or for a thread, is idle", () => {
  const rows = (file, name) => ["main", { name, file }, "<lock.acquire>"];
  const tree = (name) => ({ T: `main 1 ${100 * MS}\n  ${name} 1 0\n    <lock.acquire> 1 ${700 * MS} w${700 * MS}` });
  assert.equal(told(drawn(rows("/lib/queue.py", "Queue.get"), tree("Queue.get")), "waits in C"), null);
  assert.equal(told(drawn(rows("/lib/threading.py", "Thread.join"), tree("Thread.join")), "waits in C"), null);
  assert.equal(told(drawn(rows("/lib/selectors.py", "Some.select"), tree("Some.select")), "waits in C"), null);
  assert.notEqual(told(drawn(rows("/lib/other.py", "Queue.get"), tree("Queue.get")), "waits in C"), null);
});

const spinning = (work, wait) => `help 1 ${(work + wait) * MS} w${wait * MS}`;

test("what threads wait in Python code is for the GIL where another thread is busy", () => {
  const rows = [{ name: "help", line: 4 }];
  const some = drawn(rows, { a: spinning(300, 300), b: spinning(300, 300) });
  const gil = "Only one thread at a time runs Python code: the one that has the GIL. Processes do not share it, and C code may release it.";
  assert.deepEqual(told(some, "waits in Python"), [
    "2 threads wait 600 ms for the GIL or a processor",
    `50.0% of the time, most in help, at app:4: 600 ms. ${gil}`,
    300,
    4,
  ]);
  assert.equal(told(some, "waits in Python", 1)[0], "help waits 300 ms for the GIL or a processor");
  const rested = told(drawn(rows, { a: spinning(50, 300), b: spinning(50, 300) }), "waits in Python");
  assert.equal(rested[0], "2 threads wait 600 ms for a lock, the GIL or a processor");
  assert.ok(rested[1].includes("for the lock of a `with`"));
  assert.equal(told(drawn(rows, { a: spinning(100, 900) }), "waits in Python"), null);
});

const RUN = { name: "Handle._run", file: "/lib/site-packages/asyncio.events.py" };
const LOOP = [RUN, { name: "answer", line: 5 }, { name: "parse", line: 2 }, { name: "loads", file: "/lib/site-packages/json.py" }];
const steps = (figures) =>
  drawn(LOOP, { T: "Handle._run 9 1\n  answer 9 1\n    parse 9 1\n      loads 9 1" }, { figures });
const longest = (ms, at) => ({ longest: ms * MS, longest_at: at * MS });

test("the longest step of an event loop is told by what took it", () => {
  const step = { "Handle._run": longest(279, 500), answer: longest(278, 500.5) };
  const rest = "500 ms into the run. Meanwhile no other coroutine went on. Await in between, or let a thread do it: asyncio.to_thread().";
  const found = (more) => told(steps({ ...step, ...more }), "longest step");
  assert.deepEqual(found({ parse: longest(271, 504) }), ["The event loop did not turn for 279 ms: parse", `app:2, ${rest}`, 279, 2]);
  assert.deepEqual(found({ parse: longest(271, 504), loads: longest(270, 504) }).slice(0, 2), [
    "The event loop did not turn for 279 ms: parse",
    `app:2, in loads, ${rest}`,
  ]);
  assert.equal(found({ parse: longest(223, 504) })[0], "The event loop did not turn for 279 ms: answer", "it took less than 80%");
  assert.equal(found({ parse: longest(271, 4) })[0], "The event loop did not turn for 279 ms: answer", "it was at another time");
  assert.equal(found({ parse: longest(278, 502) })[0], "The event loop did not turn for 279 ms: answer", "it ended later");
});

test("a short step is no finding, and one of which no own code is known has its time", () => {
  assert.notEqual(told(steps({ "Handle._run": longest(100, 0) }), "longest step"), null);
  assert.equal(told(steps({ "Handle._run": longest(99, 0) }), "longest step"), null);
  const [title, text] = told(steps({ "Handle._run": longest(150, 20) }), "longest step");
  assert.equal(title, "The event loop did not turn for 150 ms");
  assert.ok(text.startsWith("It began 20 ms into the run."));
  assert.equal(told(drawn(["main"], { T: "main 1 100" }), "longest step"), null);
});

const LOCK = { name: "Lock.acquire", file: "/lib/site-packages/asyncio.locks.py" };
const FUTURE = { name: "Future.__await__", file: "/lib/site-packages/asyncio.futures.py" };
const crawled = (suspended, { lock = LOCK, below = 0, lines = [], idle = 900 } = {}) =>
  drawn([{ name: "crawl", line: 2 }, { name: "visit", line: 9 }, lock, FUTURE], {
    T: `crawl 4 ${1000 * MS} w${idle * MS}\n  ${lock.name} 4 1\n    Future.__await__ 4 1\nvisit 1 1\n  ${lock.name} 1 1`,
  }, { lines, figures: { [lock.name]: { suspended: suspended * MS }, "Future.__await__": { suspended: below * MS }, crawl: { suspended: 9e12 } } });

test("what coroutines awaited longest: at what, and by whom", () => {
  const lines = [{ file: "/src/app.py", line: 2, name: "crawl", lines: [[3, 4, 9, 9, 9, 7, null], [4, 4, 9, 9, 9, 8, null]] }];
  const advice = "One at a time has it: await less while it is held, or use several locks.";
  assert.deepEqual(told(crawled(2030), "suspended"), [
    "2.03 s suspended at the lock, awaited by crawl and 1 other",
    `At app:2, 5 times, added up over all tasks. ${advice}`,
    900,
    2,
  ]);
  assert.equal(told(crawled(2030, { lines }), "suspended")[3], 4);
  assert.notEqual(told(crawled(501), "suspended"), null);
  assert.equal(told(crawled(500), "suspended"), null);
});

test("what is suspended while the event loop works is no finding", () => {
  assert.equal(told(crawled(2030, { idle: 201 }), "suspended")[2], 201);
  assert.equal(told(crawled(2030, { idle: 200 }), "suspended"), null, "the run is a little longer than a second");
});

test("what awaits something longer is not told, nor what has nothing to do", () => {
  assert.notEqual(told(crawled(2000, { below: 999 }), "suspended"), null);
  assert.ok(told(crawled(2000, { below: 1000 }), "suspended")[0].includes("in Future.__await__"));
  assert.equal(told(crawled(2000, { lock: { name: "Event.wait", file: LOCK.file } }), "suspended"), null);
});
