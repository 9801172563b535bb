"""results/all_findings.py: which findings are told of a profile and of its threads, in which
order."""

import re
from threading import Thread

import pytest

import tracer
from linesnapshots import snapshot
from timelines import capture_of
from tracer.analysis.outline.finding import Finding
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import Row, paths_of
from tracer.data.capture import capture_of_lines
from tracer.data.types import RunInfo
from tracer.results.all_findings import findings_of, findings_of_threads
from tracer.results.findings import Recorder, first_findings
from tracer.results.records import Function
from treetexts import FILES, in_ms, paths_of_text, with_figures

CLIENT = """
client@main 10 10
  <socket.recv> 10 400~400
  ask@helpers 20 540
    parse@helpers 2 50
"""


def paths_in(*texts):
    return with_figures(paths_of_text(*map(in_ms, texts)))


def profiles(lost=0, run=None):
    """Profiles with these facts. run: (real, user, system), in seconds."""
    capture = capture_of("other@main 0-1")
    capture.timeline_data = None
    capture.threads = (capture.threads[0]._replace(lost_calls=lost),)
    if run is not None:
        capture.run = RunInfo(("main.py",), 0.0, *run, 0)
    return tracer.Stats(capture)


def ranks(found):
    return [(it.rank, it.rule) for it in found]


# -- The order -------------------------------------------------------------------------------------


def test_first_what_is_wrong_with_the_figures_and_last_hints():
    found = findings_of(profiles(lost=1), paths_in(CLIENT))
    assert ranks(found) == [
        ("grave", "lost_calls"),
        ("time", "costly_functions"),
        ("time", "costly_functions"),
    ]
    found = findings_of(profiles(lost=1, run=(1.0, 0.5, 0.3)), paths_in(CLIENT))
    assert ranks(found)[-1] == ("hint", "system_time")


def test_what_is_not_worth_a_word():
    text = "".join(f"part{number}@main 1 100\n" for number in range(5))
    assert findings_of(profiles(run=(0.5, 0.45, 0.05)), paths_in(text)) == ()
    assert findings_of(tracer.Stats(), paths_in()) == ()
    assert findings_of(tracer.Stats(), paths_in("main@main 1 0")) == ()


def test_where_no_time_is_known_there_is_no_part_of_it():
    lines = snapshot({(1, "work"): [(2, 1, 60, 0, 60, 0)]}, file=FILES["main"])
    stats = tracer.Stats(capture_of_lines(lines))
    assert findings_of(stats, paths_of(stats)) == ()
    estimate = paths_in("main@main 1 0")
    estimate.rule = "by the callers"
    assert findings_of(tracer.Stats(), estimate) == ()


HINTS = """
<module>@main 1 0
  _find_and_load@boot 1 0
    <module>@main 1 210
  step@main 10 0
    <builtins.len> 850000 80
    one@main 1 150
    two@main 1 150
    three@main 1 150
  idle@main 1 100
"""


def test_hints_that_could_save_most_come_first():
    """Of step() 0.53 s, of what was not worked 0.6 s, of what is too short to believe 0.08 s."""
    found = findings_of(profiles(run=(1.0, 0.4, 0.0)), paths_in(HINTS))
    hints = [(it.rule, round(it.saves, 3)) for it in found if it.rank == "hint"]
    assert hints == [("not_worked", 0.6), ("one_way", 0.53), ("tiny_calls", 0.08)]
    found = findings_of(profiles(run=(0.9, 0.4, 0.0)), paths_in(HINTS))
    hints = [it.rule for it in found if it.rank == "hint"]
    assert hints == ["one_way", "not_worked", "tiny_calls"]


def test_a_function_of_which_something_is_told_is_no_way():
    """All passes through client(), which waits."""
    found = findings_of(profiles(), paths_in(CLIENT))
    assert "one_way" not in [it.rule for it in found]
    quiet = findings_of(profiles(), paths_in(CLIENT.replace("~400", "")))
    assert "one_way" not in [it.rule for it in quiet]  # others work for it
    busy = paths_in("client@main 10 10\n  ask@helpers 20 540")
    assert ranks(findings_of(profiles(), busy)) == [
        ("time", "costly_functions"),
        ("hint", "one_way"),
    ]


# -- Of an estimate --------------------------------------------------------------------------------


def test_of_an_estimate_there_are_hints_and_what_is_wrong_with_the_figures():
    paths = paths_in(CLIENT, "_find_and_load@boot 1 0\n  <module>@json 1 500")
    paths.rule = "by the callers"
    found = findings_of(profiles(lost=1), paths)
    assert ranks(found) == [
        ("grave", "lost_calls"),
        ("hint", "one_function"),
        ("hint", "slow_imports"),
    ]
    assert dict(findings_of_threads(profiles(lost=1), paths)) == {}


def test_of_exact_paths_the_hints_of_an_estimate_are_none():
    text = "<module>@main 1 600\n  <builtins.len> 1 200\n  _find_and_load@boot 1 400"
    found = findings_of(profiles(), paths_in(text))
    assert [it for it in found if it.rank == "hint"] == []


# -- Of threads ------------------------------------------------------------------------------------

LONG_CALLS = ("  load@main 100-400\n", "  load@main 300-900\n", "")
WORKS = "main@main 0-{end}\n  work@main 0-{work}"


def threads(*texts, tick=1e-3, **facts):
    """The findings of each thread of a run, by its number. A tick is a millisecond."""
    capture = capture_of(*texts, tick=tick)
    capture.timeline_data = None
    for name, value in facts.items():
        setattr(capture, name, value)
    stats = tracer.Stats(capture)
    return {
        number: [it.rule for it in of] for number, of in findings_of_threads(stats, paths_of(stats))
    }


def test_each_thread_has_its_own():
    """Of all time, no function has a quarter."""
    texts = [f"main@main 0-400\n  work{number}@main 0-300" for number in range(4)]
    assert threads(*texts) == {number: ["costly_functions"] * 2 for number in range(4)}
    stats = tracer.Stats(capture_of(*texts, tick=1e-3))
    found = [of[0].parts[0] for _, of in findings_of_threads(stats, paths_of(stats))]
    assert found == [f"75%: work{number}, " for number in range(4)]


def test_a_thread_with_little_of_the_time_has_none():
    assert threads("main@main 0-990", "main@main 0-10").keys() == {0, 1}
    assert threads("main@main 0-991", "main@main 0-9").keys() == {0}
    assert threads("main@main 0-500", "main@main 0-0") == {0: ["costly_functions"]}
    assert threads("main@main 0-0", "main@main 0-0") == {}


def test_one_thread_alone_has_those_of_the_run():
    assert threads("main@main 0-990") == {}


def test_a_thread_has_hints_of_figures_and_nothing_of_the_run():
    """Of the run: calls that were dropped, and what was not worked."""
    text = "main@main 0-1000\n" + "".join(
        f"  step@main {at}-{at + 100}\n    part{at}@main {at + 10}-{at + 100}\n"
        for at in range(0, 1000, 100)
    )
    run = RunInfo(("main.py",), 0.0, 9.0, 0.1, 0.0, 0)
    assert threads(text, text, run=run) == {0: ["one_way"], 1: ["one_way"]}


def test_a_thread_has_nothing_of_lines():
    lines = snapshot({(1, "work"): [(2, 1, 60, 0, 60, 0)]}, file=FILES["main"], tick=1e-3)
    one, other = WORKS.format(end=40, work=40), WORKS.format(end=50, work=20)
    capture = capture_of(one, other, tick=1e-3)
    capture.timed_lines, capture.timeline_data = lines, None
    stats = tracer.Stats(capture)
    assert "one_line" in {it.rule for it in findings_of(stats, paths_of(stats))}
    assert threads(one, other, timed_lines=lines) == {
        0: ["costly_functions"],
        1: ["costly_functions"] * 2,
    }


def test_a_thread_has_what_its_own_timeline_tells():
    calls = "".join(f"  load@main {at}-{at + 1}\n" for at in range(0, 40, 2))
    texts = [f"main@main 0-1000\n{calls}{more}" for more in LONG_CALLS]
    stats = tracer.Stats(capture_of(*texts, tick=1e-3))
    found = {
        number: [it.aside for it in of if it.rule == "one_long_call"]
        for number, of in findings_of_threads(stats, paths_of(stats))
    }
    assert found == {0: [", 0.100 s after the start"], 1: [", 0.300 s after the start"], 2: []}


def test_one_long_call_is_told_in_the_place_of_its_function():
    calls = "".join(f"  load@main {at}-{at + 1}\n" for at in range(0, 40, 2))
    stats = tracer.Stats(capture_of(f"main@main 0-1000\n{calls}  load@main 100-400\n", tick=1e-3))

    def told():
        found = findings_of(stats, paths_of(stats))
        return [it.rule for it in found if it.function is not None and it.function.name == "load"]

    assert told() == ["one_long_call"]
    for capture in stats.captures:
        capture.timeline_data = None
    assert told() == ["costly_functions"]


# -- Memory ----------------------------------------------------------------------------------------


@pytest.fixture
def keeping(clock):
    """A profile of two threads, of which one keeps 3 MiB."""
    kept = []

    def load():
        clock.now += 1
        kept.append(bytes(3 * 2**20))

    with tracer.Profile(clock, 1.0, memory=True) as profile:
        thread = Thread(target=load)
        thread.start()
        thread.join()
        clock.now += 1
    stats = tracer.Stats(profile)
    return stats, paths_of(stats)


def test_memory_comes_after_what_is_wrong_with_the_figures(keeping):
    stats, paths = keeping
    [found] = [it for it in findings_of(stats, paths) if it.rank == "memory"]
    text = "".join(it if isinstance(it, str) else it.name for it in found.parts)
    assert re.fullmatch(
        r"3,0\d\d\.\d KiB live at the end, \d+% of the peak: allocated by load, \S*load", text
    )
    assert found.advice == (
        "To see who holds it, run the program with --live --memory, and open Objects."
    )
    assert found.rule == "kept_memory"
    assert found.function.module.endswith("test_all_findings")


def test_of_a_program_that_runs_it_is_live_now(keeping):
    stats, paths = keeping
    [found] = [it for it in findings_of(stats, paths, is_running=True) if it.rank == "memory"]
    assert " KiB live now, " in found.parts[0]
    assert found.advice == "To see who holds it, open Objects."


def test_a_thread_has_nothing_of_memory(keeping):
    found = {
        keeping[1].trees[number].name: {it.rank for it in of}
        for number, of in findings_of_threads(*keeping)
    }
    assert {"time"} in found.values()
    assert not any("memory" in ranks for ranks in found.values())


# -- Records ---------------------------------------------------------------------------------------


def test_a_record_names_functions_with_their_modules():
    outline = Outline(paths_in(CLIENT))
    [found, _] = first_findings(outline, 9, None)
    ask = Function(FILES["helpers"], 1, "ask", "helpers", "own")
    assert found.parts == ("54%: ask, ", ask, ", takes 0.54 s itself in 20 calls by client")
    assert (found.function, found.rank, found.saves, found.line) == (ask, "time", 0.54, None)


def test_at_most_so_many_are_first():
    outline = Outline(paths_in(CLIENT))
    every = first_findings(outline, 9, None)
    assert [it.rule for it in every] == ["costly_functions"] * 2
    assert first_findings(outline, 1, None) == every[:1]


IMPORTS = """
<module>@main 1 650
  _find_and_load@boot 3 0
    <module>@pandas 1 400
"""


@pytest.mark.parametrize(("text", "line"), [("#\nimport pandas\n", 2), ("", 0)])
def test_a_module_is_imported_at_a_line_or_in_a_file(text, line):
    outline = Outline(paths_in(IMPORTS), lambda file: text)
    [found] = [it for it in first_findings(outline, 9, None) if it.rule == "slow_imports"]
    assert found.parts[-1] == Function(FILES["main"], line, "<module>", "main", "own")
    assert found.function.line == 1


def test_the_record_of_a_wrapper_has_the_function_as_it_was_recorded():
    """The page and the lines know that alone."""
    text = "deco.<locals>.wrapper@helpers 1 9~9\n  load@main 1 1\n"
    outline = Outline(paths_of_text(in_ms(text)))
    row = Row(FILES["helpers"], 1, "deco(load)")
    assert row in outline.paths.rows
    record = Recorder(outline, None).of(Finding(("deco(load) waits, ", row), 1e6, row))
    wrapper = Function(FILES["helpers"], 1, "deco.<locals>.wrapper", "helpers", "own")
    assert record.function == wrapper and record.parts == ("deco(load) waits, ", wrapper)
