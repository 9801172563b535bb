"""`python -m tracer`: the same command as the console script `tracer`.

Nothing lives here: tracer.commands picks the verb.
"""

import sys

from tracer.commands import main

if status := main(prog="python -m tracer"):
    sys.exit(status)
