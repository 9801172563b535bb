"""The functions that options name: --only, --include, and the others that take a NAME."""

from __future__ import annotations

from tracer.analysis.tree.function_names import Choice
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.tree.function_names import FunctionNames
    from tracer.api.stats import Stats
    from tracer.cli.options.printing import PrintingOptions


def number_in(stats: Stats, choices: list[Choice]) -> int:
    """How many functions all choices have."""
    return len(set(stats.stats).intersection(*(choice.labels for choice in choices)))


class Chooser:
    """Finds the functions that options name. notes: on those that name none."""

    def __init__(
        self,
        find: Callable[[], FunctionNames],
        notes: list[str] | None = None,
        untimed: Callable[[], FunctionNames] | None = None,
    ) -> None:
        """find: makes the names, once one is needed. notes: to add to. untimed: makes the names of
        all functions, where those found are only those whose lines were timed."""
        self.find = find
        self.untimed = untimed
        self.notes: list[str] = [] if notes is None else notes
        self._names: FunctionNames | None = None

    @property
    def names(self) -> FunctionNames:
        if self._names is None:
            self._names = self.find()
        return self._names

    def choose(self, text: str) -> Choice:
        """The functions that `text` means. If there are none, a note says so."""
        try:
            chosen = self.names.choose(text)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if not chosen:
            is_untimed = self.untimed is not None and self.untimed().choose(text)
            note = untimed_lines(text) if is_untimed else self.names.unmatched(text)
            self.notes += [] if note in self.notes else [note]
        return chosen

    def restrictions(self, options: PrintingOptions) -> list[Choice]:
        """The functions that --include and --only leave, one after the other."""
        found = []
        for name in options.include:
            chosen = self.names.within(name)
            if not chosen:
                is_untimed = self.untimed is not None and self.untimed().within(name)
                note = untimed_lines(name) if is_untimed else self.names.not_within(name)
                self.notes.append(note)
            found.append(chosen)
        joined = [united(found)] if found else []
        return joined + ([] if options.only is None else [self.choose(options.only)])


def untimed_lines(name: str) -> str:
    return (
        f"the lines of {name!r} were not timed; record with --lines-of MODULE, or leave --lines out"
    )


def united(choices: list[Choice]) -> Choice:
    """What any of these choices has."""
    functions = (function for choice in choices for function in choice.functions)
    return Choice(", ".join(choice.typed for choice in choices), functions)
