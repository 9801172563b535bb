"""What is the program's own, on the page: its colour, its imports, what exec() made for it, and
that its generators do not wait. A clock that the program moves tells the time.
"""

import re

import pytest
from playwright.sync_api import expect

import tracer
from launch import traced

UNIT = 1e-3  # s
SITE = "/env/lib/python3.12/site-packages"
# Who runs what: (file, text). The last one has main().
TEXTS = {
    "<frozen importlib._bootstrap>": """
def _find_and_load(text):
    clock.now += 10
    exec(text, space)
""",
    f"{SITE}/heavy/core.py": """
def crunch():
    clock.now += 200
    inside()

def inside():
    clock.now += 100
""",
    "/home/me/app.py": """
from dataclasses import dataclass

@dataclass
class Point:
    x: int

    def __post_init__(self):
        clock.now += 5

def numbers():
    yield 1
    yield 2

def main():
    _find_and_load(IMPORTED)
    Point(3)
    for _ in numbers():
        clock.now += 40
    crunch()
""",
}
IMPORTED = "def helper():\n    clock.now += 150\nclock.now += 150\nhelper()\n"


class Clock:
    now = 0

    def __call__(self):
        return self.now


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    clock = Clock()
    space = {"clock": clock, "__name__": "app"}
    space["space"] = space
    space["IMPORTED"] = compile(IMPORTED, f"{SITE}/heavy/__init__.py", "exec")
    for file, text in TEXTS.items():
        exec(compile(text, file, "exec"), space)
    profile = tracer.Profile(clock, UNIT, builtins=False, threads=False)
    profile.record_call(space["main"])
    profile.disable()
    page = tmp_path_factory.mktemp("own") / "page.html"
    tracer.Stats(profile).to_html(page)
    return page.as_uri()


def chroma(page, name):
    """How colourful a name is in the legend: the second part of its oklch()."""
    entry = page.locator(f".flame-legend > *:has-text('{name}')").first
    colour = entry.locator("i").evaluate("(dot) => getComputedStyle(dot).backgroundColor")
    return float(re.fullmatch(r"oklch\([\d.]+ ([\d.]+) [\d.]+\)", colour)[1])


def test_the_programs_code_has_a_colour_and_what_is_folded_is_grey(visit, address):
    page = visit(address, "view=flame")
    page.wait_for_selector(".flame-chart canvas")
    assert chroma(page, "app") > chroma(page, "heavy.core") > 0
    page.keyboard.press("l")
    expect(page.locator(".flame-legend")).to_contain_text("libraries, folded")
    assert chroma(page, "app") > 0.1 > 0.02 > chroma(page, "libraries, folded")


def test_folded_libraries_leave_the_modules_that_were_imported(visit, address):
    """Below main(): the import, and the module that ran there; beside it crunch() of the library.
    Not what these two called."""
    page = visit(address, "view=flame&fold=l")
    page.wait_for_selector(".flame-chart canvas")
    told = []
    page.keyboard.press("ArrowDown")
    for key in ("Down", "Down", "Down", "Down", "Up", "Right", "Down"):
        page.keyboard.press(f"Arrow{key}")
        page.rest()
        told.append(page.locator(".flame-status").inner_text().split()[0])
    load, module = "importlib._bootstrap._find_and_load", "heavy.<module>"
    crunch = "heavy.core.crunch"
    assert told == ["app.main", load, module, module, load, crunch, crunch]


def test_what_exec_made_is_of_the_module_that_called_it(visit, address):
    page = visit(address, "view=table&search=/__init__$/")
    assert page.locator(".row .where").first.inner_text().startswith("app:")
    assert page.locator(".row .dot").first.get_attribute("data-kind") == "own"


def test_modules_are_listed_by_time(visit, address):
    page = visit(address, "view=table")
    modules = page.locator(".filters select optgroup[label=Modules] option")
    names = [name.split("  ")[0] for name in modules.all_text_contents()]
    assert names == ["heavy", "heavy.core", "app", "importlib._bootstrap"]


def test_a_plain_generator_is_not_told_to_wait(visit, tmp_path):
    program = tmp_path / "both.py"
    program.write_text(
        "def plain():\n    yield 1\n\nasync def waits():\n    await Stop()\n\n"
        "class Stop:\n    def __await__(self):\n        yield\n\n"
        "for _ in plain():\n    sum(range(9999))\n"
        "one = waits()\none.send(None)\nsum(range(9999))\none.close()\n"
    )
    for words in (["-o", "both.out", program], ["html", "both.out"]):
        assert traced(*words, cwd=tmp_path).returncode == 0
    told = {}
    for name in ("plain", "waits"):
        page = visit((tmp_path / "both.html").as_uri(), f"view=butterfly&row=both.{name}")
        page.wait_for_selector(".focus")
        told[name] = "suspended" in page.locator(".focus .figures").inner_text()
    assert told == {"plain": False, "waits": True}
