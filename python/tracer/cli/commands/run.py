"""The verb `run`: run a program under the profiler, as plain python would run it.

This module turns the options into a profiler. launch/program.py finds the program;
launch/profiled_run.py runs it and keeps its profile.
"""

from __future__ import annotations

import builtins
from os.path import exists

from tracer._core import BACKEND_TITLES, BACKENDS, Profiler
from tracer.api.decorator import profile
from tracer.cli.main import VERBS
from tracer.cli.option_values import address_of, choice, native_hz, number, whose_memory
from tracer.cli.options import ALLOW_HOST, HELP, Ending, Option, describe, first_given, parse
from tracer.cli.printing_options import (
    FUNCTION_PRINTING,
    LINE_PRINTING,
    PRINTING,
    PrintingOptions,
    check_printing,
)
from tracer.cli.timeline_recording import RECORDING, check_recording, file_for, timeline_of
from tracer.launch.errors import UsageError
from tracer.launch.output import ProfileFile, is_lprof, is_named_otherwise
from tracer.launch.profile_output import ProfileOutput
from tracer.launch.profiled_run import ProfiledRun
from tracer.launch.program import Program, find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TextIO

    from tracer.api.schedule import Schedule
    from tracer.data.overhead import Costs
    from tracer.launch.line_timing import LineTiming
    from tracer.launch.step_function import StepFunction


class ModuleFlag(Option):
    """-m, whose word may hold the module's name, as python's does: -mNAME."""

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        values[self.name] = True
        if text is not None:
            rest[:0] = ["--", text]


OPTIONS = (
    Option("-o", "--outfile", value="FILE", meaning="save the profile to FILE and print no table"),
    Option(
        "--save-every",
        value="SECONDS",
        read=number("--save-every", "a number of seconds, more than 0", above=0),
        meaning="with -o: also save the profile every SECONDS while the program runs",
    ),
    Option(
        "--no-source",
        meaning="with -o, --live: do not keep the text of the program's own source files",
    ),
    Option(
        "--live",
        value="[HOST:]PORT",
        read=address_of,
        optional=True,
        meaning="show the profile in the browser while the program runs",
    ),
    ALLOW_HOST,
    ModuleFlag("-m", meaning="the program is a module: run it as python -m does"),
    Ending("-c", value="CODE", meaning="the program is CODE, a text: run it as python -c does"),
    Option(
        "-l", meaning="time the lines of what is decorated with @profile, and record nothing else"
    ),
    Option("--lines", meaning="record functions, and time every line of the program's own code"),
    Option(
        "--lines-of",
        value="NAME",
        many=True,
        meaning="record functions, and time every line of this module (a dotted name), file or "
        "folder; with --lines: besides the program's own code; may be repeated",
    ),
    *(option for option in PRINTING if option.name not in ("memory", "native")),
    *LINE_PRINTING,
    Option(
        "--memory",
        name="keeps_memory",
        value="native",
        read=whose_memory,
        optional=True,
        meaning="also record what each function allocates, what of it is live at the end, and what "
        "was when the most was live; print that, too; with =native (Linux): also what C code takes "
        "by malloc, in a process that starts again for that",
    ),
    Option(
        "--native",
        name="native_hz",
        value="HZ",
        read=native_hz,
        optional=True,
        meaning="also sample in which native functions each function spends its CPU time, HZ times "
        "in a second of CPU (default: 200); print that, too (Linux)",
    ),
    Option(
        "--no-builtins", meaning="leave out functions written in C: their time is their caller's"
    ),
    Option(
        "--all-builtins",
        meaning="record every C callable, classes, partials and ufuncs included (Python 3.12+)",
    ),
    Option(
        "--include",
        value="NAME",
        many=True,
        meaning="record only this module (a dotted name), file or folder: its functions and, with "
        "--lines, its lines; may be repeated",
    ),
    Option(
        "--exclude",
        value="NAME",
        many=True,
        meaning="leave out this module, file or folder, functions and lines; may be repeated",
    ),
    Option("--no-threads", meaning="record the main thread only"),
    Option(
        "--timer",
        value="wall|cpu",
        read=choice("--timer", "wall", "cpu"),
        meaning="measure elapsed time (default) or CPU time of each thread",
    ),
    Option("--compensate", meaning="subtract tracing overhead from the times"),
    *RECORDING,
    HELP,
    Option("--version", meaning="print the version"),
    Option("-v", "--verbose", meaning="with --version: also print how calls are recorded here"),
)


class RunOptions(PrintingOptions):
    __slots__ = (
        *("all_builtins", "allow_host", "c", "compensate", "exclude", "help", "include"),
        *("keeps_memory", "l", "lines", "lines_of", "live", "m", "native_hz", "no_builtins"),
        *("no_source", "no_threads", "outfile", "save_every", "step_function", "steps"),
        *("timeline", "timeline_last", "timer", "verbose", "version"),
    )
    all_builtins: bool
    allow_host: tuple[str, ...]
    c: str | None
    compensate: bool
    exclude: tuple[str, ...]
    help: bool
    include: tuple[str, ...]
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


# The names of options that concern functions only.
OF_FUNCTIONS = {
    *(option.name for option in FUNCTION_PRINTING),
    *(
        "no_builtins",
        "all_builtins",
        "include",
        "exclude",
        "no_threads",
        "keeps_memory",
        "native_hz",
    ),
    *(option.name for option in RECORDING),
}


def usage(prog: str) -> str:
    verbs = "".join(f"  {verb:<20}  {meaning}\n" for verb, meaning in VERBS.items())
    return (
        f"usage: {prog} [OPTIONS] SCRIPT | - | -m MODULE | -c CODE [ARGS...]\n"
        f"       {prog} VERB [OPTIONS] FILE...   (the verbs are listed below)\n"
        "\n"
        "Run a Python program and print which functions were called, how often, how long they\n"
        "took and who called whom. A SCRIPT that is no file is looked up on PATH; - is standard\n"
        "input. What follows SCRIPT, MODULE or CODE belongs to the program.\n"
        "\n"
        f"options:\n{describe(OPTIONS)}\n"
        f"verbs ({prog} VERB --help tells more; a file of such a name is run as ./NAME):\n{verbs}"
    )


def command(argv: list[str], prog: str) -> int:
    """Run the program that `argv` names. Raises UsageError, and what the program raises."""
    options, words = parse(argv, OPTIONS, RunOptions, stop_at_program=True)
    # Of `show`: here the tables of memory and of native functions stand beside the others.
    options.memory = options.native = False
    if options.help:
        return print_text(usage(prog), asked_for=True)
    if options.version:
        return print_text(version(options), asked_for=True)
    check(options)
    if options.outfile is not None and is_named_otherwise(options.outfile):
        from tracer.cli.suggestions import refuse_name

        refuse_name(options.outfile, prog)
    if options.m and not words:
        raise UsageError("-m needs the name of a module: -m MODULE")
    if not words and options.c is None:
        if not argv:
            print_text(usage(prog), asked_for=False)
        raise UsageError(
            "nothing to run: name a SCRIPT, -m MODULE or -c CODE after the options; --help "
            "tells more"
        )
    if options.keeps_memory == "native":
        from tracer.launch.native_memory import need_native_memory

        need_native_memory()
    program = program_of(words, options, prog)
    if program.is_like_profile:
        from tracer.cli.suggestions import refuse_profile

        refuse_profile(program.path, words[0], prog)
    file = None if options.outfile is None else ProfileFile(options.outfile)
    if file is not None and program.path and file.is_file(program.path):
        raise UsageError(f"{file.name!r} is the program itself; give another path after -o")

    if options.save_every is not None and file is not None and not file.is_replaced:
        raise UsageError(
            f"--save-every cannot write {file.name!r} again and again: it is no regular file; "
            "give another path after -o"
        )
    timeline = timeline_of(options)
    timeline_file = None
    if timeline:
        from tracer.recording.timeline_api import load_timeline_api

        load_timeline_api()
    if timeline and file is not None and file.is_replaced:
        timeline_file = file_for(file, timeline["timeline"])
        timeline["timeline_file"] = -1 if timeline_file is None else timeline_file.number
    calls = program.search(lambda: profiler(options, program.also(), timeline))
    lines = program.search(lambda: line_timing(options, program))
    output = ProfileOutput(file, lambda *what: table_of(options, prog, *what), prog)
    keeps_sources = not options.no_source
    make_run: Callable[..., ProfiledRun] = ProfiledRun
    if options.step_function is not None:
        from tracer.cli.step_recording import stepped_run

        # One profile at a time records memory, and a step that is not recorded needs no samples.
        light = options.but(keeps_memory=None, native_hz=None)
        warm = program.search(lambda: profiler(light, program.also()))
        make_run = stepped_run(options, warm)
    run = make_run(
        calls,
        lines,
        program.words,
        output,
        keeps_sources=keeps_sources,
        timeline_file=timeline_file,
    )
    run.start(live=options.live, allow_host=options.allow_host, save_every=options.save_every)
    run.run(program)
    return 0


def program_of(words: list[str], options: RunOptions, prog: str) -> Program:
    """The program to run. Raises UsageError."""
    if options.c is not None:
        from tracer.launch.command_text import CommandProgram

        return CommandProgram(options.c, words)
    try:
        return find_program(words, options.m)
    except UsageError:
        if not (options.m or exists(words[0])):
            from tracer.cli.suggestions import refuse_value, refuse_verb

            refuse_value(words[0], options)
            refuse_verb(words[0], VERBS, prog)
        raise


def print_text(text: str, *, asked_for: bool) -> int:
    """Like print_usage(), whose modules a program must not find loaded."""
    from tracer.cli.usage import print_usage

    return print_usage(text, asked_for=asked_for)


def table_of(
    options: RunOptions, prog: str, section: dict[str, Any], stream: TextIO | None
) -> tuple[Callable[[TextIO], str], list[str]]:
    """The table of a run without FILE, made to fit `stream`, as each stream shows it; and the notes
    to print below."""
    from functools import partial  # a program must not find it loaded

    from tracer.cli.colors import text_for
    from tracer.cli.first_screen import more_of_run
    from tracer.cli.tables import Mode, Printing, print_section
    from tracer.cli.view import view_of

    lines = Mode.RUN_LINES if times_lines(options) else Mode.RUN
    mode = Mode.RUN_DECORATED if options.l else lines
    view, more = view_of(stream), partial(more_of_run, prog)
    # All that was recorded is listed: --include of a run has chosen it already.
    listed = options.but(include=())
    printing = Printing(
        mode,
        listed,
        view=view,
        more=more,
        has_memory=bool(options.keeps_memory),
        has_native=bool(options.native_hz),
    )
    printed = print_section(section, printing)
    return lambda stream: text_for(stream, printed.text, options.color), printed.notes


def version(options: RunOptions) -> str:
    from tracer._version import __version__

    text = f"tracer {__version__}\n"
    if options.verbose:
        backend = profiler(options).backend
        text += "back ends, the best first:\n"
        for name in BACKENDS:
            taken = f" <- {backend.reason}" if name == backend else ""
            text += f"    {name} ({BACKEND_TITLES[name]}){taken}\n"
    return text


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
    unused = first_given((*PRINTING, *LINE_PRINTING), options)
    if unused and options.outfile is not None:
        raise UsageError(f"{unused} is of no use with -o, which prints nothing; give it to 'show'")
    check_printing(options)
    check_lines(options)
    check_recording(options)


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


def profiler(
    options: RunOptions, also: str = "", timeline: dict[str, Any] | None = None
) -> Profiler:
    """The Profiler that these options ask for. `also` is as in paths_of(); `timeline`: what it is
    told of the timeline. Raises UsageError."""
    in_c: bool | Literal["all"] = "all" if options.all_builtins else not options.no_builtins
    try:
        backend = Profiler().backend
        if in_c == "all" and not backend.sees_all_callables:
            raise UsageError(
                "--all-builtins needs Python 3.12 or later and the back end monitoring; here it is "
                f"{backend}: {backend.reason}; leave the option out"
            )
        return Profiler(
            options.timer,
            builtins=in_c,
            threads=not options.no_threads,
            include=paths(options, "include", also),
            exclude=paths(options, "exclude", also),
            costs=call_costs(options, in_c),
            memory=bool(options.keeps_memory),
            native=options.native_hz or 0,
            **(timeline or {}),
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    except RuntimeError as error:  # of native code alone
        raise UsageError(f"--native: {error}; leave it out") from None


def call_costs(options: RunOptions, in_c: bool | Literal["all"]) -> Costs | None:
    """The tracing overhead to subtract from the times; None for none."""
    if not options.compensate or times_lines(options):  # overhead of lines on functions: unknown
        return None
    from tracer.recording.call_overhead import costs_for

    return costs_for(options.timer, in_c, None)


def paths(options: RunOptions, name: str, also: str) -> tuple[str, ...]:
    """The paths that the option `name` gives. Raises ValueError."""
    given: tuple[str, ...] = getattr(options, name)
    if not given:
        return ()
    from tracer.recording.focus import paths_of

    return paths_of(given, f"--{name.replace('_', '-')}", also)


def line_timing(options: RunOptions, program: Program) -> LineTiming | None:
    """The LineTiming that these options ask for, or None. Makes `profile` a builtin, by which the
    program marks functions. Raises UsageError."""
    builtins.profile = profile  # type: ignore[attr-defined]
    if not (options.l or times_lines(options)):
        profile.attach(None)
        return None
    from tracer.launch.line_timing import decorated_lines, own_lines

    if options.l:
        return decorated_lines(options.timer, compensate=options.compensate)
    try:
        include, exclude, besides = (
            paths(options, name, program.also()) for name in ("include", "exclude", "lines_of")
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    return own_lines(
        program,
        options.timer,
        builtins=not options.no_builtins,
        compensate=options.compensate,
        own=options.lines,
        include=include,
        exclude=exclude,
        besides=besides,
        memory=bool(options.keeps_memory),
    )
