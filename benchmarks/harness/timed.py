"""Run the body of one program once with a timeline, and print as JSON how many bytes that took, in
memory and in a file, and how many slices and calls there were.

timeline.py starts this script afresh for each program. What a file takes without the timeline is
told by a second run, without one.
"""

import json
import sys
import tempfile
from pathlib import Path

from harness.programs import PROGRAMS


def record(body, **options):
    """A profile of the body, and the size of its file."""
    from tracer import Profile

    profile = Profile(**options)
    profile.enable()
    body()
    profile.disable()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "profile.out")
        profile.dump_stats(path)
        return profile, path.stat().st_size


def main(program):
    body = PROGRAMS[program].load()
    body()  # what a program makes at its first run is made
    _, bare = record(body)
    profile, size = record(body, timeline=True)
    timeline = profile.capture().timeline
    threads = timeline.threads
    print(
        json.dumps(
            {
                "slices": sum(len(thread.read().starts) for thread in threads),
                "recorded": sum(len(thread.slices) for thread in threads),
                "filed": size - bare,
                "is_whole": timeline.least == 0 and timeline.lost == 0,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
