"""What --steps and --step-function refuse, and what they say when nothing is recorded."""

import py_compile
import sys

import pytest

import tracer
from launch import refused, traced, write
from stepping import steps_in

PROGRAM = """
from lib import imported
from lib import other as renamed
def step(): pass
class Trainer:
    def step(self): pass
for number in range(1234): step()
"""
LIB = """
def imported(): pass
def other(): pass
class Trainer:
    size = 3
    name = property(id)
"""
NAMES = "skip_first, wait, warmup, active, repeat, skip_first_wait"


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "program.py", PROGRAM)
    write(tmp_path / "lib.py", LIB)
    return tmp_path


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        *(
            (
                text,
                f"--steps {text!r} is no schedule: give FIRST:END, or NAME=N,... with each of the "
                f"names {NAMES} at most once{part and f', not {part!r}'}",
            )
            for text, part in [
                ("", ""),
                ("x", ""),
                ("3", ""),
                ("3:", ""),
                (":3", ""),
                ("-1:3", ""),
                ("1:2:3", ""),
                ("first=3", ""),
                ("active=", ""),
                ("active=-1", ""),
                ("active=3,wait", "wait"),
                ("active=3,active=4", "active=4"),
                ("active=3,", ""),
                ("wait=1e9,active=1", "wait=1e9"),
            ]
        ),
        ("active=0", "--steps 'active=0': active must be 1 or more, not 0"),
        ("8:3", "--steps '8:3': FIRST must be below END: step END is not recorded"),
        ("3:3", "--steps '3:3': FIRST must be below END: step END is not recorded"),
    ],
)
def test_schedules(folder, steps, why):
    options = ("--steps", steps, "--step-function", "step")
    assert refused(*options, "program.py", cwd=folder) == why


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ["--steps", "1:2"],
            "--steps needs the function whose calls are the steps: give --step-function NAME, too",
        ),
        (
            ["--step-function", "step", "-l"],
            "--step-function is of no use with -l, which times lines only; use --lines",
        ),
        (
            ["--step-function", "step", "--timer", "cpu"],
            "--step-function needs one clock for all threads, and --timer cpu has one for each "
            "thread; leave one of them out",
        ),
        (
            ["--step-function", "a b"],
            "--step-function 'a b' is no name of a function; give MODULE.FUNCTION, "
            "MODULE.CLASS.METHOD, or FUNCTION for one of the program's own file",
        ),
        (
            ["--step-function", "train"],
            "--step-function 'train': {program} defines no such function; one that is imported is "
            "named with its module: MODULE.train",
        ),
        (
            ["--step-function", "imported"],
            "--step-function 'imported': {program} defines no such function; one that is imported "
            "is named with its module: lib.imported",
        ),
        (
            ["--step-function", "__main__.renamed"],
            "--step-function '__main__.renamed': {program} defines no such function; one that is "
            "imported is named with its module: lib.other",
        ),
    ],
)
def test_options(folder, options, why):
    said = refused(*options, "-o", "out.prof", "program.py", cwd=folder)
    assert said == why.format(program=folder / "program.py")
    assert not (folder / "out.prof").exists()


def test_a_program_without_source(folder):
    py_compile.compile(folder / "program.py", folder / "program.pyc", doraise=True)
    (folder / "program.py").unlink()
    said = refused("--step-function", "step", "program.pyc", cwd=folder)
    assert said.startswith("--step-function 'step' needs the source of ")
    assert said.endswith(
        "and there is none: run the source, or put the function into a module, and name MODULE.step"
    )
    found = traced("--step-function", "lib.imported", "-o", "out", "program.pyc", cwd=folder)
    assert found.returncode == 0


@pytest.mark.parametrize(
    ("options", "remark"),
    [
        (["--step-function", "lib.imported"], "'lib.imported' was never called"),
        (["--step-function", "Trainer.step"], "'Trainer.step' was never called"),
        (
            ["--step-function", "lib.Trainer"],
            "'lib.Trainer' is a class; name one of its methods",
        ),
        (["--step-function", "lib.Trainer.size"], "'lib.Trainer.size' is no function, but 'int'"),
        (
            ["--step-function", "lib.Trainer.name"],
            "'lib.Trainer.name' is no function, but 'property'",
        ),
        (
            ["--step-function", "lib.nothing"],
            "no function 'lib.nothing' was found; name it as MODULE.FUNCTION or "
            "MODULE.CLASS.METHOD, by the module that defines it",
        ),
        (
            ["--step-function", "step", "--steps", "5000:5010"],
            "--steps chose none of the 1,234 steps of the program, which are the calls of 'step'",
        ),
    ],
)
def test_nothing_was_recorded(folder, options, remark):
    for more in ([], ["-o", "out.prof"]):
        found = traced(*options, *more, "program.py", cwd=folder)
        said = f"tracer: the profile is empty: {remark}\n"
        assert (found.stderr.decode(), found.returncode) == (said, 0)
    stats = tracer.Stats(folder / "out.prof")
    assert (stats.stats, steps_in(stats)) == ({}, [])


def test_a_profiler_of_the_program_s_own(folder):
    """What cannot be recorded is told at the end; the program goes on."""
    program = (
        "import cProfile\ndef step(): pass\nprofile = cProfile.Profile()\nprofile.enable()\n"
        "for number in range(5): step()\nprofile.disable()\nprint('done')\n"
    )
    write(folder / "program.py", program)
    found = traced("--step-function", "step", "-o", "out.prof", "program.py", cwd=folder)
    assert (found.stdout, found.returncode) == (b"done\n", 0)
    stats = tracer.Stats(folder / "out.prof")
    assert sys.version_info < (3, 12) or [n for n, *_ in steps_in(stats)] == [0, 1, 2, 3, 4]
