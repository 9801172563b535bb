"""`python -m tracer`: the same command as the console script `tracer`.

tracer.cli.main picks the verb.
"""

import sys

from tracer.cli.main import main

status: int = main(prog="python -m tracer")
if status:
    sys.exit(status)
