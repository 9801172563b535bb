// Making elements. Text only ever becomes text: no markup is parsed anywhere on the page.

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {{[K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void}} Handlers
 * @typedef {{on?: Handlers} & {[name: string]: string | number | boolean | null | undefined |
 *   Handlers}} Attributes
 */

/**
 * An element. Attributes that are null, undefined or false are left out, true is an empty one.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes | null} [attributes]  `on` holds handlers of events
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  dress(element, attributes ?? {});
  for (const [name, handler] of Object.entries(attributes?.on ?? {})) {
    element.addEventListener(name, /** @type {EventListener} */ (handler));
  }
  fill(element, ...children);
  return element;
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(element, attributes ?? {});
  fill(element, ...children);
  return element;
}

/**
 * Puts children in the place of those that an element has.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  const nodes = [];
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) {
      nodes.push(child instanceof Node ? child : String(child));
    }
  }
  element.replaceChildren(...nodes);
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false && typeof value !== "object") {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

const ICONS = {
  help: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.8-.9 1.4v.3M8 12v.1",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M13 3l-1.1 1.1M4.1 11.9 3 13",
  moon: "M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1z",
  auto: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M10 3v10M12 4.5v7",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  save: "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  close: "M4 4l8 8M12 4l-8 8",
  pause: "M5.5 3v10M10.5 3v10",
  play: "M5 3l8 5-8 5z",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const shape = svg("path", { d: ICONS[name] });
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, shape);
}
