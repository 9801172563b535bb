// What leaves the page: files that are saved, text that is copied, cells that a spreadsheet opens.

/**
 * @param {string} name
 * @param {Blob} content
 */
export function saveFile(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Whether it could be copied. Pages that are not from this machine may have no clipboard.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

/** @typedef {(string | number)[]} Cells */

/**
 * Rows as CSV (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe.
 * @param {Cells[]} rows
 */
export function csv(rows) {
  return rows.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

/** @param {string | number} cell */
function csvCell(cell) {
  const text = harmless(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Rows as a spreadsheet takes them from the clipboard.
 * @param {Cells[]} rows
 */
export function tabbed(rows) {
  return rows.map((cells) => `${cells.map((cell) => harmless(cell).replace(/[\t\r\n]+/g, " ")).join("\t")}\n`).join("");
}

/** @param {string | number} cell */
function harmless(cell) {
  return typeof cell === "string" && /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : String(cell);
}
