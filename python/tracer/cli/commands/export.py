"""The verb `export`: saved profiles, added up, in a format that another tool opens.

tracer.exports has the formats. This module reads the files, opens OUT and reports errors.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import NamedTuple

from tracer.cli.derived_names import FORCE, derived_file
from tracer.cli.inputs import files_asked_for, reading, thread_of, use_phases
from tracer.cli.options.option import HELP, PHASES, RAW, Options, option
from tracer.cli.options.printing import percent
from tracer.cli.options.show import FROM, TO_TIME, moment
from tracer.cli.usage import Usage, rows_of, table_of, usage_of
from tracer.launch.errors import OutputError, UsageError
from tracer.launch.output import ProfileFile, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO

    from tracer.api.stats import Stats
    from tracer.exports.export import Export, Format, Window


EXPORTED_MEMORY = ("peak", "live", "allocated", "temporary")  # the default first


class Least(NamedTuple):
    """What --min asks for: percent of the time, or seconds of a slice. None: not asked for."""

    percent: float | None = None
    seconds: float | None = None


def least(text: str) -> Least:
    """A number is a percentage; with a unit of time it is a duration."""
    try:
        if text.endswith("s"):
            return Least(seconds=moment("--min")(text))
        return Least(percent=percent(text.removesuffix("%")))
    except UsageError:
        raise UsageError(
            f"--min {text!r}: give a percentage, from 0 to 100, or a duration, such as 200us"
        ) from None


class ExportOptions(Options):
    to: str | None = option("--to FORMAT", "the format to write; the formats are listed below")
    outfile: str | None = option(
        "-o, --outfile OUT",
        "write to OUT, - for standard output; default: FILE with the format's ending",
    )
    force: bool = FORCE
    min: Least = option(
        "--min LEAST",
        "a percentage: prune what took less than this share of the time; a duration, such as "
        "200us: leave shorter slices out; as described below",
        read=least,
        default=Least(),
    )
    begin: float | None = FROM
    end: float | None = TO_TIME
    paths: bool = option("--paths", "speedscope: show paths, also of a profile with a timeline")
    memory: bool = option(
        "--memory",
        "folded, pprof, speedscope: memory in the place of time; json and csv have it beside the "
        "times",
    )
    native: bool = option(
        "--native",
        "callgrind, folded, pprof, speedscope: CPU time by native samples in the place of time, "
        "with native functions below the others",
    )
    sort: str | None = option(
        "-s, --sort KEY",
        "with --memory: peak (the default), live, allocated or temporary",
        words=EXPORTED_MEMORY,
    )
    thread: str | None = option(
        "--thread NAME", "export what this thread did, by its name or ident"
    )
    phases: str | None = PHASES
    raw: bool = RAW
    help: bool = HELP


PRUNING = {  # by Format.prunes: what --min does
    "paths": "adds small paths up, so that all sums stay",
    "functions": "leaves small functions out",
    "slices": "takes a duration, and leaves shorter slices out",
}
STEPPED = "json"  # the format that lists steps
LARGE = 100 * 2**20  # bytes: from this size on, a message tells the size
WORTH_TELLING = 2**20  # bytes: the same if standard error is a terminal


def usage(prog: str) -> Usage:
    from tracer.exports.export import FORMATS

    return usage_of(
        f"{prog} export FILE... --to FORMAT [-o OUT]",
        "Write saved profiles, added up, for other tools. A FILE is what tracer -o or "
        "cProfile wrote.",
        rows_of(ExportOptions),
        "",
        "formats, and what opens them:",
        *table_of({name: describe_format(kind) for name, kind in FORMATS.items()}),
        *pruned_by(FORMATS),
    )


def describe_format(kind: Format) -> str:
    """The usage text's line for a format."""
    text = f"{kind.opened_by}: {kind.holds}" if kind.holds else kind.opened_by
    return f"{text} (--min {kind.minimum:g} if not told)" if kind.minimum else text


def pruned_by(formats: Mapping[str, Format]) -> Iterator[str]:
    """The usage text's paragraphs on --min: one for each way of pruning that a format has."""
    for prunes, does in PRUNING.items():
        names = [name for name, format in formats.items() if takes(format, prunes)]
        if names:
            yield from ("", f"--min {does}: {', '.join(names)}")


def takes(format: Format, prunes: str) -> bool:
    return format.prunes == prunes or (prunes == "slices" and format.draws)


def command(argv: list[str], prog: str) -> int:
    asked = files_asked_for(
        argv, ExportOptions, usage, prog, "nothing to export: name a FILE that -o wrote"
    )
    if asked is None:
        return 0
    options, files = asked
    kind = chosen_format(options)
    named = options.outfile is not None
    name = f"{files[0]}{kind.suffix}" if options.outfile is None else options.outfile
    if name == "-":
        refuse_terminal(kind, str(options.to))
        destination = None
    else:
        destination = (
            ProfileFile(name) if named else derived_file(name, kind.mark, force=options.force)
        )
        for file in files:
            if os.path.exists(file) and destination.is_file(file):
                raise UsageError(f"{name!r} is the profile itself; name another file after -o")

    export = read(files, options, prog)
    if kind.prunes == "paths" and export.paths.rule is not None:
        say(f"paths are estimated. {export.paths.rule}")
    tell_size(export)
    for loss in export.tracks.losses if export.tracks is not None else ():
        say(f"{export.name}: {loss}")
    try:
        write_to(destination, export, files)
    except BrokenPipeError:
        pass  # the reader has seen what it wanted
    except KeyboardInterrupt:
        say("interrupted: there is no export")
        return 130
    except OSError as error:
        where = "to standard output" if destination is None else repr(name)
        raise OutputError(f"could not write {where}: {error.strerror}") from None
    if not named:
        say(f"wrote {name}")
    for problem in export.profiles.problems:
        say(problem)
    return 2 if export.profiles.problems else 0


def write_to(destination: ProfileFile | None, export: Export, files: list[str]) -> None:
    from tracer.analysis.steps.phase_rules import ConfigError
    from tracer.cli.progress import Progress
    from tracer.exports.export import title_of
    from tracer.runtime.streamed_file import whole_file

    opened = standard_output() if destination is None else whole_file(destination.path)
    try:
        with Progress("exporting", export.nodes) as progress, opened as out:
            export.write(out, title=title_of(export.profiles, files), progress=progress)
    except ConfigError as error:
        raise UsageError(str(error)) from None


def chosen_format(options: ExportOptions) -> Format:
    from tracer.exports.export import (
        FORMATS,
        Window,
        check_format,
        check_memory,
        check_minimum,
        check_native,
        check_window,
    )

    if options.to is None:
        raise UsageError(f"name a format: --to {'|'.join(FORMATS)}")
    window, measure = asked_window(options), measure_of(options)
    with naming("--to"):
        kind = check_format(options.to)
    with naming("--min"):
        check_minimum(options.to, options.min.percent)
        check_window(options.to, Window(least=window.least))
    with naming("--from" if options.begin is not None else "--to-time"):
        check_window(options.to, window)
    check_paths(options, kind)
    if options.phases is not None and options.to != STEPPED:
        raise UsageError(f"--phases is of steps, which only {STEPPED} lists; leave it out")
    if options.sort is not None and not options.memory:
        raise UsageError(f"-s {options.sort} is of memory; give --memory, too")
    with naming("--memory"):
        check_memory(options.to, measure, window)
    with naming("--native"):
        check_native(options.to, native=options.native, measure=measure, window=window)
    return kind


@contextmanager
def naming(flag: str) -> Iterator[None]:
    """Within it, a ValueError becomes a UsageError that names the option."""
    try:
        yield
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None


def measure_of(options: ExportOptions) -> str | None:
    """The measure of memory that is asked for, or None."""
    return (options.sort or EXPORTED_MEMORY[0]) if options.memory else None


def check_paths(options: ExportOptions, kind: Format) -> None:
    """Raise UsageError if some options choose from paths, and others from the timeline."""
    if options.paths and not kind.may_draw:
        what = "paths to show" if kind.draws else "timeline in their place"
        raise UsageError(f"--paths: {options.to} has no {what}; leave it out")
    percentage = options.min.percent
    of_paths = [("--paths", options.paths), (f"--min {percentage or 0:g}", percentage)]
    of_timeline = [
        ("--from", options.begin is not None),
        ("--to-time", options.end is not None),
        ("--min in units of time", options.min.seconds is not None),
    ]
    one = next((flag for flag, is_on in of_paths if is_on), None)
    other = next((flag for flag, is_on in of_timeline if is_on), None)
    if one and other:
        raise UsageError(
            f"{one} chooses from paths, and {other} from the timeline; give one of them"
        )


def asked_window(options: ExportOptions) -> Window:
    from tracer.exports.times import window_of

    return window_of(options.begin, options.end, options.min.seconds)


def refuse_terminal(kind: Format, name: str) -> None:
    if sys.stdout is None:
        raise OutputError("standard output is closed; name a file after -o")
    if not kind.is_text and sys.stdout.isatty():
        raise UsageError(
            f"{name} is no text for a terminal; name a file after -o, or pipe the export"
        )


def read(files: Sequence[str], options: ExportOptions, prog: str) -> Export:
    """The files, added up. Raises UsageError for a file that cannot be read or has no functions,
    and for files without a timeline or memory where that is asked for."""
    from tracer.api.stats import Stats

    with reading(prog, files):
        parts = [Stats(file, raw=options.raw) for file in files]
        for file, part in zip(files, parts, strict=True):
            if not part.stats and any(c.timed_lines is not None for c in part.captures):
                raise UsageError(
                    f"{file}: holds lines and no functions, of which exports are made; "
                    f"'{prog} show' prints it"
                )
        total = parts[0].add(*parts[1:])
        use_phases(total, options.phases)
        if options.thread is not None:
            total = thread_of(total, options.thread)
        return exported(total, files, options)


def exported(stats: Stats, files: Sequence[str], options: ExportOptions) -> Export:
    from tracer.exports.export import Export, NoMemory, NoNative, NoTimeline

    asked = str(options.to), options.min.percent
    window, measure = asked_window(options), measure_of(options)
    try:
        return Export(
            stats,
            *asked,
            window=window,
            merged=options.paths,
            measure=measure,
            native=options.native,
        )
    except (NoTimeline, NoMemory, NoNative) as error:
        raise UsageError(f"{', '.join(files)}: {error}") from None


def tell_size(export: Export) -> None:
    """Print the expected size of a large text before it is written, if the size is known."""
    expected = export.size()
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if expected is not None and expected > (WORTH_TELLING if terminal else LARGE):
        more = "" if export.minimum else "; --min 0.1 leaves out what took less than 0.1%"
        say(f"{export.name}: {megabytes(expected)} of paths{more}")


def megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"


def standard_output() -> BinaryIO:
    """Standard output for bytes, with a buffer of its own: python -u gives it none."""
    sys.stdout.flush()
    return open(sys.stdout.fileno(), "wb", closefd=False)
