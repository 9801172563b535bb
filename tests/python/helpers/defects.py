"""What is wrong with cProfile: a program a defect, with a question in its doc string.

A program takes the name of a profiler, "cProfile" or "tracer", and returns what that profiler has
to answer. `python defects.py PROGRAM PROFILER` runs a program in its own process, which the program
may crash, and prints the answer. test_defects.py has the table of them all, and what is true.
Nothing in here imports tracer where cProfile is asked.
"""

import _thread
import collections
import contextlib
import dataclasses
import functools
import gc
import importlib
import operator
import pstats
import resource
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from launch import plain

MARK = "nothing_is_off"


def new(tool, *args, **options):
    """A Profile of the profiler with this name."""
    return importlib.import_module(tool).Profile(*args, **options)


def everything(tool):
    """The options by which the profiler records all that it can."""
    return {} if tool == "cProfile" else {"builtins": "all"}


def stats(tool, profile, **options):
    """The Stats in which users of the profiler look at a profile."""
    module = importlib.import_module("pstats" if tool == "cProfile" else tool)
    return module.Stats(profile, **options)


class Row(NamedTuple):
    calls: int
    callers: dict  # {name: calls}, of those who called
    tottime: float
    cumtime: float


def rows(profile):
    """{name: Row}"""
    profile.create_stats()
    return {
        label[2]: Row(calls, {by[2]: n for by, (n, *_) in callers.items() if n}, *times)
        for label, (_, calls, *times, callers) in profile.stats.items()
    }


def calls_in(stats, name):
    """How often a function was called."""
    return sum(row[1] for label, row in stats.items() if label[2] == name)


def calls(profile, name):
    profile.create_stats()
    return calls_in(profile.stats, name)


def leaf():
    pass


# -- Threads -----------------------------------------------------------------------------------


def callers_in_two_threads(tool):
    """Two threads in turns, ten times: `a` calls leaf_a, `b` calls leaf_b. Who called whom?"""

    def leaf_a():
        pass

    def leaf_b():
        pass

    def a():
        for _ in range(10):
            turn_of_a.acquire()
            leaf_a()
            turn_of_b.release()

    def b():
        for _ in range(10):
            turn_of_b.acquire()
            leaf_b()
            turn_of_a.release()

    turn_of_a, turn_of_b = _thread.allocate_lock(), _thread.allocate_lock()
    turn_of_b.acquire()
    with new(tool) as profile:
        in_threads(a, b)
    found = rows(profile)
    return {name: found[name].callers for name in ("leaf_a", "leaf_b") if name in found}


def in_threads(*functions):
    threads = [threading.Thread(target=function, name=function.__name__) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def calls_in_other_threads(tool):
    """Three threads call leaf, one after another: how often?"""
    with new(tool) as profile:
        for _ in range(3):
            in_threads(leaf)
    return calls(profile, "leaf")


def figures_of_each_thread(tool):
    """`one` calls leaf twice, `two` once, each in a thread: how often in each?"""

    def one():
        leaf()
        leaf()

    def two():
        leaf()

    with new(tool) as profile:
        in_threads(one, two)
    threads = getattr(stats(tool, profile), "threads", None)
    if threads is None:
        return f"all in one: {calls(profile, 'leaf')}"
    return {name: calls_in(threads[name].stats, "leaf") for name in ("one", "two")}


# -- Functions that share a label --------------------------------------------------------------


def two_lambdas_on_a_line(tool):
    """Of two lambdas on a line one is called once, the other ten times: how often together?"""
    one, two = lambda: 1, lambda: 2
    with new(tool) as profile:
        one()
        for _ in range(10):
            two()
    return calls(profile, "<lambda>")


def methods_of_dataclasses(tool):
    """Two dataclasses are made 10 and 100 times: how often does an __init__ run?"""
    one, two = (dataclasses.make_dataclass(name, ["x"]) for name in ("One", "Two"))
    with new(tool) as profile:
        for _ in range(10):
            one(0)
        for _ in range(100):
            two(0)
    return calls(profile, "__init__")


def code_run_twice(tool):
    """A source is run twice, and the function in it called once, then ten times: how often?"""
    with new(tool) as profile:
        for times in 1, 10:
            namespace = {}
            exec(compile("def made(): pass", "made.py", "exec"), namespace)
            for _ in range(times):
                namespace["made"]()
    return calls(profile, "made")


def builtins_of_one_name(tool):
    """dict.fromkeys is called once, OrderedDict.fromkeys ten times: how often together?"""
    with new(tool) as profile:
        dict.fromkeys("ab")
        for _ in range(10):
            collections.OrderedDict.fromkeys("ab")
    return calls(profile, "<built-in method fromkeys>")


def qualified_names(tool):
    """Reader.read is called once, Writer.read twice: what are the rows called?"""

    class Reader:
        def read(self):
            pass

    class Writer:
        def read(self):
            pass

    with new(tool) as profile:
        Reader().read()
        Writer().read()
        Writer().read()
    options = {} if tool == "cProfile" else {"names": "qualname"}
    return {
        label[2].rpartition("<locals>.")[2]: row[1]
        for label, row in stats(tool, profile, **options).stats.items()
        if "read" in label[2]
    }


# -- The command -------------------------------------------------------------------------------


def run_command(tool, program):
    """Run a program by the profiler's command: its exit status, and how often the profile that it
    left says that `work` was called."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.py").write_text("def work(): pass\nwork()\n" + program)
        ended = plain("-m", tool, "-o", "profile.out", "program.py", cwd=folder)
        try:
            found = pstats.Stats(f"{folder}/profile.out").stats
        except OSError:
            return ended.returncode, "no profile"
    return ended.returncode, calls_in(found, "work")


def exit_status(tool):
    """A program ends by sys.exit(3): what are the exit status, and the calls of `work`?"""
    return run_command(tool, "import sys\nsys.exit(3)\n")


def death_by_sigterm(tool):
    """A program is ended by SIGTERM: what are the exit status, and the calls of `work`?"""
    return run_command(tool, "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")


def end_by_os_exit(tool):
    """A program ends by os._exit(4): what are the exit status, and the calls of `work`?"""
    return run_command(tool, "import os\nos._exit(4)\n")


# -- Starting and ending -----------------------------------------------------------------------


def two_profilers(tool):
    """Two profiles are enabled, one within the other: how often does each see leaf?"""
    one, two = new(tool), new(tool)
    try:
        with one:
            leaf()
            with two:
                leaf()
            leaf()
    except ValueError as error:
        return f"ValueError: {error}"
    return calls(one, "leaf"), calls(two, "leaf")


def enabled_in_the_middle(tool):
    """`outer` enables after 1 s, takes 2 s, calls an `inner` of 4 s, takes 8 s: what is counted?"""

    def outer():
        clock.now += 1
        profile.enable()
        clock.now += 2
        inner()
        clock.now += 8
        profile.disable()

    def inner():
        clock.now += 4

    clock = SimpleNamespace(now=0)
    profile = new(tool, lambda: clock.now, 1.0)
    outer()
    found = rows(profile)
    return {name: tuple(found[name]) for name in ("outer", "inner") if name in found}


def dropped_while_enabled(tool):
    """A profile is deleted while it is enabled: what does it leave registered?"""
    profile = new(tool)
    profile.enable()
    del profile
    gc.collect()
    return left_registered()


def failed_to_enable(tool):
    """The interpreter refuses the third callback: what stays registered, and can others go on?"""

    def refuse_the_third(*args):
        nonlocal count
        count += 1
        if count == 3:
            raise OSError("no more callbacks")
        return register(*args)

    count = 0
    register = sys.monitoring.register_callback
    failing, profile = new(tool), new(tool)
    sys.monitoring.register_callback = refuse_the_third
    with contextlib.suppress(Exception):
        failing.enable()
    sys.monitoring.register_callback = register
    failing.disable()
    left = left_registered()
    try:
        with profile:
            leaf()
    except ValueError as error:
        return left, f"ValueError: {error}"
    return left, calls(profile, "leaf")


def left_registered():
    left = [] if sys.getprofile() is None else ["a profile function"]
    if sys.version_info >= (3, 12):
        events = vars(sys.monitoring.events).values()
        single = [event for event in events if isinstance(event, int) and event.bit_count() == 1]
        for tool_id in range(6):
            if sys.monitoring.get_tool(tool_id) is not None:
                left.append(f"tool id {tool_id}")
            found = [sys.monitoring.register_callback(tool_id, event, None) for event in single]
            # The mark that tracer leaves on a free id is never called: see ext/interp/tool.h.
            if {getattr(callback, "__name__", "") for callback in found if callback} - {MARK}:
                left.append("callbacks")
    return left


def timer_that_clears(tool):
    """A timer clears the profile when it is read again; leaf is called twice: how often?"""

    class Time:
        def __index__(self):
            nonlocal count
            count += 1
            if count == 2:
                with contextlib.suppress(RuntimeError):
                    profile.clear()
            return 0

    count = 0
    profile = new(tool, Time)
    with profile:
        leaf()
        leaf()
    return calls(profile, "leaf")


# -- Functions in C ----------------------------------------------------------------------------


def events_without_builtins(tool):
    """Profiled with builtins=False: which events of functions in C does it have reported?"""
    profile = new(tool)
    profile.enable(builtins=False)
    used = [tool_id for tool_id in range(6) if sys.monitoring.get_tool(tool_id) is not None]
    found = [
        name
        for name in ("CALL", "C_RETURN", "C_RAISE")
        for tool_id in used
        if sys.monitoring.get_events(tool_id) & getattr(sys.monitoring.events, name)
    ]
    profile.disable()
    return found


def calls_of_c_callables(tool):
    """How often were a type, a partial, an itemgetter and a slot wrapper called?"""
    partial, item = functools.partial(leaf), operator.itemgetter(0)
    with new(tool, **everything(tool)) as profile:
        set("ab")
        for _ in range(2):
            partial()
        for _ in range(3):
            item("ab")
        for _ in range(4):
            int.__add__(1, 2)
    found = rows(profile).items()
    words = "'set'", "partial", "itemgetter", "__add__"
    return {word: sum(row.calls for name, row in found if word in name) for word in words}


def time_of_a_c_callable(tool):
    """`outer` takes 1 s and calls a partial, in which C code takes 4 s: whose time is that?"""

    def outer():
        clock.now = 1
        pass_4_seconds()

    clock = SimpleNamespace(now=0)
    pass_4_seconds = functools.partial(setattr, clock, "now", 5)
    with new(tool, lambda: clock.now, 1.0, **everything(tool)) as profile:
        outer()
    found = rows(profile).items()
    words = "outer", "partial"
    return {word: sum(row.tottime for name, row in found if word in name) for word in words}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # programs that crash leave no file
    _, name, tool = sys.argv
    print(repr(globals()[name](tool)))
