"""The options of `run`: what is recorded, how, and where to. printing.py has those of what a run
without a file prints."""

from __future__ import annotations

from tracer.cli.options.option import (
    ALLOW_HOST,
    HELP,
    Option,
    declared,
    number_in,
    option,
    refuse_pairs,
)
from tracer.cli.options.printing import FUNCTION_PRINTING, PrintingOptions, of_lines
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
    """The value of --native: the samples in a second of CPU; True: as many as usual."""
    from tracer.recording.slowdown import MOST_RATE, USUAL_RATE

    if not text:
        return True
    if not (text.isdecimal() and text.isascii() and 1 <= int(text[:9]) <= MOST_RATE):
        raise UsageError(
            f"--native={text}: give samples in a second of CPU, from 1 to {MOST_RATE}, or --native "
            f"alone for {USUAL_RATE}"
        )
    return int(text)


def slowdown(text: str) -> float:
    """The value of --slowdown, as a part of 1."""
    from tracer.recording.slowdown import part_of

    try:
        return part_of(text)
    except ValueError as error:
        raise UsageError(f"--slowdown: {error}") from None


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


class RunOptions(PrintingOptions):
    outfile: str | None = option(
        "-o, --outfile FILE", "save the profile to FILE and print no table"
    )
    save_every: float | None = option(
        "--save-every SECONDS",
        "with -o: also save the profile every SECONDS while the program runs",
        read=number_in("--save-every", "a number of seconds, more than 0", above=0),
    )
    no_source: bool = option(
        "--no-source", "with -o, --live: do not keep the text of the program's own source files"
    )
    live: tuple[str, int] | None = option(
        "--live[=[HOST:]PORT]",
        "show the profile in the browser while the program runs",
        read=address,
    )
    allow_host: tuple[str, ...] = ALLOW_HOST
    m: bool = declared(ModuleFlag)("-m", "the program is a module: run it as python -m does")
    c: str | None = option(
        "-c CODE", "the program is CODE, a text: run it as python -c does", ends=True
    )
    l: bool = option(  # noqa: E741
        "-l", "time the lines of what is decorated with @profile, and record nothing else"
    )
    lines: bool = option(
        "--lines", "record functions, and time every line of the program's own code"
    )
    lines_of: tuple[str, ...] = option(
        "--lines-of NAME",
        "record functions, and time every line of this module (a dotted name), file or folder; "
        "with --lines: besides the program's own code; may be repeated",
        many=True,
    )
    # Of these two a run has options of its own: their tables stand beside the others.
    PRINTED = tuple(it for it in PrintingOptions.OPTIONS if it.name not in ("memory", "native"))
    keeps_memory: str | None = option(
        "--memory[=native]",
        "also record what each function allocates, what of it is live at the end, and what was "
        "when the most was live; print that, too; with =native (Linux): also what C code takes by "
        "malloc, in a process that starts again for that",
        read=whose_memory,
    )
    native_hz: int | None = option(
        "--native[=HZ]",
        "also sample in which native functions each function spends its CPU time, HZ times in a "
        "second of CPU (default: 250); print that, too (Linux)",
        read=native_hz,
    )
    slowdown: float | None = option(
        "--slowdown PERCENT",
        "slow the program down by so much at most: times are told by samples of its CPU time, each "
        "with its error, and calls are counted as long as that is cheap; 0: samples alone (Linux)",
        read=slowdown,
    )
    rate: int | None = option(
        "--rate HZ",
        "with --slowdown: take HZ samples in a second of CPU (default: 250)",
        read=number_in(
            "--rate", "samples in a second of CPU, from 1 to 10000", int, least=1, most=10_000
        ),
    )
    no_builtins: bool = option(
        "--no-builtins", "leave out functions written in C: their time is their caller's"
    )
    all_builtins: bool = option(
        "--all-builtins",
        "record every C callable, classes, partials and ufuncs included (Python 3.12+)",
    )
    include: tuple[str, ...] = option(
        "--include NAME",
        "record only this module (a dotted name), file or folder: its functions and, with --lines, "
        "its lines; may be repeated",
        many=True,
    )
    exclude: tuple[str, ...] = option(
        "--exclude NAME",
        "leave out this module, file or folder, functions and lines; may be repeated",
        many=True,
    )
    no_threads: bool = option("--no-threads", "record the main thread only")
    timer: Literal["wall", "cpu"] | None = option(
        "--timer wall|cpu",
        "measure elapsed time (default) or CPU time of each thread",
        words=("wall", "cpu"),
    )
    compensate: bool = option(
        "--compensate", "subtract tracing overhead from the times; shares stay"
    )
    timeline: int | None = option(
        "--timeline[=SIZE]",
        "also record when each call ran, in SIZE of memory (default: 64MiB); when that is full, "
        "the shortest calls are no longer kept, but stay in all sums",
        read=budget,
    )
    timeline_last: bool = option(
        "--timeline-last",
        "the same, but when the memory is full, the oldest calls are no longer kept",
    )
    steps: Schedule | None = option(
        "--steps SCHEDULE",
        "with --step-function: record only these steps, with a timeline; SCHEDULE is FIRST:END, or "
        "some of skip_first=N, wait=N, warmup=N, active=N, repeat=N, with commas between",
        read=schedule,
    )
    step_function: StepFunction | None = option(
        "--step-function NAME",
        "each call of this function ends a step: MODULE.FUNCTION, MODULE.CLASS.METHOD, or FUNCTION "
        "of the program's own file; without --steps: record all steps",
        read=step_function,
    )
    help: bool = HELP
    version: bool = option("--version", "print the version")
    verbose: bool = option(
        "-v, --verbose", "with --version: also print how calls are recorded here"
    )

    @property
    def asks_for_timeline(self) -> bool:
        steps = self.step_function is not None
        return self.timeline is not None or self.timeline_last or steps


# The names of options that concern functions only.
OF_FUNCTIONS = {
    *FUNCTION_PRINTING,
    *("no_builtins", "all_builtins", "include", "exclude", "no_threads", "keeps_memory"),
    *("native_hz", "slowdown", "rate", "timeline", "timeline_last", "steps", "step_function"),
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
    if options.rate is not None and options.slowdown is None:
        raise UsageError("--rate is of no use without --slowdown; give it, too")
    hz = None if options.native_hz is True else options.native_hz
    if None not in (options.rate, hz) and options.rate != hz:
        raise UsageError(
            f"--native={hz} and --rate {options.rate}: one sampler serves both; give one of them"
        )
    unused = options.first_given(PrintingOptions.names())
    if unused and options.outfile is not None:
        raise UsageError(f"{unused} is of no use with -o, which prints nothing; give it to 'show'")
    if unused:  # else this module is not loaded before the program
        from tracer.cli.options.checks import check_printing, refuse_single_calls

        check_printing(options)
        if options.slowdown is not None:
            refuse_single_calls(options)
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
        unused = options.first_given(of_lines(options))
        if unused:
            raise UsageError(f"{unused} is of no use without lines; give -l or --lines, too")
        if is_lprof(options.outfile):
            raise UsageError(
                f"{options.outfile!r}: an .lprof file holds lines only; give -l, too, or "
                "another name"
            )
    elif options.l:
        unused = options.first_given(OF_FUNCTIONS)
        if unused:
            raise UsageError(f"{unused} is of no use with -l, which times lines only; use --lines")
    elif is_lprof(options.outfile):
        raise UsageError(
            f"{options.outfile!r}: an .lprof file holds lines only, and {flag} records "
            "functions, too; give another name, or -l"
        )
