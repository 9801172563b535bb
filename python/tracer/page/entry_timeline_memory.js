// The page of a profile with a timeline and memory: all views but that of steps.

import { withMemory } from "./memory/overview_card.js";
import { start } from "./start.js";
import { excerptOf } from "./timeline/excerpt.js";
import { VIEWS } from "./views/index.js";
import { memory } from "./views/memory.js";
import { timeline } from "./views/timeline.js";

start(
  VIEWS.flatMap((view) => (view.name === "overview" ? [withMemory(view)] : view.name === "source" ? [memory, timeline, view] : [view])),
  excerptOf,
);
