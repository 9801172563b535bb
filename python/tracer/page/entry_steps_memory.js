// The page of a profile with steps, which has a timeline, and memory: all views.

import { withMemory } from "./memory/overview_card.js";
import { start } from "./start.js";
import { withSteps } from "./steps/overview_card.js";
import { excerptOf } from "./timeline/excerpt.js";
import { VIEWS } from "./views/index.js";
import { memory } from "./views/memory.js";
import { steps } from "./views/steps.js";
import { timeline } from "./views/timeline.js";

start(
  VIEWS.flatMap((view) => (view.name === "overview" ? [withMemory(withSteps(view))] : view.name === "source" ? [memory, steps, timeline, view] : [view])),
  excerptOf,
);
