"""Two profiles of one program, before and after a change, and `tracer diff` of them."""

import tracer
from launch import traced, write
from pictures import SOURCE, profile_of

MORE = SOURCE.replace("        leaf()\n        leaf()\n", "        leaf()\n" * 4).replace(
    "    clock.now += 3\n", "    clock.now += 1\n    brand_new()\n\ndef brand_new():\n    leaf()\n"
)
NAME = "  filename:lineno(function)\n"
OF_CALLS = f"   ncalls       +/-   growth  tottime      +/-  cumtime      +/-{NAME}"


def write_profiles(folder):
    """Write old.out and new.out; plain.out, which is old.out with qualified names; marked.lprof."""
    old = profile_of("top")
    old.dump_stats(folder / "old.out")
    run = tracer.RunInfo(("work.py", "-v"), 1.5e9, 0.25, 0.125, 0.0625, 2**24)
    new = profile_of("top", source=f"\n\n{MORE}", file="/other/app/work.py")
    new.capture(run).write(folder / "new.out")
    tracer.Stats(old, names="qualname").dump_stats(folder / "plain.out")
    write(folder / "marked.py", "@profile\ndef work():\n    return 1\nwork()\n")
    assert traced("-l", "-o", "marked.lprof", "marked.py", cwd=folder).returncode == 0


def diff(*words, folder, status=0, said=""):
    found = traced("diff", *words, cwd=folder)
    assert (found.returncode, found.stderr.decode()) == (status, said)
    return found.stdout.decode()
