"""In the place of line_profiler's extension: only a switch, which its tests set."""

USE_LEGACY_TRACE = False
