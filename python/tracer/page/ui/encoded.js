// Texts as parts of an address. A path of which a byte is no UTF-8 has lone surrogates in Python, which
// encodeURIComponent() refuses: they are encoded as Python's "surrogatepass" has them.

/** @param {string} text */
export function encoded(text) {
  return text
    .split(/(\p{Surrogate})/u)
    .map((part, place) => (place % 2 === 0 ? encodeURIComponent(part) : encodedSurrogate(part.charCodeAt(0))))
    .join("");
}

/** @param {number} code */
function encodedSurrogate(code) {
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join("");
}
