// The source of a native function, with the CPU time of its lines by samples, where the profile has it.

import { codeLine, lineHeads, measureColumns } from "../source/lines.js";
import { h } from "../ui/dom.js";
import { exactTime, share, time } from "../ui/format.js";
import { nativeOf } from "../native_profile.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../container.js").PackedCode} PackedCode
 * @typedef {import("../native_profile.js").NativeProfile} NativeProfile
 * @typedef {{profile: NativeProfile, row: number, pieces: PackedCode[]}} Code   pieces: of its files
 */

/** @type {import("../source/lines.js").Column[]} */
const COLUMNS = [
  { title: "Own CPU", about: "CPU time while the line itself ran, by samples", width: 92, cell: () => ["", ""] },
  { title: "Cum CPU", about: "With all that it called, and with what the compiler put in line there, whose lines have the same time once more", width: 92, cell: () => ["", ""] },
];

/**
 * The code of the native function that is looked at, or null.
 * @param {App} app
 * @returns {Code | null}
 */
export function codeOf({ whole, state }) {
  const profile = state.seen === "cpu" ? nativeOf(whole) : null;
  const row = profile?.rowOf(state.row) ?? -1;
  const pieces = profile?.codeOf(row) ?? [];
  return profile === null || pieces.length === 0 ? null : { profile, row, pieces };
}

/**
 * What the function took.
 * @param {Code} code
 */
export function sumOf({ profile, row }) {
  const { tottime, cumtime, total } = profile.figures("all");
  return `${profile.label(row)} · own CPU ${time(tottime[row])}, ${share(tottime[row], total) || "0%"} · cum CPU ${time(cumtime[row])}`;
}

/**
 * By which CPU time lines are warm: their own, or, where none has any, with all that they called.
 * @param {Pick<PackedCode, "cpu">[]} pieces
 * @returns {(line: number[]) => number}
 */
function warmthOf(pieces) {
  const hasOwn = pieces.some(({ cpu }) => cpu.some(([, own]) => own > 0));
  return ([, own, all]) => (hasOwn ? own : all);
}

/**
 * The warmest line, at the first of its files.
 * @param {Code} code
 */
export function warmestLine({ pieces: [{ cpu }] }) {
  const warmth = warmthOf([{ cpu }]);
  return cpu.reduce((best, line) => (warmth(line) > warmth(best) ? line : best), [0, 0, 0])[0];
}

/**
 * The lines, with the heads of their columns, in an element of the class "code".
 * @param {HTMLElement} element
 * @param {Code} code
 */
export function codeLines(element, { profile, pieces }) {
  measureColumns(element, COLUMNS);
  const { total } = profile.figures("all");
  const warmth = warmthOf(pieces);
  const most = Math.max(...pieces.flatMap(({ cpu }) => cpu.map(warmth)), 1);
  return [
    lineHeads(COLUMNS),
    ...pieces.flatMap((piece) => {
      const known = new Map(piece.cpu.map((it) => [it[0], it]));
      const lines = piece.texts.map((text, at) => {
        const cpu = known.get(piece.first + at) ?? [0, 0, 0];
        return lineOf(piece.first + at, text, cpu.slice(1), warmth(cpu) / most, total);
      });
      const note = piece.isEdited ? ": edited since it was compiled" : "";
      return [h("div", { class: "native-file", role: "row" }, h("span", { role: "gridcell" }, `${piece.file}${note}`)), h("div", { role: "rowgroup" }, ...lines)];
    }),
  ];
}

/**
 * @param {number} number
 * @param {string} text
 * @param {number[]} cpu  own and cumulative, in nanoseconds
 * @param {number} heat  from 0 to 1
 * @param {number} total
 */
function lineOf(number, text, cpu, heat, total) {
  const figures = cpu.map((amount) =>
    h("span", { class: "figure", role: "gridcell", "data-tip": amount > 0 ? `${exactTime(amount)}, by samples\n${share(amount, total)} of all CPU time` : null }, amount > 0 ? time(amount) : ""),
  );
  return codeLine(number, figures, [text || "\u200b"], Math.sqrt(heat));
}
