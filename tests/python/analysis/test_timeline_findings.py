"""analysis/findings/timeline.py: what only a timeline tells, and from where on it is told."""

import pytest

import tracer
from timelines import capture_of, place, run_of
from tracer._core import ProfileFormatError
from tracer.analysis.findings.findings import findings
from tracer.analysis.findings.timeline import TIMELINE_RULES, longest_step, timeline_findings
from tracer.analysis.timeline.run import runs_of
from tracer.data.killed import KILLED
from tracer.data.types import RunInfo
from tracer.report.timeline import timeline_text
from treetexts import PYTHON, said

SPIN = "def spin():\n    while True:\n        pass\n"


def told(*texts, source=SPIN, **options):
    """source: the text of each file."""
    run = run_of(*texts, **options)
    run.outline.text_of = lambda file: source
    return [
        said(finding, lambda row: "HERE") + finding.aside
        for finding in timeline_findings(run.profiles, run.outline)
    ]


def calls(first, others, number=20, at=0):
    """view, which calls load: the call number `at` takes `first` ticks, the others `others`."""
    lines, now = ["<module>@main 0-100000"], 1000
    for one in range(number):
        took = first if one == at else others
        lines.append(f"  view@main {now}-{now + took}")
        if one != at or took > 10:
            lines.append(f"    load@helpers {now}-{now + took}")
        now += took
    return "\n".join(lines)


def test_the_first_call_took_most():
    """load is what took long in view, so load is told."""
    assert told(calls(50000, 1000), unit=1000) == [
        "50% of the run: the first call of load, HERE, took 50 ms of the 69 ms that its 20 calls "
        "took, 0.001 s after the start"
    ]


def test_another_call_took_most():
    assert told(calls(50000, 1000, at=7), unit=1000) == [
        "50% of the run: one call of load, HERE, took 50 ms of the 69 ms that its 20 calls took, "
        "0.008 s after the start"
    ]


@pytest.mark.parametrize("least", [0, 500])
def test_a_call_in_the_same_bin_may_be_before(least):
    """Of two calls in one bin, that of the longest is the second. With short calls left out, no one
    knows, and nothing is claimed."""
    (line,) = told(calls(50000, 100, at=1), unit=100000, least=least)
    assert "one call of load" in line


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        (calls(10000, 500), True),  # a tenth of the run, and 10 of 19.5
        (calls(9000, 400), False),  # less
        (calls(20000, 1100), False),  # 20 of 40.9
        (calls(50000, 1000, number=9), False),  # few calls
    ],
)
def test_thresholds_of_one_call(text, is_told):
    assert bool(told(text)) == is_told


def test_a_ring_does_not_know_the_first_call():
    (line,) = told(calls(50000, 1000), timeline={"since": 500, "ring": True})
    assert "one call of load" in line


@pytest.mark.parametrize(("saved", "is_told"), [(0.052, True), (0.05, False)])
def test_a_killed_run_tells_of_calls_that_its_figures_have(saved, is_told):
    run = run_of(calls(50000, 1000), unit=1000)
    run.capture.run = RunInfo(("main.py",), 0.0, saved, 0.0, 0.0, 0, ended=KILLED)
    assert bool(timeline_findings(run.profiles, run.outline)) == is_told


def spinning(waited, where="spin@main"):
    return (
        f"run@threading 0-100000\n  {where} 0-100000\n    gap 1000-99000 {waited}\n"
        "    gap 99100-99900 200\n"
    )


def test_two_threads_took_turns():
    assert told(spinning(45000), spinning(45000)) == [
        "threads MainThread and Thread-1 took turns: 90% of the time one waited for the GIL or a "
        "processor, most in spin, HERE"
    ]
    (line,) = told(spinning(45000), spinning(45000), names=["pack", "pack"])
    assert line.startswith("2 threads pack took turns")


@pytest.mark.parametrize("source", [None, "def spin():\n    with lock:\n        pass\n"])
def test_threads_that_may_take_a_lock_took_turns(source):
    """A `with` takes it without a call, so no one knows which of these they waited for."""
    (line,) = told(spinning(45000), spinning(45000), source=source)
    assert line == (
        "threads MainThread and Thread-1 took turns: 90% of the time one waited for a lock, the "
        "GIL or a processor, most in spin, HERE"
    )


def test_three_threads_took_turns():
    (line,) = told(spinning(60000), spinning(60000), spinning(60000))
    assert line == (
        "3 threads took turns: 90% of the time all but one waited for the GIL or a processor, "
        "most in spin, HERE"
    )


@pytest.mark.parametrize(
    "texts",
    [
        (spinning(24000), spinning(24000)),  # less than half of the time
        (spinning(90000), spinning(5000)),  # one of them is never kept from its work
        (spinning(45000, "acquire"), spinning(45000, "acquire")),  # in C: a lock, maybe
        (spinning(45000),),
    ],
)
def test_no_turns(texts):
    assert told(*texts) == []


LOOP = f"{PYTHON}/asyncio/events.py"


def steps(*lengths):
    """A loop whose steps take so many milliseconds, each in a function of its own."""
    lines, now = ["<module>@main 0-2000000"], 1000
    for number, length in enumerate(lengths):
        end = now + 1000 * length
        lines += [f"  Handle._run@{LOOP} {now}-{end}", f"    view{number}@main {now}-{end}"]
        lines.append(f"      helper{number}@main {now}-{end - 900 * length}")
        now = end + 1000
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("lengths", "more"),
    [
        ((400, 99), ""),
        ((400, 100), "; 1 more time for 100 ms, also in view1"),
        ((100, 7, 400, 300, 101), "; 3 more times for up to 300 ms, also in view3 and view4"),
    ],
)
def test_how_often_the_event_loop_did_not_turn(lengths, more):
    (line,) = [line for line in told(steps(*lengths)) if "event loop" in line]
    place = lengths.index(400)
    began = (1 + sum(lengths[:place]) + place) / 1000
    assert line == (
        f"the event loop did not turn for 400 ms, {began:.2f} s after the start: view{place}, HERE"
        f"{more}"
    )


def test_a_step_that_was_paused_is_one():
    """While a profile is saved its slice ends, and the one that goes on begins later."""
    run = run_of(steps(300, 300))
    [tree] = run.outline.paths.trees
    [row] = (row for row in tree.figures if run.name(row) == "Handle._run")
    tree.figures[row] = tree.figures[row]._replace(longest_at=950_000)
    assert said(longest_step(run), place).endswith("; 1 more time for 300 ms, also in view1")


def test_they_stand_among_the_other_findings():
    """Of what is found of the GIL by sums and by moments, one is told."""
    run = run_of(spinning(45000), spinning(45000))
    assert "took_turns" in {finding.rule for finding in findings(run.outline, 9, run.profiles)}
    assert not {finding.rule for finding in findings(run.outline, 9)} & {
        rule.__name__ for rule in TIMELINE_RULES
    }


@pytest.mark.parametrize("name", ["slices", "bins"])
def test_a_damaged_timeline_has_none(name):
    capture = capture_of(calls(50000, 1000))
    thread = capture.threads[0]
    log = thread.log._replace(**{name: getattr(thread.log, name)[:-3]})
    capture.threads = (thread._replace(log=log),)
    profiles = tracer.Stats(capture)
    [run] = runs_of(profiles)
    assert timeline_findings(profiles, run.outline) == []
    with pytest.raises(ProfileFormatError, match="its timeline is damaged"):
        timeline_text(run, 100, 20, place)


def test_several_runs_and_none_have_none():
    one, other = capture_of(calls(50000, 1000)), capture_of(calls(50000, 1000))
    outline = run_of(calls(50000, 1000)).outline
    assert timeline_findings(tracer.Stats(one, other), outline) == []
    one.timeline_data = None
    assert timeline_findings(tracer.Stats(one), outline) == []
