"""The options of `run`: what is recorded, how, and where to. printing.py has those of what a run
without a file prints."""

from __future__ import annotations

from tracer.cli.options.option import (
    ALLOW_HOST,
    HELP,
    Option,
    choice,
    first_given,
    number,
    refuse_pairs,
)
from tracer.cli.options.printing import FUNCTION_PRINTING, LINE_PRINTING, PRINTING, PrintingOptions
from tracer.launch.errors import UsageError
from tracer.launch.output import is_lprof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from tracer.api.schedule import Schedule
    from tracer.launch.step_function import StepFunction


def address(text: str) -> tuple[str, int]:
    """The value of --live."""
    from tracer.cli.options.page import address_of

    return address_of(text)


def native_hz(text: str) -> int:
    """The value of --native: the samples in a second of CPU."""
    from tracer.recording.native import MOST_HZ, USUAL_HZ

    if not text:
        return USUAL_HZ
    if not (text.isdecimal() and text.isascii() and 1 <= int(text[:9]) <= MOST_HZ):
        raise UsageError(
            f"--native={text}: give samples in a second of CPU, from 1 to {MOST_HZ}, or --native "
            f"alone for {USUAL_HZ}"
        )
    return int(text)


def whose_memory(text: str) -> str:
    """The value of --memory, of which all are true: Python's memory, or that of C code, too."""
    if text not in ("", "native"):
        raise UsageError(
            f"--memory={text}: write --memory alone, or --memory=native for that of C code, too"
        )
    return text or "Python"


def budget(text: str) -> int:
    """The bytes of --timeline=SIZE; without SIZE, the usual budget."""
    from tracer.recording.budget import USUAL, budget_of

    if not text:
        return USUAL
    try:
        return budget_of(text)
    except ValueError as error:
        raise UsageError(f"--timeline: {error}") from None


def schedule(text: str) -> Schedule:
    """The schedule of --steps."""
    from tracer.cli.step_recording import schedule_in

    return schedule_in(text)


def step_function(text: str) -> StepFunction:
    """The function of --step-function."""
    from tracer.launch.step_function import StepFunction

    return StepFunction(text)


class ModuleFlag(Option):
    """-m, whose word may hold the module's name, as python's does: -mNAME."""

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        values[self.name] = True
        if text is not None:
            rest[:0] = ["--", text]


OPTIONS = (
    Option("-o, --outfile FILE", "save the profile to FILE and print no table"),
    Option(
        "--save-every SECONDS",
        "with -o: also save the profile every SECONDS while the program runs",
        read=number("--save-every", "a number of seconds, more than 0", above=0),
    ),
    Option(
        "--no-source", "with -o, --live: do not keep the text of the program's own source files"
    ),
    Option(
        "--live[=[HOST:]PORT]",
        "show the profile in the browser while the program runs",
        read=address,
    ),
    ALLOW_HOST,
    ModuleFlag("-m", "the program is a module: run it as python -m does"),
    Option("-c CODE", "the program is CODE, a text: run it as python -c does", ends=True),
    Option("-l", "time the lines of what is decorated with @profile, and record nothing else"),
    Option("--lines", "record functions, and time every line of the program's own code"),
    Option(
        "--lines-of NAME",
        "record functions, and time every line of this module (a dotted name), file or folder; "
        "with --lines: besides the program's own code; may be repeated",
        many=True,
    ),
    # Of these two a run has options of its own: their tables stand beside the others.
    *(option for option in PRINTING if option.name not in ("memory", "native")),
    *LINE_PRINTING,
    Option(
        "--memory[=native]",
        "also record what each function allocates, what of it is live at the end, and what was "
        "when the most was live; print that, too; with =native (Linux): also what C code takes by "
        "malloc, in a process that starts again for that",
        name="keeps_memory",
        read=whose_memory,
    ),
    Option(
        "--native[=HZ]",
        "also sample in which native functions each function spends its CPU time, HZ times in a "
        "second of CPU (default: 200); print that, too (Linux)",
        name="native_hz",
        read=native_hz,
    ),
    Option("--no-builtins", "leave out functions written in C: their time is their caller's"),
    Option(
        "--all-builtins",
        "record every C callable, classes, partials and ufuncs included (Python 3.12+)",
    ),
    Option(
        "--include NAME",
        "record only this module (a dotted name), file or folder: its functions and, with --lines, "
        "its lines; may be repeated",
        many=True,
    ),
    Option(
        "--exclude NAME",
        "leave out this module, file or folder, functions and lines; may be repeated",
        many=True,
    ),
    Option("--no-threads", "record the main thread only"),
    Option(
        "--timer wall|cpu",
        "measure elapsed time (default) or CPU time of each thread",
        read=choice("--timer", "wall", "cpu"),
    ),
    Option("--compensate", "subtract tracing overhead from the times"),
    Option(
        "--timeline[=SIZE]",
        "also record when each call ran, in SIZE of memory (default: 64MiB); when that is full, "
        "the shortest calls are no longer kept, but stay in all sums",
        read=budget,
    ),
    Option(
        "--timeline-last",
        "the same, but when the memory is full, the oldest calls are no longer kept",
    ),
    Option(
        "--steps SCHEDULE",
        "with --step-function: record only these steps, with a timeline; SCHEDULE is FIRST:END, or "
        "some of skip_first=N, wait=N, warmup=N, active=N, repeat=N, with commas between",
        read=schedule,
    ),
    Option(
        "--step-function NAME",
        "each call of this function ends a step: MODULE.FUNCTION, MODULE.CLASS.METHOD, or FUNCTION "
        "of the program's own file; without --steps: record all steps",
        read=step_function,
    ),
    HELP,
    Option("--version", "print the version"),
    Option("-v, --verbose", "with --version: also print how calls are recorded here"),
)


class RunOptions(PrintingOptions):
    all_builtins: bool
    allow_host: tuple[str, ...]
    c: str | None
    compensate: bool
    exclude: tuple[str, ...]
    help: bool
    keeps_memory: str | None
    l: bool  # noqa: E741
    lines: bool
    lines_of: tuple[str, ...]
    live: tuple[str, int] | None
    m: bool
    native_hz: int | None
    no_builtins: bool
    no_source: bool
    no_threads: bool
    outfile: str | None
    save_every: float | None
    step_function: StepFunction | None
    steps: Schedule | None
    timeline: int | None
    timeline_last: bool
    timer: Literal["wall", "cpu"] | None
    verbose: bool
    version: bool

    @property
    def asks_for_timeline(self) -> bool:
        steps = self.step_function is not None
        return self.timeline is not None or self.timeline_last or steps


# The names of options that concern functions only.
OF_FUNCTIONS = {
    *(option.name for option in FUNCTION_PRINTING),
    *("no_builtins", "all_builtins", "include", "exclude", "no_threads", "keeps_memory"),
    *("native_hz", "timeline", "timeline_last", "steps", "step_function"),
}


def check(options: RunOptions) -> None:
    """Raise UsageError for options that do not go together."""
    if options.verbose:
        raise UsageError("--verbose adds to --version; give both, or leave --verbose out")
    if options.save_every is not None and options.outfile is None:
        raise UsageError("--save-every needs a file to save to: give -o FILE, too")
    if options.no_source and options.outfile is None and options.live is None:
        raise UsageError("--no-source is of no use without -o FILE: nothing is kept; leave it out")
    if options.allow_host and options.live is None:
        raise UsageError("--allow-host is of no use without --live; give it, too")
    refuse_pairs(options)
    unused = first_given((*PRINTING, *LINE_PRINTING), options)
    if unused and options.outfile is not None:
        raise UsageError(f"{unused} is of no use with -o, which prints nothing; give it to 'show'")
    if unused:  # else this module is not loaded before the program
        from tracer.cli.options.checks import check_printing

        check_printing(options)
    check_lines(options)


def times_lines(options: RunOptions) -> bool:
    """Whether functions are recorded, and lines are timed."""
    return bool(options.lines or options.lines_of)


def check_lines(options: RunOptions) -> None:
    """Raise UsageError for options of lines that do not go together."""
    flag = "--lines" if options.lines else "--lines-of"
    if options.l and times_lines(options):
        raise UsageError(f"{flag} times decorated functions, too; leave -l out")
    if times_lines(options) and options.no_threads:
        raise UsageError(
            f"--no-threads is of no use with {flag}, which times the lines of every "
            "thread; leave --no-threads out"
        )
    if not (options.l or times_lines(options)):
        of_lines = [o for o in LINE_PRINTING if not (o.name == "min" and options.tree)]
        unused = first_given(of_lines, options)
        if unused:
            raise UsageError(f"{unused} is of no use without lines; give -l or --lines, too")
        if is_lprof(options.outfile):
            raise UsageError(
                f"{options.outfile!r}: an .lprof file holds lines only; give -l, too, or "
                "another name"
            )
    elif options.l:
        unused = first_given([o for o in OPTIONS if o.name in OF_FUNCTIONS], options)
        if unused:
            raise UsageError(f"{unused} is of no use with -l, which times lines only; use --lines")
    elif is_lprof(options.outfile):
        raise UsageError(
            f"{options.outfile!r}: an .lprof file holds lines only, and {flag} records "
            "functions, too; give another name, or -l"
        )
