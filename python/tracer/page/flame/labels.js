// The text on a box: as much of a qualified name as has room, the most telling part last to go.

import { madeOnce } from "../made_once.js";

export const FONT =
  "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";

/**
 * A function's name as one would say it: of builtins without brackets and without `builtins`, of a
 * module its own name.
 * @param {string} name
 * @param {string} module
 * @param {import("../container.js").Kind} kind
 */
export function spoken(name, module, kind) {
  if (kind !== "builtin") {
    return name === "<module>" ? `${module} (module)` : name;
  }
  const method = /^<(?:method|slot wrapper) '(.*)' of '(.*)' objects>$/s.exec(name);
  if (method) {
    return `${method[2]}.${method[1]}`;
  }
  const inner = /^<(?:built-in (?:method|function) )?(.*)>$/s.exec(name);
  return (inner ? inner[1] : name).replace(/^builtins\./, "");
}

/**
 * The same name, shorter and shorter: without `<locals>`, then without the outermost parts.
 * @param {string} name
 */
export function shortened(name) {
  const forms = [name];
  let rest = name.replaceAll(".<locals>.", ".");
  if (rest !== name) {
    forms.push(rest);
  }
  // A name of a part has no dots and no blanks: those of `<a.b>` and `f (module)` stay.
  for (let dot = rest.indexOf("."); dot > 0 && /^\w+$/.test(rest.slice(0, dot)); dot = rest.indexOf(".")) {
    rest = rest.slice(dot + 1);
    if (rest === "") {
      break;
    }
    forms.push(rest);
  }
  return forms;
}

/** Knows how wide texts are in one font, without measuring each of them. */
export class Ruler {
  /** @param {(text: string) => number} measure */
  constructor(measure) {
    this.measure = measure;
    /** @type {Map<string, number>} */
    this.widths = new Map();
    this.ellipsis = measure("…");
  }

  /** @param {string} character */
  of(character) {
    let width = this.widths.get(character);
    if (width === undefined) {
      width = this.measure(character);
      this.widths.set(character, width);
    }
    return width;
  }

  /** @param {string} text */
  width(text) {
    let sum = 0;
    for (const character of text) {
      sum += this.of(character);
    }
    return sum;
  }

  /**
   * What of a text has room: all, or its beginning and an ellipsis; nothing where not even three
   * letters of it would be seen.
   * @param {string} text
   * @param {number} room
   */
  cut(text, room) {
    let sum = 0;
    let kept = 0; // the length of what has room beside the ellipsis
    let at = 0;
    for (const character of text) {
      sum += this.of(character);
      at += character.length;
      if (sum + this.ellipsis <= room) {
        kept = at;
      }
      if (sum > room) {
        return kept >= 3 ? `${text.slice(0, kept)}…` : "";
      }
    }
    return text;
  }
}

/** Fits names into boxes; a name's forms and their widths are found once. */
export class Labels {
  /**
   * @param {(row: number) => string} nameOf
   * @param {Ruler} ruler
   * @param {(name: string, row: number) => string[]} [formsOf]  the forms of a name, ever shorter
   */
  constructor(nameOf, ruler, formsOf = shortened) {
    this.nameOf = nameOf;
    this.formsOf = formsOf;
    this.ruler = ruler;
    /** @type {Map<number, {text: string, width: number}[]>} */
    this.forms = new Map();
  }

  /**
   * @param {number} row
   * @param {number} room
   */
  fit(row, room) {
    if (room < 3 * this.ruler.ellipsis) {
      return "";
    }
    const forms = madeOnce(this.forms, row, () =>
      this.formsOf(this.nameOf(row), row).map((text) => ({ text, width: this.ruler.width(text) })),
    );
    return forms.find(({ width }) => width <= room)?.text ?? this.ruler.cut(forms[forms.length - 1].text, room);
  }
}

/**
 * The labels of a profile's functions.
 * @param {CanvasRenderingContext2D} context
 * @param {import("../profile.js").Profile} profile
 */
export function labelsOf(context, profile) {
  return new Labels(
    (row) => spoken(profile.nameOf(row), profile.moduleOf(row), profile.kindOf(row)),
    rulerOf(context),
    (name, row) => (profile.kindOf(row) === "native" ? [name] : shortened(name)), // a dot in libz.so.1 ends no part
  );
}

/** @param {CanvasRenderingContext2D} context */
export function rulerOf(context) {
  return new Ruler((text) => {
    context.font = FONT;
    return context.measureText(text).width;
  });
}
