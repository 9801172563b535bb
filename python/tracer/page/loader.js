// Runs the page's script. The page holds that script as gzip in base64, two fifths of its size.
// This file is no module: the page holds it as it is. The page's policy names both scripts by their
// hashes. It stands before the data, and remembers which keys are pressed until the page is ready.

(async () => {
  /** @type {KeyboardEvent[]} */
  const early = [];
  /** @param {KeyboardEvent} event */
  const remember = (event) => void early.push(event);
  document.addEventListener("keydown", remember);
  const takeEarlyKeys = () => {
    document.removeEventListener("keydown", remember);
    return early;
  };
  Object.assign(globalThis, { takeEarlyKeys });
  await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
  const code = document.getElementById("code");
  try {
    const bytes = Uint8Array.from(atob(code?.textContent ?? ""), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(plain).text();
    code?.replaceWith(script);
  } catch (error) {
    const opening = document.querySelector(".opening");
    if (opening !== null) {
      opening.textContent = "This browser cannot open the page: it is older than 2023.";
    }
    throw error;
  }
})();
