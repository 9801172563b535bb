// What the whole timeline is, in a few words; and what was picked of it as text, for the address.

import { count, counted, time } from "../ui/format.js";
import { momentText } from "./camera.js";

/**
 * @typedef {import("./tracks.js").Item} Item
 * @typedef {import("./track_list.js").TrackList} TrackList
 */

/** @param {import("./model.js").Timeline} timeline */
export function summaryOf(timeline) {
  const least = Math.max(...timeline.processes.map((process) => process.least));
  const lost = timeline.processes.reduce((sum, process) => sum + process.lost, 0);
  const notes = [`${time(timeline.end - timeline.begin)}, ${counted(timeline.count, "slice")}`];
  if (least > 0) {
    notes.push(`of ${time(least)} and longer`);
  }
  if (lost > 0) {
    notes.push(`${count(lost)} lost`);
  }
  const since = Math.max(...timeline.processes.filter(({ packed }) => packed.ring).map((process) => process.since));
  if (since > timeline.begin) {
    notes.push(`slices from ${momentText(since, 1e6)} on`);
  }
  for (const [name, dropped] of timeline.processes.flatMap(({ packed }) => Object.entries(packed.dropped))) {
    if (dropped > 0) {
      notes.push(`no room for ${count(dropped)} ${name}`);
    }
  }
  if (!timeline.aligned) {
    notes.push("processes of different times, each from its own start");
  }
  return notes.join(", ");
}

/**
 * A thing as text, by which a link finds it again.
 * @param {Item} item
 */
export const textOf = ({ track, row, start, end }) => [track.id, row, start, end].join("~");

/**
 * @param {TrackList} list
 * @param {string | undefined} text
 * @returns {Item | null}
 */
export function itemOf(list, text) {
  const [id, row, start, end] = (text ?? "").split("~");
  const track = list.byId.get(id);
  if (track === undefined) {
    return null;
  }
  const middle = (Number(start) + Number(end)) / 2;
  return track.at(middle, 0.5, track.boxOf(Number(row), false).top + 0.5, false);
}
