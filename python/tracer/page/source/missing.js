// What stands where the page has no source of a file. The page of a program that runs asks for the source first.

import { madeOnce } from "../made_once.js";
import { encoded } from "../ui/encoded.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../container.js").SourceText} SourceText
 * @typedef {SourceText | "asked" | "none" | "lost"} Asked   "none": there is nothing to read; "lost": nobody answered
 */

const LATER = 200; // ms between two looks whether the view may change

/** @type {WeakMap<App, Map<string, Asked>>} by the path of the file */
const asked = new WeakMap();

/**
 * Has the profile of a program that runs hold the source of a file, and asks for that if need be: the view is updated when
 * it is there. Returns what is known of a source that the profile does not hold.
 * @param {App} app
 * @param {string} path  "": no file
 */
export function complete(app, path) {
  const { sources } = app.whole;
  if (path === "" || !app.live?.sources || Object.hasOwn(sources, path)) {
    return "";
  }
  const known = madeOnce(asked, app, () => new Map());
  if (!known.has(path)) {
    known.set(path, "asked");
    void ask(app, path).then((answer) => {
      known.set(path, answer);
      app.set({});
    });
  }
  const answer = known.get(path);
  if (typeof answer === "string") {
    return answer;
  }
  sources[path] = answer;
  return "";
}

/**
 * @param {App} app
 * @param {string} path
 * @returns {Promise<Asked>}
 */
async function ask(app, path) {
  /** @type {Asked} */
  let answer = "lost";
  try {
    const response = await fetch(`source/${encoded(path)}`);
    answer = (response.ok && (await response.json()).source) || "none";
  } catch {
    // the program has ended, and its server, too
  }
  while (app.follower?.held === true) {
    await new Promise((resolve) => setTimeout(resolve, LATER)); // a click is half done: its element must stay
  }
  return answer;
}

/**
 * A title, and why the page shows no line of a file.
 * @param {App} app
 * @param {string} path
 * @param {string} known  what complete() returned
 * @returns {[title: string, why: string]}
 */
export function whyNone({ live, whole }, path, known) {
  if (known === "asked") {
    return ["Reading the source …", "tracer reads the file."];
  }
  return ["No source", why()];

  function why() {
    if (Object.hasOwn(whole.sources, path)) {
      return "The file is empty.";
    }
    if (known === "none") {
      return "tracer finds no text of Python in that place that can be read, or the file has more than 2 MB.";
    }
    if (known === "lost") {
      return "Nobody answered: the program has ended, or cannot be reached.";
    }
    return live === null
      ? "Sources of the program's own files are stored when it is run, unless --no-source is given; those of libraries are shown when the page is made with --sources."
      : "The program runs with --no-source, so that this page shows no source.";
  }
}
