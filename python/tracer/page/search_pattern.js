// What is typed to search: text, found anywhere and in either case, or /a regular expression/.

/**
 * `wanted` is what to look for, in lower case, or null where `expression` says it; `problem` is why
 * nothing can be found.
 * @typedef {{wanted: string | null, expression: RegExp | null, problem: string | null}} Pattern
 */

/**
 * @param {string} text
 * @returns {Pattern}
 */
export function patternOf(text) {
  const parts = /^\/(.+)\/([imsu]*)$/.exec(text);
  if (parts === null) {
    return { wanted: text.toLowerCase(), expression: null, problem: null };
  }
  try {
    return { wanted: null, expression: new RegExp(parts[1], parts[2]), problem: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { wanted: null, expression: null, problem: why.replace(/^Invalid regular expression: /, "") };
  }
}
