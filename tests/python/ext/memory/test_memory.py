"""What functions allocate: exact figures of programs that are known to the byte."""

import mmap
import sys
import threading
import time
import tracemalloc

import pytest

import tracer
from allocations import HEAD, KEPT, assert_adds_up, drop, keep, profiled, shares
from tracer._core import call_untracked
from tracer.data.memory import MEASURES

pytestmark = pytest.mark.usefixtures("nothing_is_kept")


@pytest.mark.parametrize("size", [1, 200, 479, 480, 1000, 100_000])
def test_what_is_live_at_the_end(size):
    profile = profiled(keep, 100, size)
    assert shares(profile, "live")["keep"][:2] == (100 * (size + HEAD), 100)
    assert_adds_up(profile)


def test_what_is_returned_or_raised_at_once_counts():
    def make():
        return bytes(1000)

    def work():
        KEPT[0] = make()
        KEPT[1] = "".join(["x" * 900, "y"])  # made by a function written in C

    profile = profiled(work)
    live = shares(profile, "live")
    assert live["make"][:2] == (1000 + HEAD, 1)
    assert live["work"][2] >= 1000 + HEAD + sys.getsizeof(KEPT[1])
    assert_adds_up(profile)


def test_what_was_live_at_the_peak():
    def work():
        keep(100)
        drop(100)
        keep(10, 50)

    profile = profiled(work)
    live, peak = shares(profile, "live"), shares(profile, "peak")
    assert live["keep"] == (10 * (50 + HEAD), 10, 10 * (50 + HEAD))
    assert peak["keep"][0] >= 100 * (1000 + HEAD)
    assert peak["keep"][0] < 100 * (1000 + HEAD) + 200  # and what the loop itself takes
    assert peak["work"][2] >= peak["keep"][2]
    assert_adds_up(profile)


def test_who_frees_does_not_matter_to_who_allocated():
    def work():
        keep(100)
        drop(100)

    profile = profiled(work)
    assert "keep" not in shares(profile, "live")
    assert shares(profile, "freed")["drop"][0] >= 100 * (1000 + HEAD)
    assert shares(profile, "allocated")["keep"][0] >= 100 * (1000 + HEAD)
    assert_adds_up(profile)


def test_recursion_counts_once():
    def deeper(depth):
        KEPT[depth] = bytes(1000)
        if depth:
            deeper(depth - 1)

    profile = profiled(deeper, 9)
    assert shares(profile, "live")["deeper"] == (10 * (1000 + HEAD), 10, 10 * (1000 + HEAD))
    assert_adds_up(profile)


def test_what_is_temporary():
    def work():
        for _ in range(100):
            bytes(1000)

    profile = profiled(work)
    assert shares(profile, "temporary")["work"][:2] == (100 * (1000 + HEAD), 100)
    assert_adds_up(profile)


def test_a_generator_has_what_it_allocates():
    def numbers():
        place = 0
        while place < 100:
            KEPT[place] = bytes(1000)
            place += 1
            yield place

    def work():
        for _ in numbers():
            pass

    profile = profiled(work)
    assert shares(profile, "live")["numbers"][:2] == (100 * (1000 + HEAD), 100)
    assert_adds_up(profile)


def test_threads_have_what_they_allocate():
    def work():
        threads = [threading.Thread(target=keep, args=(60, 1000, 60 * i)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        drop(60)

    profile = profiled(work)
    assert shares(profile, "live")["keep"][:2] == (180 * (1000 + HEAD), 180)
    assert_adds_up(profile)


def test_a_block_that_grows():
    def grow():
        KEPT[0] = bytearray(100)
        KEPT[0].extend(bytes(100_000))

    profile = profiled(grow)
    (live, _, _) = shares(profile, "live").get("grow", (0, 0, 0))
    extend = shares(profile, "live").get("<method 'extend' of 'bytearray' objects>", (0, 0, 0))
    expected = sys.getsizeof(KEPT[0])
    assert live + extend[0] == expected
    assert_adds_up(profile)


def test_what_was_there_before_is_not_known():
    keep(100)
    profile = profiled(drop, 100)
    assert "drop" not in shares(profile, "freed") or shares(profile, "freed")["drop"][0] < 1000
    assert profile.capture().memory.live.bytes >= 0
    assert_adds_up(profile)


def test_nothing_is_followed_between_two_spans():
    profile = profiled(keep, 100)
    drop(100)
    profile.runcall(keep, 50)
    memory = profile.capture().memory
    assert memory.missed.bytes >= 100 * (1000 + HEAD)
    assert shares(profile, "live")["keep"][:2] == (50 * (1000 + HEAD), 50)
    assert shares(profile, "peak")["keep"][0] >= 100 * (1000 + HEAD)
    assert_adds_up(profile)


def test_it_begins_anew_when_cleared():
    profile = tracer.Profile(memory=True)
    with profile:
        keep(100)
        profile.clear()
        keep(50, 500)
    assert shares(profile, "live")["keep"][:2] == (50 * (500 + HEAD), 50)
    assert_adds_up(profile)


def test_one_profile_at_a_time():
    other = tracer.Profile(memory=True)
    with tracer.Profile(memory=True) as profile:
        with pytest.raises(RuntimeError, match="another profile records memory"):
            other.enable()
        assert not other.enabled
        keep(10)
    assert shares(profile, "live")["keep"][:2] == (10 * (1000 + HEAD), 10)
    with other:
        keep(20)
    assert shares(other, "live")["keep"][:2] == (20 * (1000 + HEAD), 20)


def test_beside_a_profile_without_memory():
    with tracer.Profile() as plain, tracer.Profile(memory=True) as profile:
        keep(10)
    assert plain.capture().memory is None
    assert shares(profile, "live")["keep"][:2] == (10 * (1000 + HEAD), 10)
    with pytest.raises(ValueError, match="no memory was recorded"):
        tracer.Stats(plain).seen_by("live")


@pytest.mark.parametrize("order", ["above", "below", "within"])
def test_beside_tracemalloc(order):
    profile = tracer.Profile(memory=True)
    if order == "below":
        tracemalloc.start()
    profile.enable()
    if order != "below":
        tracemalloc.start()
    keep(100)
    if order == "within":
        tracemalloc.stop()
    profile.disable()
    tracemalloc.stop()
    live, blocks, _ = shares(profile, "live")["keep"]  # with what tracemalloc itself takes
    assert live >= 100 * (1000 + HEAD)
    assert blocks >= 100
    again = profiled(keep, 10)
    assert shares(again, "live")["keep"][:2] == (10 * (1000 + HEAD), 10)


def test_a_tool_that_takes_the_hooks_off_is_told():
    tracemalloc.start()
    profile = tracer.Profile(memory=True)
    with profile:
        keep(100)
        tracemalloc.stop()
        keep(100, start=100)
    memory = profile.capture().memory
    assert memory.cut_off is not None
    assert shares(profile, "live")["keep"][1] >= 100
    again = profiled(keep, 10)
    assert again.capture().memory.cut_off is None
    assert shares(again, "live")["keep"][:2] == (10 * (1000 + HEAD), 10)


def test_a_file_holds_it(tmp_path):
    profile = profiled(keep, 100)
    profile.dump_stats(tmp_path / "out.prof")
    stats = tracer.Stats(str(tmp_path / "out.prof"))
    assert stats.problems == []
    (capture,) = stats.captures
    memory = profile.capture().memory
    assert (capture.memory.live, capture.memory.peak) == (memory.live, memory.peak)
    for measure in MEASURES:
        assert stats.seen_by(measure).stats == tracer.Stats(profile).seen_by(measure).stats


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is not told here")
def test_what_no_allocator_tells_is_resident_all_the_same():
    """A thread looks while nothing is allocated: a map that is filled in 20 times 30 ms."""
    size = 20 << 20

    def work():
        with mmap.mmap(-1, size) as there:
            part = b"1" * (1 << 20)
            while there.tell() < size:
                there.write(part)
                time.sleep(0.03)

    points = list(profiled(work).capture().memory.curve())
    first, most = points[0].resident, max(point.resident for point in points)
    assert 0 < first < most - size * 0.9
    seen = {(point.resident - first) >> 20 for point in points}
    assert len(seen) > 3


@pytest.mark.parametrize("size", [100_000, 300])
def test_the_curve_has_the_peak(size):
    """To the byte, also where so little came and went that no point was put at once."""

    def work():
        for _ in range(50):
            keep(100, size)
            drop(100)

    profile = profiled(work)
    memory = profile.capture().memory
    points = list(memory.curve())
    assert max(point.most for point in points) == memory.peak.bytes > 100 * size
    assert [point.at for point in points] == sorted(point.at for point in points)
    assert all(point.least <= point.last <= point.most for point in points)


def test_the_curve_ends_with_what_is_live_at_the_end():
    profile = profiled(keep, 5)
    memory = profile.capture().memory
    assert [point.last for point in memory.curve()][-1] == memory.live.bytes > 5 * 1000


def test_what_tracer_does_aside_is_nobodys():
    def work():
        call_untracked(keep, 100)
        KEPT[100] = bytes(500)

    aside = threading.Thread(target=call_untracked, args=(keep, 100))
    for function in work, lambda: (aside.start(), aside.join()):
        profile = profiled(function)
        assert "keep" not in shares(profile, "allocated")
        assert profile.capture().memory.peak.bytes < 20_000
        assert_adds_up(profile)


def test_a_snapshot_that_is_taken_aside_finds_the_hooks_on():
    profile = tracer.Profile(memory=True)
    profile.enable()
    capture = call_untracked(profile.capture)
    keep(100)
    profile.disable()
    assert capture.memory.cut_off is None
    assert shares(profile, "live")["keep"][1] == 100
