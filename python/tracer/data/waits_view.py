"""A capture of samples seen by its waits: what its threads waited, where they did, in the place of
CPU time.

What a thread waited is its real time without its CPU time, and exact. Where it did is told by looks
at it, some twenty times a second, while its CPU clock stood. So a time of such a view is a share of
the looks, with an error, as a time of the capture is a share of samples.
"""

from __future__ import annotations

from copy import copy

from tracer._core import RECORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.capture import Capture

WAITS = "waits"  # the measure: see ProfileSet.measure


def seen_by_waits(capture: Capture) -> Capture:
    """The capture with waits in the place of time. Raises ValueError where times do not come from
    samples."""
    if capture.sampled_data is None:
        raise ValueError("only a profile of samples is seen by its waits")
    view = copy(capture)
    view.threads = tuple(
        thread._replace(records=dict.fromkeys(RECORDS, b"") | {"nodes": thread.waits.wait_nodes})
        for thread in capture.threads
        if thread.waits is not None
    )
    looked = [it.waits for it in view.threads if it.waits is not None and it.waits.looks]
    view.sampled_data = {
        **capture.sampled_data,
        "weight": sum(it.waited for it in looked),
        "squares": sum(it.waited**2 / it.looks for it in looked),
        "lines": b"",
        "counts": b"",
        "edges": b"",
        "has_counts": False,
    }
    return view
