// The page of a profile with steps, which has a timeline, too: all views.

import { start } from "./start.js";
import { withSteps } from "./steps/overview_card.js";
import { excerptOf } from "./timeline/excerpt.js";
import { VIEWS } from "./views/index.js";
import { steps } from "./views/steps.js";
import { timeline } from "./views/timeline.js";

start(
  VIEWS.flatMap((view) => (view.name === "overview" ? [withSteps(view)] : view.name === "source" ? [steps, timeline, view] : [view])),
  excerptOf,
);
