"""The command line: main() picks the verb, each verb is a module of this package.

A verb's module has a function command(argv, prog), which returns the exit status. `run` is the
verb meant when none is named. Nothing here may be slow to import: it comes before the program.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from tracer.commands.options import UsageError
from tracer.commands.output import say

# The verbs, and what the usage text says of each. To add one: a line here and a module beside us.
VERBS = {
    "run": "run a program and profile it (the verb meant when none is named)",
    "show": "print saved profiles, added up",
}


def main(argv: list[str] | None = None, prog: str = "tracer") -> int:
    """Do what the command line asks; `argv` is without the program's name."""
    if argv is None:
        argv = sys.argv[1:]
        forget_own_folder()
    verb, rest = (argv[0], argv[1:]) if argv and argv[0] in VERBS else ("run", argv)
    try:
        status: int = import_module(f"tracer.commands.{verb}").command(rest, prog)
    except UsageError as error:
        say(str(error))
        return 2
    return status


def forget_own_folder() -> None:
    """Take out of sys.path what the interpreter put in front for tracer's own sake.

    With -m that is the current folder, with the console script the folder of the script. The
    program gets its own entry instead, and a `signal.py` of the user's is never imported by us.
    """
    if sys.flags.safe_path or not sys.path:
        return
    try:
        here = os.getcwd()
    except OSError:
        here = None  # the folder was removed: with -m the interpreter put nothing in front
    if sys.path[0] in (here, os.path.dirname(os.path.realpath(sys.argv[0]))):
        del sys.path[0]
