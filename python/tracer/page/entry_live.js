// The page of a program that still runs: that of a profile with memory, and the view of objects.

import { withMemory } from "./memory/overview_card.js";
import { start } from "./start.js";
import { VIEWS } from "./views/index.js";
import { memory } from "./views/memory.js";
import { objects } from "./views/objects.js";

start(
  VIEWS.flatMap((view) => (view.name === "overview" ? [withMemory(view)] : view.name === "source" ? [memory, objects, view] : [view])),
  () => null,
);
