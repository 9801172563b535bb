"""Profiles that are made of samples: their records, counts and errors, of made-up samples."""

import marshal

import pytest

import tracer
from shares import NODE as CONTEXT
from tracer.data.capture import Capture
from tracer.data.reader import read
from tracer.data.sampled import COUNT, EDGE, HITS, LINE, NO_CALLER, Count, Sampled
from tracer.data.sampled_records import COLLECTION, IN_WAIT, UNKNOWN, as_records
from tracer.data.samples import IN_OVERHEAD, IN_PROGRAM, SAMPLE
from tracer.data.schema import sections_of
from tracer.data.section import section_of

MAIN, LOAD, PARSE = (
    ("p.py", line, name, name) for line, name in ((1, "main"), (5, "load"), (9, "parse"))
)
# main; main/load; main/load/parse; main/parse; main/load/<garbage collection>; ?
CONTEXTS = [(0, 1), (1, 0), (2, 2), (1, 2), (2, COLLECTION), (0, UNKNOWN)]
CODES = (LOAD, MAIN, PARSE)


def samples(*weights):
    return b"".join(SAMPLE.pack(node, 0, 0, kind, weight) for node, weight, kind in weights)


def snapshot(**facts):
    thread = {
        "name": "MainThread", "ident": 1, "native_id": 10, "sharers": 1, "cut_off": None,
        "lost_calls": 0, "native_cpu": 0.4, "native_real": 1.6,
        "native": samples(
            (1, 5, IN_PROGRAM), (3, 70, IN_PROGRAM), (4, 20, IN_PROGRAM), (4, 9, IN_OVERHEAD),
            (0, 2, IN_WAIT), (2, 6, IN_WAIT), (3, 4, IN_WAIT),
        ),
    }  # fmt: skip
    return {
        "functions": (MAIN, PARSE),
        "left_out": (),
        "threads": (thread,),
        "backend": "samples",
        "clock": "tsc",
        "seconds_per_tick": 3e-10,
        "subcalls": True,
        "builtins": True,
        "sampled": {
            "rate": 250, "period": 0.004, "slowdown": 0.1, "samples": 60, "squares": 200,
            "lost": 0, "broken": 0, "in_events": 9, "at_lines": 0, "spent": 0.001, "events": 1000,
            "event_cost": 5e-8, "has_counts": True, "codes": CODES,
            "filtered": bytes(len(CODES)),
            "nodes": b"".join(CONTEXT.pack(*it) for it in CONTEXTS),
            "lines": LINE.pack(2, 10, 70, 90) + LINE.pack(0, 6, 0, 70),
            "counts": COUNT.pack(0, 0, 1) + COUNT.pack(1, 1, 400),
            "edges": EDGE.pack(NO_CALLER, 0, 1) + EDGE.pack(0, 1, 400),
            "others": (("worker", 11, 0.02, samples((5, 4, IN_PROGRAM), (6, 1, IN_PROGRAM))),),
            "real_times": (0.02,), "refused": (), "hits": None,
            **facts,
        },
    }  # fmt: skip


def test_times_are_those_of_the_samples():
    capture = Capture(as_records(snapshot()))
    stats = capture.figures().stats
    ms = {
        label[2]: (round(own * 1000), round(total * 1000))
        for label, (_, _, own, total, _) in stats.items()
    }
    assert ms == {
        "main": (20, 396), "load": (0, 296), "parse": (360, 360), "<garbage collection>": (16, 16),
        "<unknown>": (4, 4),
    }  # fmt: skip
    assert round(stats[PARSE[:3]][4][LOAD[:3]][3] * 1000) == 280


def test_waits_are_shared_out_by_looks():
    """The thread waited for 1.2 of its 1.6 s, and was seen to wait 12 times."""
    profiles = tracer.Stats(Capture(as_records(snapshot())))
    seen = profiles.seen_by_waits()
    ms = {
        label[2]: (round(own * 1000), round(total * 1000))
        for label, (_, _, own, total, _) in seen.stats.items()
        if total
    }
    assert ms == {"main": (0, 1000), "load": (600, 1000), "parse": (400, 400)}
    assert (profiles.sampled.real, profiles.sampled.waited) == (1.62, pytest.approx(1.2))
    assert seen.sampled.size == pytest.approx(12)
    assert seen.sampled.error(0.6) == pytest.approx(1.2 * 2 * (0.5 * 0.5 / 12) ** 0.5)
    assert [thread.waits.waited for thread in profiles.captures[0].threads] == [
        pytest.approx(1.2), 0.0,
    ]  # fmt: skip


def test_calls_are_those_that_were_counted():
    stats = Capture(as_records(snapshot())).figures().stats
    assert {label[2]: row[:2] for label, row in stats.items() if row[1]} == {
        "main": (1, 1), "parse": (400, 400),
    }  # fmt: skip
    callers = stats[PARSE[:3]][4]
    assert callers[MAIN[:3]][:2] == (400, 400)
    assert callers[LOAD[:3]][:2] == (0, 0)  # samples alone saw it


def test_a_function_without_samples_has_calls():
    made = snapshot(counts=COUNT.pack(0, 0, 1) + COUNT.pack(1, 0, 7), edges=EDGE.pack(0, 1, 7))
    made["threads"][0]["native"] = samples((1, 5, IN_PROGRAM))
    stats = Capture(as_records(made)).figures().stats
    assert stats[PARSE[:3]] == (7, 7, 0.0, 0.0, {MAIN[:3]: (7, 7, 0.0, 0.0)})


def test_a_function_that_is_left_out_has_none():
    made = {**snapshot(), "left_out": (1,)}
    stats = Capture(as_records(made)).figures().stats
    assert PARSE[:3] not in stats
    assert round(stats[LOAD[:3]][2] * 1000) == 280  # its time is its caller's


def test_samples_of_code_that_was_not_asked_for_are_its_callers():
    records = as_records(snapshot(filtered=bytes((0, 2, 1 | 2))))
    stats = Capture(records).figures().stats
    assert PARSE[:3] not in stats
    assert round(stats[LOAD[:3]][2] * 1000) == 280
    assert list(LINE.iter_unpack(records["sampled"]["lines"])) == [(2, 6, 0, 70)]


def test_a_file_has_the_same_figures():
    capture = Capture(as_records(snapshot()))
    data = capture.dumps()
    assert marshal.loads(data) == capture.figures().stats  # the part for pstats
    [read_back] = read(data, "p.out").captures
    assert read_back.figures() == capture.figures()
    assert read_back.sampled.counts == capture.sampled.counts
    assert [it.waits for it in read_back.threads] == [it.waits for it in capture.threads]


def test_what_a_run_writes_can_be_read():
    made = snapshot()
    made["threads"] = ({**made["threads"][0], "folds": b"", "outers": b""},)
    [section] = sections_of(section_of(made, None))
    assert [it["name"] for it in section["threads"]] == ["MainThread", "worker"]


def test_threads_that_python_did_not_tell_of_stand_behind_the_others():
    capture = Capture(as_records(snapshot()))
    assert [(it.name, it.native_id, it.waits.cpu) for it in capture.threads] == [
        ("MainThread", 10, 0.4), ("worker", 11, 0.02),
    ]  # fmt: skip
    stats = capture.figures(thread=capture.threads[1]).stats
    assert {label[2] for label in stats} == {"main", "load", "<garbage collection>", "<unknown>"}


def test_a_thread_that_was_seen_before_python_told_of_it_is_there_once():
    before = (("python", 10, 0.02, samples((3, 5, IN_PROGRAM), (3, 1, IN_WAIT))),)
    capture = Capture(as_records(snapshot(others=before, real_times=(0.1,))))
    [thread] = capture.threads
    assert (thread.name, thread.waits.cpu) == ("MainThread", pytest.approx(0.42))
    assert (thread.waits.real, thread.waits.looks) == (pytest.approx(1.7), 13)
    assert round(capture.figures().stats[PARSE[:3]][2] * 1000) == 4 * (70 + 20 + 5)


def test_a_function_that_was_counted_is_the_one_of_its_samples():
    records = as_records(snapshot())
    assert records["functions"][:3] == (MAIN, PARSE, LOAD)
    assert [it[2] for it in records["functions"][3:]] == ["<garbage collection>", "<unknown>"]
    assert list(LINE.iter_unpack(records["sampled"]["lines"])) == [(1, 10, 70, 90), (2, 6, 0, 70)]


def test_counts_are_exact_or_at_least():
    facts = Sampled(as_records(snapshot())["sampled"])
    assert facts.counts == {0: Count(1, True), 1: Count(400, False)}
    assert facts.edges == {(None, 0): 1, (0, 1): 400}
    assert facts.in_part == 1
    assert facts.weight == 100


def test_the_error_is_two_of_the_samples_that_count():
    facts = Sampled(as_records(snapshot())["sampled"])
    assert facts.size == 50  # 100**2 / 200
    assert facts.error(0.5) == pytest.approx(2 * (0.25 / 50) ** 0.5)
    for share in (0.1, 0.9):
        assert facts.error(share) == pytest.approx(2 * (0.09 / 50) ** 0.5)
    for share in (0.0, 1.0):
        assert facts.error(share) == pytest.approx(2 * (0.02 * 0.98 / 50) ** 0.5)


def test_without_samples_nothing_is_known():
    made = snapshot(
        others=(), real_times=(), squares=0, nodes=b"", lines=b"", counts=b"", edges=b""
    )
    made["threads"][0]["native"] = b""
    facts = Sampled(as_records(made)["sampled"])
    assert (facts.size, facts.error(0.5)) == (0, 1.0)
    assert Capture(as_records(made)).figures().stats == {}


def test_how_long_to_run_for_so_small_an_error():
    facts = Sampled(as_records(snapshot())["sampled"])
    # 50 samples that count in 0.4 s of CPU: 125 a second. 2 points at 20%: 1,600 of them.
    assert facts.needed(0.02, 0.2) == pytest.approx(12.8)


def test_lines_have_hits_as_far_as_they_were_counted():
    hits = HITS.pack(1, 10, 1, 0, 300) + HITS.pack(0, 2, 0, 0, 7)
    stats = tracer.Stats(Capture(as_records(snapshot(hits=hits))))
    found = {
        (function.qualname, line.line): (line.hits, line.is_counted, round(line.time * 1000))
        for function in stats.lines.functions
        for line in function.lines
    }
    assert found == {
        ("parse", 10): (300, False, 360), ("load", 6): (0, False, 280), ("main", 2): (7, True, 0),
    }  # fmt: skip


def test_hits_of_a_function_that_is_not_there():
    data = Capture(as_records(snapshot(hits=HITS.pack(9, 1, 0, 0, 1)))).dumps()
    with pytest.raises(ValueError, match="counts or lines of a function that is not there"):
        read(data, "p.out")
