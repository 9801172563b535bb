"""Which lines belong to one statement: one over several lines is timed as one, at its first.

It runs in the middle of the program, whenever a code object is first seen: all that it needs is
imported before, it warns of nothing, and it leaves nothing behind but what it knows of a file.
What a line's figures are is not its affair.
"""

from __future__ import annotations

import os
import stat
import sys
from _io import FileIO  # io itself is not always loaded

from tracer._core import pack_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

CODE = type((lambda: None).__code__)
MODULE: type = type(sys)
# As _ast has it. To import _ast makes its hundred classes, a fifth of the command's start.
PyCF_ONLY_AST = 0x400
LONGEST = 8 << 20  # a longer source, which would take seconds to parse, folds nothing
BODIES = ("body", "handlers", "orelse", "finalbody", "cases")

# What a backslash in a source may keep before it: see silent().
CONTINUED = frozenset(("", "\n", "\r", "'", '"', "N"))


class Statements:
    """The statements of one source: of each line, the first line of its statement, or 0 where there
    is none; and where functions and classes begin, by their names."""

    __slots__ = ("beginnings", "firsts")

    def __init__(self, tree: Any) -> None:
        self.beginnings: set[tuple[int, str]] = set()
        spans = sorted(self.spans_below(tree))
        last = max((end for _, end in spans), default=0)
        self.firsts: memoryview[int] = memoryview(bytearray(4 * (last + 1))).cast("i")
        done = 0
        first = 0
        for begin, end in spans:
            if begin > done:  # else it begins on a line of the one before, and goes on with that
                first = begin
                done = begin - 1
            for line in range(done + 1, end + 1):
                self.firsts[line] = first
            done = max(done, end)

    def spans_below(self, tree: Any) -> list[tuple[int, int]]:
        """First and last line of every statement without statements in it, of every header of the
        others, and of every decorator."""
        spans = []
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            inner = [one for name in BODIES for one in getattr(node, name, ())]
            waiting += inner
            for decorator in getattr(node, "decorator_list", ()):
                spans.append((decorator.lineno, decorator.end_lineno))
            if node is tree:
                continue
            place = getattr(node, "pattern", node)  # a case has no place of its own
            spans.append((place.lineno, end_of_header(node) if inner else place.end_lineno))
            if type(name := getattr(node, "name", None)) is not str:  # of a type, it is a node
                name = getattr(name, "id", None)
            if name is not None:
                self.beginnings.add((beginning(node), name))
            for parameter in getattr(node, "type_params", ()):
                self.beginnings.add((parameter.lineno, parameter.name))
        return spans

    def has(self, begin: int, name: str) -> bool:
        """Whether code of this name can begin on this line: a lambda, a module anywhere."""
        named = name.isidentifier() and name != "__annotate__"  # which is of the interpreter's own
        return not named or (begin, name) in self.beginnings

    def of(self, code: CodeType) -> bytes | None:
        """What fold() gives. None, too, where the code is not of this source."""
        begin = code.co_firstlineno
        if not self.has(begin, code.co_name):
            return None
        lines = {line for _, _, line in code.co_lines() if line}
        last = max(lines, default=0)
        if last >= len(self.firsts) or begin < 1:
            return None
        if not all(self.firsts[line] for line in lines if line > begin):
            return None
        folded = memoryview(bytearray(4 * max(0, last + 1 - begin))).cast("i")
        several = False
        for line in range(begin, last + 1):
            folded[line - begin] = max(self.firsts[line], begin) if self.firsts[line] else line
            several = several or folded[line - begin] != line
        return bytes(folded) if several else None


def beginning(node: Any) -> int:
    """The line on which a statement begins, that of its first decorator if it has any."""
    decorators = getattr(node, "decorator_list", ())
    place = decorators[0] if decorators else getattr(node, "pattern", node)
    line: int = place.lineno
    return line


def end_of_header(node: Any) -> int:
    """The last line of what stands before the statements in a statement."""
    end = getattr(node, "lineno", 0)
    for name in node._fields:
        if name in BODIES or name == "decorator_list":
            continue
        value = getattr(node, name)
        for part in value if isinstance(value, list) else (value,):
            if hasattr(part, "_fields"):
                end = max(end, getattr(part, "end_lineno", 0) or end_of_header(part))
    return end


# -- Where sources come from -----------------------------------------------------------------------

# Of each file name the state of the source that is known, its statements, and the checksum of its
# bytes if it is in a file.
known: dict[str, tuple[object, Statements | None, int | None]] = {}


def fold(code: CodeType) -> bytes | None:
    """Of each line of a code object, from its first to its last, the first line of its statement,
    as native 32 bit integers. None where each is its own, or where the source is not to be had.

    No line folds to one before the code's first. Nothing is raised but what a signal handler of the
    program raises meanwhile.
    """
    if type(code) is not CODE:
        return None
    try:
        statements = statements_of(code.co_filename)
        return statements.of(code) if statements is not None else None
    except (RecursionError, MemoryError):  # of the program's depth: it may be had another time
        return None


def learn(name: str, source: bytes | str) -> None:
    """A source that nothing else knows of, by the name of its code's file."""
    known[name] = None, parsed(source), None


def checksum_of(code: CodeType) -> int | None:
    """What the file of a code object held when fold() was last asked for code of it; None where it
    read no file."""
    if type(code) is not CODE or code.co_filename not in known:
        return None
    return known[code.co_filename][2]


def summed(data: bytes) -> int:
    """A CRC-32, as profile files have it of a section."""
    return int.from_bytes(pack_section(data)[12:16], "little")


def statements_of(name: str) -> Statements | None:
    source: bytes | str | None
    state, source = state_of(name)
    before = known.get(name)
    if before is not None and before[0] == state:
        return before[1]
    number = None
    if source is None and state is not None:
        source = contents(name)
        number = None if source is None else summed(source)
    elif source is None:
        source = loaded(name)
    statements = parsed(source) if source is not None else None
    known[name] = state, statements, number
    return statements


def state_of(name: str) -> tuple[object, str | None]:
    """What tells one version of a source from the next, and the source if it is not in a file."""
    pseudo = name.startswith("<") and name.endswith(">")
    if not pseudo:
        try:
            found = os.stat(name)
        except (OSError, ValueError):
            pass
        else:
            return (found.st_mtime_ns, found.st_size, stat.S_ISREG(found.st_mode)), None
    text = noted(name, pseudo)
    return text, text


def contents(name: str) -> bytes | None:
    """What is in a file; None for a pipe, which might never end, and for one that is too long."""
    try:
        found = os.stat(name)
        if not stat.S_ISREG(found.st_mode) or found.st_size > LONGEST:
            return None
        with FileIO(name) as file:
            return file.readall()
    except (OSError, ValueError):
        return None


def noted(name: str, pseudo: bool) -> str | None:
    """The source that somebody left for tracebacks: notebooks, doctest, makers of code."""
    linecache: Any = sys.modules.get("linecache")
    try:
        if pseudo or name in linecache.cache:
            return "".join(linecache.getlines(name)) or None
    except Exception:  # whatever stands there now
        pass
    return None


def loaded(name: str) -> bytes | str | None:
    """The source as the loader of its module has it, of a zip archive for one."""
    for module in list(sys.modules.values()):
        if not issubclass(type(module), MODULE):
            continue
        names = object.__getattribute__(module, "__dict__")  # a lazy one stays asleep
        if names.get("__file__") != name:
            continue
        loader = names.get("__loader__")
        # get_source() of most loaders would import tokenize first, so it comes second.
        for ask, word in (("get_data", name), ("get_source", names.get("__name__"))):
            try:
                source = getattr(loader, ask)(word)
            except Exception:  # whatever loaders do
                continue
            if isinstance(source, bytes | str):
                return source
    return None


def parsed(source: bytes | str) -> Statements | None:
    if len(source) > LONGEST:
        return None
    if isinstance(source, bytes):  # in whatever encoding, which compile() finds out
        source = silent(source.decode("latin-1")).encode("latin-1")
    else:
        source = silent(source)
    try:
        tree = compile(source, "<statements>", "exec", PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError):
        return None
    return Statements(tree)


def silent(source: str) -> str:
    """The source without the escapes in its strings, of which some would be warned of again.

    It has the same lines, and strings end where they did. Names of characters stay: in an f-string,
    what is in their braces is no expression.
    """
    head, *rest = source.replace("\\\\", "__").split("\\")
    return head + "".join(("\\" if part[:1] in CONTINUED else "_") + part for part in rest)
