"""--steps and --step-function: which calls of which function are recorded, exactly."""

import os

import pytest

import tracer
from launch import good, write
from stepcommands import CHOSEN, LOOP, MODULE, SCHEDULE, USER, labels, numbers, recorded
from stepping import calls_of
from tracer._core import Profiler

# -- Which steps ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (SCHEDULE, CHOSEN),
        ("3:8", [3, 4, 5, 6, 7]),
        ("0:1", [0]),
        ("active=2,repeat=1", [0, 1]),
        ("wait=3,active=1,repeat=2,skip_first_wait=1", [0, 4]),
        ("warmup=4,active=1", [4, 9, 14, 19]),
        (None, list(range(20))),
    ],
)
def test_the_steps_of_the_schedule_are_recorded(tmp_path, steps, expected):
    stats, said = recorded(tmp_path, LOOP, steps=steps)
    assert said == ""
    assert numbers(stats) == expected
    assert calls_of(stats, "train_step") == calls_of(stats, "helper") == len(expected)
    # A step has what runs before its call; that of step 0 ran before the first call.
    assert calls_of(stats, "load") == len(expected) - (0 in expected)


def test_what_runs_between_calls_belongs_to_the_next_one(tmp_path):
    stats, _ = recorded(tmp_path, LOOP, steps="4:6")
    assert [calls_of(stats, name) for name in ("load", "train_step", "helper")] == [2, 2, 2]
    assert calls_of(stats, "main") == 0  # it ran already: it has time, and no call
    assert {"main", "<module>"} <= labels(stats)


def test_tracer_is_in_no_row(tmp_path):
    has_all = Profiler().backend == "monitoring"
    for options in ((), ("--all-builtins",) * has_all):
        stats, _ = recorded(tmp_path, LOOP, *options)
        expected = {"load", "train_step", "helper", "main", "<module>"}
        assert labels(stats) - expected <= {"<built-in method builtins.sum>", "range"}


def test_the_step_function_is_called_by_its_caller(tmp_path):
    stats, _ = recorded(tmp_path, LOOP)
    (label,) = [label for label in stats.stats if label[2] == "train_step"]
    assert [caller[2] for caller in stats.stats[label][4]] == ["main"]


# -- Which functions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "called"),
    [
        ("lib.train_step", "train_step"),
        ("lib.train_step", "lib.train_step"),
        ("lib.Trainer.method", "Trainer().method"),
        ("lib.Trainer.by_class", "Trainer.by_class"),
        ("lib.Trainer.by_class", "Trainer().by_class"),
        ("lib.Trainer.alone", "Trainer.alone"),
        ("lib.Trainer.alone", "lib.Trainer().alone"),
        ("lib.Trainer.Inner.method", "Trainer.Inner().method"),
        ("lib.Heir.method", "lib.Heir().method"),
    ],
)
def test_functions_of_a_module(tmp_path, function, called):
    write(tmp_path / "lib.py", f"{MODULE}\nclass Heir(Trainer): pass\n")
    stats, said = recorded(tmp_path, USER.format(called), function=function)
    assert (said, numbers(stats), calls_of(stats, "helper")) == ("", CHOSEN, 6)


@pytest.mark.parametrize(
    ("function", "called"),
    [
        ("train_step", "train_step"),
        ("__main__.train_step", "train_step"),
        ("program.train_step", "train_step"),
        ("Trainer.method", "Trainer().method"),
        ("__main__.Trainer.by_class", "Trainer.by_class"),
        ("program.Trainer.alone", "Trainer.alone"),
        ("Trainer.Inner.method", "Trainer.Inner().method"),
    ],
)
def test_functions_of_the_program_itself(tmp_path, function, called):
    program = f"{MODULE}\nfor number in range(20):\n    {called}([number])\n"
    stats, said = recorded(tmp_path, program, function=function)
    assert (said, numbers(stats), calls_of(stats, "helper")) == ("", CHOSEN, 6)


def test_functions_within_functions_of_the_program(tmp_path):
    program = """
def main():
    if True:
        try:
            def step(number):
                return abs(number)
        finally:
            pass
    for number in range(20):
        step(number)
main()
"""
    stats, said = recorded(tmp_path, program, function="main.<locals>.step")
    assert (said, numbers(stats), calls_of(stats, "step")) == ("", CHOSEN, 6)


def test_functions_of_submodules(tmp_path):
    write(tmp_path / "package" / "__init__.py", "from package.trainer import train_step\n")
    write(tmp_path / "package" / "trainer.py", MODULE)
    program = "import package\nfor number in range(20): package.train_step([number])\n"
    for function in ("package.trainer.train_step", "package.train_step"):
        stats, said = recorded(tmp_path, program, function=function)
        assert (said, numbers(stats)) == ("", CHOSEN)


def test_functions_of_a_program_that_is_a_module(tmp_path):
    write(tmp_path / "package" / "__init__.py", "")
    write(tmp_path / "package" / "program.py", LOOP)
    write(tmp_path / "package" / "__main__.py", LOOP)
    for words in (("package.program", "train_step"), ("package", "__main__.train_step")):
        module, function = words
        names = (function, f"{module}.train_step") if "." in module else (function,)
        for name in names:
            options = ("--steps", SCHEDULE, "--step-function", name, "-o", "out.prof")
            good(*options, "-m", module, cwd=tmp_path)
            assert numbers(tracer.Stats(tmp_path / "out.prof")) == CHOSEN


def test_functions_of_standard_input_and_of_a_folder(tmp_path):
    write(tmp_path / "folder" / "__main__.py", LOOP)
    options = ("--steps", SCHEDULE, "--step-function", "train_step", "-o", "out.prof")
    for program, stdin in (("-", LOOP.encode()), ("folder", b"")):
        good(*options, program, stdin=stdin, cwd=tmp_path)
        assert numbers(tracer.Stats(tmp_path / "out.prof")) == CHOSEN


def test_functions_that_were_imported_before_the_program(tmp_path):
    program = "import os\nfor number in range(20): os.path.join('a', 'b')\n"
    stats, said = recorded(tmp_path, program, function=f"{os.path.__name__}.join")
    assert (said, numbers(stats), calls_of(stats, "join")) == ("", CHOSEN, 6)


def test_builtin_functions_and_other_callables(tmp_path):
    write(
        tmp_path / "lib.py",
        "import functools\n"
        "class Call:\n    def __call__(self, *given): return given\n"
        "call = Call()\npart = functools.partial(max, 1)\nbiggest = max\n"
        "class Trainer:\n    call = Call()\n    @functools.lru_cache\n"
        "    def cached(self, n): return n\n",
    )
    for name in ("call", "part", "biggest", "Trainer.call", "Trainer.cached"):
        called = f"lib.{name}".replace("Trainer", "Trainer()")
        program = f"import lib\nfor number in range(20): {called}([number] and number)\n"
        program = program.replace(
            "[number] and number", "number, 1" if name == "biggest" else "number"
        )
        stats, said = recorded(tmp_path, program, function=f"lib.{name}")
        assert (name, said, numbers(stats)) == (name, "", CHOSEN)


# -- Kinds of functions ---------------------------------------------------------------------------


def test_coroutine_functions(tmp_path):
    program = """
import asyncio

async def train_step(number, depth=1):
    await asyncio.sleep(0)
    if depth:
        await train_step(number, depth - 1)
    return work()

def work(): return 1

async def main():
    for number in range(20):
        await train_step(number)

asyncio.run(main())
"""
    stats, said = recorded(tmp_path, program)
    assert (said, numbers(stats)) == ("", CHOSEN)
    assert calls_of(stats, "train_step") == calls_of(stats, "work") == 12


def test_calls_of_tasks_at_once_are_a_step_each(tmp_path):
    program = """
import asyncio
async def train_step(number):
    await asyncio.sleep(0)

async def main():
    await asyncio.gather(*map(train_step, range(20)))
asyncio.run(main())
"""
    stats, said = recorded(tmp_path, program, steps=None)
    assert (said, numbers(stats)) == ("", list(range(20)))


def test_a_step_that_starts_the_task_of_the_next_one(tmp_path):
    program = """
import asyncio
async def train_step(number):
    if number:
        asyncio.create_task(train_step(number - 1))
    else:
        done.set()

async def main():
    global done
    done = asyncio.Event()
    asyncio.create_task(train_step(19))
    await done.wait()
    await asyncio.sleep(0)
asyncio.run(main())
"""
    stats, said = recorded(tmp_path, program, steps=None)
    assert (said, numbers(stats)) == ("", list(range(20)))


@pytest.mark.parametrize("delegates", [False, True])
def test_generator_functions(tmp_path, delegates):
    program = f"""
def train_step(number, depth={int(delegates)}):
    yield number
    if depth:
        yield from train_step(number, 0)
    work()

def work(): pass

kept = train_step(0)
next(kept)  # it never ends
del kept    # but here
for number in range(19):
    for item in train_step(number):
        pass
"""
    stats, said = recorded(tmp_path, program)
    assert (said, numbers(stats)) == ("", CHOSEN)
    assert calls_of(stats, "work") == 6 * (1 + delegates)


def test_a_generator_that_never_ends_is_not_around_the_others(tmp_path):
    program = """
def train_step(number):
    yield number

kept = train_step(0)
next(kept)
for number in range(20):
    list(train_step(number))
"""
    stats, _ = recorded(tmp_path, program)
    assert numbers(stats) == CHOSEN


def test_async_generator_functions(tmp_path):
    program = """
import asyncio
async def train_step(number):
    yield number
    await asyncio.sleep(0)
    yield number

async def main():
    for number in range(20):
        async for item in train_step(number):
            pass
asyncio.run(main())
"""
    stats, said = recorded(tmp_path, program)
    assert (said, numbers(stats)) == ("", CHOSEN)


def test_calls_that_raise_end_a_step(tmp_path):
    program = """
def train_step(number):
    if number % 2:
        raise KeyError(number)

for number in range(20):
    try:
        train_step(number)
    except KeyError as error:
        assert error.args == (number,)
"""
    stats, said = recorded(tmp_path, program)
    assert (said, numbers(stats), calls_of(stats, "train_step")) == ("", CHOSEN, 6)


def test_the_outermost_call_alone_counts(tmp_path):
    program = """
def train_step(depth):
    if depth:
        train_step(depth - 1)

for number in range(20):
    train_step(3)
"""
    stats, said = recorded(tmp_path, program)
    assert (said, numbers(stats), calls_of(stats, "train_step")) == ("", CHOSEN, 24)


def test_the_thread_of_the_first_call_alone_counts(tmp_path):
    program = """
import threading
def train_step(number):
    return work()
def work(): pass

def loop(steps):
    for number in range(steps):
        train_step(number)

for steps in (20, 30):
    thread = threading.Thread(target=loop, args=(steps,), name=f"loop of {steps}")
    thread.start()
    thread.join()
train_step(0)
"""
    stats, said = recorded(tmp_path, program)
    assert (said, numbers(stats), calls_of(stats, "work")) == ("", CHOSEN, 6)


def test_a_thread_goes_on_when_the_program_s_own_code_is_over(tmp_path):
    program = """
import threading, time
def train_step(number):
    time.sleep(0.001)

def loop():
    threading.main_thread().join()
    for number in range(20):
        train_step(number)
threading.Thread(target=loop).start()
"""
    stats, said = recorded(tmp_path, program)
    assert (said, numbers(stats), calls_of(stats, "train_step")) == ("", CHOSEN, 6)
