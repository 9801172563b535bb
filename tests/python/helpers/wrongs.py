"""What line_profiler gets wrong: a small program for each error, whose true figures are known.

    python tests/python/helpers/wrongs.py

prints what the installed line_profiler says of them. A program is a function of call(), which calls
what is profiled as its user does. Whoever runs the programs says how long a unit of spend() is.
"""

import asyncio
import sys
import threading
import time

UNIT = 0.002  # seconds, of line_profiler's runs


def spend(units):
    time.sleep(units * UNIT)


# -- A line in the depth of a recursion ------------------------------------------------------------


def bottom(depth):
    if depth > 0:
        bottom(depth - 1)
    else:
        spend(100)


def recursion(call):
    call(bottom, 250)


# -- A call over several lines ---------------------------------------------------------------------


def add(*numbers):
    return sum(numbers)


def spread(times):
    for _ in range(times):
        add(
            1,
            add(2, 3),
            add(4),
        )


def several_lines(call):
    call(spread, 10)


# -- What is awaited -------------------------------------------------------------------------------


async def waits():
    spend(1)
    await pause(9)
    spend(1)


async def pause(units):
    loop = asyncio.get_running_loop()
    done = loop.create_future()

    def end():
        spend(units)
        done.set_result(None)

    loop.call_soon(end)
    await done


def awaited(call):
    asyncio.run(call(waits))


# -- A thread that got the function before it was decorated ----------------------------------------


def work(units):
    spend(units)


def threads(call):
    thread = threading.Thread(target=work, args=(4,))
    call(work, 1)
    thread.start()
    thread.join()


# -- All of them -----------------------------------------------------------------------------------

PROGRAMS = {  # {program: the function that is profiled}
    recursion: bottom,
    several_lines: spread,
    awaited: waits,
    threads: work,
}


def lines_by_line_profiler(program, function):
    """[(line from the def on, hits, units)]"""
    from line_profiler import LineProfiler

    profiler = LineProfiler()
    decorated = profiler(function)
    if program is recursion:  # bottom() calls itself by this name
        globals()[function.__name__] = decorated
    program(lambda _, *arguments: decorated(*arguments))
    stats = profiler.get_stats()
    [(label, lines)] = stats.timings.items()
    return [(line - label[1], hits, ticks * stats.unit / UNIT) for line, hits, ticks in lines]


if __name__ == "__main__":
    import line_profiler

    print(f"line_profiler {line_profiler.__version__}, Python {sys.version.split()[0]}")
    for program, function in PROGRAMS.items():
        print(program.__name__)
        for line, hits, units in lines_by_line_profiler(program, function):
            print(f"    def + {line}: {hits} hits, {units:.1f} units")
