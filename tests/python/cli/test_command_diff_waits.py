"""`tracer diff` of runs that waited: for a processor, which nobody changed, or in a builtin."""

import json

import pytest

from diffing import diff
from launch import environment, on_terminal
from waiting import profile_of, space_of

pytestmark = pytest.mark.results

SOURCE = """
def crunch():
    WORK({0})
    WAIT({1})
def changed():
    WORK({2})
def nap():
    WAIT_IN_C({3})
def main():
    crunch()
    changed()
    nap()
"""
# What crunch() worked and waited, what changed() worked, what nap() slept. In milliseconds.
RUNS = {
    "quiet": (100, 2, 50, 5),
    "loaded": (101, 402, 70, 5),
    "sleepy": (100, 2, 70, 405),
    "both": (100, 202, 70, 405),
    "slower": (600, 202, 70, 5),
}
BECAUSE = " (waits changed more; --metric tottime has both)"
REMARK = (
    "            most of the change is waits of Python functions: the machine was busy, or they "
    "wanted the GIL or a lock"
)
HINT = "  (--metric busy compares what worked)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("waits")
    for name, figures in RUNS.items():
        space = space_of(SOURCE.format(*figures))
        profile_of(space, builtins=True, threads=False).dump_stats(folder / f"{name}.out")
    # With a focus, what a library slept is a wait of the function that called the library.
    ways = {"bare": {"builtins": False}, "focus": {"builtins": True, "include": ["*/app/*"]}}
    for way, options in ways.items():
        for run in "quiet", "sleepy":
            figures = RUNS[run]
            space = space_of(f"def library():\n    WAIT_IN_C({figures[3]})\n", "/lib/library.py")
            own = SOURCE.replace("WAIT_IN_C({3})", "library()") if way == "focus" else SOURCE
            profile = profile_of(
                space_of(own.format(*figures), space=space), threads=False, **options
            )
            profile.dump_stats(folder / f"{way}-{run}.out")
    return folder


def test_waits_for_a_processor_are_left_out(folder):
    text = diff("quiet.out", "loaded.out", "--strip-dirs", folder=folder)
    assert text == (
        "    before  quiet.out\n"
        "     after  loaded.out\n"
        "     calls  5 -> 5\n"
        f"{REMARK}\n"
        "   tottime  0.157 s -> 0.578 s  +268.2%\n"
        "    waited  0.007 s -> 0.407 s  x58.14\n"
        " functions  5 -> 5: 0 new, 0 gone, 0 with other calls\n"
        "  own code  changed  work.py:5  busy 0.050 s -> 0.070 s  +40.0%\n"
        "  own time  changed  work.py:5  busy 0.050 s -> 0.070 s  +40.0%\n"
        "\n"
        f"   Ordered by: change of busy{BECAUSE}\n"
        "\n"
        "   ncalls       +/-  tottime      +/-     busy      +/-   growth  "
        "filename:lineno(function)\n"
        "        1              0.070   +0.020    0.070   +0.020   +40.0%  work.py:5(changed)\n"
        "        1              0.503   +0.401    0.101   +0.001    +1.0%  work.py:2(crunch)\n"
        "\n"
    )
    back = diff("loaded.out", "quiet.out", folder=folder)
    assert f"{REMARK}\n" in back
    assert "   Ordered by: change of busy" in back


@pytest.mark.parametrize("after", ["sleepy", "both", "slower"])
def test_a_longer_sleep_is_no_wait_for_a_processor(folder, after):
    """Nor is more work that waited a little longer."""
    text = diff("quiet.out", f"{after}.out", folder=folder)
    assert "   Ordered by: change of tottime\n" in text
    assert REMARK not in text
    (waited,) = [line for line in text.splitlines() if line.startswith("    waited")]
    assert waited.endswith(HINT)
    first = text.partition("(function)\n")[2].splitlines()[0]
    assert first.endswith("(crunch)" if after == "slower" else "{builtins.setattr}")


@pytest.mark.parametrize("way", ["bare", "focus"])
def test_a_profile_without_all_functions_does_not_know_a_sleep(folder, way):
    text = diff(f"{way}-quiet.out", f"{way}-sleepy.out", folder=folder)
    assert "   Ordered by: change of tottime\n" in text
    assert "  own code  nap  " in text
    assert REMARK not in text


def test_a_metric_that_was_chosen_stays(folder):
    text = diff("quiet.out", "loaded.out", "--metric=tottime", folder=folder)
    assert "   Ordered by: change of tottime\n" in text
    assert f"{REMARK}\n" in text
    assert "  own time  crunch  /here/app/work.py:2  tottime 0.102 s -> 0.503 s  +393.1%\n" in text
    assert HINT not in text
    text = diff("quiet.out", "loaded.out", "--metric=busy", folder=folder)
    assert "   Ordered by: change of busy\n" in text


def test_json_and_a_limit_keep_their_metric(folder):
    assert json.loads(diff("--json", "quiet.out", "loaded.out", folder=folder))["metric"] == (
        "tottime"
    )
    text = diff("--fail-above=10", "quiet.out", "loaded.out", folder=folder)
    assert "   There is no change of calls.\n" in text


def test_the_remark_does_not_depend_on_calls(folder, tmp_path):
    more = SOURCE.replace("    nap()\n", "    nap()\n    nap()\n    nap()\n")
    space = space_of(more.format(101, 402, 50, 1))
    profile_of(space, builtins=True, threads=False).dump_stats(tmp_path / "more.out")
    text = diff("quiet.out", str(tmp_path / "more.out"), folder=folder)
    assert "     calls  5 -> 9  +80.0%\n" in text
    assert f"{REMARK}\n" in text


def test_every_line_fits_a_terminal(folder):
    options = {"cwd": folder, "env": environment(TERM="dumb"), "columns": 80}
    words = "-m", "tracer", "diff", "quiet.out", "loaded.out"
    text, status = on_terminal("stdout", *words, **options)
    assert status == 0
    lines = text.decode().partition("ncalls")[0].splitlines()
    assert any(line.startswith("   Ordered by: change of busy") for line in lines)
    assert max(map(len, lines)) <= 80
