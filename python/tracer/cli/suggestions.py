"""Answers to options and verbs that tracer does not have: their names here, or the nearest.

Loaded only once something is wrong.
"""

from __future__ import annotations

import re
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from itertools import pairwise
from os.path import exists

from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.cli.options.option import Option
    from tracer.cli.options.printing import PrintingOptions
    from tracer.cli.options.run import RunOptions

SIZE = re.compile("[0-9][0-9.]* *[kmgt]?i?b?", re.IGNORECASE)  # also one that is refused
ALIKE = 0.7  # by difflib's measure: what is less alike is not suggested

# Options of other profilers and tools: for each, names here. The first that the verb has is told;
# else the first that tells another verb.
LIMIT: tuple[str, ...] = ("--limit",)
OUT: tuple[str, ...] = ("--outfile",)
FORMAT: tuple[str, ...] = ("--to",)
FOREIGN_OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("-n", "--top", "--head", "--rows", "--count", "--max-rows"), LIMIT),
    **dict.fromkeys(("--output", "--out", "--output-file", "-O"), OUT),
    **dict.fromkeys(("--format", "-f", "--renderer", "--type"), FORMAT),
    **dict.fromkeys(("--sort-by", "--sortby", "--order", "--order-by"), ("--sort", "--metric")),
    **dict.fromkeys(("--filter", "--match", "--grep", "--function"), ("--only", "--callers")),
    **dict.fromkeys(("--show", "--profile-only"), ("--include",)),
    **dict.fromkeys(("--hide", "--ignore", "--omit"), ("--exclude",)),
    **dict.fromkeys(("--threshold", "--min-percent", "--cutoff"), ("--min",)),
    **dict.fromkeys(("--max-depth", "--levels"), ("--depth",)),
    **dict.fromkeys(("--module",), ("-m",)),
    **dict.fromkeys(("--call-tree", "--calltree"), ("--tree",)),
    **dict.fromkeys(("--line", "--by-line", "--line-by-line"), ("--lines",)),
    **dict.fromkeys(("--diff",), ("diff",)),
    **dict.fromkeys(("--html",), ("html",)),
    **dict.fromkeys(
        ("--flamegraph", "--flame", "--web", "--gui", "--open", "--browser"), ("view",)
    ),
    **dict.fromkeys(("--speedscope", "--callgrind", "--pprof", "--csv"), ("--to",)),
    **dict.fromkeys(("--fail-over", "--fail-on", "--max-growth"), ("--fail-above",)),
}
# What a verb calls otherwise than the others do.
OF_VERBS: dict[str, dict[str, tuple[str, ...]]] = {
    "diff": {"-s": ("--metric",), "--sort": ("--metric",), "--threshold": ("--fail-above",)},
    "export": {"-f": ("--to",)},
    "show": {"--to": ("--to-time",)},
}

# What else a verb has for an option of other verbs.
INSTEAD: dict[str, dict[str, str]] = {
    "diff": {
        **dict.fromkeys(("--include", "--exclude"), "--only NAME chooses functions here"),
        **dict.fromkeys(("-l", "--lines"), "'view --compare BEFORE AFTER' compares lines"),
    }
}

# What `run` answers to options of other profilers, and of python, for which there is nothing here.
NO_ATTACHING = (
    "tracer cannot attach to a running process (-p is the port of view): start the program under "
    "tracer, and look at it by --live"
)
NO_RENDERERS = (
    "tracer has no -r: 'export FILE --to FORMAT' writes other formats, and --slowdown PERCENT with "
    "--rate HZ takes samples"
)
OF_RUN: dict[str, str] = {
    **dict.fromkeys(("-p", "--pid"), NO_ATTACHING),
    "-r": NO_RENDERERS,
}
# How files are made that -o does not write, by their names' ends.
MADE_BY: dict[str, str] = {
    ".html": "html {profile} -o {name}",
    ".json": "export {profile} --to json -o {name}",
    ".csv": "export {profile} --to csv -o {name}",
    ".svg": "html {profile} (its flame graph)",
}

# Verbs of other profilers and tools, and the words for them here.
FOREIGN_VERBS: dict[str, str] = {
    **dict.fromkeys(("compare", "delta"), "diff BEFORE AFTER"),
    **dict.fromkeys(("report", "print", "stats", "stat", "summary", "table", "info"), "show FILE"),
    **dict.fromkeys(("list", "functions"), "show FILE"),
    **{name: f"show FILE --{name}" for name in ("tree", "threads", "lines", "resumes")},
    **{name: f"show FILE --{name} NAME" for name in ("callers", "callees")},
    **dict.fromkeys(("record", "profile", "exec", "start"), "-o FILE SCRIPT"),
    **dict.fromkeys(("flamegraph", "flame", "web", "serve", "open", "browse", "gui"), "view FILE"),
    **dict.fromkeys(("page", "render"), "html FILE"),
    **dict.fromkeys(("convert", "dump", "json", "csv"), "export FILE --to FORMAT"),
    **dict.fromkeys(("callgrind", "speedscope", "pprof", "folded"), "export FILE --to FORMAT"),
    **dict.fromkeys(("combine", "add", "join", "sum"), "merge -o FILE FILE..."),
    **dict.fromkeys(("top", "live", "watch"), "--live SCRIPT"),
    "help": "--help",
    "version": "--version",
}


def unknown_option(flag: str, verb: str, verbs: dict[str, str]) -> str:
    """The message on an option that a verb does not have."""
    # The letters of `time` are timeit's, which no other verb means.
    known = [name for name in verbs if name != "time" or name == verb]
    options = {name: options_of(name) for name in known}
    own = by_flag(options[verb])
    start = f"unknown option {flag!r}"
    if verb == "run" and flag in OF_RUN:
        return OF_RUN[flag]
    for name in OF_VERBS.get(verb, {}).get(flag, ()):
        return f"{start}; here it is {shown(own[name])}; --help lists them"
    others = [name for name, found in options.items() if flag in by_flag(found)]
    if others:
        remedy = INSTEAD.get(verb, {}).get(flag, "--help lists its own")
        return f"{flag} is an option of {listed(others)}, not of {verb}; {remedy}"
    names = FOREIGN_OPTIONS.get(flag, ())
    for name in names:
        if name in own:
            return f"{start}; here it is {shown(own[name])}; --help lists them"
    for name in names:
        where = [it for it, found in options.items() if name in by_flag(found)]
        if where:
            option = shown(by_flag(options[where[0]])[name])
            return f"{start}; {listed(where)} {have(where)} {option}; --help lists them"
        if not name.startswith("-"):
            return f"{start}; here it is the verb {name!r}; --help lists them"
    near = get_close_matches(flag, own, 1, ALIKE) if flag.startswith("--") else []
    if near:
        return f"{start}; the nearest is {near[0]}; --help lists them"
    return f"{start}; --help lists them"


def options_of(verb: str) -> tuple[Option, ...]:
    module = import_module(f"tracer.cli.commands.{verb}")
    found: tuple[Option, ...] = getattr(module, f"{verb.title()}Options").OPTIONS
    return found


def have(verbs: list[str]) -> str:
    return "have" if len(verbs) > 1 else "has"


def by_flag(options: tuple[Option, ...]) -> dict[str, Option]:
    return {flag: option for option in options for flag in option.flags}


def shown(option: Option) -> str:
    """The option and its value, by its short flag where it has one: `-o FILE`."""
    return f"{option.flags[0]} {option.value}".strip()


def refuse_verb(word: str, verbs: dict[str, str], prog: str) -> None:
    """Raise UsageError for a word that is no script, but a verb or like one."""
    start = f"no script {word!r}, and no verb"
    here = FOREIGN_VERBS.get(word)
    near = get_close_matches(word, verbs, 1, ALIKE)
    if word in verbs:
        raise UsageError(
            f"no script {word!r}; a verb comes before its options: {prog} {word} [OPTIONS]"
        ) from None
    if here is not None:
        raise UsageError(f"{start}; here it is {prog} {here}; --help lists the verbs") from None
    if near:
        raise UsageError(f"{start}; the nearest is {near[0]}; --help lists the verbs") from None


def refuse_fold_value(word: str, options: PrintingOptions) -> None:
    """Raise UsageError for a word behind --fold that is no file: it was meant as the value."""
    if "" in options.fold and not exists(word):
        raise UsageError(f"no file {word!r}; to fold what has this name, write --fold={word}")


def refuse_value(word: str, options: RunOptions) -> None:
    """Raise UsageError for a word that is no script, but was meant as the value of the option
    before it, in whose own word the value stands."""
    refuse_fold_value(word, options)
    if (options.timeline is not None or options.timeline_last) and SIZE.fullmatch(word):
        raise UsageError(
            f"no script {word!r}; the size of a timeline stands in the word of the option: "
            f"--timeline={word}"
        )
    if options.native_hz and word.isdecimal():
        raise UsageError(
            f"no script {word!r}; the samples a second of --native stand in the word of the "
            f"option: --native={word}"
        )
    if options.keeps_memory and word == "native":
        raise UsageError(
            f"no script {word!r}; the value of --memory stands in the word of the option: "
            f"--memory={word}"
        )


def refuse_count(argv: Sequence[str], files: Sequence[str]) -> None:
    """Raise UsageError for a word behind --slowest that is neither a number nor a file."""
    behind = [word for flag, word in pairwise(argv) if flag == "--slowest" and word in files]
    for word in behind:
        if not exists(word):
            raise UsageError(
                f"no file {word!r}, and no number of calls; give --slowest N, or a FILE that is "
                "there"
            )


def refuse_profile(path: str, name: str, prog: str) -> None:
    """Raise UsageError if the file is a profile, which stands in the place of the program."""
    from tracer._core import ProfileFormatError
    from tracer.data.reader import read

    with suppress(ProfileFormatError), open(path, "rb") as file:
        contents = read(file.read(), name)
        if contents.stats or contents.captures:
            raise UsageError(
                f"{name!r} is a profile, and no program; to see it: {prog} show {name}"
            )


def refuse_name(name: str, prog: str) -> None:
    """Raise UsageError for a name of -o that says that another verb makes the file."""
    start, _, end = name.rpartition(".")
    made = MADE_BY[f".{end}"].format(profile=f"{start}.out", name=name)
    raise UsageError(
        f"{name!r} would hold a profile, whatever its name says; write -o {start}.out, and then: "
        f"{prog} {made}"
    )


def listed(words: list[str]) -> str:
    """The words in a row: `run`, `run and show`, `run, show and diff`."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last
