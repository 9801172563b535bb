"""However a program ends, what its frames hold is freed when plain Python frees it."""

import pytest

from launch import masked, plain, write

# Ends of a program whose innermost call holds an object that says when it is freed.
HOLDS = """
import atexit, sys, weakref

class Held:
    def __del__(self):
        print("freed while modules work" if "os" in sys.modules else "freed late", flush=True)

def generator(held):
    try:
        yield
    finally:
        print("closed", flush=True)

atexit.register(print, "at exit", flush=True)

def work():
    held, running, other = Held(), generator(None), Held()
    weakref.finalize(other, print, "finalized")
    next(running)
    {end}

work()
"""
ENDS = {
    "returns": "return",
    "exit 0": "sys.exit(0)",
    "exit message": "sys.exit('a message')",
    "exit of an own class": "class E(SystemExit): pass\n    raise E(5)",
    "exit in a handler": "try: 1 / 0\n    except ZeroDivisionError: sys.exit(4)",
    "exit from another": "try: 1 / 0\n    except ArithmeticError as e: raise SystemExit(4) from e",
    "exit in finally": "try: 1 / 0\n    finally: sys.exit(4)",
    "exit of argparse": "import argparse; argparse.ArgumentParser().parse_args(['--no'])",
    "exit in asyncio": "import asyncio\n    async def f(): sys.exit(3)\n    asyncio.run(f())",
    "exit by hook": "sys.excepthook = lambda *error: sys.exit(9)\n    1 / 0",
    "error": "1 / 0",
    "error of a group": "raise BaseExceptionGroup('g', [ValueError(1), SystemExit(2)])",
    "interrupt": "raise KeyboardInterrupt",
}


WAYS = {
    "functions": ["tracer", "-o", "profile.out"],
    "lines": ["tracer", "--lines", "-o", "profile.out"],
    "table": ["tracer"],
    "kernprof": ["tracer.compat.kernprof", "-l", "-o", "program.lprof"],
}


def told(run):
    """What the program said on stdout, without what tracer prints there."""
    words = ("freed", "closed", "finalized", "at exit")
    return [line for line in run.stdout.decode().splitlines() if line.startswith(words)]


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("way", WAYS)
def test_what_the_last_frames_hold_is_freed_when_it_is_plainly(tmp_path, way, name):
    """An object may write a file when it is freed: modules must still work then."""
    write(tmp_path / "program.py", HOLDS.replace("{end}", ENDS[name]))
    expected = plain("program.py", cwd=tmp_path)
    found = plain("-m", *WAYS[way], "program.py", cwd=tmp_path)
    assert "at exit" in told(expected)
    assert told(found) == told(expected)
    assert masked(found.stderr).decode() == masked(expected.stderr).decode()
    assert found.returncode == expected.returncode
