// As much of Python as colours need: where strings, comments, numbers and keywords are, and where a
// function ends. Text that is no Python is shown all the same.

/**
 * A piece of a line in a colour of its own.
 * @typedef {{from: number, to: number, kind: "keyword" | "string" | "comment" | "number" | "name"}} Piece
 * @typedef {{pieces: Piece[], inString: boolean, depth: number}} Line
 *   inString: whether a string goes on here from the line before; depth: open brackets at its end
 */

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield match case"
  ).split(" "),
);
const TOKEN = /#.*|(?:[rbuft]{0,2})("""|'''|"|')|\d[\w.]*|[\p{L}_][\p{L}\p{N}_]*|[([{]|[)\]}]/giu;

/**
 * @param {string[]} lines
 * @returns {Line[]}
 */
export function coloured(lines) {
  let quote = ""; // of the string that goes on
  let depth = 0;
  return lines.map((text) => {
    /** @type {Piece[]} */
    const pieces = [];
    const inString = quote !== "";
    let at = 0;
    if (quote !== "") {
      const end = endOfString(text, 0, quote);
      pieces.push({ from: 0, to: end < 0 ? text.length : end, kind: "string" });
      at = end < 0 ? text.length : end;
      quote = end < 0 && goesOn(text, quote) ? quote : "";
    }
    TOKEN.lastIndex = at;
    let before = ""; // the word before
    for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
      const [token, opened] = found;
      const from = found.index;
      let to = from + token.length;
      if (token.startsWith("#")) {
        pieces.push({ from, to, kind: "comment" });
      } else if (opened !== undefined) {
        const end = endOfString(text, to, opened);
        to = end < 0 ? text.length : end;
        quote = end < 0 && goesOn(text, opened) ? opened : "";
        pieces.push({ from, to, kind: "string" });
        TOKEN.lastIndex = to;
      } else if ("([{".includes(token)) {
        depth++;
      } else if (")]}".includes(token)) {
        depth = Math.max(0, depth - 1);
      } else if (/^\d/.test(token)) {
        pieces.push({ from, to, kind: "number" });
      } else if (KEYWORDS.has(token)) {
        pieces.push({ from, to, kind: "keyword" });
      } else if (before === "def" || before === "class") {
        pieces.push({ from, to, kind: "name" });
      }
      before = token;
    }
    return { pieces, inString, depth };
  });
}

/**
 * Whether a string that did not end in a line goes on in the next one.
 * @param {string} text
 * @param {string} quote
 */
const goesOn = (text, quote) => quote.length === 3 || text.endsWith("\\");

/**
 * Behind the end of a string, -1 if that is not in this line.
 * @param {string} text
 * @param {number} from
 * @param {string} quote
 */
function endOfString(text, from, quote) {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") {
      at++;
    } else if (text.startsWith(quote, at)) {
      return at + quote.length;
    }
  }
  return -1;
}

/**
 * The last line of the function that begins at a line; both count from 1. Of what stands within a
 * line, as a lambda does, that line.
 * @param {string[]} lines
 * @param {Line[]} colours
 * @param {number} first
 */
export function lastLineOf(lines, colours, first) {
  let head = first - 1;
  while (head < lines.length && /^\s*(@|#|$)/.test(lines[head])) {
    head = closed(colours, head) + 1; // decorators
  }
  if (head >= lines.length || !/^\s*(async\s+)?(def|class)\b/.test(lines[head])) {
    return first;
  }
  const indent = lines[head].search(/\S/);
  let last = closed(colours, head);
  for (let at = last + 1; at < lines.length; at++) {
    const text = lines[at];
    const goesOn = colours[at].inString || colours[at - 1].depth > 0;
    const blank = text.trim() === "" || /^\s*#/.test(text);
    if (!goesOn && !blank && text.search(/\S/) <= indent) {
      break;
    }
    if (goesOn || text.trim() !== "") {
      last = goesOn || !blank || text.search(/\S/) > indent ? at : last;
    }
  }
  return last + 1;
}

/**
 * The line at which the brackets that are open at the end of a line are closed again.
 * @param {Line[]} colours
 * @param {number} at
 */
function closed(colours, at) {
  while (at + 1 < colours.length && colours[at].depth > 0) {
    at++;
  }
  return at;
}

/** @param {string} text */
export function linesOf(text) {
  const lines = text.split(/\r\n|[\n\r]/);
  if (lines.at(-1) === "") {
    lines.pop(); // the end of the last line begins no other
  }
  return lines;
}
