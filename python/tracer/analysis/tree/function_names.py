"""Finds functions by what a user types: any name that a table, the tree or the page prints, or a
regular expression.

Users paste names from wherever they stand, and names are full of parentheses and dots. Only the
command takes them so: methods of Stats take a regular expression, as in pstats.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from os.path import abspath, basename
from pstats import func_std_string, func_strip_path  # type: ignore[attr-defined]
from typing import NamedTuple

from tracer.analysis.tree.called_names import unbracketed, without_outer
from tracer.analysis.tree.folding import FINDING, IMPORTED, IMPORTERS, MODULE
from tracer.analysis.tree.wrapper_names import USUAL, decorator_of, may_wrap
from tracer.recording.focus import is_dotted
from tracer.source.file_kinds import is_made_of_text
from tracer.source.labels import pattern_or_label
from tracer.source.modules import Module, modules_of
from tracer.source.texts import is_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tracer.data.lines import Lines
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label

# file:line(name): a row of a table, or of the hottest lines.
ROW = re.compile(r"(?P<place>.+?):(?P<line>\d+)\((?P<name>.*)\)", re.DOTALL)
# The other forms that say where a function is: a remark below a table of lines and an export for
# pictures; the tables of lines, and their sums; the page's, and a name to which its line is added.
PLACED = (
    re.compile(r"(?P<name>.+) \((?P<place>.+):(?P<line>\d+)\)", re.DOTALL),
    re.compile(r"(?:Function: )?(?P<name>.+) at line (?P<line>\d+)", re.DOTALL),
    re.compile(r"(?P<name>.+?)  +(?P<place>.+):(?P<line>\d+)", re.DOTALL),
    re.compile(r"(?:[\d.]+ seconds - )?(?P<place>.+):(?P<line>\d+) - (?P<name>.+)", re.DOTALL),
    re.compile(r"(?P<place>.+):(?P<line>\d+)", re.DOTALL),
    re.compile(r"(?P<name>.+):(?P<line>\d+)", re.DOTALL),
)
# What tells functions of one name apart: `name#2`, `name[2]`.
NUMBERED = re.compile(r"(.+)(?:#\d+|\[\d+\])", re.DOTALL)
# A wrapper with what it wraps, as a row of the first screen: `retry(upload)`.
WRAPPER = re.compile(r"([^(…]+)([(…])(.*)\)", re.DOTALL)
# A package with some of its functions, as a row of the first screen.
WITH_MEMBERS = re.compile(r"([\w.]+) \(.*\)", re.DOTALL)
GUIDES = " │├└─"  # before a row of a tree
LEADS_TO = " › "  # noqa: RUF001 - from a function to the only one that it calls
CUT = "…"  # the middle of a long name
IMPORTS = "imports"  # all of them, as a row of the first screen's functions
LOCALS = ".<locals>"  # left out of names in sentences
NEAREST = 3  # so many names are suggested ...
ALIKE = 0.7  # ... that are alike by difflib's measure


class Named(NamedTuple):
    """A function, and its names: as in pstats, and qualified. file: with its folders."""

    label: Label
    qualified: Label
    file: str
    module: Module

    @property
    def name(self) -> str:
        """The qualified name alone; that of a builtin is without brackets."""
        return unbracketed(self.qualified[2]) if self.is_builtin else self.qualified[2]

    @property
    def is_builtin(self) -> bool:
        return self.file in ("~", "")

    @property
    def full_name(self) -> str:
        """`package.module.Class.method`."""
        return f"{self.module.name}.{self.name}" if self.module.name else self.name

    @property
    def printed(self) -> set[str]:
        """The function as a row of a table: by its name, and by its qualified name."""
        return {func_std_string(self.label), func_std_string(self.qualified)}

    def texts(self) -> Iterator[str]:
        """Where a regular expression is searched."""
        yield from self.printed
        yield self.full_name
        if self.module.name:
            yield f"{self.module.name}:{self.name}"
            yield f"{self.name} ({self.module.name}:{self.label[1]})"

    def is_named(self, name: str) -> bool:
        """Whether this is the function's name, or the end of it from a dot on."""
        if name in (self.label[2], self.qualified[2], self.name):
            return True
        if self.is_builtin:
            name = unbracketed(name)
        names = (f".{self.full_name}", f".{self.name.replace(LOCALS, '')}")
        return bool(name) and any(full.endswith(f".{name}") for full in names)

    def is_at(self, place: str) -> bool:
        """Whether this is the function's module, or a path of its file: whole, from the current
        folder, or the last parts of it."""
        return place == self.module.name or is_path_of(place, self.file)

    def is_within(self, name: str) -> bool:
        """Whether the function is of this module, its submodules included, or of this file or
        folder. In a path `*` stands for any characters."""
        if is_dotted(name):
            return f"{self.module.name}.".startswith(f"{name}.")
        if self.is_builtin or not name:
            return False
        part = f"/{name.removeprefix('./').strip('/')}"
        return (
            is_path_of(name, self.file) or f"{part}/" in self.file or is_below_here(name, self.file)
        )


class Choice:
    """The functions that a text means. Its repr is what the user typed, for a table's head."""

    def __init__(self, typed: str, functions: Iterable[Named]) -> None:
        self.typed = typed
        self.functions: tuple[Named, ...] = tuple(functions)
        self.labels: frozenset[Label] = frozenset(it.label for it in self.functions)
        self.qualified: frozenset[Label] = frozenset(it.qualified for it in self.functions)

    def __bool__(self) -> bool:
        return bool(self.functions)

    @property
    def is_of_modules(self) -> bool:
        """Whether these are the code of modules, which runs when they are imported."""
        return all(it.name == MODULE for it in self.functions)

    def __repr__(self) -> str:
        return repr(self.typed)


class FunctionNames:
    """The names of some functions."""

    def __init__(
        self, functions: Iterable[Named], timed: Iterable[tuple[str, int, int]] = ()
    ) -> None:
        """timed: (file, first line of the function, line) of each line that was timed."""
        self.functions: tuple[Named, ...] = tuple(functions)
        self.timed: frozenset[tuple[str, int, int]] = frozenset(timed)

    def choose(self, text: str) -> Choice:
        """The functions that are printed as `text`; if there are none, those that it matches as a
        regular expression. Raises ValueError for a text that is neither."""
        for sought in dict.fromkeys((text, text.strip())):
            found = self.named(sought)
            if found:
                return Choice(text, found)
        pattern = pattern_or_label(text)
        if pattern is None:  # a label of another profile
            return Choice(text, ())
        matching = [it for it in self.functions if any(map(pattern.search, it.texts()))]
        return Choice(text, matching)

    def named(self, text: str) -> list[Named]:
        """The functions that are printed as `text`."""
        return (
            self._where(lambda it: text in it.printed)
            or self._placed(ROW, text)
            or self._where(lambda it: it.is_named(text))
            or self._of_module(text)
            or next(filter(None, (self._placed(form, text) for form in PLACED)), [])
            or self._numbered(text)
            or self._folded(text)
            or self._wrapping(text)
            or self._shortened(text)
            or self._made_of_text(text)
        )

    def _made_of_text(self, text: str) -> list[Named]:
        """The functions that exec() made of a text, by a form with the module that had them made.
        Only paths of calls tell that module (made_of_text.py): here any module will do."""
        found = PLACED[0].fullmatch(text) or PLACED[-1].fullmatch(text)
        name, line = (found["name"], int(found["line"])) if found else (text, None)
        return self._where(
            lambda it: (
                is_made_of_text(it.file)
                and f".{name}".endswith(f".{it.name}")
                and line in (None, it.label[1])
            )
        )

    def _shortened(self, text: str) -> list[Named]:
        """The functions of a row of the first screen: behind the guide to it and the functions that
        lead to it; or with its middle cut out."""
        row = text.lstrip(GUIDES).rpartition(LEADS_TO)[2]
        if row != text:
            return self.named(row)
        if CUT not in text:
            return []
        whole = ROW.fullmatch(text)
        name, _, place = text.partition("  ")
        if whole:
            name, place = whole["name"], f"{whole['place']}:{whole['line']}"
        parts = re.compile(".*".join(map(re.escape, name.split(CUT))), re.DOTALL)
        found = self._where(lambda it: any(map(parts.fullmatch, (it.name, without_outer(it.name)))))
        at = self.named(place) if place else found
        return [it for it in found if it in at]

    def _wrapping(self, text: str) -> list[Named]:
        """The wrappers of a row of the first screen that is named by what they wrap. Its place
        tells wrappers of one decorator apart."""
        name, _, place = text.partition("  ")
        found = WRAPPER.fullmatch(name)
        if found is None and not place:
            return []
        some = self._where(lambda it: may_wrap(it.name))
        if found is not None:
            by, is_whole = found[1], found[2] == "("
            some = [it for it in some if starts(decorator_of(it.name), by, is_whole)]
            words = found[3].split(", ") if some and is_whole else []
            known = all(CUT in it or self.named(it) for it in words)
        else:  # a library's wrapper, which has the name of what it wraps
            known = bool(some and self.named(name))
        if not known:
            return []
        if place:
            at = self.named(place)
            return [it for it in some if it in at]
        return [it for it in some if it.name.rpartition(".")[2] in USUAL] or some

    def _folded(self, text: str) -> list[Named]:
        """The functions of a row of a folded tree: of a package or module, of an import of one, or
        of all that imports do to find and load modules."""
        if text in (FINDING, IMPORTS):
            return self._where(lambda it: it.module.name in IMPORTERS)
        members = WITH_MEMBERS.fullmatch(text)
        name = members[1] if members else text.partition("  ")[0]
        module = name.removeprefix(IMPORTED)
        found = self._where(lambda it: it.is_within(module)) if is_dotted(module) else []
        return [it for it in found if it.name == MODULE or module == name]

    def _where(self, fits: Callable[[Named], bool]) -> list[Named]:
        return [it for it in self.functions if fits(it)]

    def _placed(self, form: re.Pattern[str], text: str) -> list[Named]:
        """The functions of a form that has some of place, line and name."""
        found = form.fullmatch(text)
        if found is None:
            return []
        parts = found.groupdict()
        place, line, name = parts.get("place"), int(parts["line"]), parts.get("name")
        some = self._where(
            lambda it: (name is None or it.is_named(name)) and (place is None or it.is_at(place))
        )
        first = [it for it in some if it.label[1] == line]
        return first or [it for it in some if (it.file, it.label[1], line) in self.timed]

    def _of_module(self, text: str) -> list[Named]:
        """The functions of the form module:name."""
        module, colon, name = text.partition(":")
        if not (module and colon and name):
            return []
        ends = f".{module}"
        return self._where(
            lambda it: (
                f".{it.module.name}".endswith(ends)
                and name in (it.name, it.label[2], it.qualified[2])
            )
        )

    def _numbered(self, text: str) -> list[Named]:
        found = NUMBERED.fullmatch(text)
        return self.named(found[1]) if found else []

    def within(self, name: str) -> Choice:
        """The functions of a module, file or folder. A module of which none is here is looked for
        within packages."""
        found = self._where(lambda it: it.is_within(name))
        if not found and is_dotted(name):
            found = self._where(lambda it: f".{name}." in f".{it.module.name}.")
        return Choice(name, found)

    def has_module(self, name: str) -> bool:
        """Whether there is a module of this name, or one that is within it."""
        return any(f"{it.module.name}.".startswith(f"{name}.") for it in self.functions)

    def not_within(self, name: str) -> str:
        """The message that there is no function of a module, file or folder."""
        modules = {it.module.name for it in self.functions}
        near = get_close_matches(name, modules | {it.module.package for it in self.functions})
        advice = f"the nearest: {', '.join(near)}" if near else "give a module, a file or a folder"
        return f"no function here is of {name!r}; {advice}"

    def nearest(self, text: str) -> list[str]:
        """The names that are most like a text that no function has."""
        row = ROW.fullmatch(text)
        sought = unbracketed(row["name"] if row else text).lower()
        known: dict[str, dict[str, None]] = {}
        for function in self.functions:
            last = function.name.rpartition(".")[2]
            for name in (function.full_name, function.name, last):
                known.setdefault(name.lower(), {})[function.name] = None
        texts = dict.fromkeys((sought, re.split("[.:/]", sought)[-1]))
        close = [it for one in texts for it in get_close_matches(one, known, NEAREST, ALIKE)]
        return list(dict.fromkeys(name for it in close for name in known[it]))[:NEAREST]

    def unmatched(self, text: str, where: str = "") -> str:
        """The message that no function matches. where: in which files it was looked for."""
        if text.startswith(IMPORTED):
            module = text.removeprefix(IMPORTED)
            return f"no import of {module!r} ran{where}; --tree --fold prints those that did"
        near = ", ".join(self.nearest(text))
        advice = (
            f"the nearest: {near}"
            if near
            else "give a name as a table or the page prints it, or a regular expression"
        )
        return f"no function matches {text!r}{where}; {advice}"


def names_of(stats: ProfileSet) -> FunctionNames:
    """The names of the functions of a profile. Their labels are the keys of its rows, and those of
    its paths."""
    found: dict[tuple[Label, Label, str], None] = {}  # strip_dirs() may give two files one label
    for part in stats.parts:
        for function in part.capture.functions:
            label = function.label(stats.names, part.stripped)
            qualified = function.label("qualname", part.stripped)
            if label in stats.stats:
                found[label, qualified, function.filename] = None
    known = {label for label, _, _ in found}
    for whole in stats.unstripped:
        label = whole if whole in stats.stats else func_strip_path(whole)
        if label not in known and label in stats.stats:
            found[label, label, whole[0]] = None
    modules = modules_of(file for _, _, file in found)
    return FunctionNames(
        (Named(label, qualified, file, modules[file]) for label, qualified, file in found),
        timed_lines(stats.lines),
    )


def names_of_lines(lines: Lines) -> FunctionNames:
    """The names of the functions that were timed by line."""
    modules = modules_of(function.file for function in lines.functions)
    return FunctionNames(
        (
            Named(
                (function.file, function.first_line, function.name),
                (function.file, function.first_line, function.qualname),
                function.file,
                modules[function.file],
            )
            for function in lines.functions
        ),
        timed_lines(lines),
    )


def timed_lines(lines: Lines) -> Iterator[tuple[str, int, int]]:
    """(file, first line of the function, line) of each line."""
    for function in lines.functions:
        for line in function.lines:
            yield function.file, function.first_line, line.line


def starts(name: str, text: str, is_whole: bool) -> bool:
    """Whether a name is this text; where that is not whole, whether it begins with it."""
    return name == text if is_whole else name.startswith(text)


def is_path_of(path: str, file: str) -> bool:
    """Whether a path leads to a file: it is the file's, whole or from the current folder; or the
    last parts of it."""
    if path == file or "/" not in file:
        return basename(path) == basename(file)
    if file.endswith("/" + path.removeprefix("./").lstrip("/")) and not path.startswith("/"):
        return True
    try:
        return not path.startswith("/") and abspath(path) == file
    except OSError:  # the current folder was removed
        return False


def is_below_here(path: str, file: str) -> bool:
    """Whether a file is this path, from the current folder, or below it."""
    try:
        return is_below(file, (abspath(path),))
    except OSError:  # the current folder was removed
        return False
