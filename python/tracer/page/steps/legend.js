// The phases with their colours and totals. A click hides a phase or shows it again, with Shift it shows that one alone.

import { fill, h } from "../ui/dom.js";
import { exactTime, share, time } from "../ui/format.js";
import { namesOf } from "./colours.js";
import { swatch } from "./texts.js";

/**
 * What is shown after a click.
 * @param {boolean[]} shown
 * @param {number} phase
 * @param {boolean} alone  whether that phase is to be seen alone
 */
export function afterClick(shown, phase, alone) {
  const isAlone = shown.every((one, place) => one === (place === phase));
  if (isAlone) {
    return shown.map(() => true);
  }
  return shown.map((one, place) => (alone ? place === phase : place === phase ? !one : one));
}

export class Legend {
  /** @param {(shown: boolean[]) => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.element = h("div", { class: "st-legend", role: "group", "aria-label": "Phases" });
    this.shown = "";
  }

  /**
   * @param {import("./model.js").Chosen} chosen
   * @param {boolean[]} shown
   */
  update(chosen, shown) {
    const { steps, totals, total } = chosen;
    const key = JSON.stringify([chosen.threads, shown]);
    if (key === this.shown) {
      return;
    }
    this.shown = key;
    const names = namesOf(steps.phases);
    const focused = [...this.element.children].indexOf(/** @type {Element} */ (document.activeElement));
    const used = steps.phases.map((_, phase) => phase).filter((phase) => totals[phase] > 0 || !shown[phase]);
    /** @type {(event: MouseEvent, phase: number) => void} */
    const click = (event, phase) => this.changed(afterClick(shown, phase, event.shiftKey));
    fill(
      this.element,
      ...used.map((phase) =>
        h(
          "button",
          {
            class: "st-key",
            "aria-pressed": String(shown[phase]),
            "data-tip": `${exactTime(totals[phase])} in ${steps.phases[phase]}\n${shown[phase] ? "A click hides it" : "A click shows it"}, with Shift it is shown alone`,
            on: { click: (event) => click(event, phase) },
          },
          swatch(names[phase]),
          h("span", null, steps.phases[phase]),
          h("small", { class: "quiet" }, `${time(totals[phase])} · ${share(totals[phase], total) || "0%"}`),
        ),
      ),
    );
    const again = this.element.children[focused];
    if (again instanceof HTMLElement) {
      again.focus();
    }
  }
}
