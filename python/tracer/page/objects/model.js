// What the program says of its live objects, while somebody looks: the censuses of each type over time, and why some
// objects are alive.

import { madeOnce } from "../made_once.js";
import { encoded } from "../ui/encoded.js";

/**
 * @typedef {import("../app.js").App} App
 * @typedef {"size" | "count"} Measure
 * @typedef {{name: string, counts: number[], sizes: number[]}} Kind   a type; a number for each census
 * @typedef {{at: number[], types: number, count: number, size: number, kinds: Kind[], wait: number, running: boolean}} Census
 *   `at`, `wait`: seconds, since the first census and until the next one. `types`: how many were found, of which `kinds`
 *   has the first. `count`, `size`: of all objects
 * @typedef {{address: string, text: string | number | null, expression: string | null, start?: string, steps?: [text: string, kind: string][]}} Alive
 *   `text`: as Python writes the object, or the length of a container. `expression`: of the path, null: there is none
 * @typedef {{function: string, file: string, first: number, line: number}} Place   `first`: the line of the function;
 *   `line`: that of the allocation, 0 where lines are not recorded
 * @typedef {{places: {count: number, size: number, place: Place | null}[], others: number}} Origins   where all objects of
 *   the type were allocated: the places with the most bytes, and how many others there are; null: not known
 * @typedef {{kind: "path" | "tracer" | "none", holder: string | null, count: number, example: Alive}} Holder   objects of the
 *   sample, and one of them. `holder`: what their paths share, null: tracer itself holds them, or no path leads to them
 * @typedef {{objects: number, holders: Holder[], others: [holders: number, objects: number], origins: Origins | null, rest: number}} Answer
 *   `objects`: of the sample. `others`: of which `holders` has none. origins null: no memory is recorded. `rest`: seconds
 *   until the program counts again
 * @typedef {{answer: Answer | null, at: number, asked: boolean, due: number, open: Set<string>}} Found   `answer` null: not there
 *   yet, or, if not asked any more, none. `at`: when it was found. `due`: when the program looks again, and the page asks
 *   again; 0: the page does not wait for that. Both are ms of performance.now(). `open`: holders that are expanded
 */

const NOTHING = 204; // the status of an answer without content: the program gives none
const SHORTEST = 1000; // ms between two requests
const LONGEST = 5000; // ms, while the next census is far away
const AFTER_FAILURE = 2000; // ms
const USUAL_REST = 2; // seconds: of a shorter one the page says nothing
const SHORT = 200; // ms between two looks whether the page may ask again

export class ObjectsModel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Census | null} */
    this.census = null;
    /** @type {Measure} */
    this.measure = "size";
    this.search = "";
    /** @type {Map<string, Found>} by the name of the type */
    this.found = new Map();
    this.changed = () => {};
    this.round = 0; // of asking, which a newer one ends
    this.counts = 0; // when the program counts again, in ms of performance.now()
  }

  get ended() {
    return this.census?.running === false || this.app.live?.running === false;
  }

  /** Seconds until the program counts again, where it rests for longer than usual; 0 else. */
  get rest() {
    const left = Math.ceil((this.counts - performance.now()) / 1000);
    return left > USUAL_REST && !this.ended && !this.#mayNotAsk() ? left : 0;
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
    } while (round === this.round && this.census?.running !== false);
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
      const response = await fetch(`objects/${this.measure}/${encoded(this.search)}`);
      const census = /** @type {Census} */ (await response.json());
      while (round === this.round && this.app.follower?.held === true) {
        await passed(SHORT); // a click is half done: its element must stay
      }
      if (round === this.round) {
        this.census = census;
        this.#rests(census.wait);
        this.changed();
      }
      return Math.min(LONGEST, Math.max(SHORTEST, 1000 * census.wait));
    } catch {
      return AFTER_FAILURE; // live.js says so when the program cannot be reached
    }
  }

  /** @param {number} seconds */
  #rests(seconds) {
    this.counts = performance.now() + 1000 * seconds;
  }

  /** Forgets all censuses but the last. */
  async beginAnew() {
    if (this.ended) {
      return;
    }
    await fetch("objects/anew", { method: "POST" }).catch(() => null);
    void this.follow(this.changed);
  }

  /**
   * Finds who holds objects of a type. What was found before stays until there is an answer. Of a row that the user leaves
   * while the program rests nothing is known: who comes back has the page ask again.
   * @param {string} name
   */
  async find(name) {
    const before = this.found.get(name);
    if (before?.asked || this.ended) {
      return;
    }
    const open = before?.open ?? new Set();
    const known = before?.answer ?? null;
    const at = before?.at ?? 0;
    /** @type {Answer | {objects: null, wait: number} | null} */
    let answer;
    let wait = 0;
    let isLeft = false;
    do {
      this.found.set(name, { answer: known, at, asked: true, due: wait && performance.now() + 1000 * wait, open });
      this.changed();
      await passed(1000 * wait);
      isLeft = !this.#isWanted(name);
      answer = isLeft ? null : await this.#alive(name);
      wait = answer?.objects === null ? answer.wait : 0;
    } while (wait > 0);
    const found = answer === null || answer.objects === null ? null : answer;
    if (found !== null) {
      this.#rests(found.rest);
    }
    if (isLeft && known === null) {
      this.found.delete(name);
    } else {
      const kept = isLeft || this.ended ? known : null;
      this.found.set(name, { answer: found ?? kept, at: found === null ? at : performance.now(), asked: false, due: 0, open });
    }
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
   * @returns {Promise<Answer | {objects: null, wait: number} | null>}
   */
  async #alive(name) {
    try {
      const response = await fetch(`alive/${encoded(name)}`);
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
export const objectsOf = (app) => madeOnce(made, app, () => new ObjectsModel(app));
