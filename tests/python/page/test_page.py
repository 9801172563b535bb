"""The page as a whole: its policy, what is in it, that names are no markup; and which of its
modules may import which."""

import base64
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pages
import tracer
from tracer.data.figures import FIGURES
from tracer.page import document as page

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)><!--"
PAGE = Path(page.__file__).parent
MODULES = sorted(path for path in PAGE.rglob("*.js") if "node_modules" not in path.parts)
# Which modules may import which: those of their own layer and of lower ones.
LAYERS = [
    {
        "container",
        "nodes",
        "edges",
        "search_pattern",
        "profile",
        "samples",
        "waits",
        "made_once",
        "ui/format",
    },
    {"amounts_profile"},
    {"native_profile", "waits_profile"},
    {"ui"},
    {"overview", "table", "flame", "butterfly", "timeline", "source", "compare"},
    {"steps", "memory", "native", "sampled_waits", "objects"},
    {"ways"},
    {"views"},
    {"top_bar"},
    {"app"},
    {"live", "start", "loader"},
]


def test_the_policy_names_script_and_style_by_their_hashes():
    text = pages.written([pages.small()])
    elements = pages.Elements(text)
    [style] = elements.all("style")
    [loader, _, _] = elements.all("script")

    def named(content):
        return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

    assert pages.policy_in(text) == {
        "default-src": ["'none'"],
        "script-src": [named(loader[2]), named(pages.script_in(text))],
        "style-src": [named(style[2])],
        "img-src": ["data:", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }


def test_only_the_page_of_a_program_that_runs_has_objects():
    """Script and style have 10 KB."""
    live, without = (page.page_of("", parts) for parts in (page.RUNNING, ["memory"]))
    script = pages.script_in(live.decode())
    assert "m_views_objects = " in script and "m_views_memory = " in script
    assert ".obj-row" in live.decode()
    assert "m_views_objects" not in pages.script_in(without.decode())
    assert ".obj-row" not in without.decode()
    assert 0 < len(live) - len(without) <= 9_900


def test_a_served_page_may_ask_where_it_is_from():
    text = page.page_of("title").decode()
    assert pages.policy_in(text)["connect-src"] == ["'self'"]
    assert not [s for s in pages.Elements(text).all("script") if s[1].get("id") == "data"]


def test_nothing_in_the_page_needs_what_the_policy_refuses():
    text = pages.written([pages.with_timeline()])
    for _, attributes, _ in pages.Elements(text).found:
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
        assert not attributes.get("src")
    for content in (text, pages.script_in(text)):
        for markup in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert markup not in content
        assert not re.findall(r"https?:(?!//www\.w3\.org/2000/svg)", content)


def test_the_data_in_the_page_is_that_of_a_server():
    data = b"".join(page.data_of([pages.small()], "a title"))
    assert pages.opened(pages.data_in(pages.written([pages.small()]))) == pages.opened(data)


def test_hostile_names_are_data():
    profile = pages.shown(
        [HOSTILE], pages.tree_of((1, 0, 1, 0, 5)), sources={HOSTILE: {"text": HOSTILE}}
    )
    text = pages.written([profile], HOSTILE)
    elements = pages.Elements(text)
    assert [element[0] for element in elements.found].count("script") == 3
    assert not elements.all("img")
    assert elements.all("title")[0][2] == HOSTILE
    header, _ = pages.opened(pages.data_in(text))
    assert header["title"] == HOSTILE
    assert header["profiles"][0]["rows"]["name"] == [HOSTILE]


def test_any_title_is_one():
    for title in ("$style $data $script $policy", "\udc80", ""):
        header, _ = pages.opened(pages.data_in(pages.written([pages.small()], title)))
        assert header["title"] == title


def test_files_are_told_once():
    rows = ["a", "b", "c"]
    header, blocks = pages.opened(
        pages.data_in(pages.written([pages.shown(rows, pages.tree_of())]))
    )
    [profile] = header["profiles"]
    assert profile["files"] == [
        {"path": "/src/app.py", "module": "app", "package": "app", "kind": "own"}
    ]
    assert pages.column(profile["rows"]["file"], blocks) == [0, 0, 0]
    assert pages.column(profile["rows"]["line"], blocks) == [0, 10, 20]


def test_figures_and_nodes_are_there_to_the_last_digit():
    header, blocks = pages.opened(pages.data_in(pages.written([pages.small()])))
    [thread] = header["profiles"][0]["threads"]
    assert (thread["name"], thread["ident"], thread["native_id"]) == ("MainThread", 7, 8)
    assert thread["idle"] == 0
    found = {name: pages.column(block, blocks) for name, block in thread["nodes"].items()}
    assert found == {
        "depth": [0, 1, 2],
        "row": [2**32 - 1, 0, 1],
        "calls": [0, 1, 70000],
        "resumes": [0, 0, 2],
        "time": [0, 300, 700],
        "waited": [0, 0, 0],
    }
    figures = {name: pages.column(block, blocks) for name, block in thread["figures"].items()}
    assert figures == {
        **{name: [0, 0] for name in FIGURES},
        "row": [0, 1],
        "ncalls": [1, 70000],
        "primitive": [1, 70000],
        "tottime": [300, 700],
        "cumtime": [1000, 700],
        "resumes": [0, 2],
        "suspended": [0, 5],
    }


def test_how_long_a_thread_was_idle_is_there(tmp_path):
    """It is idle while no function of it runs that is recorded."""
    hand = [0]
    path = tmp_path / "work.py"
    path.write_text("def work(): hand[0] += 7\n")
    space = {"hand": hand}
    exec(compile(path.read_text(), str(path), "exec"), space)
    with tracer.Profile(lambda: hand[0], 1e-3, include=[path]) as profile:
        hand[0] += 2000
        space["work"]()
        hand[0] += 30
    tracer.Stats(profile).to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    header, _ = pages.opened(pages.data_in(text))
    assert [thread["idle"] for thread in header["profiles"][0]["threads"]] == [2030 * 10**6]


def test_the_page_of_a_small_program_is_small():
    assert len(pages.written([pages.small()])) < 140_000
    assert len(pages.written([pages.with_timeline()])) < 200_000


def test_a_page_without_a_timeline_has_neither_its_script_nor_its_style():
    without, first = pages.small(), pages.with_timeline()
    alone = pages.written([without])
    assert not re.findall(r"m_timeline|m_views_timeline", pages.script_in(alone))
    assert ".tl-" not in alone
    # Of two profiles, the page shows the timeline of the first alone.
    assert pages.script_in(pages.written([without, first])) == pages.script_in(alone)
    for both in ([first], [first, without]):
        text = pages.written(both)
        assert "m_views_timeline = " in pages.script_in(text)
        assert ".tl-chart" in text
        assert pages.script_in(text) == pages.script_in(page.page_of("", ["timeline"]).decode())


def test_nothing_of_the_page_is_imported_before_it_is_wanted():
    code = "import sys, tracer.api.stats, tracer.cli.main; print('tracer.page' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def layer_of(module):
    """The layer that has the module by its whole name, or by its folder."""
    for name in (module, module.split("/")[0]):
        for number, layer in enumerate(LAYERS):
            if name in layer:
                return number
    raise AssertionError(f"{module}: which layer is it of?")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_imports_of_the_page_point_downward(path):
    here = path.relative_to(PAGE).with_suffix("").as_posix()
    for target in re.findall(r'^(?:import|\}) .*from "([^"]+)";$', path.read_text(), re.MULTILINE):
        imported = (path.parent / target).resolve().relative_to(PAGE).with_suffix("").as_posix()
        assert layer_of(imported) <= layer_of(here), f"{here} imports {imported}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_modules_are_short(path):
    assert len(path.read_text().splitlines()) < 600


# What compares shares to draw by: how thick, how far, in which colour, with how many digits.
DRAWS = ("ui/", "timeline/", "flame/", "objects/spark", "steps/layout", "steps/chart")
DRAWS += ("memory/curve", "compare/table", "compare/flame", "views/butterfly")
SHARE = re.compile(r"(?<![\w.])0?\.\d+(?![\w.])|(?<![\w.])\d+e-\d+")
COMPARED = re.compile(r"[<>]=? *[^=]|\* ")
IN_PARTS = re.compile(r"100 ?\*[^/]*[<>]=? ?\d|[<>]=? [^;]*/ ?\d")  # as percent, or as a half
# Pictures of timings, and what the word "most" says.
NO_RULE = re.compile(r"chart\.(zoom|pan)|#zoom|M6 6|isMost")


def shares_judged(text):
    """The lines of a script in which something is compared with a share."""
    for line in text.splitlines():
        code = line.partition(" // ")[0].lstrip()
        is_judged = COMPARED.search(code) or code.startswith("const")
        is_share = (SHARE.search(code) and is_judged) or IN_PARTS.search(code)
        if is_share and not code.startswith(("*", "//", "/**")) and not NO_RULE.search(code):
            yield code


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_no_rule_is_judged_in_the_script(path):
    """A share of the time that something is compared with is a rule's: the data has it."""
    if not path.relative_to(PAGE).as_posix().startswith(DRAWS):
        assert list(shares_judged(path.read_text())) == []


@pytest.mark.parametrize(
    "code",
    [
        "const MUCH = 0.25;",
        "if (waited >= 0.2 * total) {",
        "  const isLong = time > 5e-2;",
        "return 100 * part > 30;",
        "return time > total / 4;",
    ],
)
def test_a_rule_in_the_script_is_seen(code):
    assert list(shares_judged(f"// 0.5 > of the time\n{code}")) == [code.lstrip()]


def test_the_tests_in_javascript_pass():
    files = sorted(pages.TESTS_IN_JS.glob("*.test.mjs"))
    assert files
    print(pages.run_node("--test", *files))
