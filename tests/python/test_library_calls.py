"""analysis/library_calls.py: what libraries call again and again for one call of the program."""

from tracer.analysis.findings import findings
from tracer.analysis.library_calls import again_by_libraries
from tracer.analysis.outline import Outline
from treetexts import PYTHON, SITE, in_ms, paths_of_text

FLASK, ORM = f"{SITE}/flask/app.py", f"{SITE}/orm/query.py"
TEXT = f"""
<module>@main 1 0
  main@main 1 {{main}}
    books@main 20 0
      load@main 20 0
        all@{ORM} 20 0
          <Cursor.execute> 20 20
      json_of@threading 20 0
        render@{FLASK} 20 0
          get@{ORM} {{calls}} 0
            <Cursor.execute> {{calls}} {{time}}
"""


def told(*texts):
    finding = again_by_libraries(Outline(paths_of_text(*map(in_ms, texts))))
    return finding and finding.text.replace("{place}", finding.row.file.rpartition("/")[2])


def test_what_a_library_calls_for_each_row():
    """The first of an installed package on the way is named. load() calls it once."""
    text = TEXT.format(main=700, calls=400, time=100)
    assert told(text) == (
        "12%: books, main.py, calls Cursor.execute 400 times by way of flask, 20 to a call"
    )


def test_what_is_no_such_finding():
    assert told(TEXT.format(main=700, calls=300, time=100)) is not None
    assert told(TEXT.format(main=700, calls=299, time=100)) is None  # not so often
    assert told(TEXT.format(main=900, calls=400, time=100)) is None  # not so long
    assert told(TEXT.format(main=700, calls=5000, time=100)) is not None
    assert told(TEXT.format(main=700, calls=5001, time=100)) is None  # not 20 us each
    five = TEXT.format(main=700, calls=400, time=100).replace("books@main 20", "books@main {}")
    assert told(five.format(80)) is not None
    assert told(five.format(81)) is None  # not five to a call


def test_what_is_called_without_a_library_or_for_an_import_is_none():
    text = TEXT.format(main=0, calls=400, time=900)
    assert told(text) is not None
    for whose in ("_find_and_load@boot", f"select@{PYTHON}/selectors.py"):
        assert told(text.replace(f"render@{FLASK}", whose)) is None
    own = text.replace("json_of@threading", "json_of@helpers").replace(f"@{FLASK}", "@helpers")
    assert told(own.replace(f"get@{ORM}", "get@helpers")) is None
    assert told(text.replace("<Cursor.execute>", "<lock.acquire>")) is None


LOOP = f"""
fetch@main 1 0
  get@{FLASK} {{}} 0
    <socket.recv> 400 900~900
"""


def test_a_loop_that_asks_for_each_item_is_none():
    """The program itself calls the library for each item, in each of the threads."""
    assert told(LOOP.format(81), LOOP.format(81)) is None
    assert told(LOOP.format(80), LOOP.format(80)) == (
        "100%: fetch, main.py, calls socket.recv 800 times by way of flask, 400 to a call"
    )


def test_threads_that_are_idle_do_not_hide_it():
    """The share is of the time of all threads."""
    idle = "get@queue 1 1000~1000\n"
    text = TEXT.format(main=700, calls=400, time=100)
    assert told(text, *[idle] * 9).startswith("1%: books, main.py, calls Cursor.execute 400 times")


def test_the_wait_of_the_same_calls_is_not_told_again():
    text = TEXT.format(main=700, calls=400, time="900~900")
    lines = [it.text for it in findings(Outline(paths_of_text(in_ms(text))), 3)]
    assert [line for line in lines if "Cursor.execute" in line] == [
        "56%: books, {place}, calls Cursor.execute 400 times by way of flask, 20 to a call"
    ]
