// The page of a profile without a timeline, and of a program that still runs: all views but one.

import { start } from "./start.js";
import { VIEWS } from "./views/index.js";

start(VIEWS, () => null);
