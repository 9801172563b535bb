"""NumPy's arrays are credited to who makes them, in every thread, to the byte."""

import threading

import pytest

import tracer
from allocations import assert_adds_up, profiled, shares

numpy = pytest.importorskip("numpy", reason="there is no NumPy for this Python")

MILLION = 10**6
KEPT = []


@pytest.fixture(autouse=True)
def nothing_is_kept():
    KEPT.clear()
    yield
    KEPT.clear()


def data_of(profile, measure, name):
    """Bytes of a function and what it calls, but for those of the objects around the data, which
    are few: numpy.ones() is written in Python, and calls numpy.empty()."""
    return shares(profile, measure)[name][2] // 10_000 * 10_000


def make():
    KEPT.append(numpy.ones(MILLION))


def test_an_array():
    profile = profiled(make)
    assert data_of(profile, "live", "make") == 8_000_000
    assert_adds_up(profile)


def test_an_array_of_another_thread():
    def work():
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()

    profile = profiled(work)
    assert data_of(profile, "live", "make") == 8_000_000
    assert_adds_up(profile)


def test_zeros_and_what_grows_and_what_goes():
    def zeros():
        KEPT.append(numpy.zeros(MILLION, numpy.int8))

    def grow():
        KEPT[0].resize(3 * MILLION, refcheck=False)

    def drop():
        KEPT.clear()

    def work():
        zeros()
        grow()
        drop()

    profile = profiled(work)
    assert data_of(profile, "allocated", "zeros") == 1_000_000
    assert data_of(profile, "allocated", "grow") == 3_000_000
    assert data_of(profile, "peak", "grow") == 3_000_000
    assert "grow" not in shares(profile, "live")
    assert_adds_up(profile)


def test_what_is_made_within_an_expression():
    def add(array):
        return (array + 1).sum()

    array = numpy.ones(MILLION)
    profile = profiled(add, array)
    assert data_of(profile, "allocated", "add") == 8_000_000
    assert data_of(profile, "peak", "add") == 8_000_000


def test_an_array_that_was_there_before_is_not_known():
    KEPT.append(numpy.ones(MILLION))
    profile = tracer.Profile(memory=True)
    with profile:
        KEPT.clear()
        make()
    assert data_of(profile, "live", "make") == 8_000_000
    assert profile.capture().memory.missed.blocks == 0


def test_one_profile_after_the_other():
    """Arrays that one saw are freed after its end."""
    for _ in range(3):
        profile = profiled(make)
        assert data_of(profile, "live", "make") == 8_000_000
        KEPT.clear()
    assert numpy.ones(3).sum() == 3
