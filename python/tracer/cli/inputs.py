"""The FILEs that a verb reads: that there are some, what is said of one that cannot be read, and
which of their threads is meant."""

from __future__ import annotations

from contextlib import contextmanager

from tracer.cli.options import parse
from tracer.cli.usage import print_usage
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from tracer.api.stats import Stats, ThreadStats
    from tracer.cli.options import Option


def files_asked_for(
    argv: list[str],
    options: Sequence[Option],
    usage: Callable[[str], str],
    prog: str,
    nothing: str = "nothing to show: name a FILE that -o wrote",
) -> tuple[dict[str, Any], list[str]] | None:
    """The options' values by name and the FILEs; None when it was the usage text that was asked
    for, and that is printed. Where there is no FILE, a UsageError is raised that begins with
    `nothing`."""
    values, files = parse(argv, options, stop_at_program=False)
    if values["help"]:
        print_usage(usage(prog), asked_for=True)
        return None
    if not files:
        if not argv:
            print_usage(usage(prog), asked_for=False)
        raise UsageError(f"{nothing}; --help tells more")
    return values, files


@contextmanager
def reading(prog: str, files: Sequence[str]) -> Iterator[None]:
    """Within it files are read: UsageError for one that is no profile, or that cannot be read."""
    from tracer._core import ProfileFormatError

    try:
        yield
    except ProfileFormatError as error:
        # Of what was read of several it names none.
        text = str(error) if error.path is not None else f"{', '.join(files)}: {error}"
        raise UsageError(text) from None
    except OSError as error:
        raise UsageError(
            f"cannot read {error.filename!r}: {error.strerror}; "
            f"name a profile that {prog} -o FILE wrote"
        ) from None


def thread_of(stats: Stats, name: str) -> ThreadStats:
    """The thread with this name or ident; UsageError when there is none."""
    threads = stats.threads
    ident = any(str(item.thread.ident) == name for item in threads)
    named = any(item.thread.name == name for item in threads)
    try:
        return threads[int(name) if ident and not named else name]
    except KeyError as error:
        raise UsageError(f"--thread: {error.args[0]}") from None
