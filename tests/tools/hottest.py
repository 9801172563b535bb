"""Prints a regular expression for the function with the most time of its own in a profile.

Only functions with a caller are looked at, since `make demo` asks for its callers. It reads with
plain pstats, as any other tool would.
"""

import pstats
import re
import sys

profile = pstats.Stats(sys.argv[1])
rows = profile.strip_dirs().stats  # type: ignore[attr-defined]
hottest = max((key for key in rows if rows[key][4]), key=lambda key: rows[key][2])
print(re.escape(pstats.func_std_string(hottest)))  # type: ignore[attr-defined]
