"""What the commands of other profilers share: how they end, what --help and --version print, and
what a caller in Python gets back. option_kinds.py reads their options.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tracer.cli.main import forget_own_folder
from tracer.cli.usage import Usage, print_usage
from tracer.compat.builtin_profile import kept_builtin
from tracer.launch.errors import UsageError, hide_own_frames
from tracer.launch.output import put_text, say

if TYPE_CHECKING:
    from tracer.launch.program import Program


def run_command(
    command: Callable[[Sequence[str]], int], argv: Sequence[str] | None, *errors: type[Exception]
) -> None:
    """Call the command with the words of `argv`, or where that is None with the process's. Exits
    with the status that the command returns, unless that is 0. Prints a UsageError, and exits with
    its status; so with any of `errors`, and status 2. Raises what else the command raises."""
    refusals: tuple[type[Exception], ...] = (UsageError, *errors)
    if argv is None:
        forget_own_folder()
    try:
        status = command(sys.argv[1:] if argv is None else argv)
    except refusals as error:
        say(str(error))
        status = getattr(error, "status", UsageError.status)
    if status:
        sys.exit(status)


def is_answered(
    values: Mapping[str, Any], usage: Callable[[], Usage], version: Callable[[], str]
) -> bool:
    """Print what --help or --version asks for. Returns whether the values have one of them."""
    if values.get("help"):
        print_usage(usage(), asked_for=True)
    elif values.get("version"):
        put_text(f"{version()}\n")
    else:
        return False
    return True


def execute(
    program: Program,
    restore: bool,
    end: Callable[[], object],
    begin: Callable[[], object] = lambda: None,
) -> None:
    """Run the program between begin() and end(), which a fork of the program's does not call. The
    error of the program keeps tracer's frames for a caller that goes on: with `restore`."""
    pid = os.getpid()
    code, namespace = program.prepare(lambda function, *words: function(*words))
    begin()
    try:
        exec(code, namespace)
    except BaseException as error:
        if not restore:
            hide_own_frames(error)
        raise
    finally:
        if os.getpid() == pid:
            end()


@contextmanager
def kept_process(module: str) -> Iterator[None]:
    """Restore what running a program changes in the process, for a caller that goes on. `module`:
    the name under which the program finds the profiler."""
    argv, orig_argv, path, hook = sys.argv, sys.orig_argv, sys.path[:], sys.excepthook
    modules = {name: sys.modules.get(name) for name in ("__main__", module)}
    try:
        with kept_builtin():
            yield
    finally:
        sys.argv, sys.orig_argv, sys.path[:], sys.excepthook = argv, orig_argv, path, hook
        for name, found in modules.items():
            if found is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = found
