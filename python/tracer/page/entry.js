// The page of a profile without a timeline: all views that need nothing else.

import { start } from "./start.js";
import { VIEWS } from "./views/index.js";

start(VIEWS, () => null);
