"""The table: sorted, searched, filtered and walked by mouse and by keyboard; copied and saved."""

import re

import pytest
from playwright.sync_api import expect

import tracer
from tracer.source.file_kinds import place_of


@pytest.fixture
def page(visit, html_of):
    return visit(html_of("shapes"), "view=table", permissions=["clipboard-read", "clipboard-write"])


def shown(page):
    """The names that can be seen, from above."""
    script = """() => [...document.querySelectorAll(".grid .row")].filter((row) => !row.hidden)
      .sort((a, b) => a.getAttribute("aria-rowindex") - b.getAttribute("aria-rowindex"))
      .map((row) => row.querySelector(".fn").textContent)"""
    return page.evaluate(script)


def copied(page):
    """The rows of the table, as they are copied: a dict each."""
    page.evaluate("navigator.clipboard.writeText('')")  # takes away what was copied before
    page.keyboard.press("y")
    page.wait_for_function("navigator.clipboard.readText()")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    heads = lines[0].split("\t")
    assert heads[:5] == ["function", "module", "file", "line", "ncalls"]
    return [dict(zip(heads, line.split("\t"), strict=True)) for line in lines[1:]]


def sorting(page):
    heads = page.locator("[role=columnheader]").all()
    return {
        head.locator("button").get_attribute("data-key"): head.get_attribute("aria-sort")
        for head in heads
        if head.get_attribute("aria-sort") != "none"
    }


def test_a_click_sorts_and_with_shift_by_several_columns(page):
    assert sorting(page) == {"tottime": "descending"}
    page.click("[data-key=ncalls]")
    calls = [int(row["ncalls"]) for row in copied(page)]
    assert calls == sorted(calls, reverse=True)
    page.click("[data-key=ncalls]")
    page.click("[data-key=name]", modifiers=["Shift"])
    assert sorting(page) == {"ncalls": "ascending", "name": "ascending"}
    rows = [(int(row["ncalls"]), row["module"], row["function"]) for row in copied(page)]
    assert rows == sorted(rows, key=lambda row: (row[0], ".".join(filter(None, row[1:]))))
    page.keyboard.press("1")
    assert sorting(page) == {"name": "descending"}
    assert page.state["sort"] == "-name"


def test_search_by_text_and_by_expression(page):
    page.keyboard.press("/")
    page.keyboard.type("RECURSE")
    page.wait_for_function("document.querySelector('.sum').textContent.startsWith('1 of')")
    assert shown(page) == ["recurse"]
    page.fill("input[type=search]", "/^(recurse|wait)$/")
    assert sorted(shown(page)) == ["recurse", "wait"]
    page.fill("input[type=search]", "/(/")
    assert shown(page) == []
    assert page.locator(".empty h2").inner_text() == "This is no regular expression"
    page.click(".empty button")
    assert len(shown(page)) > 10


def test_kinds_and_modules_narrow_it(page, profiles):
    labels = tracer.Stats(profiles["shapes"], names="qualname").stats
    page.click("[data-chip=own]")
    own = [row["function"] for row in copied(page)]
    assert sorted(own) == sorted(name for file, _, name in labels if place_of(file)[0] == "own")
    page.click("[data-chip=own]")
    page.select_option(".filters select", "m:json.encoder")
    assert {row["module"] for row in copied(page)} == {"json.encoder"}
    page.keyboard.press("x")
    assert len(copied(page)) == len(labels)


def test_rows_are_walked_by_keys_and_lead_to_the_butterfly(page):
    names = [row["function"] for row in copied(page)]
    selected = page.locator(".grid .row[aria-selected=true] .fn")
    page.keyboard.press("ArrowDown")
    assert selected.inner_text() == names[0]
    page.keyboard.press("End")
    assert selected.inner_text() == names[-1]
    assert page.locator(".grid").get_attribute("aria-activedescendant") == (
        page.locator(".grid .row[aria-selected=true]").get_attribute("id")
    )
    page.keyboard.press("ArrowUp")
    assert selected.inner_text() == names[-2]
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_selector("#view[data-view=butterfly]")
    assert page.locator(".focus h2").inner_text() == names[0]
    page.keyboard.press("Backspace")
    page.wait_for_selector("#view[data-view=table]")
    page.click(".row .fn >> nth=2")
    assert page.locator(".focus h2").inner_text() == names[2]


def test_the_exact_figure_is_told_on_hover(page, profiles):
    _, ncalls, tottime, _, _ = next(
        row
        for label, row in tracer.Stats(profiles["shapes"]).stats.items()
        if label[2] == "recurse"
    )
    page.fill("input[type=search]", "recurse")
    page.hover(".row .figure >> nth=2")
    expect(page.locator(".tip")).to_have_text(re.compile(r"^[\d,]+ ns"))
    exact = re.match(r"([\d,]+) ns", page.locator(".tip").inner_text())
    assert int(exact[1].replace(",", "")) == pytest.approx(tottime * 1e9, abs=2)
    page.hover(".row .figure >> nth=0")
    expect(page.locator(".tip")).to_have_text(f"{ncalls:,}")
