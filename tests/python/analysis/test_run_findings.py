"""analysis/findings/run.py: what the facts of a run say, and from where on it is told."""

from types import SimpleNamespace

import pytest

from tracer.analysis.findings.run import cut_off, kept_cost, lost_calls, not_worked, system_time

# -- What is wrong with the figures ----------------------------------------------------------------


def of(*captures, waited=()):
    """Profiles of captures, each with some facts. waited: seconds, by function."""
    totals = SimpleNamespace(extras={"waited": dict(waited)} if waited else {})
    found = [SimpleNamespace(**capture) for capture in captures]
    return SimpleNamespace(captures=found, totals=totals, sampled=None)


def test_calls_that_were_dropped():
    assert lost_calls(of({"lost_calls": 0})) is None
    found = lost_calls(of({"lost_calls": 1}, {"lost_calls": 0}))
    assert found.parts == ("1 call dropped: out of memory",)
    assert found.advice == "They are in no figure, and their time is their caller's."
    several = lost_calls(of({"lost_calls": 1000}, {"lost_calls": 1}))
    assert several.parts == ("1,001 calls dropped: out of memory",)


def test_threads_that_were_cut_off():
    def threads(**ends):
        return {"threads": [SimpleNamespace(name=name, cut_off=ends[name]) for name in ends]}

    assert cut_off(of(threads(main=None))) is None
    found = cut_off(of(threads(main=None, worker=0.005)))
    assert found.parts == ("the end of 1 thread is not known",)
    assert found.advice == "The program set a profile function of its own: worker after 5 ms."
    found = cut_off(of(threads(worker=0.005), threads(main=0.0)))
    assert found.parts == ("the end of 2 threads is not known",)
    assert found.advice.endswith(": worker after 5 ms, main after 0 ns.")


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([(1.0, 0.11)], "0.11 s of tracing could not be taken out"),
        ([(1.0, 0.1)], None),
        ([(1.0, 0.06), (0.5, 0.1)], "0.16 s of tracing could not be taken out"),
        ([(1.0, 0.11), (1.0, 0.05)], None),
        ([(0.0, 0.0)], None),
        ([], None),
    ],
)
def test_the_cost_that_is_still_in_the_times(pairs, told):
    captures = [{"costs": {"a": 1}, "taken_out": pair} for pair in pairs]
    found = kept_cost(of(*captures, {"costs": None, "taken_out": (0.0, 9.0)}))
    assert (found and found.parts) == (told and (told,))


# -- Time that no function has ---------------------------------------------------------------------


def run(real, user, system, clock="tsc", functions=True):
    """The facts of a run of so many milliseconds."""
    times = {"real": real / 1000, "user": user / 1000, "system": system / 1000}
    return {"run": SimpleNamespace(**times), "clock": clock, "functions": functions}


UNKNOWN = {"run": None, "clock": "tsc", "functions": True}


def test_a_run_that_did_not_work_for_more_than_half_of_the_time():
    found = not_worked(of(run(200, 78, 20)))
    assert found.parts == ("51% of the run: the program did not work",)
    assert found.advice == (
        "0.20 s passed, and the processor worked for 98 ms of it. The figures do not say what "
        "was waited."
    )
    assert found.saving == pytest.approx(102e6)
    assert not_worked(of(run(200, 79, 20))) is not None
    assert not_worked(of(run(200, 80, 20))) is None


def test_what_was_waited_in_functions_is_told_by_other_rules():
    assert not_worked(of(run(200, 79, 20), waited={"main": 0.0})) is not None
    assert not_worked(of(run(200, 79, 20), waited={"main": 0.001})) is None


def test_several_runs_count_together():
    worked = run(100, 90, 0)
    assert not_worked(of(worked, run(100, 9, 0), UNKNOWN)) is not None
    assert not_worked(of(worked, run(100, 10, 0), UNKNOWN)) is None
    assert not_worked(of(UNKNOWN)) is None


def test_of_a_short_run_nothing_is_told():
    assert not_worked(of(run(51, 1, 0))) is not None
    assert not_worked(of(run(50, 1, 0))) is None
    assert system_time(of(run(100, 1, 50))) is not None
    assert system_time(of(run(100, 1, 49))) is None


def test_a_run_in_which_the_system_worked_much():
    found = system_time(of(run(100, 69, 31)))
    assert found.parts == ("31% of the processor's time was the system's",)
    assert found.advice == "31 ms in the kernel: files, memory, processes or the network."
    assert found.saving == pytest.approx(31e6)
    assert system_time(of(run(100, 70, 30))) is None


def test_by_a_clock_that_asks_the_system_nothing_is_said_of_it():
    assert system_time(of(run(100, 1, 99, clock="cpu"))) is None
    assert system_time(of(run(100, 69, 31), run(100, 69, 31, clock="cpu"))) is None
    without_calls = run(100, 69, 31, clock="cpu", functions=False)
    assert system_time(of(without_calls)) is not None
