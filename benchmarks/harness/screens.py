"""The first screens of profilers, read, and their score: how soon one names what is known.

A screen has findings, if its profiler makes any, and rows, from the top. 2: the answer is at the
top, with its caller and its share of the time. 1: it is there for who knows where to look. 0: it is
not there, or the first finding leads elsewhere.

A profiler moves shares, since it slows what it records: so a share may be further from that of a
plain run than from that in the profile that is shown, where this is known.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.truths import Truth

NEAR = 3.0  # points between a share and that in the profile, at most
FAR = 15.0  # points between a share and that of a plain run, at most
TOP = 5  # rows
GUIDES = "│├└─ "
START = re.compile(r"<frozen |built-in method builtins\.(exec|__import__)|<module>|^import ")


@dataclass
class Row:
    """names: where a row stands for several functions, the outermost comes first. file: the name
    of the function's, without folders; "" where none is told."""

    names: list[str]
    share: float
    depth: int = 0
    file: str = ""
    above: "Row | None" = field(default=None, repr=False)


@dataclass
class Screen:
    """findings: each in one line. near: the rows, from the top, in which the answer counts as
    found. has_callers: rows stand below their callers. skips_start: rows of what starts a program,
    and of imports, do not count. shares: those that the profile has for the answer; empty: not
    known."""

    text: str
    rows: list[Row]
    findings: list[str] = field(default_factory=list)
    near: int = 10
    has_callers: bool = True
    skips_start: bool = False
    shares: tuple[float, ...] = ()


# -- The score -------------------------------------------------------------------------------------


def score(screen: Screen, truth: Truth) -> int:
    if misleads(screen, truth):
        return 0
    has_words = all(re.search(words, screen.text) for words in truth.words)
    first = screen.findings[0] if screen.findings else ""
    rows = [row for row in screen.rows if not (screen.skips_start and is_start(row, truth))]
    top = any(is_answer(screen, row, truth) for row in rows[:TOP])
    if has_words and (top or is_told(screen, first, truth)):
        return 2
    near = [name for row in rows[: screen.near] for name in row.names]
    return int(any(names(text, bare(truth)) for text in near + screen.findings))


def is_start(row: Row, truth: Truth) -> bool:
    """Whether the row is of what starts a program, or of an import that is not the answer."""
    name = row.names[-1]
    return START.search(name) is not None and not names(name, truth.function)


def names(text: str, function: str) -> bool:
    """Whether the text has the name of the function, or a longer one that ends with it."""
    name = re.escape(function).replace(r"\.", r"\.(?:<locals>\.)?")
    return re.search(rf"(?<![\w-]){name}(?![\w/-])", text) is not None


def is_near(screen: Screen, share: float | None, truth: Truth) -> bool:
    if share is None or abs(share - truth.share) > FAR:
        return False
    if not screen.shares:
        return True
    known = *screen.shares, truth.share  # the sum of waits side by side is nobody's share
    return any(abs(share - one) <= NEAR for one in known)


def share_of(finding: str) -> float | None:
    """The percentage with which the finding begins."""
    found = re.match(r"(\d+(?:\.\d+)?)%", finding)
    return float(found[1]) if found else None


def is_told(screen: Screen, finding: str, truth: Truth) -> bool:
    """Whether the finding is the answer. Its caller may be in the tree."""
    if not names(finding, truth.function) or not is_near(screen, share_of(finding), truth):
        return False
    if not truth.caller or names(finding, truth.caller):
        return True
    return any(is_below_caller(row, truth) for row in screen.rows)


def is_answer(screen: Screen, row: Row, truth: Truth) -> bool:
    is_named = any(names(name, truth.function) for name in row.names)
    if not is_named or not is_near(screen, row.share, truth):
        return False
    return not truth.caller or (screen.has_callers and is_below_caller(row, truth))


def is_below_caller(row: Row, truth: Truth) -> bool:
    """Whether the row names the function, and next above it stands its caller. Between the two may
    stand what only passes on: a library, and wrappers."""
    places = [at for at, name in enumerate(row.names) if names(name, truth.function)]
    if not places:
        return False
    callers = row.names[: places[0]][::-1]
    above = row.above
    while above is not None:
        callers += above.names[::-1] if above.file in truth.files else []
        above = above.above
    direct = next((name for name in callers if not is_wrapper(name)), "")
    return names(direct, truth.caller)


def is_wrapper(name: str) -> bool:
    return name == "wrapper" or name.endswith(".wrapper")


def misleads(screen: Screen, truth: Truth) -> bool:
    """Whether the first finding is about another function, with a larger share than the screen has
    for the right one. One that has words of the answer is a part of it."""
    first = screen.findings[0] if screen.findings else ""
    share = share_of(first)
    if share is None or any(names(first, name) for name in (bare(truth), truth.caller) if name):
        return False
    found = [re.search(words, first) for words in truth.words]
    if any(one and one[0] for one in found):  # not those that ask for a text to be absent
        return False
    rows = [row for row in screen.rows if any(names(it, bare(truth)) for it in row.names)]
    told = [row.share for row in rows]
    told += [share_of(it) or 0.0 for it in screen.findings if names(it, bare(truth))]
    return share > max(told, default=0.0)


def bare(truth: Truth) -> str:
    """The function without its class."""
    return truth.function.rpartition(".")[2]


# -- Reading screens -------------------------------------------------------------------------------


def nested(rows: Iterator[Row]) -> list[Row]:
    """The rows, each with that above it of which it is a part."""
    found: list[Row] = []
    open_rows: list[Row] = []
    for row in rows:
        while open_rows and open_rows[-1].depth >= row.depth:
            open_rows.pop()
        row.above = open_rows[-1] if open_rows else None
        open_rows.append(row)
        found.append(row)
    return found


def of_tracer(text: str) -> Screen:
    """What `python -m tracer show FILE` prints: lines about the run, the tree, functions."""
    sections = text.rstrip("\n").split("\n\n")
    about = sections[0].splitlines()
    tree = next((it for it in sections[1:] if re.match(r" +time +%", it)), "")
    kept = [line for line in about if not line.lstrip().startswith("command ")]
    # The last section tells which commands there are.
    shown = "\n\n".join(["\n".join(kept), *sections[1:-1]])
    return Screen(shown, nested(tree_rows(tree)), findings_of(about))


def findings_of(about: list[str]) -> list[str]:
    """A line of two spaces more goes on with the finding above it."""
    found: list[str] = []
    inside = False
    for line in about:
        label, text = line[:12].strip(), line[12:]
        inside = label == "findings" or (inside and not label)
        if inside and text.startswith("  "):
            found[-1] += text[1:]
        elif inside:
            found.append(text)
    return found


def tree_rows(tree: str) -> Iterator[Row]:
    head, *lines = tree.splitlines() or [""]
    share_end, name_start = head.find("%") + 1, head.find("calls") + len("calls") + 2
    for line in lines:
        share = line[:share_end].split()[-1:]
        rest = line[name_start:]
        if not share or not re.fullmatch(r"[\d.]+", share[0]):
            continue
        name = rest.lstrip(GUIDES)
        shown, _, place = name.partition("  ")
        depth = len(rest) - len(name)
        yield Row(shown.split(" › "), float(share[0]), depth, file_of(place))  # noqa: RUF001


def file_of(place: str) -> str:
    """The name of the file of `folder/file.py:18`."""
    return place.strip().rpartition("/")[2].partition(":")[0]


def of_pyinstrument(text: str) -> Screen:
    """What `python -m pyinstrument -r text` prints: a tree for each thread that it looked at."""
    whole = re.search(r"Duration: ([\d.]+)", text)
    total = float(whole[1]) if whole else 0.0
    body = text.partition("Program: ")[2].partition("\n")[2]
    return Screen(body, nested(pyinstrument_rows(body, total)), near=10_000, skips_start=True)


def pyinstrument_rows(body: str, total: float) -> Iterator[Row]:
    for line in body.splitlines():
        rest = line.lstrip(GUIDES)
        if found := re.match(r"([\d.]+) (.+?)(?:  (\S.*))?$", rest):
            seconds, name, place = found.groups(default="")
            share = 100 * float(seconds) / total if total else 0.0
            if name == "<module>" and len(line) > len(rest):
                module = place.partition(".py:")[0].removesuffix("/__init__")
                name = f"import {module.replace('/', '.')}"
            yield Row([name], share, len(line) - len(rest), file_of(place))


def of_cprofile(text: str) -> Screen:
    """What `python -m cProfile -s cumulative` prints: a list of functions."""
    found = re.search(r"function calls.* in ([\d.]+) seconds\n", text)
    if found is None:
        return Screen("", [])
    total = float(found[1])
    rows = []
    for line in text[found.end() :].splitlines():
        cells = line.split(None, 5)
        if len(cells) == 6 and re.fullmatch(r"[\d/]+", cells[0]):
            rows.append(Row([cells[5]], 100 * float(cells[3]) / total))
    return Screen(text[found.start() :], rows, near=15, has_callers=False, skips_start=True)
