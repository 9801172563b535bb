// The keyboard: what a key does is registered with what it means, so that the help lists it.

/**
 * `key` is a KeyboardEvent.key, or several with a blank between.
 * @typedef {{key: string, meaning: string, action: (event: KeyboardEvent) => void,
 *   scope: string}} Binding
 */

const EVERYWHERE = "Everywhere";

export class Keys {
  constructor() {
    /** @type {Binding[]} */
    this.bindings = [];
    this.scope = EVERYWHERE;
  }

  /**
   * Keys do what they mean from now on; those that were pressed before the page was ready, too.
   * @param {KeyboardEvent[]} early
   */
  begin(early) {
    document.addEventListener("keydown", (event) => this.#press(event));
    early.forEach((event) => this.#press(event));
  }

  /**
   * Later registrations go before earlier ones. They end with the view that made them.
   * @param {string} key
   * @param {string} meaning  empty: not listed
   * @param {(event: KeyboardEvent) => void} action
   */
  register(key, meaning, action) {
    this.bindings.push({ key, meaning, action, scope: this.scope });
  }

  /**
   * As register(), of keys that do not end with a view.
   * @param {string} key
   * @param {string} meaning
   * @param {(event: KeyboardEvent) => void} action
   */
  everywhere(key, meaning, action) {
    this.bindings.unshift({ key, meaning, action, scope: EVERYWHERE });
  }

  /**
   * Forgets the keys of the view that was seen, and begins those of another.
   * @param {string} scope
   */
  change(scope) {
    this.bindings = this.bindings.filter((binding) => binding.scope === EVERYWHERE);
    this.scope = scope;
  }

  /**
   * Forgets some keys of the view.
   * @param {Binding[]} those
   */
  forget(those) {
    this.bindings = this.bindings.filter((binding) => !those.includes(binding));
  }

  /**
   * Whether a view has other uses for all keys of a binding.
   * @param {Binding} binding
   */
  isHidden(binding) {
    const later = this.bindings.slice(this.bindings.indexOf(binding) + 1).flatMap(({ key }) => key.split(" "));
    return binding.key.split(" ").every((key) => later.includes(key));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (document.querySelector("dialog[open]") !== null || isTyping(event)) {
      return;
    }
    const found = this.bindings.findLast(({ key }) => key.split(" ").includes(nameOf(event)));
    if (found !== undefined) {
      event.preventDefault();
      found.action(event);
    }
  }
}

/** @param {KeyboardEvent} event */
function nameOf(event) {
  return event.key === " " ? "Space" : event.key;
}

/**
 * Whether a key is meant for the control that has the focus.
 * @param {KeyboardEvent} event
 */
function isTyping(event) {
  const { target } = event;
  if (!(target instanceof HTMLElement)) {
    return false;
  }
  if (target.matches("input:not([type=checkbox]), textarea")) {
    return true;
  }
  if (target.matches("select")) {
    return event.key !== "Escape" && event.key !== "?";
  }
  const presses = event.key === "Enter" || event.key === " ";
  return presses && target.matches("button, a[href], input, summary");
}
