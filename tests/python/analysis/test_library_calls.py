"""analysis/findings/library_calls.py: what libraries call again and again for one call of the
program."""

import pytest

from tracer.analysis.findings.findings import findings
from tracer.analysis.findings.library_calls import again_by_libraries
from tracer.analysis.outline.outline import Outline
from treetexts import PYTHON, SITE, in_ms, paths_of_text, said

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
    return finding and said(finding, file_of)


def file_of(row):
    return row.file.rpartition("/")[2]


def test_what_a_library_calls_for_each_row():
    """The first of an installed package on the way is named. load() causes one in each call, which
    counts for books()."""
    text = TEXT.format(main=700, calls=400, time=100)
    assert told(text) == (
        "15%: books, main.py, calls Cursor.execute 420 times by way of flask, 21 to a call"
    )
    assert again_by_libraries(Outline(paths_of_text(in_ms(text)))).advice == (
        "What is asked for each row may be asked for all rows at once, as a join does."
    )


def test_what_is_no_such_finding():
    assert told(TEXT.format(main=700, calls=280, time=100)) is not None
    assert told(TEXT.format(main=700, calls=279, time=100)) is None  # not so often
    assert told(TEXT.format(main=1081, calls=400, time=100)) is None  # not so long
    assert told(TEXT.format(main=1080, calls=400, time=100)) is not None
    assert told(TEXT.format(main=700, calls=5980, time=100)) is not None
    assert told(TEXT.format(main=700, calls=5981, time=100)) is None  # not 20 us each
    five = TEXT.format(main=700, calls=400, time=100).replace(" 20 0", " {0} 0")
    assert told(five.format(84)) is not None
    assert told(five.format(85)) is None  # not five to a call, nor to an entry into a library


def test_what_is_called_without_a_library_or_for_an_import_is_none():
    text = TEXT.format(main=0, calls=400, time=900)
    assert told(text) is not None
    for whose in ("_find_and_load@boot", f"select@{PYTHON}/selectors.py"):
        assert told(text.replace(f"render@{FLASK}", whose)) is None
    own = text.replace("json_of@threading", "json_of@helpers").replace(f"@{FLASK}", "@helpers")
    assert told(own.replace(f"get@{ORM}", "get@helpers")) is None
    assert told(text.replace("<Cursor.execute>", "<lock.acquire>")) is None


@pytest.mark.parametrize(
    "name", ["<select.select>", "<poll.poll>", "<epoll.poll>", "<devpoll.poll>", "<kqueue.control>"]
)
def test_a_loop_of_events_asks_nobody(name):
    """A server's loop waits for the next socket that is ready, below a call of the program. It is
    idle, and no query."""
    text = f"<module>@main 1 100\n  serve@{FLASK} 1 0\n    {{}} 2037 900~900\n"
    assert told(text.format("<socket.recv>")) == (
        "90%: <module>, main.py, calls socket.recv 2,037 times by way of flask, 2,037 to a call"
    )
    assert told(text.format(name)) is None
    outline = Outline(paths_of_text(in_ms(text.format(name))))
    assert {finding.rule for finding in findings(outline, 9)} == set()


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
    """The share is of the run."""
    idle = "get@queue 1 1000~1000\n"
    text = TEXT.format(main=700, calls=400, time=100)
    assert told(text, *[idle] * 9).startswith("12%: books, main.py, calls Cursor.execute 420 times")


def test_the_wait_of_the_same_calls_is_not_told_again():
    text = TEXT.format(main=700, calls=400, time="900~900")
    lines = [said(it, file_of) for it in findings(Outline(paths_of_text(in_ms(text))), 3)]
    assert [line for line in lines if "Cursor.execute" in line] == [
        "57%: books, main.py, calls Cursor.execute 420 times by way of flask, 21 to a call"
    ]


LAZY = f"""
main@main 1 {{main}}
  rows@main {{rows}} 10
    __get__@{ORM} 900 20
      <Cursor.execute> 100 5
    <builtins.sum> 100 0
      rows.<locals>.<genexpr>@main 100 0
        total@main {{total}} 10
          {{entry}}@{ORM} {{total}} 100
            load@{ORM} {{total}} 40
              {{asks}} {{total}} 15
              key@main {{total}} 300
"""


def lazy(main=500, rows=1, total=300, entry="__get__", asks="<Cursor.execute>"):
    return LAZY.format(main=main, rows=rows, total=total, entry=entry, asks=asks)


def test_queries_of_a_helper_count_for_its_caller():
    """total() causes one in each call. The time is the library's: 25 + 155 of 1,000 ms, without
    that of key(), which it calls back."""
    assert told(lazy()) == (
        "18%: rows, main.py, has 400 calls of Cursor.execute by way of orm, 300 of them in total"
    )
    assert told(lazy(rows=80)).startswith("18%: rows, ")
    assert told(lazy(rows=81)) == (  # not five to a call of rows()
        "18%: main, main.py, has 400 calls of Cursor.execute by way of orm, 300 of them in total"
    )
    assert told(lazy(main=1300)) is not None
    assert told(lazy(main=1301)) is None  # not a tenth of the time
    assert told(lazy(total=200)) is not None
    assert told(lazy(total=199)) is None  # not so often, with those of rows()


def test_all_queries_may_be_in_a_helper():
    text = lazy().replace("<Cursor.execute> 100 5", "<Cursor.close> 100 5")
    assert told(text) == (
        "16%: rows, main.py, has 300 calls of Cursor.execute by way of orm, all of them in total"
    )


def test_only_what_asks_counts_with_the_time_of_the_library():
    for asks in ("<Connection.executemany>", "<socket.sendall>", "<_SSLSocket.write>"):
        assert told(lazy(asks=asks)).endswith("by way of orm, all of them in total"), asks
    for other in ("<socket.recv>", "<generator.send>", "<zlib.compress>"):
        assert told(lazy(asks=other)) is None, other


def test_a_helper_that_a_library_calls_does_not_count_for_the_caller_of_that():
    """As a server's library calls the function of each request."""
    assert told(lazy().replace("<builtins.sum>", f"serve@{FLASK}")) is None


def test_the_helper_of_a_loop_that_names_the_library_is_none():
    """rows() is called once. Each call of total() calls the library by name."""
    assert told(lazy(entry="get")) is None
    assert told(lazy(rows=2, entry="get")) is not None


def test_the_wait_of_the_helper_is_not_told_again():
    text = in_ms(lazy()).replace("300 15000000", "300 900000000~900000000")
    lines = [said(it, file_of) for it in findings(Outline(paths_of_text(text)), 9)]
    assert [line for line in lines if "Cursor.execute" in line or "orm" in line] == [
        "56%: rows, main.py, has 400 calls of Cursor.execute by way of orm, 300 of them in total"
    ]


def test_loops_of_a_script_are_none():
    direct = "main@main 1 100\n  <Cursor.execute> 5000 900"
    assert told(direct) is None  # the program's code shows it
    helper = "main@main 1 100\n  ask@main 5000 0\n    <Cursor.execute> 5000 900"
    assert told(helper) is None
    script = f"main@main 1 100\n  execute@{ORM} 3 800\n    <Cursor.execute> 3 100"
    assert told(script) is None
    batch = f"main@main 1 100\n  insert@{ORM} 400 800\n    <Cursor.executemany> 400 100"
    assert told(batch) is None


def test_a_function_that_calls_itself_counts_once():
    text = f"""
main@main 1 0
  walk@main 1 0
    step@main 2 0
      walk@main {{}} 0
        __get__@{ORM} 400 200
          <Cursor.execute> 400 10
"""
    assert told(text.format(79)) == (
        "100%: walk, main.py, calls Cursor.execute 400 times by way of orm, 5 to a call"
    )
    assert told(text.format(80)) == (
        "100%: step, main.py, has 400 calls of Cursor.execute by way of orm, all of them in walk"
    )


def test_a_generator_expression_is_part_of_its_function():
    text = lazy().replace("<genexpr>@main 100", "<genexpr>@main 60")
    assert told(text).startswith("18%: rows, ")


def test_what_an_idle_thread_waits_in_the_library_does_not_count():
    idle = f"select@{PYTHON}/selectors.py 1 500~500"
    text = lazy().replace("key@main", f"{idle}\n              key@main")
    assert told(text).startswith("12%: rows, ")  # 180 of 1,500 ms


def test_a_caller_that_ran_already_has_no_calls():
    text = TEXT.format(main=700, calls=400, time=100)
    for name in ("books@main", "load@main"):
        text = text.replace(f"{name} 20 0", f"{name} 0 0")
    assert told(text) == "12%: books, main.py, calls Cursor.execute 400 times by way of flask"
