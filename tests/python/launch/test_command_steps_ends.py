"""Under --steps the program notices nothing, and what was recorded is kept however it ends."""

import signal
import time

import pytest

import tracer
from launch import good, plain, start, traced, write
from stepcommands import CHOSEN, LOOP, MODULE, SCHEDULE, numbers, recorded
from stepping import calls_of

# -- The program notices nothing ------------------------------------------------------------------

LOOKS = """
import copy, inspect, pickle, sys, types, typing, warnings, weakref
{import_}
def look(function):
    print(function.__name__, function.__qualname__, function.__module__, function.__doc__)
    print(isinstance(function, types.FunctionType), inspect.isfunction(function))
    print(inspect.signature(function), typing.get_type_hints(function), function.__defaults__)
    print(function.__code__.co_firstlineno, inspect.getsource(function))
    print(pickle.loads(pickle.dumps(function)) is function, copy.deepcopy(function) is function)
    print(copy.copy(function) is function, weakref.ref(function)() is function)
    print({{function: 1}}[function], function == function, callable(function))
    function.count = 5
    print(function.__dict__, function.count, sorted(dir(function)), hasattr(function, "no"))
{define}
look({name})
print({name}(1), {name}(1, word=2))
try:
    {name}(None)
except TypeError:
    import traceback
    traceback.print_exc(file=sys.stdout)
try:
    {name}()
except TypeError as error:
    print(error)
print(sorted(name for name in globals() if name not in ("__cached__",)))
{name}(None)
"""
DEFINED = '''
def other(function):
    return function

@other
@other
def train_step(number: int, *, word: "int" = 1) -> int:
    """What it does."""
    print(sys._getframe(1).f_code.co_name, sys._getframe(0).f_lineno)
    warnings.warn("careful", stacklevel=2)
    return number + 1
'''


def same_either_way(tmp_path, *words, function="train_step"):
    without = plain(*words, cwd=tmp_path)
    found = traced("--step-function", function, "-o", "out.prof", *words, cwd=tmp_path)
    assert found.stdout.decode() == without.stdout.decode()
    assert found.stderr.decode() == without.stderr.decode()
    assert found.returncode == without.returncode


def test_a_program_s_own_function_looks_as_it_does_plainly(tmp_path):
    program = LOOKS.format(import_="", define=DEFINED, name="train_step")
    write(tmp_path / "program.py", program)
    same_either_way(tmp_path, "program.py")


def test_a_module_s_function_looks_as_it_does_plainly(tmp_path):
    write(tmp_path / "lib.py", f"import sys, warnings\n{DEFINED}")
    program = LOOKS.format(import_="import lib", define="", name="lib.train_step")
    write(tmp_path / "program.py", program)
    same_either_way(tmp_path, "program.py", function="lib.train_step")


@pytest.mark.parametrize(
    "text", ["import broken", "import syntax", "import lib; lib.train_step(0)"]
)
def test_errors_look_as_they_do_plainly(tmp_path, text):
    write(tmp_path / "broken.py", "def train_step(): pass\ndef f(): 1 / 0\nf()\n")
    write(tmp_path / "syntax.py", "def train_step(:\n")
    write(tmp_path / "lib.py", "def train_step(n):\n    def f(): n / 0\n    f()\n")
    write(tmp_path / "program.py", text)
    for module in ("broken", "syntax", "lib"):
        without = plain("program.py", cwd=tmp_path)
        found = traced("--step-function", f"{module}.train_step", "program.py", cwd=tmp_path)
        stderr = found.stderr.decode()
        assert stderr.partition("tracer: ")[0] == without.stderr.decode()
        assert found.returncode == without.returncode


def test_warnings_of_the_source_are_given_once(tmp_path):
    write(tmp_path / "program.py", 'def train_step(): return "\\d"\nassert 1 is 1\ntrain_step()\n')
    same_either_way(tmp_path, "program.py")


def test_lines_of_a_traceback_after_decorators(tmp_path):
    program = "def other(f): return f\n@other\n@other\ndef train_step():\n    1 / 0\ntrain_step()\n"
    write(tmp_path / "program.py", program)
    same_either_way(tmp_path, "program.py")


# -- How it ends ----------------------------------------------------------------------------------


def cut(statement):
    return f"""
import os, signal, sys, time
def train_step(number):
    if number == 7:
        {statement}

for number in range(20):
    train_step(number)
"""


@pytest.mark.parametrize(
    ("statement", "status"),
    [
        ("sys.exit(3)", 3),
        ("os._exit(3)", 3),
        ("raise KeyError", 1),
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", -signal.SIGTERM),
        ("os.kill(os.getpid(), signal.SIGINT); time.sleep(9)", -signal.SIGINT),
    ],
)
def test_a_cycle_that_is_cut_short_is_kept(tmp_path, statement, status):
    path = write(tmp_path / "program.py", cut(statement))
    options = ("--steps", "5:15", "--step-function", "train_step", "-o", "out.prof")
    found = traced(*options, path.name, cwd=tmp_path)
    assert found.returncode == status
    assert "tracer" not in found.stderr.decode()
    stats = tracer.Stats(tmp_path / "out.prof")
    # The call that raises ends its step.
    ended = [5, 6, 7] if status in (3, 1, -signal.SIGINT) and "_exit" not in statement else [5, 6]
    assert (numbers(stats), calls_of(stats, "train_step")) == (ended, 3)


def test_ctrl_c_within_a_cycle(tmp_path):
    program = LOOP.replace("main(20)", "print(flush=True); main(10**9)")
    path = write(tmp_path / "program.py", program)
    options = ("--steps", "active=100000", "--step-function", "train_step", "-o", "out.prof")
    with start("-m", "tracer", *options, path.name, cwd=tmp_path) as process:
        process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert stderr.decode().count("tracer") == 0
    stats = tracer.Stats(tmp_path / "out.prof")
    found = numbers(stats)
    assert found == list(range(len(found))) and found


def test_a_forked_child_is_not_recorded(tmp_path):
    program = """
import os
def train_step(number):
    if number == 13 and os.fork() == 0:
        for number in range(20): work()
        os._exit(0)
    work()
def work(): pass
for number in range(20):
    train_step(number)
os.wait()
"""
    stats, said = recorded(tmp_path, program)
    assert (said, numbers(stats), calls_of(stats, "work")) == ("", CHOSEN, 6)


def test_save_every_and_the_sizes_of_the_timeline(tmp_path):
    program = LOOP.replace("return sum(batch)", "import time; time.sleep(0.02); return 1")
    for options in (("--save-every", "0.05"), ("--timeline=1MiB",), ("--timeline-last",)):
        stats, said = recorded(tmp_path, program, *options)
        assert (said, numbers(stats), calls_of(stats, "helper")) == ("", CHOSEN, 6)
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out.prof"]


def test_lines_are_timed_in_the_recorded_steps_alone(tmp_path):
    stats, said = recorded(tmp_path, LOOP, "--lines")
    assert (said, numbers(stats)) == ("", CHOSEN)
    hits = {
        function.name: sum(line.hits for line in function.lines)
        for function in stats.lines.functions
    }
    assert {name: hits[name] for name in ("load", "train_step", "helper")} == dict.fromkeys(
        ("load", "train_step", "helper"), 6
    )


def test_without_a_file_the_table_is_printed(tmp_path):
    path = write(tmp_path / "program.py", LOOP)
    text = good("--steps", SCHEDULE, "--step-function", "train_step", path.name, cwd=tmp_path)
    assert "     steps  6 recorded: 12 to 14, 17 to 19\n" in text
    assert "train_step  program.py:5" in text


def test_a_method_may_be_inherited(tmp_path):
    write(tmp_path / "lib.py", MODULE + "\nclass Kind(Trainer):\n    pass\n")
    program = (
        "from lib import Kind\nkind = Kind()\nfor number in range(20):\n    kind.method([1])\n"
    )
    stats, _ = recorded(tmp_path, program, function="lib.Kind.method")
    assert numbers(stats) == CHOSEN
    assert calls_of(stats, "method") == len(CHOSEN)


def test_a_function_of_a_text(tmp_path):
    good(
        "--steps",
        "3:8",
        "--step-function",
        "train_step",
        "-o",
        "out.prof",
        "-c",
        LOOP,
        cwd=tmp_path,
    )
    assert numbers(tracer.Stats(tmp_path / "out.prof")) == [3, 4, 5, 6, 7]


DEEP = """
import sys
sys.setrecursionlimit(60000)

def down(n):
    return 0 if n == 0 else 1 + down(n - 1)

print(down(500))
print(down(50000))
"""


def test_a_step_function_that_calls_itself_ends_before_the_stack_does(tmp_path):
    write(tmp_path / "deep.py", DEEP)
    words = ["--step-function", "down", "-o", "deep.out", "deep.py"]
    found = traced(*words, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (1, b"500\n")
    assert b"\nRecursionError: " in found.stderr
    assert tracer.Stats(tmp_path / "deep.out").captures[0].run.ended == "by RecursionError"
