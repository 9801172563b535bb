"""The live objects of a program that runs: what grows comes first, and a click says why it lives."""

import pytest

from launch import write
from serving import viewed

PROGRAM = """
import time

class Order:
    def __init__(self, number):
        self.number = number

class Service:
    def __init__(self):
        self.seen = []

service = Service()

def take(number):
    service.seen.append(Order(number))

number = 0
while True:
    number += 1
    take(number)
    time.sleep(0.001)
"""
ORDER = ".obj-row:has(.fn:text-is('__main__.Order'))"


# `running` before `visit`, as in test_live.py.
@pytest.fixture
def running(tmp_path):
    program = write(tmp_path / "program.py", PROGRAM)
    verb = "--live", "--table"
    with viewed(program.name, cwd=program.parent, verb=verb, stream="stderr") as found:
        yield found[0]


def place(page):
    """The place of the orders among the types, from 0; -1: there are none."""
    return page.evaluate(
        "[...document.querySelectorAll('.obj-row .fn')].findIndex("
        "(it) => it.textContent === '__main__.Order')"
    )


def told(page, column):
    """A figure of the orders, as its tooltip has it exactly; 0 where it is empty."""
    cell = page.locator(f"{ORDER} > :nth-child({column})")
    return int((cell.get_attribute("data-tip") or "0").split()[0].replace(",", "").strip("+"))


def test_what_grows_comes_first(running, visit):
    page = visit(running, "view=overview")
    page.keyboard.press("O")
    page.wait_for_selector("#view[data-view=objects]")
    page.keyboard.press("m")
    page.wait_for_selector("[data-value=count][aria-pressed=true]")
    page.wait_for_selector(ORDER)
    page.until(lambda: place(page) >= 0 and told(page, 4) > 500)
    assert place(page) < 5  # all that a call keeps grows with the orders
    assert page.locator(f"{ORDER} polyline").count() == 1
    assert 0 < told(page, 4) < told(page, 3)
    page.keyboard.press("x")
    page.until(lambda: 0 < told(page, 4) < 500)


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 1280), ("light", 420)])
def test_a_click_says_why(running, visit, theme, width):
    page = visit(running, "view=objects&search=order", theme=theme, width=width)
    page.wait_for_selector(ORDER)
    page.click(ORDER)
    page.wait_for_selector(".obj-alive li .fn:text('0x')")
    assert page.locator(".obj-alive > ol > li").count() == 5
    summary = page.locator(".obj-alive summary").first
    assert summary.inner_text() == "__main__.service.seen[0]"
    summary.click()
    steps = page.locator(".obj-steps").first.locator("li").all_inner_texts()
    assert steps[0] == "module __main__"
    assert [text.split() for text in steps[1:]] == [
        [".service", "__main__.Service"],
        [".seen", "list"],
        ["[0]", "__main__.Order"],
    ]
    assert page.state["type"] == "__main__.Order"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("Escape")
    page.wait_for_selector(".obj-alive", state="hidden")


def test_only_who_looks_has_the_program_count(running, visit):
    page = visit(running, "view=objects")
    page.wait_for_selector(".obj-row")
    page.keyboard.press("t")
    page.wait_for_selector("#view[data-view=table]")
    with page.expect_response("**/next"):
        page.asked.clear()
    with page.expect_response("**/next"):
        assert not [url for url in page.asked if "/objects/" in url]
