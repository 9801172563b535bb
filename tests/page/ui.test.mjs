// How numbers read, what axes name, what a spreadsheet gets, how a table is sorted.

import assert from "node:assert/strict";
import { test } from "node:test";

import { timesOf } from "../../python/tracer/page/profile.js";
import { columnsOf } from "../../python/tracer/page/table/columns.js";
import { filtered, ranksOf, sort, sortingAfterClick, sortingsOf } from "../../python/tracer/page/table/order.js";
import { ticksOf } from "../../python/tracer/page/ui/canvas.js";
import { encoded } from "../../python/tracer/page/ui/encoded.js";
import { csv, tabbed } from "../../python/tracer/page/ui/files.js";
import { count, exactTime, memory, seconds, share, shortCount, time } from "../../python/tracer/page/ui/format.js";
import { parse, patched } from "../../python/tracer/page/ui/state.js";
import { profile, thread } from "./packed.mjs";

test("times have three digits and a unit", () => {
  const cases = {
    0: "0",
    1: "1 ns",
    999: "999 ns",
    1000: "1 µs",
    1234: "1.23 µs",
    12340: "12.3 µs",
    999400: "999 µs",
    999600: "1.00 ms",
    1250000: "1.25 ms",
    99960000: "100 ms",
    1500000000: "1.50 s",
    59000000000: "59 s",
    599000000000: "599 s",
    754000000000: "12 min 34 s",
    7380000000000: "2 h 3 min",
    "-1250000": "−1.25 ms",
  };
  for (const [ns, text] of Object.entries(cases)) {
    assert.equal(time(Number(ns)), text);
  }
  assert.equal(time(67.93), "67.9 ns");
});

test("an address names a view by its word alone, too", () => {
  assert.deepEqual(parse("#flame"), { view: "flame" });
  assert.deepEqual(parse("#view=flame&thread=0"), { view: "flame", thread: "0" });
  assert.deepEqual(parse("#search="), { search: "" });
  assert.deepEqual(parse(""), {});
});

test("exact figures have all digits", () => {
  assert.equal(exactTime(999), "999 ns");
  assert.equal(exactTime(1234567), "1,234,567 ns = 0.001234567 s");
  assert.equal(seconds(12000000034), "12.000000034");
  assert.equal(seconds(-5), "-0.000000005");
  assert.equal(count(1234567), "1,234,567");
});

test("counts, shares and sizes", () => {
  assert.deepEqual([99999, 123456, 1234567, 5e9].map(shortCount), ["99,999", "123k", "1.23M", "5G"]);
  assert.deepEqual([[1, 3], [0, 5], [1, 1e6], [1, 1], [1, 0]].map(([a, b]) => share(a, b)), ["33.3%", "0.0%", "<0.1%", "100%", ""]);
  assert.equal(memory(14.4 * 2 ** 20), "14.4 MiB");
  assert.equal(memory(3 * 2 ** 30), "3 GiB");
});

test("what leaves the page is data for a spreadsheet, not formulas", () => {
  const rows = [["=1+1", 'say "hi", you', -5], ["@x", "a\nb", 0.5], ["plain", "-1", 2]];
  assert.equal(csv(rows), `'=1+1,"say ""hi"", you",-5\r\n'@x,"a\nb",0.5\r\nplain,'-1,2\r\n`);
  assert.equal(tabbed(rows), `'=1+1\tsay "hi", you\t-5\n'@x\ta b\t0.5\nplain\t'-1\t2\n`);
});

test("a click sorts, a second click turns around, one with Shift adds", () => {
  assert.deepEqual(sortingsOf(undefined), [{ key: "tottime", down: true }]);
  assert.equal(sortingAfterClick(undefined, "ncalls", false), "-ncalls");
  assert.equal(sortingAfterClick("-ncalls", "ncalls", false), "ncalls");
  assert.equal(sortingAfterClick("-ncalls", "name", true), "-ncalls,name");
  assert.equal(sortingAfterClick("-ncalls,name", "ncalls", true), "ncalls,name");
  assert.equal(sortingAfterClick("-ncalls,name", "cumtime", false), "-cumtime");
});

const NAMES = ["d", "a", "c", "b"];
const figures = { d: { ncalls: 2, tottime: 1 }, a: { ncalls: 1, tottime: 1 }, c: { ncalls: 2, tottime: 5 } };

test("rows are sorted by several columns, and only what was seen is a row", () => {
  const some = profile(NAMES, [thread("MainThread", "d 1 1", NAMES, { figures })]);
  const of = some.figures("all");
  const values = (key) => (key === "name" ? ranksOf(NAMES.map((_, row) => some.label(row))) : (of[key] ?? null));
  const order = (text, state = {}) =>
    [...sort(filtered(some, "all", state), sortingsOf(text), values)].map((row) => NAMES[row]).join("");
  assert.equal(order("name"), "acd");
  assert.equal(order("-name"), "dca");
  assert.equal(order("-ncalls,tottime"), "dca");
  assert.equal(order("-ncalls,-tottime"), "cda");
  assert.equal(order("unknown"), "dac");
  assert.equal(order("name", { search: "/^[cb]$/" }), "c");
  assert.equal(order("name", { kinds: "own,site" }), "acd");
  assert.equal(order("name", { kinds: "site" }), "");
  assert.equal(order("name", { module: "app" }), "acd");
  assert.equal(order("name", { module: "other" }), "");
});

test("modules are in the order of their time", () => {
  const rows = ["a", { name: "b", file: "/src/other.py" }, { name: "c", file: "/src/idle.py" }, { name: "<len>", file: "~" }, "d"];
  const names = ["a", "b", "c", "<len>", "d"];
  const figures = { a: { tottime: 3 }, b: { tottime: 5 }, c: {}, "<len>": { tottime: 9 }, d: { tottime: 4 } };
  const some = profile(rows, [thread("", "", names, { figures })]);
  assert.deepEqual(timesOf(some, (row) => some.moduleOf(row)), [["app", 7], ["other", 5], ["idle", 0]]);
});

test("the table has a column for each figure, and times for each call", () => {
  const titles = (some) => columnsOf(some.kinds, some.figures("all")).map(({ key, bar }) => (bar ? `${key}!` : key));
  const plain = profile(NAMES, [thread("MainThread", "d 1 1", NAMES, { figures })]);
  const always = ["ncalls", "primitive", "tottime!", "tottimePer", "cumtime!", "cumtimePer"];
  assert.deepEqual(titles(plain).toSorted(), always.toSorted());
  const nothing = profile(NAMES, [thread("MainThread", "d 1 1", NAMES, { figures: {} })]);
  assert.deepEqual(titles(nothing).toSorted(), always.toSorted());
  const generator = { d: { ncalls: 2, tottime: 3000, resumes: 1, suspended: 7, highest: 5 } };
  const resumed = profile(NAMES, [thread("MainThread", "d 1 1", NAMES, { figures: generator })]);
  assert.deepEqual(titles(resumed).toSorted(), [...always, "resumes", "suspended", "highest"].toSorted());
  const columns = Object.fromEntries(columnsOf(resumed.kinds, resumed.figures("all")).map((column) => [column.key, column]));
  assert.equal(columns.tottimePer.values[0], 1500);
  assert.equal(columns.ncalls.text(2), "2");
  assert.equal(columns.highest.about, "The highest.");
  assert.equal(columns.highest.exact(5), columns.tottime.exact(5));
});

test("a patch of the state takes away what is empty", () => {
  assert.deepEqual(patched({ a: "1", b: "2" }, { a: null, b: "", c: "3" }), { c: "3" });
});

test("a text is a part of an address, also one that is no UTF-8", () => {
  const cases = {
    "a b/c": "a%20b%2Fc",
    "caf\xe9": "caf%C3%A9",
    "caf\udce9.py": "caf%ED%B3%A9.py",
    "\ud800": "%ED%A0%80",
    "\u{1f600}": "%F0%9F%98%80",
    "\ude00\ud83d": "%ED%B8%80%ED%A0%BD",
    "": "",
  };
  for (const [text, part] of Object.entries(cases)) {
    assert.equal(encoded(text), part);
  }
});

test("axes have round values", () => {
  assert.deepEqual(ticksOf(44 * 2 ** 20, 3, 2), [0, 2 ** 24, 2 ** 25]);
  assert.deepEqual(ticksOf(100, 4, 10), [0, 50, 100]);
  assert.deepEqual(ticksOf(53e6, 5, 10), [0, 20e6, 40e6]);
  assert.deepEqual(ticksOf(50e6, 5, 10), [0, 10e6, 20e6, 30e6, 40e6, 50e6]);
  assert.deepEqual(ticksOf(0, 5, 10), [0]);
  assert.deepEqual(ticksOf(1, 5, 2), [0, 0.25, 0.5, 0.75, 1]);
});
