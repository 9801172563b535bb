"""The command mprof of memory_profiler: `python -m tracer.compat.mprof`.

    python -m tracer.compat.mprof run main.py     # writes mprofile_YYYYMMDDhhmmss.dat
    python -m tracer.compat.mprof plot            # the latest one, as a picture
    python -m tracer.compat.mprof peak            # its maximum

mprof_files.py reads the files, mprof_plot.py draws them.
"""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple, TextIO

from tracer.cli.usage import Usage
from tracer.compat import mprof_files, mprof_plot
from tracer.compat.command_line import is_answered, run_command
from tracer.compat.memory_profiler import __version__, backend
from tracer.compat.memory_usage import Meter, memory_usage
from tracer.compat.mprof_files import Recording, function_labels
from tracer.compat.option_kinds import HELP, Option, parse, usage_for
from tracer.launch.errors import OutputError, UsageError
from tracer.launch.output import is_full, say, write_text
from tracer.runtime import process_memory

__all__ = ["function_labels", "main"]

HOUR = 3600.0


def seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 1e9:
        raise UsageError(f"{text!r}: give a positive number of seconds")
    return number


def window(text: str) -> tuple[float, float]:
    try:
        first, last = map(float, text.split(","))
    except ValueError:
        first, last = 0.0, 0.0
    if not first < last:
        raise UsageError(f"--window {text!r}: give two numbers of seconds, as 0,20.5")
    return first, last


RUN = (
    Option("-T, --interval SECONDS", "measure so often (0.1)", read=seconds),
    Option("-C, --include-children", "add the memory of child processes"),
    Option("-M, --multiprocess", "also write that of each child process"),
    Option("-o, --output FILE", "add to FILE, not to mprofile_<time>.dat"),
    Option("-E, --exit-code", "end with the exit status of the program"),
    Option("-t, --timeout SECONDS", "measure no longer than that", read=seconds),
    Option("-a, --attach", "measure a process that runs: give its id or name"),
    Option("--python", "the program is a module of Python, or begins with python"),
    Option("--nopython", "do not note the functions that are decorated with @profile"),
    Option("--backend NAME", "what is measured (psutil: RSS)", read=backend),
    *HELP,
)
DRY = (Option("--dry-run", "print the files, and remove none"), *HELP)
PLOT = (
    Option("-o, --output FILE", "write the picture to FILE: .png, .svg, .pdf"),
    Option("--text", "print a small plot as text; it needs no matplotlib"),
    Option("-t, --title TEXT", "put TEXT above it, not the command"),
    Option("-n, --no-function-ts", "do not mark the calls of functions"),
    Option("-f, --flame", "mark the calls as boxes"),
    Option("-s, --slope", "add a trend line"),
    Option("-w, --window FROM,TO", "draw these seconds alone", read=window),
    Option("--backend NAME", "use this backend of matplotlib"),
    *HELP,
)
PEAK = (Option("--func NAME", "tell the maximum while this function ran"), *HELP)


class Verb(NamedTuple):
    meaning: str
    words: str
    options: tuple[Option, ...]
    act: Callable[[dict[str, Any], list[str]], int]


def run(values: dict[str, Any], words: list[str]) -> int:
    if not words:
        raise UsageError("nothing to run: name a program after the options")
    if "python" in values and "nopython" in values:
        raise UsageError("--python and --nopython exclude each other; give one of them")
    children, multiprocess = bool(values.get("include-children")), bool(values.get("multiprocess"))
    try:
        Meter(values.get("backend"), children, multiprocess)
    except OSError as error:
        raise UsageError(str(error)) from None
    process, command = attached(words) if values.get("attach") else (None, words)
    name = values.get("output") or mprof_files.new_name()
    try:
        file = open(name, "a", encoding="utf-8")  # noqa: SIM115 - the block below closes it
    except OSError as error:
        raise UsageError(f"cannot write {name!r}: {error.strerror}; give another -o") from None
    try:
        with file:
            quoted = (f"'{word}'" if " " in word or "\t" in word else word for word in command)
            file.write(f"CMDLINE {' '.join(quoted)}\n")
            file.flush()
            if process is not None:
                return measure_process(process, values, file)
            return measure_program(words, values, file)
    except OSError as error:
        if not is_full(error):
            raise
        raise OutputError(f"could not write {name!r}: {error.strerror}") from None


def measure_process(process: int, values: dict[str, Any], file: TextIO) -> int:
    try:
        measurement(process, values, file)(timeout=values.get("timeout", HOUR))
    except KeyboardInterrupt:
        say(f"interrupted: {file.name} has what was measured until then")
    return 0


def measure_program(words: list[str], values: dict[str, Any], file: TextIO) -> int:
    """Start a program, and measure it; when that fails, wait for its end. Returns the status."""
    process = started(words, values, file.name)
    measured, timeout = measurement(process, values, file), values.get("timeout")
    is_interrupted = False
    try:
        try:
            measured(timeout=timeout)
        except KeyboardInterrupt:
            is_interrupted, timeout = True, None
            to_the_end(measured)
    except OSError:
        to_the_end(process.wait)
        raise
    status = process.poll() if timeout is not None else process.wait()
    if status is None:
        say(f"the program runs on: it was measured for {timeout:g} s")
        return 0
    has_status = is_interrupted or values.get("exit-code")
    return (status if status >= 0 else 128 - status) if has_status else 0


def measurement(
    process: int | subprocess.Popen[bytes], values: dict[str, Any], file: TextIO
) -> Callable[..., Any]:
    return functools.partial(
        memory_usage,
        process,
        interval=values.get("interval", 0.1),
        include_children=bool(values.get("include-children")),
        multiprocess=bool(values.get("multiprocess")),
        stream=file,
        backend=values.get("backend"),
    )


def to_the_end(measured: Callable[[], Any]) -> None:
    """Measure on until the program ends, however often Ctrl-C is typed: the program has it, too."""
    while True:
        with suppress(KeyboardInterrupt):
            measured()
            return


def attached(words: list[str]) -> tuple[int, list[str]]:
    """The process of this id or name, and its words. Raises UsageError where there is none."""
    if not (words[0].isdigit() or process_memory.IN_PROC):
        raise UsageError(f"processes have names on Linux alone, not {words[0]!r}; give the id")
    pid = int(words[0]) if words[0].isdigit() else process_memory.named(words[0])
    try:
        if pid is None:
            raise ProcessLookupError
        process_memory.resident(pid)
    except ProcessLookupError:
        raise UsageError(f"there is no process {words[0]!r}; give its id, or its name") from None
    return pid, process_memory.command_of(pid) or words


def started(words: list[str], values: dict[str, Any], name: str) -> subprocess.Popen[bytes]:
    """The program, which runs. Raises UsageError where it cannot be started."""
    is_script = words[0].endswith(".py")
    of_python = (is_script and "nopython" not in values) or "python" in values
    command = list(words)
    if of_python and os.path.basename(words[0]).startswith("python") and not is_script:
        interpreter = [command.pop(0)]
    else:
        interpreter = [sys.executable]
    if of_python and not values.get("multiprocess"):
        noting = ["-m", "tracer.compat.memory_profiler", "--timestamp", "-o", name]
        noting += ["--include-children"] if values.get("include-children") else []
        command = [*interpreter, *noting, *command]
    elif of_python:
        command = [*interpreter, *command]
    try:
        return subprocess.Popen(command)
    except OSError as error:
        raise UsageError(f"cannot run {words[0]!r}: {error.strerror}") from None


def list_files(values: dict[str, Any], words: list[str]) -> int:
    for number, name in enumerate(mprof_files.in_folder()):
        print(f"{number} {name} {mprof_files.dated(name)}")
    return 0


def remove(values: dict[str, Any], words: list[str]) -> int:
    if not words:
        raise UsageError("name the files to remove, or their numbers; the verb clean removes all")
    return drop(mprof_files.named(words), values)


def clean(values: dict[str, Any], words: list[str]) -> int:
    return drop(mprof_files.in_folder(), values)


def drop(names: list[str], values: dict[str, Any]) -> int:
    if values.get("dry-run"):
        print("Files to be removed: ")
        print("".join(f"{name}\n" for name in names), end="")
        return 0
    for name in names:
        try:
            os.remove(name)
        except OSError as error:
            raise UsageError(
                f"cannot remove {name!r}: {error.strerror}; see to its folder"
            ) from None
    return 0


def recordings(words: list[str]) -> list[Recording]:
    """What the files hold that these words name; without any, the latest of the folder."""
    names = mprof_files.named(words) if words else [mprof_files.latest()]
    found = [mprof_files.read(name) for name in names]
    for one in found:
        if not one.samples:
            raise UsageError(
                f"{one.name!r} holds no measurement; the program may have been too short"
            )
    return found


def peak(values: dict[str, Any], words: list[str]) -> int:
    for one in recordings(words):
        sizes = [mib for _, mib in one.samples]
        if "func" in values:
            calls = one.calls.get(values["func"], [])
            sizes = [
                mib
                for at, mib in one.samples
                if any(call.start <= at <= call.end for call in calls)
            ]
            sizes += [mib for call in calls for mib in (call.mib_before, call.mib_after)]
        print(f"{one.name}\t{max(sizes):.3f} MiB" if sizes else f"{one.name}\tNaN MiB")
        for child, samples in one.children.items():
            print(f"  Child {child}\t\t\t{max(mib for _, mib in samples):.3f} MiB")
    return 0


def plot(values: dict[str, Any], words: list[str]) -> int:
    found = recordings(words)
    look = mprof_plot.Look(
        values.get("title"),
        values.get("window"),
        not values.get("no-function-ts"),
        bool(values.get("flame")),
        bool(values.get("slope")),
    )
    is_text = bool(values.get("text"))
    if not (is_text or "output" in values or mprof_plot.is_installed()):
        say("there is no matplotlib here (pip install matplotlib): this is a plot as text")
        is_text = True
    if is_text:
        encoding = getattr(sys.stdout, "encoding", None) or "ascii"
        is_ascii = not encoding.lower().startswith("utf")
        for one in found:
            write_text(mprof_plot.text_plot(one, look, is_ascii=is_ascii), sys.stdout)
        return 0
    mprof_plot.draw(found, look, values.get("output"), values.get("backend"))
    return 0


VERBS: Mapping[str, Verb] = {
    "run": Verb("run a program and measure its memory", "PROGRAM [ARGS...]", RUN, run),
    "attach": Verb("the same as run --attach", "PID | NAME", RUN, run),
    "list": Verb("list the files of this folder, with their numbers", "", HELP, list_files),
    "plot": Verb("draw files: by default the latest", "[FILE | NUMBER]...", PLOT, plot),
    "peak": Verb("print the maximum of files", "[FILE | NUMBER]...", PEAK, peak),
    "rm": Verb("remove files", "FILE | NUMBER...", DRY, remove),
    "clean": Verb("remove all files of this folder that run made", "", DRY, clean),
}


def main(argv: Sequence[str] | None = None) -> None:
    """Do what the command line says. Exits with status 2 for bad input, 130 after Ctrl-C."""
    try:
        run_command(_command, argv)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _command(argv: Sequence[str]) -> int:
    name, *rest = argv or [""]
    general = {"help": name in ("-h", "--help"), "version": name == "--version"}
    if is_answered(general, _usage, lambda: __version__):
        return 0
    if name not in VERBS:
        raise UsageError(f"name one of {', '.join(VERBS)}; --help tells more")
    verb = VERBS[name]
    # A negative number is a file's, not an option.
    place = next(
        (at for at, word in enumerate(rest) if word[:1] == "-" and word[1:].isdigit()), None
    )
    behind = [] if place is None or verb.act is run else rest[place:]
    before = rest[: len(rest) - len(behind)]
    values, words = parse(before, verb.options, stop_at_program=verb.act is run)
    if is_answered(values, lambda: _usage_of(name, verb), lambda: __version__):
        return 0
    if name == "attach":
        values["attach"] = True
    return verb.act(values, [*words, *behind])


def _usage() -> Usage:
    return [
        ("usage: ", "python -m tracer.compat.mprof VERB [OPTIONS] [WORDS...]"),
        "",
        "Measure the memory of a program over time, and draw it.",
        "",
        "verbs (VERB --help tells more):",
        *((f"  {name:<8}", verb.meaning) for name, verb in VERBS.items()),
    ]


def _usage_of(name: str, verb: Verb) -> Usage:
    line = f"mprof {name} [OPTIONS] {verb.words}".rstrip()
    return usage_for(line, f"{verb.meaning.capitalize()}.", verb.options)


if __name__ == "__main__":
    import_module("tracer.compat.mprof").main()
