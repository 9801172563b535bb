// Profiles for tests, as container.js would give them, except that a column is the list of its numbers.

import { Profile } from "../../python/tracer/page/profile.js";

/** Figures of functions. Of "highest" the largest counts; tracer itself has no such figure yet. */
export const KINDS = [
  ...["ncalls", "primitive", "resumes"].map((name) => ({ name, about: `${name}.`, time: false, merge: "sum" })),
  ...["tottime", "cumtime", "suspended", "waited"].map((name) => ({ name, about: `${name}.`, time: true, merge: "sum" })),
  { name: "highest", about: "The highest.", time: true, merge: "max" },
  { name: "longest", about: "The longest.", time: true, merge: "max" },
  { name: "longest_at", about: "When.", time: true, merge: "with" },
];

/** A container whose blocks are the numbers themselves. */
const PLAIN = {
  header: { figures: KINDS, limits: { waitedPart: 0.001, waitedTime: 0, idle: 1e6, mostlyLive: 0.5, outside: 0.02 } },
  bytes: (numbers) => Uint8Array.from(numbers),
  integers: (numbers) => Uint32Array.from(numbers),
  floats: (numbers) => Float64Array.from(numbers),
};

const EDGES = ["caller", "callee", "calls", "primitive", "resumes", "time", "cumtime"];
const NODES = ["depth", "row", "calls", "resumes", "time", "waited"];

const numbers = (texts) => Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]));

/** A list of objects as columns. */
const columns = (names, list) =>
  Object.fromEntries(names.map((name) => [name, list.map((item) => item[name] ?? 0)]));

/**
 * A thread from a drawing of its tree: a node a line, indented by its depth, as
 * "name calls own [resumes] [w waited]"; the root is added.
 */
export function thread(name, drawing, names, { figures = {}, edges = [] } = {}) {
  const lines = drawing.split("\n").filter((line) => line.trim() !== "");
  const margin = Math.min(...lines.map((line) => line.search(/\S/)));
  const nodes = lines.map((line) => {
    const [, label, calls, time, resumes = 0, waited = 0] = /^(.*?) (\d+) (\d+)(?: (\d+))?(?: w(\d+))?$/.exec(line.trim());
    const depth = (line.search(/\S/) - margin) / 2 + 1;
    return { depth, row: names.indexOf(label), ...numbers({ calls, time, resumes, waited }) };
  });
  const root = { depth: 0, row: 0xffffffff, calls: 0, resumes: 0, time: 0 };
  const listed = Object.entries(figures).map(([label, given]) => ({ row: names.indexOf(label), ...given }));
  return {
    name,
    ident: 1,
    native_id: 1,
    idle: 0,
    nodes: columns(NODES, [root, ...nodes]),
    edges: columns(EDGES, edges),
    figures: columns(["row", ...KINDS.map(({ name }) => name)], listed),
  };
}

/** A Profile of functions, each "name" or {name, file, line}, and threads. */
export function profile(functions, threads, more = {}) {
  const rows = functions.map((row) => (typeof row === "string" ? { name: row } : row));
  const files = [...new Set(rows.map(({ file = "/src/app.py" }) => file))];
  return new Profile(PLAIN, {
    name: "",
    facts: {},
    rule: null,
    files: files.map((path) => ({
      path,
      module: path === "~" ? "" : path.replace(/^.*\//, "").replace(/\.py$/, ""),
      package: "app",
      kind: path === "~" ? "builtin" : path.includes("site-packages") ? "site" : "own",
    })),
    rows: {
      file: rows.map(({ file = "/src/app.py" }) => files.indexOf(file)),
      line: rows.map(({ line = 1 }) => line),
      name: rows.map(({ name }) => name),
    },
    flags: rows.map(({ name, file = "/src/app.py" }) => (file !== "/src/app.py" ? 0 : name === "<module>" ? 1 : 3)), // own, and holds
    threads,
    lines: [],
    sources: {},
    findings: {},
    ...more,
  });
}

/** What the data says that two profiles have in common: here, the functions of equal labels, the first with the first. */
export function common(before, after, { noise = 0, waited = "" } = {}) {
  const numbers = new Map();
  const [one, other] = [before, after].map((profile) => {
    const often = new Map();
    return profile.rows.name.map((_, row) => {
      const label = profile.label(row);
      often.set(label, (often.get(label) ?? 0) + 1);
      const key = `${label}\n${often.get(label)}`;
      numbers.set(key, numbers.get(key) ?? numbers.size);
      return numbers.get(key);
    });
  });
  return { before: one, after: other, noise, waited };
}
