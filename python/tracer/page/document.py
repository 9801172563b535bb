"""Makes the page: one HTML page that shows a profile, or two to compare, and asks no host for
anything.

`shown()` collects the data of a Stats. `html_of()` makes the page with its data, for a file. For a
server, `page_of()` makes the page and `data_of()` the data. The .js files beside this one run in
the browser; README.md lists them.
"""

from __future__ import annotations

import base64
import hashlib
import html
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from os.path import basename
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tracer.data.figures import FIGURES, Figures, rule_of
from tracer.data.records import NO_ROW
from tracer.page import (
    bundle,
    container,
    entries,
    findings_data,
    memory_data,
    native_data,
    run_facts,
    steps_data,
    timeline_data,
    waits_data,
)

if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths, Tree
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label
    from tracer.source.modules import Module

__all__ = [
    "MARK",
    "RUNNING",
    "Shown",
    "data_of",
    "html_of",
    "page_of",
    "parts_of",
    "shown",
]

HERE = Path(__file__).parent
MARK = b'<meta name="generator" content="tracer">'  # near the start of every page
RUNNING = ("memory", "objects")  # the parts that the page of a program that still runs has
NS = 1e9
UNKNOWN, EXACT, AT_LEAST = range(3)  # what a number of calls is
NO_FILE = "(no file)"  # the library of code that a program made while it ran


class Shown(NamedTuple):
    """What the page shows of one profile. All but the paths is as in the page's JSON, see
    README.md. pair: of a comparison, the profiles before and after."""

    name: str
    paths: Paths
    facts: dict[str, Any]
    lines: list[dict[str, Any]]
    sources: dict[str, Any]
    findings: dict[str, list[dict[str, Any]]]
    timelines: Sequence[timeline_data.Process] = ()
    steps: steps_data.Steps | None = None
    memory: memory_data.PageMemory | None = None
    native: native_data.PageNative | None = None
    waits: waits_data.PageWaits | None = None
    flags: bytes = b""
    pair: Sequence[ProfileSet] = ()


def shown(
    stats: ProfileSet,
    name: str = "",
    *,
    pair: Sequence[ProfileSet] = (),
    read_sources: bool = False,
    libraries: bool = False,
    is_running: bool = False,
) -> Shown:
    """What the page is to show of a Stats. `name` tells the two profiles of a comparison apart.
    pair: the two that are compared, before and after, of which `stats` is one. read_sources: read
    the program's own files where the profile holds no source, and those of native functions.
    libraries: read those of libraries, too. is_running: the program is, and shows its objects."""
    from tracer.analysis.recordings import differences, names_in_common
    from tracer.analysis.tree.call_tree import paths_of
    from tracer.results.flags import flags_of

    names = names_in_common(stats, *pair)
    paths = paths_of(stats, names)
    memory = memory_data.memory_of(stats, paths, names)
    timelines = timeline_data.timelines_of(stats, paths, names)
    return Shown(
        name,
        paths,
        {**run_facts.facts_of(stats), "unlike": differences(*pair) if pair else []},
        run_facts.lines_of(stats),
        run_facts.sources_of(stats, paths, read=read_sources, libraries=libraries),
        findings_data.findings_of(stats, paths, is_running=is_running),
        timelines,
        steps_data.steps_of(stats, timelines),
        memory,
        native_data.native_of(stats, names, read=read_sources),
        waits_data.waits_of(stats, names),
        flags_of(stats, paths),
        pair,
    )


def html_of(profiles: Sequence[Shown], title: str) -> Iterator[bytes]:
    """The page with its data, in pieces: of one profile, or of two to compare."""
    before, after = _frame(title, "", parts_of(profiles))
    yield before
    yield b'<script id="data" type="text/plain">'
    yield from container.as_base64(data_of(profiles, title))
    yield b"</script>"
    yield after


def page_of(title: str, parts: Iterable[str] = ()) -> bytes:
    """The page without data, with these parts. It asks for `data` beside it: data_of() makes it."""
    return b"".join(_frame(title, "connect-src 'self'; ", frozenset(parts)))


def parts_of(profiles: Sequence[Shown]) -> frozenset[str]:
    """The parts, see entries.py, that the page of these profiles has. Of two, only the first one's
    timeline, steps and memory are shown."""
    first = profiles[0]
    are_there = {
        "timeline": bool(first.timelines),
        "steps": bool(first.timelines) and first.steps is not None,
        "memory": first.memory is not None,
    }
    return frozenset(name for name, is_there in are_there.items() if is_there)


def data_of(
    profiles: Sequence[Shown], title: str, live: dict[str, Any] | None = None
) -> Iterator[bytes]:
    """The page's data as gzip, in pieces. `live`: see README.md."""
    from tracer.results.limits import limits

    blocks = container.Blocks()
    header: dict[str, Any] = {
        "title": title,
        "figures": [
            {"name": name, "about": it.about, "time": it.is_time, "merge": rule_of(it)}
            for name, it in FIGURES.items()
        ],
        "profiles": [_profile(profile, blocks) for profile in profiles],
        "limits": limits(),
        "common": _common(profiles, blocks) if len(profiles) == 2 else None,
        "live": live,
    }
    first, one = header["profiles"][0], profiles[0]
    if one.timelines:
        first["timeline"] = [timeline_data.packed(process, blocks) for process in one.timelines]
        if one.steps is not None:
            first["steps"] = steps_data.packed(one.steps, blocks)
    if one.memory is not None:
        first["memory"] = memory_data.packed(one.memory, one.paths, first["threads"], blocks)
    return container.packed(header, blocks)


def _common(profiles: Sequence[Shown], blocks: container.Blocks) -> dict[str, Any]:
    """What two profiles have in common, see README.md."""
    from tracer.results.compared import EXPLAINED, in_common

    found = in_common(profiles[1].pair, [profile.paths for profile in profiles])
    return {
        "before": blocks.add(found.before),
        "after": blocks.add(found.after),
        "noise": round(found.noise * NS),
        "waited": EXPLAINED[found.waited],
    }


def _profile(profile: Shown, blocks: container.Blocks) -> dict[str, Any]:
    native = profile.native
    return {
        "name": profile.name,
        "facts": profile.facts,
        "rule": profile.paths.rule,
        "sampled": _sampled(profile.paths, blocks),
        **_paths(profile.paths, blocks),
        "flags": blocks.add(array("B", profile.flags or bytes(len(profile.paths.rows)))),
        "lines": profile.lines,
        "sources": profile.sources,
        "findings": profile.findings,
        **(
            {} if native is None else {"native": {**native.facts(), **_paths(native.paths, blocks)}}
        ),
        **({} if profile.waits is None else {"waits": _waits(profile.waits, blocks)}),
    }


def _waits(waits: waits_data.PageWaits, blocks: container.Blocks) -> dict[str, Any]:
    """Functions and threads, of which times are what was waited."""
    return {
        "sampled": _sampled(waits.paths, blocks),
        "flags": blocks.add(array("B", waits.flags)),
        **_paths(waits.paths, blocks),
    }


def _sampled(paths: Paths, blocks: container.Blocks) -> dict[str, Any] | None:
    """What is known of the samples that times come from."""
    sampled = paths.sampled
    if sampled is None:
        return None
    counts = [sampled.counts.get(row) for row in paths.rows]
    counted = (UNKNOWN if it is None else EXACT if it.is_exact else AT_LEAST for it in counts)
    places: dict[Label | None, int] = {row: place for place, row in enumerate(paths.rows)}
    places[None] = NO_ROW
    edges = [
        (places[caller], places[callee], calls)
        for (caller, callee), calls in sampled.edges.items()
        if caller in places and callee in places
    ]
    return {
        "time": round(sampled.time * NS),
        "size": sampled.size,
        "counted": blocks.add(array("B", counted)),
        "calls": blocks.column([0 if it is None else it.calls for it in counts]),
        "edges": {
            "caller": blocks.column([edge[0] for edge in edges], "I"),
            "callee": blocks.column([edge[1] for edge in edges], "I"),
            "calls": blocks.column([edge[2] for edge in edges]),
        },
    }


def _paths(paths: Paths, blocks: container.Blocks) -> dict[str, Any]:
    """Functions and threads. The module of a native function is its library."""
    files: dict[tuple[str, Module], int] = {}
    places = array("I")
    for number, (row, module) in enumerate(zip(paths.rows, paths.modules, strict=True)):
        if number in paths.natives:
            library = basename(row.file) or NO_FILE
            module = module._replace(name=library, package=library, kind="native")
        places.append(files.setdefault((row.file, module), len(files)))
    return {
        "files": [
            {"path": path, "module": module.name, "package": module.package, "kind": module.kind}
            for path, module in files
        ],
        "rows": {
            "file": blocks.add(places),
            "line": blocks.column([row.line for row in paths.rows], "I"),
            "name": [row.name for row in paths.rows],
        },
        "threads": [_thread(tree, blocks) for tree in paths.trees],
    }


def _thread(tree: Tree, blocks: container.Blocks) -> dict[str, Any]:
    return {
        "name": tree.name,
        "ident": tree.ident,
        "native_id": tree.native_id,
        "idle": max(0, tree.idle),
        "nodes": {
            "depth": blocks.add(tree.depth),
            "row": blocks.add(tree.row),
            "calls": blocks.add(tree.calls),
            "resumes": blocks.add(tree.resumes),
            "time": blocks.add(tree.time),
            "waited": blocks.add(tree.waited),
        },
        "edges": {
            "caller": blocks.column([edge.caller for edge in tree.edges], "I"),
            "callee": blocks.column([edge.callee for edge in tree.edges], "I"),
            "calls": blocks.column(edge.calls for edge in tree.edges),
            "primitive": blocks.column(edge.primitive for edge in tree.edges),
            "resumes": blocks.column(edge.resumes for edge in tree.edges),
            "time": blocks.column((edge.time for edge in tree.edges), "q"),
            "cumtime": blocks.column((edge.cumtime for edge in tree.edges), "q"),
        },
        "figures": _figures(tree.figures, blocks),
    }


def _figures(figures: dict[int, Figures], blocks: container.Blocks) -> dict[str, container.Block]:
    columns = {"row": blocks.column(figures, "I")}
    for place, (name, figure) in enumerate(FIGURES.items()):
        numbers = (row[place] for row in figures.values())
        columns[name] = blocks.column(numbers, "q" if figure.is_time else "Q")
    return columns


@cache
def _texts(parts: frozenset[str]) -> tuple[str, str, str, str]:
    """The document, the style sheet, and two scripts: the small loader, and the script that it
    runs."""
    return (
        _text("page.html"),
        "".join(bundle.without_comments(_text(style)) for style in entries.styles_of(parts)),
        bundle.script(_text("loader.js")),
        bundle.join(entries.entry_of(parts), HERE),
    )


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _frame(title: str, policy: str, parts: frozenset[str]) -> tuple[bytes, bytes]:
    """The page before its data, and after. The policy names our scripts and our style by their
    hashes, so the browser runs no name in the data as a script."""
    document, style, loader, script = _texts(parts)
    policy = (
        f"default-src 'none'; script-src '{_hash(loader)}' '{_hash(script)}'; "
        f"style-src '{_hash(style)}'; img-src data: blob:; {policy}"
        "base-uri 'none'; form-action 'none'"
    )
    before, after = document.split("$data")
    before = _put(_put(before, "$style", style), "$policy", policy)
    before = _put(before, "$loader", loader)
    before = _put(before, "$title", html.escape(_encodable(title)))  # last: a title may be any text
    code = base64.b64encode(container.zipped(script.encode())).decode()
    return before.encode(), _put(after, "$code", code).encode()


def _put(document: str, field: str, text: str) -> str:
    before, after = document.split(field)
    return before + text + after


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _encodable(text: str) -> str:
    """The text, with lone surrogates replaced: UTF-8 cannot encode them."""
    return text.encode("utf-8", "replace").decode("utf-8")
