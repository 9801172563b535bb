"""The command line: main() picks the verb. Each verb is a module of cli/commands.

A verb's module has a function command(argv, prog), which returns the exit status. Without a verb,
`run` is meant. This module loads before the program, so it must import nothing slow.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from tracer.launch.errors import UnknownOption, UsageError
from tracer.launch.output import say
from tracer.runtime.folders import current_folder, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # the program may have a signal.py of its own

# The verbs, with their lines in the usage text. To add one: a line here, a module in commands.
VERBS = {
    "run": "run a program and profile it (the verb meant when none is named)",
    "show": "print saved profiles, added up",
    "diff": "print what changed from one profile to another",
    "merge": "put several profiles into one file",
    "export": "write saved profiles, added up, for other tools: KCachegrind, speedscope, pprof ...",
    "view": "show saved profiles in the browser",
    "html": "write the page that shows saved profiles as one file",
    "time": "time a statement as timeit does, and say where the time goes",
}


def main(argv: list[str] | None = None, prog: str = "tracer") -> int:
    """Do what the command line asks, and return the exit status. `argv` has no program name."""
    if argv is None:
        argv = sys.argv[1:]
        forget_own_folder()
    verb, rest = (argv[0], argv[1:]) if argv and argv[0] in VERBS else ("run", argv)
    if verb != "run" and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, stop)
    try:
        status: int = import_module(f"tracer.cli.commands.{verb}").command(rest, prog)
    except UnknownOption as error:
        from tracer.cli.suggestions import unknown_option

        say(unknown_option(error.flag, verb, VERBS))
        return error.status
    except UsageError as error:
        say(str(error))
        return error.status
    except KeyboardInterrupt:
        if verb == "run":
            raise  # the program's own exception
        return 128 + signal.SIGINT
    except Exception:
        if verb == "run":
            raise  # the program's own, again
        # The interpreter's status would be 1, which tells of growth, or of a statement that failed.
        sys.excepthook(*sys.exc_info())
        return UsageError.status
    return status


def stop(number: int, frame: object) -> None:
    """End by SystemExit, so that a half-written file is removed first."""
    sys.exit(128 + number)


def forget_own_folder() -> None:
    """Remove the folder that the interpreter put in front of sys.path for tracer.

    With -m it is the current folder; with the console script, the script's folder. The program gets
    its own entry instead, and tracer never imports a `signal.py` of the user's.
    """
    if sys.flags.safe_path or not sys.path:
        return
    # With -m the interpreter puts nothing in front if the current folder was removed.
    if sys.path[0] in (current_folder(), os.path.dirname(resolved(sys.argv[0]))):
        del sys.path[0]
