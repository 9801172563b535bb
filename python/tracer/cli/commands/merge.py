"""The verb `merge`: several profiles in one file.

Stats adds the profiles up, and writes the file. This module checks the names and reports what the
merged file loses.
"""

from __future__ import annotations

from tracer.cli.inputs import files_asked_for, reading
from tracer.cli.options.option import HELP, Options, option
from tracer.cli.suggestions import refuse_name
from tracer.cli.usage import Usage, rows_of, usage_of
from tracer.launch.errors import OutputError, UsageError
from tracer.launch.output import ProfileFile, is_lprof, is_named_otherwise, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.api.stats import Stats


class MergeOptions(Options):
    outfile: str | None = option(
        "-o, --outfile FILE", "the file to write; it may be one of the FILEs that are read"
    )
    help: bool = HELP


def usage(prog: str) -> Usage:
    return usage_of(
        f"{prog} merge -o FILE FILE...",
        "Put several profiles into one file, which holds all that each of them does: show, view "
        "and the others take it as they take the files themselves, added up. Files that tracer did "
        "not write (cProfile's) have functions and callers only, and so has what they are merged "
        "into.",
        rows_of(MergeOptions),
    )


def command(argv: list[str], prog: str) -> int:
    asked = files_asked_for(
        argv, MergeOptions, usage, prog, "nothing to merge: name the FILEs that -o wrote"
    )
    if asked is None:
        return 0
    options, names = asked
    if options.outfile is None:
        raise UsageError("merge needs a file to write: give -o FILE, too")
    if is_lprof(options.outfile):
        raise UsageError(f"{options.outfile!r}: an .lprof file holds lines only; give another name")
    if is_named_otherwise(options.outfile):
        refuse_name(options.outfile, prog)
    out = ProfileFile(options.outfile)

    from tracer.analysis.recordings import mixtures
    from tracer.api.stats import Stats

    with reading(prog, names):
        parts = [Stats(name) for name in names]
    for part in parts:
        if part.problems:
            raise UsageError(f"{part.problems[0]}, or leave it out")
    with reading(prog, names):
        total = Stats(*parts)
    try:
        # All files have been read, so FILE may be one of them.
        total.dump_stats(out.path)
    except OSError as error:
        raise OutputError(f"could not write {out.name!r}: {error.strerror}") from None
    for line in losses(names, parts) + mixtures(total):
        say(line)
    return 0


def losses(names: list[str], parts: list[Stats]) -> list[str]:
    """What the merged file lacks: one line, or none if it lacks nothing."""
    others = [name for name, part in zip(names, parts, strict=True) if not part.captures]
    if not others or len(others) == len(names):
        return []  # nothing is lost
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return [
        f"tracer did not write {others[0]!r}{more}: the merged file has functions and "
        "callers only, and no threads, paths, resumes or lines"
    ]
