"""The page of messages has each message of the sources, with its cause and remedy, and no other."""

import ast

import pytest

from docblocks import MESSAGES as PAGE
from docblocks import spans, split, table_rows
from messages import ANY, collected, is_told_as, messages_in, texts_of

ROWS = table_rows(split(PAGE)[1])
TOLD = [span for row in ROWS for span in spans(row[:1])]
MESSAGES = collected()


@pytest.mark.parametrize("text", MESSAGES, ids=lambda text: text.replace(ANY, "_")[:60])
def test_a_message_is_on_the_page(text):
    assert any(is_told_as(text, told) for told in TOLD), f"{MESSAGES[text]}: {text!r}"


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told[:60])
def test_what_is_on_the_page_is_a_message(told):
    assert any(is_told_as(text, told) for text in MESSAGES)


def test_each_has_a_cause_and_a_remedy():
    assert [row[0] for row in ROWS if len(row) != 3 or not all(row)] == []


def test_it_would_find_a_message():
    """In each of the ways in which the sources have messages."""
    source = """
def work(name, remedy="try again"):
    reason = "it is gone" if name else f"{name!r} is new"
    raise UsageError(f"cannot work on {name}: {reason}; {remedy}")
def differences():
    told = [f"differs: {way}" for way in ways]
    return told
def damaged(path, what):
    return ProfileFormatError(f"damaged: {what}", path=path, remedy="make it again")
def table():
    nothing = f"There is no {order}."
    self.notes: list[str] = [f"live at {url}"]
def rest():
    notes.append("nothing to " "do")
    print("to nobody"); print("so it is", file=sys.stderr)
"""
    found = {text for _, text in messages_in(ast.parse(source))}
    assert found - {ANY} == {
        f"cannot work on {ANY}: it is gone; try again",
        f"cannot work on {ANY}: {ANY} is new; try again",
        f"differs: {ANY}",
        f"{ANY}: damaged: {ANY}; make it again",
        f"There is no {ANY}.",
        f"live at {ANY}",
        "nothing to do",
        "so it is",
    }
    assert texts_of(ast.parse("1 + 'a'").body[0].value, {}) == [f"{ANY}a"]


def test_a_message_is_known_by_its_words():
    assert is_told_as(f"cannot read {ANY}: {ANY}", "cannot read FILE: REASON; name another")
    assert is_told_as(f"there are: none and {ANY} more", "there are: NAMES and N more")
    assert not is_told_as(f"cannot read {ANY}: {ANY}", "cannot write FILE: REASON")
    assert not is_told_as("the name is empty", "it is a directory")
