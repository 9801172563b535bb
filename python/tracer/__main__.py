"""`python -m tracer`: the same command as the console script `tracer`.

Nothing lives here: tracer.commands picks the verb.
"""

import sys

from tracer.commands import main

status: int = main(prog="python -m tracer")
if status:
    sys.exit(status)
