"""The layouts of packed records that Python reads: the same structs as in the C core.

Other records are read by the core alone, and pass through Python as bytes.
"""

from __future__ import annotations

from struct import Struct

# A line of a code object in a thread (ext/core/lines): position of the code object, line, hits,
# then ticks: with callees, in C, own, suspended, and the overhead of recording in the first.
LINE = Struct("=IIQqqqqq")
# In the place of ticks that are not known.
UNKNOWN = -1
# Calls whose path was not kept (ext/core/report/capture.h): caller, callee, calls, resumes, of both
# the primitive ones, own and cumulative ticks.
FOLD = Struct("=IIQQQQqq")
# In the place of a row, for a function that is in no row.
NO_ROW = 2**32 - 1
