// Reads what the user types into the search: text, which is found anywhere and in either case, or
// /a regular expression/.

/**
 * `wanted` is the text to look for, in lower case; `expression` is the regular expression;
 * `problem` says why the expression is invalid. Two of them are null.
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

/**
 * The search that finds the functions of a package.
 * @param {string} name
 */
export const functionsOf = (name) => `/^${name.replace(/[^\w]/g, "\\$&")}\\./`;
