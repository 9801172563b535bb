"""The layouts of the packed records that Python reads: the same structs as in the C core.

Only the core reads the other records. They pass through Python as bytes.
"""

from __future__ import annotations

from struct import Struct

# A line of a code object in a thread (ext/core/lines): position of the code object, line, hits,
# then ticks: total time, in C, own time, suspended, and the tracing overhead in the total time.
LINE = Struct("=IIQqqqqq")
# A calling context (ext/core/report/capture.h), first the root: position of its parent, function,
# calls, resumes, own ticks, ticks of calls below it whose path was not kept.
NODE = Struct("=IIQQqq")
# What a line of a thread waited, where it did: position among the thread's lines, 0, ticks.
LINE_WAIT = Struct("=IIq")
# The CPU time of a line of a thread, where native samples fell on it: position among the thread's
# lines, 0, ns in the interpreter's own loop, ns in native code.
LINE_SAMPLES = Struct("=IIqq")
# A line of a thread by memory: its number among the thread's lines, 0, and the most bytes of the
# process that were resident when it was left, or 0.
LINE_MEMORY = Struct("=IIQ")
# Stands for ticks that are not known.
UNKNOWN = -1
# Calls whose path was not kept (ext/core/report/capture.h): caller, callee, calls, resumes,
# primitive calls, primitive resumes, own ticks, cumulative ticks.
OVERFLOW = Struct("=IIQQQQqq")
# The garbage collections that began in a calling context (ext/core/report/capture.h): its position
# in `nodes`, or in `folds`; whether it is the latter; how many; ticks of all, and of the longest.
COLLECTIONS = Struct("=IIQqq")
# Calls of an object that has no row (ext/core/tree/object_calls.h): positions of the functions that
# call it, and of one that stands for it; calls, ticks of the former's own time.
OBJECT_CALLS = Struct("=IIQq")
# Stands for the row of a function that is in no row.
NO_ROW = 2**32 - 1
