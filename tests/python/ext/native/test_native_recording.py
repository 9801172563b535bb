"""What Profile(native=...) records: which native code ran, below which calling context."""

import os
import threading
import time
import zlib
from collections import Counter

import pytest

import tracer
from sampled import ENOUGH, HZ, NEEDS_SAMPLES, TICK, again, at, compress, places, record, spin
from tracer.data.samples import IN_OVERHEAD, IN_PROGRAM, samples_of

pytestmark = NEEDS_SAMPLES
COMPRESS = "<built-in method zlib.compress>"


def weight_of(found):
    return sum(found.values())


def test_the_samples_of_a_c_function_are_at_its_node_with_its_functions():
    capture = record(compress)
    found = at(capture, COMPRESS)
    assert weight_of(found) >= 40
    inside = {
        place: weight for place, weight in found.items() if "zlib_compress" in place.functions
    }
    # Also its work when it begins and ends; where the interpreter has no symbols, the name is
    # a place in it.
    named = any(name == "zlib_compress" for place in found for name in place.functions)
    if named:
        assert weight_of(inside) >= 0.9 * weight_of(found)
        assert all(place.functions.count("zlib_compress") == 1 for place in inside)
    assert weight_of({p: w for p, w in found.items() if p.functions}) >= 0.95 * weight_of(found)


def test_the_stack_ends_where_python_code_is_run():
    capture = record(compress)
    # A call of deflate takes a few functions; what runs Python code is never among them.
    assert max(len(place.functions) for place in at(capture, COMPRESS)) < 15
    native = capture.native
    assert native.cut <= 0.03 * native.signals + 2


def test_python_code_has_the_empty_stack():
    capture = record(spin)
    found = at(capture, "spin")
    empty = sum(weight for place, weight in found.items() if not place.functions)
    assert weight_of(found) >= 40
    # The rest is in what adds numbers and compares them; a sanitizer's malloc takes most of that.
    least = 0.0 if "asan" in os.environ.get("LD_PRELOAD", "") else 0.2
    assert empty > least * weight_of(found)


def test_operators_are_below_the_function_that_used_them():
    big = 7**60000

    def multiply():
        until = ENOUGH
        import time

        end = time.thread_time() + until
        while time.thread_time() < end:
            big * big

    capture = record(multiply)
    found = at(capture, "multiply")
    native = sum(weight for place, weight in found.items() if place.functions)
    assert weight_of(found) >= 40
    assert native >= 0.9 * weight_of(found)


def test_tracers_own_work_is_overhead():
    def called():
        pass

    def call():
        import time

        until = time.thread_time() + ENOUGH
        while time.thread_time() < until:
            for _ in range(2000):
                called()

    capture = record(call)
    kinds = dict.fromkeys((IN_PROGRAM, IN_OVERHEAD), 0)
    for place, weight in places(capture).items():
        kinds[place.kind] += weight
    assert kinds[IN_OVERHEAD] >= 5
    assert kinds[IN_PROGRAM] >= 5


def test_the_weights_are_the_cpu_time_of_the_thread():
    capture = record(compress)
    (thread,) = capture.threads
    sampled = sum(sample.weight for sample in samples_of(thread.native)) * capture.native.period
    assert capture.native.period == 1 / HZ
    assert thread.native_cpu >= ENOUGH
    assert capture.native.signals / HZ <= sampled <= thread.native_cpu + 2 / HZ


def test_each_thread_has_its_own_samples():
    used, is_told = [], threading.Event()

    def pack():
        again(profile, compress)
        used.append(time.thread_time())
        is_told.wait()  # of a thread that has ended the last moments are not known

    profile = tracer.Profile(native=HZ)
    with profile:
        other = threading.Thread(target=pack, name="packer")
        other.start()
        while not used:
            spin(0.01)
        again(profile, spin)
        capture = profile.capture()
        is_told.set()
        other.join()
    threads = {thread.name: thread for thread in capture.threads}
    packer = Counter(sample.node > 0 for sample in samples_of(threads["packer"].native))
    main = Counter(sample.node > 0 for sample in samples_of(threads["MainThread"].native))
    assert packer[True] > 0
    assert main[True] > 0
    assert ENOUGH <= used[0] <= threads["packer"].native_cpu + 0.05
    assert not capture.native.refused


def test_without_threads_only_the_calling_one_is_sampled():
    def both():
        other = threading.Thread(target=compress, name="packer")
        other.start()
        other.join()
        spin()

    capture = record(both, threads=False)
    assert weight_of(at(capture, "spin")) >= 40
    assert not at(capture, COMPRESS)
    assert not capture.native.others


def test_nothing_is_sampled_while_the_profile_is_disabled():
    profile = tracer.Profile(native=HZ)
    profile.enable()
    profile.disable()
    spin()
    assert profile.capture().native.signals <= 1
    with profile:
        again(profile, spin, 20)


def test_a_snapshot_in_the_middle_has_the_samples_until_then():
    profile = tracer.Profile(native=HZ)
    with profile:
        again(profile, spin, 20)
        first = profile.capture()
        again(profile, spin, 1)
    last = profile.capture()
    assert 20 <= first.native.signals < last.native.signals
    assert weight_of(at(first, "spin")) < weight_of(at(last, "spin"))


def test_clear_forgets_the_samples_and_goes_on():
    profile = tracer.Profile(native=HZ)
    profile.enable()
    again(profile, compress, 1)
    profile.clear()
    again(profile, spin)
    profile.disable()
    capture = profile.capture()
    assert not at(capture, COMPRESS)
    assert weight_of(places(capture)) >= 40


def test_two_profiles_sample_at_a_time():
    one, two = tracer.Profile(native=HZ), tracer.Profile(native=100)
    one.enable()
    two.enable()
    again(one, compress)
    again(two, compress, 15)
    two.disable()
    one.disable()
    for profile in (one, two):
        capture = profile.capture()
        (thread,) = capture.threads
        assert weight_of(at(capture, COMPRESS)) >= 10
        most = thread.native_cpu / capture.native.period + 2
        assert weight_of(places(capture)) <= most
    assert (one.capture().native.hz, two.capture().native.hz) == (HZ, 100)


def test_a_file_has_what_was_recorded(tmp_path):
    profile = tracer.Profile(native=HZ)
    profile.runcall(compress)
    profile.dump_stats(tmp_path / "out")
    (capture,) = tracer.Stats(str(tmp_path / "out")).captures
    assert places(capture) == places(profile.capture())
    assert capture.native.modules == profile.capture().native.modules


def test_a_deep_stack_that_grows_while_it_is_sampled():
    def down(depth):
        return zlib.crc32(b"x" * 20000) if depth == 0 else down(depth - 1)

    def descend():
        import time

        until = time.thread_time() + ENOUGH
        while time.thread_time() < until:
            threads = [threading.Thread(target=down, args=(800,)) for _ in range(20)]
            for thread in threads:  # each has a stack of its own, which grows four times
                thread.start()
            for thread in threads:
                thread.join()

    capture = record(descend)
    assert capture.native.signals >= 20


def test_a_profile_without_it_has_none():
    profile = tracer.Profile()
    profile.runcall(spin, 0.01)
    assert profile.capture().native is None
    assert profile.snapshot()["native"] is None


@pytest.mark.parametrize("wrong", [0, -1, 10_001])
def test_a_rate_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=f"from 1 to 10000 samples a second, not {wrong}"):
        tracer.Profile(native=wrong)


@pytest.mark.parametrize("wrong", ["200", 1.5, [1]])
def test_a_rate_that_is_no_number_is_refused(wrong):
    with pytest.raises(TypeError, match="native must be True, False or an int"):
        tracer.Profile(native=wrong)


@pytest.mark.parametrize("hz", [1, 10, 1000, 10_000])
def test_any_rate_gives_the_cpu_time(hz):
    def sampled():
        (thread,) = profile.capture().threads
        return sum(sample.weight for sample in samples_of(thread.native)) / hz

    profile = tracer.Profile(native=hz)
    begin = time.thread_time()
    with profile:
        spin(0.5)
        while sampled() < 0.5:  # the last signals are late
            spin(0.01)
    used = time.thread_time() - begin
    (thread,) = profile.capture().threads
    assert profile.capture().native.hz == hz
    assert sampled() <= thread.native_cpu + TICK + 2 / hz  # the first stands for a whole tick
    assert thread.native_cpu <= used
    assert used < 2 * max(0.5, 1 / hz)  # each period is counted, also where several make a signal


def test_functions_that_the_c_library_chooses_have_their_names():
    data = bytes(1 << 20)

    def copy():
        import time

        until = time.thread_time() + ENOUGH
        while time.thread_time() < until:
            bytearray(data)

    capture = record(copy)
    inner = [place for place in at(capture, "copy") if place.functions]
    in_libc = {place.functions[-1] for place in inner if "/libc.so" in place.libraries[-1]}
    assert any(name.lstrip("_").startswith("mem") for name in in_libc), in_libc
