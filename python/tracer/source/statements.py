"""Which lines belong to one statement: its time and hits are counted on its first line.

This code runs in the middle of the program, whenever a code object is first seen. So it imports
nothing then, warns of nothing and keeps nothing but the statements of files. data/lines.py has the
figures of lines.
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
# As in _ast, whose import makes a hundred classes: a fifth of the command's start.
PyCF_ONLY_AST = 0x400
LONGEST = 8 << 20  # bytes: parsing a longer source would take seconds, so it has no statements
BODIES = ("body", "handlers", "orelse", "finalbody", "cases")

# The characters after a backslash that keep it: see silent().
CONTINUED = frozenset(("", "\n", "\r", "'", '"', "N"))


class Statements:
    """The statements of one source.

    firsts: for each line, the first line of its statement, or 0 for a line without a statement.
    beginnings: (line, name) of each function and class.
    """

    __slots__ = ("beginnings", "firsts")

    def __init__(self, tree: Any) -> None:
        self.beginnings: set[tuple[int, str]] = set()
        spans = sorted(self.spans_below(tree))
        last = max((end for _, end in spans), default=0)
        self.firsts: memoryview[int] = memoryview(bytearray(4 * (last + 1))).cast("i")
        done = 0
        first = 0
        for begin, end in spans:
            if begin > done:  # else it begins within the statement before, and joins that
                first = begin
                done = begin - 1
            for line in range(done + 1, end + 1):
                self.firsts[line] = first
            done = max(done, end)

    def spans_below(self, tree: Any) -> list[tuple[int, int]]:
        """(first line, last line) of every statement and of every decorator; of a statement that
        contains statements, the lines of its header alone."""
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
            if type(name := getattr(node, "name", None)) is not str:  # `type X` has a node
                name = getattr(name, "id", None)
            if name is not None:
                self.beginnings.add((beginning(node), name))
            for parameter in getattr(node, "type_params", ()):
                self.beginnings.add((parameter.lineno, parameter.name))
        return spans

    def has(self, begin: int, name: str) -> bool:
        """Whether code of this name can begin on this line. A lambda or module can on any line."""
        named = name.isidentifier() and name != "__annotate__"  # the interpreter's own
        return not named or (begin, name) in self.beginnings

    def of(self, code: CodeType) -> bytes | None:
        """What first_lines() returns; None, too, where the code is not of this source."""
        begin = code.co_firstlineno
        if not self.has(begin, code.co_name):
            return None
        lines = {line for _, _, line in code.co_lines() if line}
        last = max(lines, default=0)
        if last >= len(self.firsts) or begin < 1:
            return None
        if not all(self.firsts[line] for line in lines if line > begin):
            return None
        found = memoryview(bytearray(4 * max(0, last + 1 - begin))).cast("i")
        several = False
        for line in range(begin, last + 1):
            found[line - begin] = max(self.firsts[line], begin) if self.firsts[line] else line
            several = several or found[line - begin] != line
        return bytes(found) if several else None


def beginning(node: Any) -> int:
    """The line on which a statement begins: that of its first decorator, if it has any."""
    decorators = getattr(node, "decorator_list", ())
    place = decorators[0] if decorators else getattr(node, "pattern", node)
    line: int = place.lineno
    return line


def end_of_header(node: Any) -> int:
    """The last line of a statement's header: of the part before the statements in it."""
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

# By file name: the state of the source when it was read, its statements and, of a source in a file,
# the checksum of its bytes.
known: dict[str, tuple[object, Statements | None, int | None]] = {}


def first_lines(code: CodeType) -> bytes | None:
    """For each line of a code object, first to last, the first line of its statement: native 32-bit
    integers. None where every line is its own statement, or where there is no source to read.

    No statement begins before the code's first line. Nothing is raised, except by a signal handler
    of the program that runs meanwhile.
    """
    if type(code) is not CODE:
        return None
    try:
        statements = statements_of(code.co_filename)
        return statements.of(code) if statements is not None else None
    except (RecursionError, MemoryError):  # the program's depth: a later call may succeed
        return None


def learn(name: str, source: bytes | str) -> None:
    """Take in a source that is found nowhere else; `name` is its code's file name."""
    known[name] = None, parsed(source), None


def checksum_of(code: CodeType) -> int | None:
    """The checksum of a code object's file when first_lines() last read it; None where it read no
    file."""
    if type(code) is not CODE or code.co_filename not in known:
        return None
    return known[code.co_filename][2]


def summed(data: bytes) -> int:
    """The CRC-32 of the data, the same as profile files keep for a section."""
    return int.from_bytes(pack_section(data)[12:16], "little")


def statements_of(name: str) -> Statements | None:
    source: bytes | str | None
    state, source = state_of(name)
    before = known.get(name)
    if before is not None and before[0] == state:
        return before[1]
    number = None
    if source is None and state is not None:
        found = read(name, LONGEST)
        if found is not None:
            source = found[0]
            number = summed(source)
    elif source is None:
        source = loaded(name)
    statements = parsed(source) if source is not None else None
    known[name] = state, statements, number
    return statements


def state_of(name: str) -> tuple[object, str | None]:
    """(a value that differs between versions of a source, the source itself if it is in no file)"""
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


def open_regular(path: str) -> int:
    """The open handle of a regular file, to be read. Raises OSError for any other file, and does
    not wait for one: what a profile names may be a pipe, which nobody writes to, or a device. A
    path that the system cannot have raises ValueError."""
    if stat.S_ISREG(os.stat(path).st_mode):  # opening a device may do something
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        if stat.S_ISREG(os.fstat(handle).st_mode):  # it may be another file by now
            return handle
        os.close(handle)
    raise OSError(None, "it is no regular file", path)


def read(file: str, most: int) -> tuple[bytes, float] | None:
    """(bytes of a file, seconds since the epoch when it was last changed). None for a file that
    cannot be read, for a pipe, which might never end, and for a file of more than `most` bytes.
    Raises MemoryError."""
    try:
        with FileIO(open_regular(file)) as source:
            found = os.fstat(source.fileno())
            if found.st_size > most:
                return None
            return source.read(found.st_size), found.st_mtime
    except (OSError, ValueError):
        return None


def noted(name: str, pseudo: bool) -> str | None:
    """The source in linecache, where notebooks, doctest and makers of code leave it."""
    linecache: Any = sys.modules.get("linecache")
    try:
        if pseudo or name in linecache.cache:
            return "".join(linecache.getlines(name)) or None
    except Exception:  # the program may have put anything there
        pass
    return None


def loaded(name: str) -> bytes | str | None:
    """The source as the loader of its module has it: out of a zip archive, say."""
    for module in list(sys.modules.values()):
        if not issubclass(type(module), MODULE):
            continue
        names = object.__getattribute__(module, "__dict__")  # a lazy module stays unloaded
        if names.get("__file__") != name:
            continue
        loader = names.get("__loader__")
        # get_source() comes second: most loaders import tokenize for it.
        for ask, word in (("get_data", name), ("get_source", names.get("__name__"))):
            try:
                source = getattr(loader, ask)(word)
            except Exception:  # a loader may raise anything
                continue
            if isinstance(source, bytes | str):
                return source
    return None


def parsed(source: bytes | str) -> Statements | None:
    if len(source) > LONGEST:
        return None
    if isinstance(source, bytes):  # compile() finds out the encoding
        source = silent(source.decode("latin-1")).encode("latin-1")
    else:
        source = silent(source)
    try:
        tree = compile(source, "<statements>", "exec", PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError):
        return None
    return Statements(tree)


def silent(source: str) -> str:
    """The source without the escapes in its strings: compile() would warn of some of them again.

    The source keeps its lines, and strings end where they did. Names of characters (\\N{...}) stay:
    in an f-string, their braces would hold an expression without the escape.
    """
    head, *rest = source.replace("\\\\", "__").split("\\")
    return head + "".join(("\\" if part[:1] in CONTINUED else "_") + part for part in rest)
