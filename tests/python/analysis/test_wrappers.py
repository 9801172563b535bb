"""analysis/outline/wrappers.py: wrappers are rows by what they wrap."""

from textwrap import dedent

import pytest

from tracer.analysis.outline.outline import Outline
from tracer.analysis.outline.wrappers import with_wrappers
from tracer.analysis.tree.call_tree import Row
from tracer.report.outline import LEADS_TO, outline_table
from treetexts import FILES, SITE, in_ms, paths_of_text, text_of_tree, with_figures

MAIN = FILES["main"]
SOURCE = """\
def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper
def checked(function):
    def wrapper(*args, **kwargs):
        log(function)
        return function(*args, **kwargs)
    return wrapper
@timed
@checked
def net(price): ...
@timed
@checked
def label(number): ...
@timed
def main(): ...
@lru_cache
def log(function): ...
def plain(): ...
def walker(steps):
    def walk(*args):
        return steps(*args) + walk(*args)
    return walk
class Counted:
    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)
@Counted
def price(): ...
@timed
def fib(n): ...
"""


def placed(name, begins):
    """The function of a tree that is defined where the source has these lines."""
    return f"{name}@main:{SOURCE[: SOURCE.index(begins)].count(chr(10)) + 1}"


TIMED = placed("timed.<locals>.wrapper", "    @functools.wraps")
CHECKED = placed("checked.<locals>.wrapper", "    def wrapper(*args, **kwargs):\n        log")
NET = placed("net", "@timed\n@checked\ndef net")
LABEL = placed("label", "@timed\n@checked\ndef label")
ENTRY = placed("main", "@timed\ndef main")
LOG = placed("log", "@lru_cache")
PLAIN = placed("plain", "def plain")
WALK = placed("walker.<locals>.walk", "    def walk")
COUNTED = placed("Counted.__call__", "    def __call__")
PRICE = placed("price", "@Counted")
FIB = placed("fib", "@timed\ndef fib")


def text_of(file):
    return SOURCE if file == MAIN else None


def split(*texts, text_of=text_of):
    """The trees of these texts with wrappers by what they wrap."""
    found = with_wrappers(paths_of_text(*map(dedent, texts)), text_of).paths
    return "\n".join(text_of_tree(tree, found.rows) for tree in found.trees)


def tree(text):
    return dedent(text).lstrip("\n")


DECORATED = f"""
{TIMED} 1 1
  {ENTRY} 1 2
    {TIMED} 9 3
      {CHECKED} 9 4
        {NET} 9 5
        signature@{SITE}/inspecting/__init__.py 9 6
    other@main 1 0
      {TIMED} 8 3
        {CHECKED} 8 4
          {LABEL} 8 5
          signature@{SITE}/inspecting/__init__.py 8 6
    both@main 1 0
      {TIMED} 4 1
        {NET} 2 1
        {LABEL} 2 1
"""


def test_a_wrapper_is_a_row_by_what_it_wraps_in_the_end():
    assert split(DECORATED) == tree(
        f"""
        timed(main)@main 1 1
          main@main 1 2
            timed(net)@main 9 3
              checked(net)@main 9 4
                net@main 9 5
                signature@{SITE}/inspecting/__init__.py 9 6
            other@main 1 0
              timed(label)@main 8 3
                checked(label)@main 8 4
                  label@main 8 5
                  signature@{SITE}/inspecting/__init__.py 8 6
            both@main 1 0
              timed(net, label)@main 4 1
                net@main 2 1
                label@main 2 1
        """
    )


def place(row):
    return f"{row.file.rpartition('/')[2]}:{row.line}"


def rows_of(text):
    """The rows of the outline without their figures. > is what joins the functions of a row."""
    outline = Outline(paths_of_text(in_ms(text)), text_of)
    lines = outline_table(outline, 25, 200, place)[1:]
    return "\n".join(line[36:].replace(LEADS_TO, " > ") for line in lines)


def test_the_outline_sees_no_recursion_between_what_wrappers_wrap():
    assert rows_of(DECORATED) == tree(
        """
        timed(main)  main.py:2
        └─ main  main.py:17
           ├─ timed(net)  main.py:2
           │  └─ checked(net)  main.py:7
           │     ├─ inspecting (signature)
           │     └─ net  main.py:11
           ├─ other  main.py:1
           │  └─ timed(label)  main.py:2
           │     └─ checked(label)  main.py:7
           │        ├─ inspecting (signature)
           │        └─ label  main.py:14
           └─ both  main.py:1
              └─ timed(net, label)  main.py:2
                 ├─ net  main.py:11
                 └─ label  main.py:14
        """
    ).rstrip("\n")


def test_recursion_through_a_wrapper_is_recursion():
    text = f"""
    {TIMED} 1 10
      {FIB} 1 30
        {TIMED} 2 10
          {FIB} 2 50
            {TIMED} 2 10
    """
    outline = Outline(paths_of_text(in_ms(text)), text_of)
    assert [(node.name, node.calls, node.total) for node in outline.walk()] == [
        ("timed(fib)", 5, 110_000_000),
        ("fib", 3, 80_000_000),
    ]


CHAIN = f"""
<module>@main 1 100
  {TIMED} 7 0
    one@main 7 0
      {CHECKED} 7 0
        two@main 7 0
          {COUNTED} 7 0
            three@main 7 0
              {TIMED} 7 0
                four@main 7 900
"""


def test_wrappers_that_only_lead_to_another_are_not_named_and_do_not_count():
    """Three functions of the program at most lead to another."""
    assert rows_of(CHAIN).splitlines()[1:] == ["└─ one > two > three > four  main.py:1"]
    [_, node] = Outline(paths_of_text(in_ms(CHAIN)), text_of).walk()
    assert [lead.is_wrapper for lead in node.leads] == [True, False] * 3 + [True]
    longer = CHAIN.replace(TIMED, "plain@main").replace(COUNTED, "plain@main")
    assert len(rows_of(longer).splitlines()) > 2


@pytest.mark.parametrize(
    ("wrapper", "children", "name"),
    [
        # What its decorator is named above, before all others.
        (CHECKED, [LOG, NET, PLAIN], "checked(net)"),
        (TIMED, [PLAIN, NET, LOG], "timed(net)"),
        # What has a decorator, before the program's other functions.
        (COUNTED, [NET, PLAIN], "Counted(net)"),
        (COUNTED, [NET, PRICE, PLAIN], "Counted(price)"),
        ("Calls.__call__.<locals>.wrapper@helpers", [PLAIN], "Calls(plain)"),
        (TIMED, [PLAIN], "timed(plain)"),
        (TIMED, [PLAIN, "other@helpers", "third@helpers"], "timed(plain, other, …)"),
        (TIMED, ["Shop.size@helpers", "loads@json"], "timed(Shop.size)"),
        (TIMED, ["main.<locals>.<lambda>@helpers"], "timed(main.<lambda>)"),
        # By way of what it defines, or of C.
        (
            TIMED,
            ["timed.<locals>.wrapper.<locals>.<genexpr>@main 1 1\n    net@helpers"],
            "timed(net)",
        ),
        (TIMED, ["<Context.run> 1 1\n    net@helpers"], "timed(net)"),
        # Nothing that it wraps.
        (TIMED, ["<builtins.len>"], "timed.<locals>.wrapper"),
        (TIMED, ["loads@json"], "timed.<locals>.wrapper"),
        (TIMED, ["Span.__enter__@helpers"], "timed.<locals>.wrapper"),
        (TIMED, [], "timed.<locals>.wrapper"),
        # A function that calls itself is no wrapper.
        (WALK, [PLAIN], "walker.<locals>.walk"),
        # What is not where the text has it is told by its name.
        ("late.<locals>.wrapper@main", [PLAIN], "late(plain)"),
        ("late.<locals>.walk@main", [PLAIN], "late.<locals>.walk"),
    ],
)
def test_what_a_wrapper_wraps(wrapper, children, name):
    text = "".join([f"{wrapper} 1 1\n", *(f"  {child} 1 1\n" for child in children)])
    assert split(text).partition("@")[0] == name


def test_of_an_unknown_text_the_usual_names_tell():
    text = """
    deco.<locals>.wrapper@helpers 1 1
      load@helpers 1 1
    outer.<locals>.walk@helpers 1 1
      load@helpers 1 1
    Shop.auth.<locals>.decorator.<locals>.inner@helpers 1 1
      load@helpers 1 1
    """
    assert [line.partition("@")[0] for line in split(text).splitlines()[::2]] == [
        "deco(load)",
        "outer.<locals>.walk",
        "auth(load)",
    ]
    # One that wraps nothing has the name alone.
    paths = paths_of_text(
        "deco.<locals>.wrapper@helpers 1 1\nmain.<locals>.inner@helpers 1 1\n  load@main 1 1"
    )
    assert with_wrappers(paths, text_of).wrappers == {1: 1, 3: 1}


LIBRARY = f"{SITE}/learn/base.py"
FITS = """\
def _context(prefer):
    def decorator(fit):
        @wraps(fit)
        def wrapper(estimator, *args):
            return fit(estimator, *args)
    return decorator
class Means:
    @_context(True)
    def fit(self): ...
    @property
    def size(self): ...
"""


def test_a_wrapper_of_a_library_has_the_name_of_its_function():
    """That is the member of the library which the program called."""
    text = f"""
    <module>@main 1 700
      _context.<locals>.decorator.<locals>.wrapper@{LIBRARY}:3 1 10
        check@{LIBRARY}:90 9 100
        Means.size@{LIBRARY}:10 8 100
        Means.fit@{LIBRARY}:8 1 100
    """
    for known in (FITS, None):
        outline = Outline(paths_of_text(in_ms(text)), {LIBRARY: known}.get)
        name = outline_table(outline, 25, 200, place)[-1].split("─ ")[-1]
        # Without a text, what was called most often.
        assert name == ("learn (Means.fit)" if known else "learn (check)")
    # Around a function of the program:
    lines = split(text.replace(f"Means.fit@{LIBRARY}:8", "work@main"), text_of={LIBRARY: FITS}.get)
    assert lines.splitlines()[1].strip().startswith("_context(work)@")


def test_a_wrapper_that_called_nothing_is_as_elsewhere_if_that_is_one():
    """As one that keeps results. What it wraps for the same caller comes first."""
    text = f"""
    {TIMED} 1 1
      {FIB} 1 1
        {TIMED} 1 1
          {FIB} 1 1
            {TIMED} 1 1
        {CHECKED} 1 1
      {NET} 1 1
        {TIMED} 1 1
    """
    names = [line.strip().partition("@")[0] for line in split(text).splitlines()]
    assert names == [
        *("timed(fib, net)", "fib", "timed(fib)", "fib", "timed(fib)", "checked.<locals>.wrapper"),
        *("net", "timed.<locals>.wrapper"),
    ]
    alone = split(f"{TIMED} 1 1\n  {NET} 1 1\n{LOG} 1 1\n  {TIMED} 1 1")
    assert alone.count("timed(net)@main 1 1") == 2


def test_given_rows_and_figures_stay_and_new_rows_have_their_places():
    paths = with_figures(paths_of_text(dedent(DECORATED)))
    found, wrappers = with_wrappers(paths, text_of)
    given = len(paths.rows)
    assert found.rows[:given] == paths.rows and found.modules[:given] == paths.modules
    assert found.figures == paths.figures and found.length == paths.length
    assert found.rule is paths.rule and found.natives is paths.natives
    new = range(given, len(found.rows))
    assert [found.rows[row] for row in new] == [
        Row(MAIN, 2, "timed(net, label)"),
        *(Row(MAIN, 7, "checked(label)"), Row(MAIN, 2, "timed(label)")),
        *(Row(MAIN, 7, "checked(net)"), Row(MAIN, 2, "timed(net)"), Row(MAIN, 2, "timed(main)")),
    ]
    assert all(found.modules[row].name == "main" for row in new)
    timed, checked = (
        paths.rows.index(Row(MAIN, *it)) for it in ((2, TIMED[:-7]), (7, CHECKED[:-7]))
    )
    assert [wrappers[row] for row in new] == [timed, checked, timed, checked, timed, timed]
    assert wrappers.keys() == {timed, checked, *new}
    [given_tree], [tree] = paths.trees, found.trees
    assert timed in given_tree.row and timed not in tree.row  # a copy


def test_a_new_row_has_the_figures_of_a_function_that_it_stands_for_alone():
    text = f"{TIMED} 1 1\n  {NET} 1 1\n"
    paths = with_figures(paths_of_text(text, f"{text}{LABEL} 1 1\n  {TIMED} 1 1\n    {LABEL} 1 1"))
    first, second = with_wrappers(paths, text_of).paths.trees
    number = first.row[1]
    assert first.figures.keys() == {number, 1} and first.figures[number].cumtime == 2
    assert second.figures.keys() == {0, 1, 2}  # of two new rows


def test_an_outline_tells_wrappers_and_what_was_recorded():
    outline = Outline(paths_of_text(dedent(DECORATED)), text_of)
    rows = outline.paths.rows
    assert {
        row.name.partition("(")[0] for at, row in enumerate(rows) if outline.is_wrapper(at)
    } == {*("timed.<locals>.wrapper", "checked.<locals>.wrapper", "timed", "checked")}
    assert outline.as_recorded(Row(MAIN, 7, "checked(net)")) == Row(
        MAIN, 7, "checked.<locals>.wrapper"
    )
    assert outline.as_recorded(Row(MAIN, 11, "net")) == Row(MAIN, 11, "net")


def test_without_wrappers_paths_stay_and_no_text_is_read():
    def no_text(file):
        raise AssertionError(file)

    paths = paths_of_text(f"{PLAIN} 1 1\n  main.<locals>.<genexpr>@main 1 1\n    {NET} 1 1")
    assert with_wrappers(paths, no_text) == (paths, {})
    paths = paths_of_text(f"{WALK} 1 1\n  {NET} 1 1\n")
    assert with_wrappers(paths, text_of) == (paths, {})
