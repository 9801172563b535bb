"""The names of the module yep, and its command: CPU samples of native code.

    python -m tracer.compat.yep [-o FILE] [-v] [-c FILE] SCRIPT [ARGS...]

    from tracer.compat import yep
    yep.start("work.prof")
    work()
    yep.stop()

FILE is a CPU profile of gperftools, as yep's. tracer records the Python above it, too: -c and -v
show both.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from typing import Any

from tracer.api.profiler import Profile
from tracer.cli.usage import Usage
from tracer.compat.command_line import execute, is_answered, kept_process, run_command
from tracer.compat.option_kinds import HELP, Option, parse, usage_for
from tracer.launch.errors import UsageError
from tracer.launch.output import say
from tracer.launch.program import find_program

__version__ = "0.4"  # of yep, whose interface this is
__all__ = ["main", "start", "stop"]


class _Running:
    """The profile that start() began, and the name of its file."""

    profile: Profile | None = None
    name: str = ""


def start(file_name: str | None = None) -> None:
    """Begin to sample; stop() writes the file, "out.prof" where no name is given. Raises
    RuntimeError where native code cannot be sampled, and where it is sampled already."""
    if _Running.profile is not None:
        raise RuntimeError("yep has started already: call stop() first")
    profile = Profile(native=True)
    profile.enable()
    _Running.profile, _Running.name = profile, "out.prof" if file_name is None else file_name


def stop() -> None:
    """End, and write the file. Nothing happens where nothing was started. Raises OSError."""
    profile, _Running.profile = _Running.profile, None
    if profile is not None:
        profile.disable()
        _write(profile, "gperftools", _Running.name)


def _write(profile: Profile, form: str, name: str) -> None:
    from tracer.api.stats import Stats

    Stats(profile).export(form, name, native=True)


OPTIONS = (
    Option("-o, --outfile FILE", "write to FILE, not to SCRIPT.prof"),
    Option("-v, --visualize", "print the tables of native functions at the end"),
    Option("-c, --callgrind FILE", "also write FILE for KCachegrind, with Python"),
    *HELP,
)


def main(argv: Sequence[str] | None = None) -> None:
    """Run a program, and write its CPU profile. Exits with status 2 for bad input. Raises what the
    program raises."""
    run_command(lambda words: _command(words, restore=argv is not None), argv)


def _command(argv: Sequence[str], restore: bool) -> int:
    values, words = parse(argv, OPTIONS, stop_at_program=True)
    if is_answered(values, _usage, lambda: __version__):
        return 0
    if not words:
        raise UsageError("nothing to run: name a SCRIPT; --help tells more")
    program = find_program(words, False)
    try:
        profile = Profile(native=True)
    except RuntimeError as error:
        raise UsageError(str(error)) from None
    name = values.get("outfile") or f"{os.path.basename(words[0])}.prof"
    report = _Report(profile, os.getcwd(), name, values)
    try:
        with kept_process("yep") if restore else nullcontext():
            execute(program, restore, profile.disable, begin=profile.enable)
    finally:  # also where the program ended by sys.exit()
        report.write()
    return report.status


class _Report:
    """What becomes of a profile at the end of the command, in the folder where that began."""

    def __init__(self, profile: Profile, folder: str, name: str, values: dict[str, Any]) -> None:
        self.profile, self.folder, self.pid, self.status = profile, folder, os.getpid(), 0
        self.files = {"gperftools": name, "callgrind": values.get("callgrind")}
        self.prints = bool(values.get("visualize"))

    def write(self) -> None:
        if os.getpid() != self.pid:  # a fork of the program's
            return
        for form, name in self.files.items():
            if name is None:
                continue
            try:
                _write(self.profile, form, os.path.join(self.folder, name))
            except OSError as error:
                say(f"could not write {name!r}: {error.strerror}")
                self.status = 1
        if self.prints:
            from tracer.api.stats import Stats

            Stats(self.profile).print_native(15)


def _usage() -> Usage:
    about = "Run a Python program, and write a CPU profile of its native code, as gperftools does."
    return usage_for("yep [OPTIONS] SCRIPT [ARGS...]", about, OPTIONS)


if __name__ == "__main__":
    # Imported by its own name, as by others: the program replaces this module, __main__.
    import_module("tracer.compat.yep").main()
