"""What is wrong with cProfile: its answers on this interpreter, tracer's, and the truth.

The programs are in defects.py. `python tests/python/ext/calls/test_defects.py` prints the table.
"""

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Collection
from platform import python_version
from typing import Any, NamedTuple

import pytest

import defects
import tracer
from launch import environment

pytestmark = pytest.mark.programs

MINOR = sys.version_info.minor
EVERY, FROM_12, ONLY_11 = range(11, 16), range(12, 16), range(11, 12)


class Defect(NamedTuple):
    truth: Any
    wrong: Collection[int]  # where cProfile's answer is another, as minor versions of Python 3
    exists: Collection[int] = EVERY  # where the question makes sense
    with_setprofile: str = ""  # why tracer cannot be right under PyEval_SetProfile


DEFECTS = {
    "callers_in_two_threads": Defect({"leaf_a": {"a": 10}, "leaf_b": {"b": 10}}, EVERY),
    "calls_in_other_threads": Defect(3, ONLY_11),
    "figures_of_each_thread": Defect({"one": 2, "two": 1}, EVERY),
    "two_lambdas_on_a_line": Defect(11, EVERY),
    "methods_of_dataclasses": Defect(110, EVERY),
    "code_run_twice": Defect(11, EVERY),
    "builtins_of_one_name": Defect(11, EVERY),
    "qualified_names": Defect({"Reader.read": 1, "Writer.read": 2}, EVERY),
    "exit_status": Defect((3, 1), EVERY),
    "death_by_sigterm": Defect((-signal.SIGTERM, 1), EVERY),
    "end_by_os_exit": Defect((4, 1), EVERY),
    "two_profilers": Defect((3, 1), EVERY),
    "enabled_in_the_middle": Defect(
        {"outer": (0, {}, 10, 14), "inner": (1, {"outer": 1}, 4, 4)},
        EVERY,
    ),
    "dropped_while_enabled": Defect([], EVERY),
    "failed_to_enable": Defect(([], 1), FROM_12, exists=FROM_12),
    "timer_that_clears": Defect(2, EVERY),
    "events_without_builtins": Defect(
        [],
        FROM_12,
        exists=FROM_12,
        with_setprofile="PyEval_SetProfile always reports the calls of functions in C",
    ),
    "calls_of_c_callables": Defect(
        {"'set'": 1, "partial": 2, "itemgetter": 3, "__add__": 4},
        EVERY,
        with_setprofile="PyEval_SetProfile reports builtin functions and methods alone",
    ),
    "time_of_a_c_callable": Defect(
        {"outer": 1, "partial": 4},
        EVERY,
        with_setprofile="PyEval_SetProfile reports builtin functions and methods alone",
    ),
}


def answer(name, tool):
    """A program's answer, from a process of its own; or how that came to its end."""
    # What is freed is overwritten, so that using it shows. cProfile is asked without a sanitizer,
    # whose reports are to be ours alone.
    variables = {"PYTHONMALLOC": os.environ.get("PYTHONMALLOC", "debug")}
    if tool == "cProfile":
        variables = {"PYTHONMALLOC": "debug", "LD_PRELOAD": ""}
    ended = subprocess.run(
        [sys.executable, defects.__file__, name, tool],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=300,
    )
    if ended.returncode < 0:
        return f"killed by {signal.Signals(-ended.returncode).name}"
    assert ended.returncode == 0, ended.stderr
    return ast.literal_eval(ended.stdout)


def not_asked(name, tool):
    """Why there is no answer on this interpreter, or with this back end."""
    defect = DEFECTS[name]
    if MINOR not in defect.exists:
        return f"there is no such thing in Python {python_version()}"
    if tool == "tracer" and defect.with_setprofile and tracer.Profile().backend != "monitoring":
        return defect.with_setprofile
    return None


def asked(name, tool):
    if reason := not_asked(name, tool):
        pytest.skip(reason)
    return answer(name, tool)


@pytest.mark.parametrize("name", DEFECTS)
def test_tracer_says_the_truth(name):
    assert asked(name, "tracer") == DEFECTS[name].truth


@pytest.mark.parametrize("name", DEFECTS)
def test_cprofile_is_wrong_where_the_table_says_so(name):
    found, defect = asked(name, "cProfile"), DEFECTS[name]
    if MINOR in defect.wrong:
        assert found != defect.truth, (
            f"cProfile is mended in {python_version()}: take 3.{MINOR} out of `wrong` of {name}"
        )
    else:
        assert found == defect.truth, (
            f"cProfile is wrong in {python_version()} too: put 3.{MINOR} into `wrong` of {name}"
        )


def table():
    """The whole table, a paragraph a defect."""
    for name, defect in DEFECTS.items():
        yield f"{name}: {getattr(defects, name).__doc__}"
        for tool in ("cProfile", "tracer"):
            yield f"    {tool:<9} {not_asked(name, tool) or answer(name, tool)}"
        yield f"    truth     {defect.truth}"


if __name__ == "__main__":
    for line in table():
        print(line, flush=True)
