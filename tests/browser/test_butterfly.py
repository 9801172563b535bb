"""The butterfly: calls and times through each edge are those of Stats, and it can be walked."""

import re

import pytest

import tracer


def sides(page):
    """{"callers": {name: (calls, nanoseconds)}, "callees": ...}: the exact ones, of tooltips."""
    found = {}
    for side in ("callers", "callees"):
        found[side] = {}
        for card in page.locator(f".{side} button.card").all():
            tip = card.get_attribute("data-tip")
            ns = re.search(r"^(-?[\d,]+) ns", tip, re.MULTILINE)[1]
            calls = re.search(r"^([\d,]+) calls", tip, re.MULTILINE)[1]
            name = card.locator(".fn").inner_text()
            found[side][name] = (int(calls.replace(",", "")), int(ns.replace(",", "")))
    return found


def expected(stats, name):
    """The callers and callees that Stats has, in the form of sides()."""
    callers = next(row[4] for label, row in stats.stats.items() if label[2] == name)
    callees = {
        label[2]: figures
        for label, row in stats.stats.items()
        for caller, figures in row[4].items()
        if caller[2] == name
    }
    return {
        "callers": {label[2]: edge(figures) for label, figures in callers.items()},
        "callees": {label: edge(figures) for label, figures in callees.items()},
    }


def edge(figures):
    calls, _, _, cumtime = figures
    # The page adds up the nodes of the paths, each of which was rounded.
    return calls, pytest.approx(round(cumtime * 1e9), abs=20)


@pytest.mark.parametrize("name", ["Shape.area", "recurse", "work", "<builtins.sum>", "countdown"])
def test_edges_are_those_of_stats(visit, html_of, profiles, name):
    stats = tracer.Stats(profiles["shapes"], names="qualname")
    page = visit(html_of("shapes"), "view=butterfly")
    page.keyboard.press("/")
    page.keyboard.type(f"/^{re.escape(name)}$/")
    page.click(".offer .card")
    assert page.locator(".focus h2").inner_text() == name
    assert sides(page) == expected(stats, name)


def test_it_is_walked_by_mouse_and_back(visit, html_of):
    page = visit(html_of("shapes"), "view=butterfly&row=shapes.work")
    centre = page.locator(".focus h2")
    page.click(".callees .card:has-text('Shape.describe')")
    assert centre.inner_text() == "Shape.describe"
    page.click(".callees .card:has-text('Shape.area')")
    assert centre.inner_text() == "Shape.area"
    page.click(".callers .card:has-text('Shape.describe')")
    assert centre.inner_text() == "Shape.describe"
    for name in ("Shape.area", "Shape.describe", "work"):
        page.go_back()
        page.wait_for_function(f"document.querySelector('.focus h2').textContent === '{name}'")


def test_it_is_walked_by_keys(visit, html_of):
    page = visit(html_of("shapes"), "view=butterfly&row=shapes.work")
    names = page.locator(".callees button.card .fn").all_inner_texts()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    focused = "document.activeElement.querySelector('.fn').textContent"
    assert page.evaluate(focused) == names[0]
    name = "Shape.describe"  # which only work() calls
    for _ in range(names.index(name)):
        page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == name
    page.keyboard.press("Enter")
    assert page.locator(".focus h2").inner_text() == name
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.locator(".focus h2").inner_text() == "work"
    page.keyboard.press("[")
    page.wait_for_function(f"document.querySelector('.focus h2').textContent === {name!r}")


def test_what_was_sought_in_the_table_does_not_hide_what_was_chosen_there(visit, html_of):
    page = visit(html_of("shapes"), "view=table&search=rec&row=shapes.recurse")
    page.keyboard.press("b")
    page.wait_for_selector(".focus .fn:text-is('recurse')")
    page.keyboard.press("/")
    page.keyboard.type("count")
    page.wait_for_selector(".offer .fn:text-is('countdown')")
    page.keyboard.press("Escape")
    page.wait_for_selector(".focus .fn:text-is('recurse')")


def test_a_function_that_is_not_there_is_told(visit, html_of):
    page = visit(html_of("shapes"), "view=butterfly&row=gone.away")
    assert "gone.away is not in this profile" in page.locator(".offer").inner_text()
