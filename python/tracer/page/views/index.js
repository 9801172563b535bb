// The views that each page has, in the order of their tabs; entries.py has the others.

import { overview } from "./overview.js";
import { table } from "./table.js";
import { butterfly } from "./butterfly.js";
import { flame } from "./flame.js";
import { source } from "./source.js";
import { withNative } from "../native/overview_card.js";
import { compare } from "./compare.js";

/** @type {import("../app.js").View[]} */
export const VIEWS = [withNative(overview), table, flame, butterfly, source, compare];
