// Prints what the page's script works out of a profile, for the test that compares it with Python: figures, tree,
// edges and waits of each thread and of all, those of the stretch of the timeline that is the whole run, and whose the
// memory is that is live at the end.
// node sums.mjs FILE

import { readFileSync } from "node:fs";

import { unpackText } from "../../python/tracer/page/container.js";
import { hasMemory, memoryOf } from "../../python/tracer/page/memory/model.js";
import { NO_ROW } from "../../python/tracer/page/nodes.js";
import { Profile } from "../../python/tracer/page/profile.js";
import { Excerpt } from "../../python/tracer/page/timeline/excerpt.js";
import { timelineOf } from "../../python/tracer/page/timeline/model.js";

const container = await unpackText(readFileSync(process.argv[2]).toString("base64"));

/** The sums of a profile, by thread and of "all". */
function sumsOf(profile) {
  return ["all", ...profile.threads.keys()].map((threads) => {
    const { columns, present } = profile.figures(threads);
    const { depth, row, calls, resumes, self, waited } = profile.tree(threads);
    const edges = profile.edges(threads);
    const rows = [...present.keys()];
    const callers = rows.flatMap((callee) => edges.callers(callee).map(({ row: caller, ...edge }) => ({ caller, callee, ...edge })));
    const callees = rows.flatMap((caller) => edges.callees(caller).map(({ row: callee, ...edge }) => ({ caller, callee, ...edge })));
    return {
      threads,
      figures: Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, [...column]])),
      present: [...present],
      tree: { depth: [...depth], row: [...row], calls: [...calls], resumes: [...resumes], time: [...self], waited: [...waited] },
      callers,
      calleesAgree: same(callees, callers.filter(({ caller }) => caller !== NO_ROW)),
      waitedWithin: [...profile.waitedWithin(threads)],
    };
  });
}

/** Whether two lists of edges have the same edges, in any order. */
function same(some, others) {
  const texts = (edges) => edges.map((edge) => JSON.stringify(edge)).sort().join();
  return texts(some) === texts(others);
}

const profile = new Profile(container, container.header.profiles[0]);
const { lines } = timelineOf(profile);
const to = Math.max(...lines.map(({ ended }) => ended)) + 1;
const sums = {
  whole: sumsOf(profile),
  stretch: sumsOf(new Excerpt(profile, { from: 0, to })),
  held: hasMemory(profile) ? [...memoryOf(profile).heldBy("live", "all")] : [],
};
process.stdout.write(JSON.stringify(sums));
