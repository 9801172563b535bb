// The keyboard, listed; and words that appear for a moment and are read aloud.

import { fill, h } from "./dom.js";

/** @typedef {import("./keys.js").Keys} Keys */

/** @type {Record<string, string>} */
const KEYCAPS = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Backspace: "⌫",
  PageUp: "Page Up",
  PageDown: "Page Down",
};

/** @param {Keys} keys */
export function showHelp(keys) {
  const scopes = [...new Set(keys.bindings.map(({ scope }) => scope))].reverse();
  const lists = scopes.map((scope) => {
    const listed = keys.bindings.filter((key) => key.scope === scope && key.meaning !== "" && !keys.isHidden(key));
    const entries = listed.flatMap(({ key, meaning }) => [
      h("dt", null, ...keycaps(key)),
      h("dd", null, meaning),
    ]);
    return h("section", null, h("h3", null, scope), h("dl", null, ...entries));
  });
  const close = h("button", { class: "button", autofocus: true }, "Close");
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keyboard" },
    h("header", null, h("h2", null, "Keyboard"), close),
    h("div", { class: "help-lists" }, ...lists),
  );
  // Removed at once: one that is closed keeps the focus, and so the next key, until a frame is drawn.
  const end = () => {
    dialog.close();
    dialog.remove();
  };
  close.addEventListener("click", end);
  dialog.addEventListener("click", (event) => event.target === dialog && end());
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "?" || event.key === "Escape") {
      event.preventDefault(); // else the page would take it, too
      end();
    }
  });
  dialog.addEventListener("close", () => dialog.remove()); // a phone's own way back
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * The keys of a binding; of many in a row, the first and the last.
 * @param {string} key
 */
function keycaps(key) {
  const caps = key.split(" ").map((name) => h("kbd", null, KEYCAPS[name] ?? name));
  return caps.length > 4 ? [caps[0], "–", caps[caps.length - 1]] : caps;
}

let fading = 0;

/**
 * Says something, on the screen and to a screen reader.
 * @param {string} text
 * @param {boolean} quiet  not on the screen
 */
export function say(text, quiet) {
  const toast = /** @type {HTMLElement} */ (document.getElementById("toast"));
  fill(toast, text);
  toast.classList.toggle("shown", !quiet);
  clearTimeout(fading);
  fading = setTimeout(() => toast.classList.remove("shown"), 2600);
}
