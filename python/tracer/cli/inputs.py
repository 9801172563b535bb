"""The FILEs that a verb reads: the check that there are some, each once, the errors of bad ones,
the rules of --phases, and the thread that --thread picks. tracer.Stats reads them."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager

from tracer.cli.options.option import parse
from tracer.cli.usage import print_usage
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tracer.api.stats import Stats, Threads, ThreadStats
    from tracer.cli.options.option import Given
    from tracer.cli.usage import Usage


def files_asked_for(
    argv: list[str],
    into: type[Given],
    usage: Callable[[str], Usage],
    prog: str,
    nothing: str = "nothing to show: name a FILE that -o wrote",
) -> tuple[Given, list[str]] | None:
    """The options' values, and the FILEs. If the usage text is asked for, print it and
    return None. Raises UsageError if there is no FILE, which begins with `nothing`, and if one that
    is to be added up is named twice."""
    options, files = parse(argv, into, stop_at_program=False)
    if options.has("help"):
        print_usage(usage(prog), asked_for=True)
        return None
    if not files:
        if not argv:
            print_usage(usage(prog), asked_for=False)
        raise UsageError(f"{nothing}; --help tells more")
    if not options.has("compare"):
        refuse_repeats(files)
    return options, files


def use_phases(stats: Stats, file: str | None) -> None:
    """Give the profiles the rules of the FILE of --phases, if there is one. Raises UsageError."""
    if file is None:
        return
    from tracer.analysis.steps.phase_rules import ConfigError, use_rules_in

    try:
        use_rules_in(file, stats)
    except ConfigError as error:
        raise UsageError(f"--phases: {error}") from None


def refuse_repeats(names: Sequence[str]) -> None:
    """Raise UsageError if a file is named twice, also by two names: it would count twice."""
    seen: dict[tuple[int, int], str] = {}
    for name in names:
        try:
            found = os.stat(name)
        except (OSError, ValueError):
            continue  # reading the file will say what is wrong
        file = found.st_dev, found.st_ino
        if file in seen:
            same = "" if seen[file] == name else f", which is {seen[file]!r},"
            raise UsageError(f"{name!r}{same} is named twice, and would count twice; name it once")
        seen[file] = name


@contextmanager
def reading(prog: str, files: Sequence[str]) -> Iterator[None]:
    """Within it, reading a bad file raises UsageError: one that is no profile, or unreadable. A
    terminal is told while large files are read. No garbage is collected: what is made of a profile
    has no cycles, and to look for them among 10^5 rows takes longer than to print them."""
    from tracer._core import ProfileFormatError
    from tracer.cli.progress import shown_while_reading

    collects = gc.isenabled()
    gc.disable()
    try:
        with shown_while_reading(files):
            yield
    except ProfileFormatError as error:
        # An error that concerns several files names none of them.
        text = str(error) if error.path is not None else f"{', '.join(files)}: {error}"
        raise UsageError(text) from None
    except OSError as error:
        raise UsageError(
            f"cannot read {error.filename!r}: {error.strerror}; "
            f"name a profile that {prog} -o FILE wrote"
        ) from None
    finally:
        if collects:
            gc.enable()


def thread_of(stats: Stats, name: str) -> ThreadStats:
    """The thread with this name or ident; or the threads of this kind, added up. Raises UsageError
    when there is none."""
    threads = stats.threads
    if not threads:
        from tracer.results.facts import reason_of_none

        raise UsageError(
            f"--thread: no threads are recorded here: {reason_of_none(stats)}; leave --thread out"
        )
    ident = any(str(item.thread.ident) == name for item in threads)
    named = any(item.thread.name == name for item in threads)
    try:
        return threads[int(name) if ident and not named else name]
    except KeyError as error:
        found = threads_of_kind(threads, name)
        if found is None:
            raise UsageError(f"--thread: {error.args[0]}") from None
        return found


def threads_of_kind(threads: Threads, name: str) -> ThreadStats | None:
    """The threads whose names differ in numbers only, such as pack_0 and pack_1, added up: `name`
    is pack_N, as the first screen has it, or pack."""
    from tracer.analysis.outline.threads import DIGITS
    from tracer.api.stats import added_up

    found = []
    for item in threads:
        beginning, *numbered = DIGITS.split(item.thread.name, maxsplit=1)
        if numbered and name in (DIGITS.sub("N", item.thread.name), beginning.rstrip("-_ ")):
            found.append(item)
    if len(found) > 1:
        total = added_up(found)
        total.thread = total.thread._replace(name=name)
        return total
    return found[0] if found else None
