// Light and dark: as the system has it, or as was chosen here. What is drawn on canvas reads the
// colours of the style sheet by coloursNow(), and again at each "themechange" of the document.

const CHOICES = /** @type {const} */ (["auto", "light", "dark"]);
const STORED = "tracer-theme";

/** @typedef {typeof CHOICES[number]} Theme */

const system = matchMedia("(prefers-color-scheme: dark)");

/** Puts the stored choice in force. */
export function startTheme() {
  apply(stored());
  system.addEventListener("change", () => apply(theme()));
}

/** Goes to the next choice. */
export function nextTheme() {
  const next = CHOICES[(CHOICES.indexOf(theme()) + 1) % CHOICES.length];
  apply(next);
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // No storage here: the choice holds while the page is open.
  }
}

/** What was chosen. */
export function theme() {
  return choiceOf(document.documentElement.dataset.choice);
}

/** Whether it is dark now. */
export function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

/** A colour as the style sheet has it now. */
export function coloursNow() {
  const style = getComputedStyle(document.documentElement);
  return /** @param {string} name */ (name) => style.getPropertyValue(name).trim();
}

/** @param {string | null | undefined} name */
function choiceOf(name) {
  return CHOICES.find((choice) => choice === name) ?? "auto";
}

function stored() {
  try {
    return choiceOf(localStorage.getItem(STORED));
  } catch {
    return "auto";
  }
}

/** @param {Theme} choice */
function apply(choice) {
  const { dataset } = document.documentElement;
  dataset.choice = choice;
  dataset.theme = choice === "auto" ? (system.matches ? "dark" : "light") : choice;
  document.dispatchEvent(new Event("themechange"));
}
