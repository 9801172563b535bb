// Numbers as people read them: three digits and a unit; the exact figure is for tooltips.

const UNITS = /** @type {const} */ ([
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
]);

/**
 * Nanoseconds as "1.25 ms".
 * @param {number} ns
 * @returns {string}
 */
export function time(ns) {
  if (ns < 0) {
    return `−${time(-ns)}`;
  }
  if (ns === 0) {
    return "0";
  }
  if (ns >= 600e9) {
    const seconds = Math.round(ns / 1e9);
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor((seconds % 3600) / 60);
    return hours > 0 ? `${count(hours)} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
  }
  const [size, unit] = UNITS.find(([least]) => ns >= least * 0.9995) ?? UNITS[UNITS.length - 1];
  return `${threeDigits(ns / size)} ${unit}`;
}

/**
 * Nanoseconds, all of them, and the seconds they are.
 * @param {number} ns
 */
export function exactTime(ns) {
  const whole = Math.round(ns);
  return Math.abs(whole) < 1000 ? `${whole} ns` : `${count(whole)} ns = ${seconds(whole)} s`;
}

/**
 * Seconds with all nine digits, as for a file.
 * @param {number} ns
 */
export function seconds(ns) {
  const whole = Math.abs(Math.round(ns));
  const rest = String(whole % 1e9).padStart(9, "0");
  return `${ns < 0 && whole > 0 ? "-" : ""}${Math.floor(whole / 1e9)}.${rest}`;
}

/**
 * A whole number, with commas: "1,234,567".
 * @param {number} number
 */
export function count(number) {
  return grouping.format(number);
}

const grouping = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * A count in few characters: "1.23M"; below 100,000 it is whole.
 * @param {number} number
 */
export function shortCount(number) {
  for (const [size, unit] of /** @type {const} */ ([[1e12, "T"], [1e9, "G"], [1e6, "M"]])) {
    if (number >= size) {
      return `${threeDigits(number / size)}${unit}`;
    }
  }
  return number >= 1e5 ? `${threeDigits(number / 1e3)}k` : count(number);
}

/**
 * "1 call", "2 calls".
 * @param {number} number
 * @param {string} thing
 */
export function counted(number, thing) {
  return `${count(number)} ${thing}${number === 1 ? "" : "s"}`;
}

/**
 * A part of a whole: "12.3%".
 * @param {number} part
 * @param {number} whole
 */
export function share(part, whole) {
  if (whole === 0) {
    return "";
  }
  const percent = (100 * part) / whole;
  if (percent !== 0 && Math.abs(percent) < 0.05) {
    return percent < 0 ? "0%" : "<0.1%";
  }
  return `${percent >= 99.95 ? Math.round(percent) : percent.toFixed(1)}%`;
}

/**
 * Bytes as "14.4 MiB".
 * @param {number} bytes
 */
export function memory(bytes) {
  const mebibytes = bytes / 2 ** 20;
  return mebibytes >= 1024 ? `${threeDigits(mebibytes / 1024)} GiB` : `${threeDigits(mebibytes)} MiB`;
}

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB"];

/**
 * Bytes as "1.25 KiB", in the unit that suits them.
 * @param {number} size
 * @returns {string}
 */
export function bytes(size) {
  if (size < 0) {
    return `−${bytes(-size)}`;
  }
  let unit = 0;
  let number = size;
  while (number >= 1023.5 && unit < BYTES.length - 1) {
    number /= 1024;
    unit++;
  }
  return size === 0 ? "0" : `${threeDigits(number)} ${BYTES[unit]}`;
}

/**
 * Bytes, all of them, and in the unit that suits them.
 * @param {number} number
 */
export function exactBytes(number) {
  const exact = `${count(number)} byte${number === 1 ? "" : "s"}`;
  return Math.abs(number) < 1024 ? exact : `${exact} = ${bytes(number)}`;
}

/** @param {number} number */
function threeDigits(number) {
  if (number >= 99.95) {
    return count(Math.round(number));
  }
  if (Number.isInteger(number)) {
    return String(number);
  }
  return number.toFixed(number >= 9.995 ? 1 : 2);
}
