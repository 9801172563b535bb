// The page of a profile with memory: all views but that of the timeline.

import { withMemory } from "./memory/overview_card.js";
import { start } from "./start.js";
import { VIEWS } from "./views/index.js";
import { memory } from "./views/memory.js";

start(
  VIEWS.flatMap((view) => (view.name === "overview" ? [withMemory(view)] : view.name === "source" ? [memory, view] : [view])),
  () => null,
);
