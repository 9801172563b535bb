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
from tracer.cli.options.option import parse
from tracer.cli.options.run import RunOptions, check, times_lines
from tracer.launch.errors import UsageError
from tracer.launch.output import ProfileFile, is_named_otherwise, put_text
from tracer.launch.profile_output import ProfileOutput
from tracer.launch.profiled_run import ProfiledRun
from tracer.launch.program import Program, find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TextIO

    from tracer.cli.usage import Usage
    from tracer.data.overhead import Costs
    from tracer.launch.line_timing import LineTiming


def usage(prog: str) -> Usage:
    from tracer.cli.usage import rows_of, table_of, usage_of

    usual, *more = usage_of(
        f"{prog} [OPTIONS] SCRIPT | - | -m MODULE | -c CODE [ARGS...]",
        "Run a Python program and print which functions were called, how often, how long they took "
        "and who called whom. A SCRIPT that is no file is looked up on PATH; - is standard input. "
        "What follows SCRIPT, MODULE or CODE belongs to the program.",
        rows_of(RunOptions),
        "",
        f"verbs ({prog} VERB --help tells more; a file of such a name is run as ./NAME):",
        *table_of(VERBS),
    )
    verbs = f"{prog} VERB [OPTIONS] FILE...   (the verbs are listed below)"
    return [usual, ("       ", verbs), *more]


def command(argv: list[str], prog: str) -> int:
    """Run the program that `argv` names. Raises UsageError, and what the program raises."""
    options, words = parse(argv, RunOptions, stop_at_program=True)
    if options.help:
        return print_usage(prog, asked_for=True)
    if options.version:
        put_text(version(options))
        return 0
    check(options)
    if options.asks_for_timeline or options.steps is not None:
        from tracer.cli.timeline_recording import check_recording

        check_recording(options)
    if options.outfile is not None and is_named_otherwise(options.outfile):
        from tracer.cli.suggestions import refuse_name

        refuse_name(options.outfile, prog)
    if options.m and not words:
        raise UsageError("-m needs the name of a module: -m MODULE")
    if not words and options.c is None:
        if not argv:
            print_usage(prog, asked_for=False)
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
    run = made_run(options, program, prog)
    run.start(live=options.live, allow_host=options.allow_host, save_every=options.save_every)
    run.run(program)
    return 0


def made_run(options: RunOptions, program: Program, prog: str) -> ProfiledRun:
    """The run of the program that these options ask for. Raises UsageError."""
    file = file_for(options, program)
    timeline: dict[str, Any] = {}
    timeline_file = None
    if options.asks_for_timeline:
        from tracer.cli.timeline_recording import timeline_for

        timeline, timeline_file = timeline_for(options, file)
    calls = program.search(lambda: recorder(options, program, timeline))
    lines = program.search(lambda: line_timing(options, program))
    output = ProfileOutput(file, lambda *what: table_of(options, prog, *what), prog)
    make: Callable[..., ProfiledRun] = ProfiledRun
    if options.step_function is not None:
        from tracer.cli.step_recording import stepped_run

        # One profile at a time records memory, and a step that is not recorded needs no samples.
        light = options.but(keeps_memory=None, native_hz=None)
        warm = program.search(lambda: profiler(light, program.also()))
        make = stepped_run(options.steps, options.step_function, warm)
    return make(
        calls,
        lines,
        program.words,
        output,
        keeps_sources=not options.no_source,
        timeline_file=timeline_file,
    )


def recorder(options: RunOptions, program: Program, timeline: dict[str, Any]) -> Profiler:
    """What records the calls, or the samples, of a program. Raises UsageError."""
    lines = None
    if options.slowdown is not None and times_lines(options):
        from tracer.launch.line_timing import whose_lines

        include, exclude, besides = line_paths(options, program)
        whose = whose_lines(program, own=options.lines, include=include, besides=besides)
        lines = whose["include"], exclude, whose.get("own", ()), whose.get("own_but", ())
    return profiler(options, program.also(), {**timeline, "lines": lines})


def file_for(options: RunOptions, program: Program) -> ProfileFile | None:
    """The FILE of -o. Raises UsageError for one that cannot be written."""
    if options.outfile is None:
        return None
    file = ProfileFile(options.outfile)
    if program.path and file.is_file(program.path):
        raise UsageError(f"{file.name!r} is the program itself; give another path after -o")
    if options.save_every is not None and not file.is_replaced:
        raise UsageError(
            f"--save-every cannot write {file.name!r} again and again: it is no regular file; "
            "give another path after -o"
        )
    return file


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


def print_usage(prog: str, *, asked_for: bool) -> int:
    from tracer.cli import usage as texts  # a program must not find it loaded

    return texts.print_usage(usage(prog), asked_for=asked_for)


def table_of(
    options: RunOptions, prog: str, section: dict[str, Any], stream: TextIO | None
) -> tuple[Callable[[TextIO], str], list[str]]:
    """The table of a run without FILE, made to fit `stream`, as each stream shows it; and the notes
    to print below."""
    from functools import partial  # a program must not find it loaded

    from tracer.cli.colors import text_for
    from tracer.cli.first_screen import more_of_run
    from tracer.cli.screen import screen_for
    from tracer.cli.tables import Mode, Printing, print_section

    lines = Mode.RUN_LINES if times_lines(options) else Mode.RUN
    mode = Mode.RUN_DECORATED if options.l else lines
    screen, more = screen_for(stream), partial(more_of_run, prog)
    # All that was recorded is listed: --include of a run has chosen it already.
    listed = options.but(include=())
    printing = Printing(
        mode,
        listed,
        screen=screen,
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


def profiler(
    options: RunOptions, also: str = "", besides: dict[str, Any] | None = None
) -> Profiler:
    """The Profiler that these options ask for. `also` is as in paths_of(); `besides`: what it is
    told of the timeline, and of lines. Raises UsageError."""
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
            native=native_rate(options.native_hz),
            **sampling(options),
            **(besides or {}),
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    except RuntimeError as error:  # of samples alone
        flag = "--native" if options.slowdown is None else "--slowdown"
        raise UsageError(f"{flag}: {error}; leave it out") from None


def native_rate(native_hz: int | None) -> int:
    """The samples of native code in a second of CPU; 0: none."""
    if native_hz is None:
        return 0
    from tracer.recording.native import rate_of

    return rate_of(native_hz)


def sampling(options: RunOptions) -> dict[str, Any]:
    """What a Profiler is told of samples that stand for calls."""
    if options.slowdown is None:
        return {}
    import tracer.data.sampled_records  # noqa: F401  the program's own modules cannot harm it then
    from tracer.recording.slowdown import rate_of

    hz = None if options.native_hz is True else options.native_hz
    return {"slowdown": options.slowdown, "rate": rate_of(options.rate or hz)}


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


def line_paths(options: RunOptions, program: Program) -> tuple[tuple[str, ...], ...]:
    """The code whose lines are wanted: to include, to exclude, and what is wanted besides. Raises
    UsageError."""
    try:
        names = "include", "exclude", "lines_of"
        return tuple(paths(options, name, program.also()) for name in names)
    except ValueError as error:
        raise UsageError(str(error)) from None


def line_timing(options: RunOptions, program: Program) -> LineTiming | None:
    """The LineTiming that these options ask for, or None. Makes `profile` a builtin, by which the
    program marks functions. Raises UsageError."""
    builtins.profile = profile  # type: ignore[attr-defined]
    if not (options.l or times_lines(options)) or options.slowdown is not None:
        profile.attach(None)
        return None
    from tracer.launch.line_timing import decorated_lines, own_lines

    if options.l:
        return decorated_lines(options.timer, compensate=options.compensate)
    include, exclude, besides = line_paths(options, program)
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
