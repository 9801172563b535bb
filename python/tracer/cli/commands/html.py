"""The verb `html`: the page of saved profiles as one file, which any browser opens.

cli/page_profiles.py reads the files; tracer/page makes the page. This module writes it.
"""

from __future__ import annotations

from tracer.cli.derived_names import ENDINGS, FORCE, derived_file, with_ending
from tracer.cli.inputs import files_asked_for
from tracer.cli.options.option import option
from tracer.cli.options.page import PageOptions
from tracer.cli.page_profiles import Profiles, profiles_of
from tracer.cli.progress import Progress
from tracer.cli.usage import Usage, rows_of, usage_of
from tracer.launch.errors import OutputError, UsageError
from tracer.launch.output import ProfileFile, say
from tracer.page.document import MARK, html_of
from tracer.runtime.streamed_file import whole_file

BYTES_OF_NODE = 5  # of the page, roughly, for the progress line


class HtmlOptions(PageOptions):
    outfile: str | None = option(
        "-o, --outfile OUT",
        "write to OUT (default: FILE with .html behind it, in place of "
        f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]})",
    )
    force: bool = FORCE
    PAGE = PageOptions.OPTIONS


def usage(prog: str) -> Usage:
    return usage_of(
        f"{prog} html [OPTIONS] FILE...",
        "Write the page that shows profiles, added up, as one file that needs no network. A FILE "
        "is what tracer -o, cProfile, kernprof or line_profiler wrote.",
        rows_of(HtmlOptions),
    )


def command(argv: list[str], prog: str) -> int:
    asked = files_asked_for(argv, HtmlOptions, usage, prog)
    if asked is None:
        return 0
    options, files = asked
    name = options.outfile
    if name == "-":
        raise UsageError("html cannot write to standard output: give a path after -o")
    if name is None:
        name = with_ending(files[0], ".html")
        out = derived_file(name, MARK, force=options.force)
    else:
        out = ProfileFile(name)
    for file in files:
        if out.is_file(file):
            raise UsageError(f"{name!r} is the profile itself; give another path after -o")

    profiles = profiles_of(files, options, prog)
    try:
        write(profiles, out.path)
    except OSError as error:
        raise OutputError(f"could not write {name!r}: {error.strerror}") from None
    if options.outfile is None:
        say(f"wrote {name}")
    for line in profiles.remarks + profiles.problems:
        say(line)
    return 2 if profiles.problems else 0


def write(profiles: Profiles, path: str) -> None:
    nodes = sum(len(tree) for profile in profiles.sides for tree in profile.paths.trees)
    size = 0
    with Progress("making the page", BYTES_OF_NODE * nodes) as progress, whole_file(path) as out:
        for piece in html_of(profiles.sides, profiles.title):
            out.write(piece)
            size += len(piece)
            progress(size)
