// What is on the screen, as plain strings, kept in the hash of the address: a link to it is a link
// to what is seen, and Back goes back.

/** @typedef {Record<string, string>} State */

export class Address {
  /** @param {(state: State) => void} changed  called when Back, Forward or a typed hash changes it */
  constructor(changed) {
    this.state = parse(location.hash);
    this.changed = changed;
    this.isOurs = true; // else in a frame of a notebook, whose history is the notebook's
    /** @type {State[]} where Back leads then */
    this.past = [];
    const look = () => {
      const now = parse(location.hash);
      if (serialize(now) !== serialize(this.state)) {
        this.state = now;
        changed(now);
      }
    };
    addEventListener("popstate", look);
    addEventListener("hashchange", look);
  }

  /**
   * @param {State} state
   * @param {boolean} push  whether Back shall lead to what was before
   */
  write(state, push) {
    const before = this.state;
    this.state = state;
    const hash = `#${serialize(state)}`;
    if (hash === location.hash) {
      return;
    }
    try {
      history[push ? "pushState" : "replaceState"](null, "", hash);
    } catch {
      this.isOurs = false;
      if (push) {
        this.past.push(before);
      }
    }
  }

  back() {
    if (this.isOurs) {
      history.back();
      return;
    }
    const before = this.past.pop();
    if (before !== undefined) {
      this.state = before;
      this.changed(before);
    }
  }
}

/**
 * A word alone is the name of a view.
 * @param {string} hash
 */
export function parse(hash) {
  if (/^#?\w+$/.test(hash)) {
    return { view: hash.replace(/^#/, "") };
  }
  return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
}

/** @param {State} state */
function serialize(state) {
  const given = Object.entries(state).filter(([, value]) => value !== "");
  return new URLSearchParams(given).toString();
}

/**
 * A state with changes; null and "" take a key away.
 * @param {State} state
 * @param {Record<string, string | null>} patch
 */
export function patched(state, patch) {
  const next = { ...state };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === "") {
      delete next[name];
    } else {
      next[name] = value;
    }
  }
  return next;
}
