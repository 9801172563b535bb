// Puts a card into the overview, which knows nothing of the card.

/**
 * @typedef {import("../app.js").App} App
 * @typedef {import("../app.js").View} View
 */

/**
 * The overview with a card above its own, where the whole profile has what the card tells of.
 * @param {View} overview
 * @param {(profile: App["whole"]) => boolean} has
 * @param {(app: App) => HTMLElement} card
 * @returns {View}
 */
export function withCard(overview, has, card) {
  return {
    ...overview,
    mount(host, app) {
      const mounted = overview.mount(host, app);
      /** @type {HTMLElement | null} */
      let shown = null;
      return {
        ...mounted,
        update(state) {
          mounted.update(state);
          // The overview makes its content anew at times, and drops the card then.
          if (has(app.whole) && !shown?.isConnected) {
            shown = card(app);
            (host.querySelector(".tiles") ?? host.querySelector(".heading"))?.after(shown);
          }
        },
      };
    },
  };
}
