"""What is under way when a profile is taken: its calls and its waits up to then."""

import threading
import time

import tracer

PATIENCE = 1000  # captures


def gap_of(capture, name):
    """(slices, the place of the gap) of a thread that waits in `acquire`; None: it does not. It may
    have waited for a processor before, in an `acquire` that is over."""
    for thread, timeline in zip(capture.threads, capture.timeline.threads, strict=True):
        slices = timeline.read()
        names = [
            capture.functions[it].name if it < len(capture.functions) else ""
            for it in timeline.functions
        ]
        for at, node in enumerate(slices.nodes):
            above = slices.parents[at]
            is_there = thread.name == name and node == 0 and slices.ends[at] == slices.ends[0]
            if is_there and "acquire" in names[slices.nodes[above]]:
                return slices, at
    return None


def test_a_wait_that_goes_on_is_a_gap():
    over = threading.Event()
    thread = threading.Thread(target=over.wait, name="waiter")
    with tracer.Profile(timeline=True) as profile:
        thread.start()
        for _ in range(PATIENCE):
            time.sleep(0.01)
            capture = profile.capture()
            found = gap_of(capture, "waiter")
            if found:
                break
        over.set()
        thread.join()
    slices, at = found
    assert slices.ends[at] == slices.ends[0] == capture.timeline.last
    assert 0 < slices.values[at] <= slices.ends[at] - slices.starts[at]
    assert slices.values[0] == 1  # the call at the bottom had not ended
