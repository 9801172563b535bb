// What of the state leads to a function in the flame graph: to its widest box among all, or to the
// graph of its calls alone.

/** @param {string} key  of the function */
export const widestBoxOf = (key) => ({ row: key, at: null, zoom: null, merged: null });

/** @param {string} key */
export const allCallsOf = (key) => ({ row: key, at: null, zoom: null, merged: "1", inverted: null });
