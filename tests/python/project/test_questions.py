"""docs/questions.md: each question is in the contents on top, and each answer is short, has a
command and names what is on the page. test_docs.py runs the commands.
"""

import re

import pytest

from docblocks import DOCS, README, ROOT, anchors
from tracer.data.figures import FIGURES

PAGE = DOCS / "questions.md"
TEXT = PAGE.read_text()
ANSWERS = {
    part.partition("\n")[0]: part.partition("\n")[2].partition("\n## ")[0]
    for part in TEXT.split("\n### ")[1:]
}
WRITTEN = "\n".join(
    path.read_text() for path in sorted((ROOT / "python" / "tracer" / "page").rglob("*.js"))
)


def test_there_are_thirty_questions():
    assert len(ANSWERS) >= 30


def test_the_contents_have_each_question_in_order():
    above = TEXT.partition("\n## ")[0]
    listed = re.findall(r"^- \[(.+)\]\(#(.+)\)$", above, re.MULTILINE)
    assert [question for question, _ in listed] == [*ANSWERS]
    assert {heading for _, heading in listed} <= anchors(PAGE)


@pytest.mark.parametrize("question", ANSWERS)
def test_an_answer_is_short_and_has_a_command(question):
    lines = [line for line in ANSWERS[question].splitlines() if line.strip()]
    assert len(lines) <= 14
    assert re.search("python|%tprun", ANSWERS[question])


def on_the_page():
    """(question, what it says of the page): up to what leads to another page."""
    for question, answer in ANSWERS.items():
        for told in re.findall(r"On the page: (.+)", answer):
            yield question, told.partition(" More: ")[0]


@pytest.mark.parametrize(("question", "told"), on_the_page())
def test_what_it_names_is_on_the_page(question, told):
    for name in re.findall(r"\*([^*]+)\*", told):
        assert f'"{name}"' in WRITTEN, f"{question}: the page has no {name}"
    for name in re.findall(r"columns? `([\w ]+)`", told):
        assert name in FIGURES or f'"{name}"' in WRITTEN, f"{question}: no column {name}"


def test_most_answers_say_where_to_click():
    assert len(dict(on_the_page())) >= 20


def test_it_is_the_second_link_of_the_readme():
    """The first one explains the terms."""
    links = re.findall(r"(?<!!)\[[^\]]*\]\(([^)]+)\)", README.read_text())
    assert links.index("docs/questions.md") <= 1
