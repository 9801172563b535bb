// What the program says of its live objects, while somebody looks: the censuses of each type over time, and why some
// objects are alive.

/**
 * @typedef {import("../app.js").App} App
 * @typedef {"size" | "count"} Measure
 * @typedef {{name: string, counts: number[], sizes: number[]}} Kind   a type; a number for each census
 * @typedef {{at: number[], types: number, count: number, size: number, kinds: Kind[], wait: number, running: boolean}} Told
 *   `at`, `wait`: seconds, since the first census and until the next one. `types`: how many were found, of which `kinds`
 *   has the first. `count`, `size`: of all objects
 * @typedef {{address: string, text: string | number | null, expression: string | null, start?: string, steps?: [text: string, kind: string][]}} Alive
 *   `text`: as Python writes the object, or the length of a container. `expression`: of the path, null: there is none
 * @typedef {{function: string, file: string, first: number, line: number}} Place   `first`: the line of the function;
 *   `line`: that of the allocation, 0 where lines are not recorded
 * @typedef {{places: {count: number, size: number, place: Place | null}[], others: number}} Origins   where all objects of
 *   the type were allocated: the places with the most bytes, and how many others there are; null: not known
 * @typedef {{objects: Alive[] | null, origins: Origins | null, asked: boolean, wait: number, open: Set<string>}} Found
 *   objects null: not there yet, or, if not asked any more, no answer. origins null: no memory is recorded. `wait`: seconds
 *   after which the program looks again, and the page asks again; 0 else. `open`: addresses of objects whose path is
 *   unfolded
 * @typedef {{objects: Alive[] | null, origins?: Origins | null, wait?: number}} AliveTold   the answer of the viewer
 */

const NOTHING = 204; // the status of an answer without content: the program gives none
const SHORTEST = 1000; // ms between two requests
const LONGEST = 5000; // ms, while the next census is far away
const AFTER_FAILURE = 2000; // ms
const SHORT = 200; // ms between two looks whether the page may ask again

export class ObjectsModel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Told | null} */
    this.told = null;
    /** @type {Measure} */
    this.measure = "size";
    this.search = "";
    /** @type {Map<string, Found>} by the name of the type */
    this.found = new Map();
    this.changed = () => {};
    this.round = 0; // of asking, which a newer one ends
  }

  /**
   * Asks for censuses until stop(), and calls `changed` after each change.
   * @param {() => void} changed
   */
  async follow(changed) {
    const round = ++this.round;
    this.changed = changed;
    let wait = 0;
    do {
      await passed(wait);
      while (round === this.round && this.#mayNotAsk()) {
        await passed(SHORT);
      }
      if (round === this.round) {
        wait = await this.#ask(round);
      }
    } while (round === this.round && this.told?.running !== false);
  }

  stop() {
    this.round++;
    this.changed = () => {};
  }

  #mayNotAsk() {
    const { follower } = this.app;
    return document.hidden || follower?.paused === true || follower?.held === true;
  }

  /**
   * @param {number} round
   * @returns {Promise<number>} ms until it may ask again
   */
  async #ask(round) {
    try {
      const response = await fetch(`objects/${this.measure}/${encodeURIComponent(this.search)}`);
      const told = /** @type {Told} */ (await response.json());
      while (round === this.round && this.app.follower?.held === true) {
        await passed(SHORT); // a click is half done: its element must stay
      }
      if (round === this.round) {
        this.told = told;
        this.changed();
      }
      return Math.min(LONGEST, Math.max(SHORTEST, 1000 * told.wait));
    } catch {
      return AFTER_FAILURE; // live.js says so when the program cannot be reached
    }
  }

  /** Forgets all censuses but the last. */
  async beginAnew() {
    await fetch("objects/anew", { method: "POST" }).catch(() => null);
    void this.follow(this.changed);
  }

  /**
   * Finds objects of a type, and why they are alive.
   * @param {string} name
   */
  async find(name) {
    const before = this.found.get(name);
    if (before?.asked) {
      return;
    }
    const open = before?.open ?? new Set();
    /** @type {AliveTold | null} */
    let answer;
    let wait = 0;
    do {
      const known = { objects: before?.objects ?? null, origins: before?.origins ?? null };
      this.found.set(name, { ...known, asked: true, wait, open });
      this.changed();
      await passed(1000 * wait);
      answer = this.#isWanted(name) ? await this.#alive(name) : null;
      wait = answer?.wait ?? 0;
    } while (wait > 0);
    const found = { objects: answer?.objects ?? null, origins: answer?.origins ?? null };
    this.found.set(name, { ...found, asked: false, wait, open });
    this.changed();
  }

  /**
   * Whether the row of a type is open: nobody waits for an answer about another one.
   * @param {string} name
   */
  #isWanted(name) {
    return this.app.state.type === name;
  }

  /**
   * @param {string} name
   * @returns {Promise<AliveTold | null>}
   */
  async #alive(name) {
    try {
      const response = await fetch(`alive/${encodeURIComponent(name)}`);
      return response.status === NOTHING ? null : await response.json();
    } catch {
      return null; // the program has ended, or the name is none that can be asked for
    }
  }
}

/** @param {number} milliseconds */
const passed = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @type {WeakMap<App, ObjectsModel>} */
const made = new WeakMap();

/** @param {App} app */
export function objectsOf(app) {
  let model = made.get(app);
  if (model === undefined) {
    model = new ObjectsModel(app);
    made.set(app, model);
  }
  return model;
}
