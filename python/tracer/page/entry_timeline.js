// The page of a profile with a timeline: all views. The timeline is a third of the script.

import { start } from "./start.js";
import { excerptOf } from "./timeline/excerpt.js";
import { VIEWS } from "./views/index.js";
import { timeline } from "./views/timeline.js";

start(
  VIEWS.flatMap((view) => (view.name === "source" ? [timeline, view] : [view])),
  excerptOf,
);
