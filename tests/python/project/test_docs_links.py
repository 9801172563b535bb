"""Where the documentation leads: links, headings, pictures, paths of the repository, targets of
make; and that a page is found: from the index, and from README.md within few lines."""

import re

import pytest

from docblocks import DOCS, MANUAL, PAGES, README, ROOT, anchors, name_of, split
from docworld import targets_of_make

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)]*))?\)")


def links(page):
    """Where the links of a page lead: (path, heading), each empty where there is none."""
    return LINK.findall("\n".join(split(page)[1]))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links(page):
    for path, heading in links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)} links to {path}"
        assert target.is_relative_to(ROOT)
        assert not heading or heading in anchors(target), f"{name_of(page)}: {path}#{heading}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_paths_in_the_text_are_there(page):
    text = "\n".join(split(page)[1])
    for span in set(re.findall(r"`((?:ext|python|tests|benchmarks|docs)/[\w./-]*)`", text)):
        assert (ROOT / span).exists(), f"{name_of(page)} names {span}"


def test_the_index_has_every_page():
    found = {(DOCS / path).resolve() for path, _ in links(DOCS / "README.md")}
    assert sorted(set(MANUAL) - found - {DOCS / "README.md"}) == []


@pytest.mark.parametrize("page", MANUAL, ids=name_of)
def test_every_page_leads_to_the_glossary(page):
    glossary = DOCS / "reference" / "glossary.md"
    assert page == glossary or glossary in {
        (page.parent / path).resolve() for path, _ in links(page)
    }


def test_readme_is_short_and_leads_to_every_kind_of_page():
    assert len(README.read_text().splitlines()) <= 160
    found = {path.partition("/")[2].partition("/")[0] for path, _ in links(README)}
    assert {"guide", "reference", "migrate", "explain", "README.md"} <= found


@pytest.mark.parametrize("page", MANUAL, ids=name_of)
def test_pages_are_written_in_plain_ascii_but_for_what_is_printed(page):
    assert [line for line in split(page)[1] if not line.isascii()] == []


def test_targets_of_make():
    """Each target is told of on some page, and each that a page tells of is there."""
    pages = [page for page in PAGES if page.name != "messages.md"]  # which quotes what they say
    text = "\n".join(page.read_text() for page in pages)
    told = set(re.findall(r"(?:^ +|`|; )make ([a-z-]+)", text, re.MULTILINE))
    assert told == set(targets_of_make())
