"""Where line_profiler's extension is: a switch that its tests set is all that is here."""

USE_LEGACY_TRACE = False
