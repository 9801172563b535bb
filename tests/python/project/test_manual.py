"""README.md and docs/ are the manual: it has all options, environment variables, sort keys and
public names, and no others. Each public name says what it takes, gives and raises.

test_docs.py tests that what it shows works; test_docs_tables.py tests the tables of options, and
test_exports_formats.py the table of formats.
"""

import ast
import inspect
import pstats
import re
import textwrap
from importlib import import_module

import pytest

import tracer
from docblocks import DOCS, MANUAL, ROOT, prose_of, spans, split, table_rows
from tracer.cli.main import VERBS
from tracer.cli.options.printing import SORT_KEYS
from tracer.cli.suggestions import options_of
from tracer.compat import kernprof, line_profiler, memory_profiler, mprof
from tracer.report.figure_tables import FIGURE_KEYS

PACKAGE = ROOT / "python" / "tracer"
SPANS = spans(prose_of(MANUAL))
FLAG = re.compile(r"--?[a-z][a-z-]*", re.IGNORECASE)

# Words of other programs that the manual names.
OTHERS = {"-N", "-L"}


def flags_of(options):
    return {flag for option in options for flag in option.flags}


def of_verb(verb):
    return flags_of(options_of(verb))


def test_options_in_the_text_are_there():
    every = flags_of([*kernprof.OPTIONS, *line_profiler.OPTIONS, *memory_profiler.OPTIONS]) | OTHERS
    every |= {flag for verb in mprof.VERBS.values() for flag in flags_of(verb.options)}
    for verb in VERBS:
        every |= of_verb(verb)
    every |= {f"-{letter}" for letter in "smufzlqDTr"}  # options of the magics
    named = {flag for span in SPANS if span.startswith("-") for flag in FLAG.findall(span)}
    assert {flag for flag in named if flag not in every} <= {"--no-preimports", "--line-profile"}


def test_options_of_magics():
    told = {"%tprun": set(), "%tlprun": set()}
    for row in table_rows(split(DOCS / "guide" / "notebooks.md")[1]):
        for magic in told if row[1] == "both" else spans(row[1:2]):
            told[magic] |= {flag.partition(" ")[0] for flag in spans(row[:1])}
    source = (PACKAGE / "integrations" / "ipython.py").read_text()
    taken = dict(re.findall(r'parse_line\("(\w+)", line, "([\w:]+)"\)', source))
    assert {
        magic: {f"-{letter}" for letter in letters if letter != ":"}
        for magic, letters in taken.items()
    } == {magic.lstrip("%"): flags for magic, flags in told.items()}


def test_keys():
    for page in ("guide/functions.md", "reference/command-line.md"):
        keys = re.search(r"Keys: ([^.]+)\.", (DOCS / page).read_text())[1]
        assert sorted(spans([keys])) == sorted([*SORT_KEYS, *FIGURE_KEYS])


# -- The environment ------------------------------------------------------------------------------

VARIABLE = re.compile(r"[A-Z][A-Z]+(_[A-Z]+)*")
# Variables of building, which setup.py and the Makefile read.
OF_BUILDING = {"UTHASH_INCLUDE"}
# Words of the text that only look like a variable.
NO_VARIABLES = {"RECORD_AND_RETURN", "RECORD_AND_SAVE", "SIG_DFL"}


def variables_read():
    """The strings that are a variable's name, in files that read the environment."""
    found = set()
    for path in [*PACKAGE.rglob("*.py"), *(ROOT / "ext").rglob("*.c")]:
        text = path.read_text()
        if "os.environ" in text or "getenv" in text:
            found |= {name for name in re.findall(r'"([^"\n]+)"', text) if VARIABLE.fullmatch(name)}
    return found


def test_environment_variables():
    read = variables_read()
    told = {span.partition(" ")[0].partition("=")[0] for span in SPANS}
    told = {name for name in told if VARIABLE.fullmatch(name) and (name in read or "_" in name)}
    assert told - OF_BUILDING - NO_VARIABLES == read


# -- Public names ---------------------------------------------------------------------------------

OF_COMPAT = (
    *("kernprof", "line_profiler", "lprun", "memory_profiler", "mprof", "paddle", "torch"),
    "yep",
)
COMPAT = [import_module(f"tracer.compat.{name}") for name in OF_COMPAT]
PUBLIC = [*tracer.__all__, "range", "time"]  # two that a star import leaves out
CLASSES = [value for name in PUBLIC if inspect.isclass(value := getattr(tracer, name))]
# Attributes that hold, and parameters that take, times: their class or function tells the unit.
TIMES = re.compile(r"\b(seconds|unit|units|nanoseconds)\b")
OF_TIME = {"started", "real", "user", "system", "suspended", "measured", "timeunit", "timings"}


def public_members(kind):
    """The functions and properties that a class has of its own, or of a class of tracer's."""
    for base in kind.__mro__:
        if base.__module__.startswith("tracer"):
            for name, value in vars(base).items():
                value = getattr(value, "__func__", value)
                if getattr(value, "__module__", "") == "pstats":
                    continue  # unchanged: see unrecorded.py
                if not name.startswith("_") and (callable(value) or isinstance(value, property)):
                    yield f"{base.__qualname__}.{name}", getattr(value, "fget", value)


def public_functions():
    for name in PUBLIC:
        value = getattr(tracer, name)
        if inspect.isfunction(value):
            yield name, value
    for kind in CLASSES:
        yield from public_members(kind)
    for name, value in public_members(type(tracer.profile)):
        if any(span.startswith(f"profile.{name.partition('.')[2]}") for span in SPANS):
            yield name, value
    for module in COMPAT:
        for name in getattr(module, "__all__", ()):
            if inspect.isfunction(value := getattr(module, name)):
                yield f"{module.__name__}.{name}", value


FUNCTIONS = dict(public_functions())


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_is_in_the_manual(name):
    assert any(
        re.match(rf"(tracer\.)?{name}\b", span) or f"import {name}" in span for span in SPANS
    )


PRINTED = [it for it in vars(tracer.Stats) if it.startswith("print_")]


@pytest.mark.parametrize("name", [it for it in PRINTED if not hasattr(pstats.Stats, it)])
def test_what_stats_prints_beyond_pstats_is_in_the_manual(name):
    assert any(re.match(rf"(stats|Stats)\.{name}\(", span) for span in SPANS)


def test_names_in_the_text_are_there():
    """Each `tracer.X`, `stats.x`, `profile.x` and `capture.x` of the manual exists."""
    with tracer.Profile() as profile:
        len("")
    objects = {
        "tracer": tracer,
        "profile": profile,
        "stats": tracer.Stats(profile),
        "capture": profile.capture(),
        "Profile": tracer.Profile,
        "Stats": tracer.Stats,
        "Capture": profile.capture(),
    }
    for span in SPANS:
        first, _, rest = re.match(r"[\w.]*", span)[0].rstrip(".").partition(".")
        if first in objects and rest and not rest.endswith(("py", "out")):
            name, *more = rest.split(".")
            if hasattr(objects[first], name) or (first, name) == ("tracer", "compat"):
                continue
            if first == "tracer":
                assert hasattr(import_module(f"tracer.{name}"), more[0]), f"there is no {span}"
            else:
                assert first == "profile" and hasattr(tracer.profile, name), f"there is no {span}"


def test_signatures_in_the_manual():
    """`tracer.Profile(...)` and `tracer.Stats(...)` are told with all they take, by their names."""
    for span in SPANS:
        found = re.match(r"tracer\.(Profile|Stats)\((.*=.*)\)", span)
        if found:
            told = re.findall(r"(?:^|, )\*?(\w+)", found[2])
            real = inspect.signature(getattr(tracer, found[1])).parameters
            assert told == [*real]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_docstrings(name):
    function = FUNCTIONS[name]
    assert function.__doc__, "it has no docstring"
    raised = (
        {
            ast.unparse(node.exc).partition("(")[0]
            for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))))
            if isinstance(node, ast.Raise) and node.exc is not None
        }
        if inspect.isfunction(function)
        else set()
    )
    assert {error for error in raised if error not in function.__doc__} == set()


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_classes_have_docstrings_with_units(kind):
    assert kind.__doc__
    names = set(getattr(kind, "__annotations__", ()))
    if inspect.isfunction(kind.__init__):
        names |= set(inspect.signature(kind).parameters)
    if names & OF_TIME:
        assert TIMES.search(kind.__doc__), "it does not say in what its times are"


def test_types_of_the_extension_have_docstrings():
    from tracer import _core

    for name in ("ProfileFormatError", "Profiler", "LineRecorder", "Backend"):
        assert getattr(_core, name).__doc__
