"""Programs that a defect would crash or hang, and so have a process each.

What they share is PRELUDE: a function to call, what a profile must still do in the end, and how to
run something in a forked child or in an interpreter of its own.
"""

import os
import subprocess
import sys
from textwrap import dedent

from launch import environment

PRELUDE = f"""
import gc, os, sys, threading, time
sys.path.append({os.path.dirname(__file__)!r})
import tracer
from hooks import held

def leaf():
    pass

def calls(profile):
    return sum(entry.callcount for entry in profile.getstats() if entry.code is leaf.__code__)

def still_works(profile):
    assert not profile.enabled
    assert held() == []
    before = calls(profile)
    with profile:
        leaf()
    assert calls(profile) == before + 1
    assert held() == []

def in_a_child(function, *arguments):
    '''What wait() says of a forked child that calls a function, and tells what that raises: 0, when
    it raises nothing.'''
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function(*arguments)
            status = 0
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]

def in_an_interpreter(source, isolated):
    '''The whole life of an interpreter that runs a program; isolated: with a lock of its own, from
    3.12 on.'''
    if sys.version_info >= (3, 13):
        import _interpreters as interpreters
        interpreter = interpreters.create("isolated" if isolated else "legacy")
        failure = interpreters.exec(interpreter, source)
        assert failure is None, failure
    else:
        import _xxsubinterpreters as interpreters
        interpreter = interpreters.create(isolated=isolated)
        interpreters.run_string(interpreter, source)
    interpreters.destroy(interpreter)
"""


def survives(program, flags=(), **variables):
    """Assert that a program comes to its end, with nothing to report. `flags` are of the
    interpreter, `variables` of its environment."""
    ended = subprocess.run(
        [sys.executable, *flags, "-X", "faulthandler", "-c", PRELUDE + dedent(program)],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=400,  # under ASan, on a busy machine
    )
    assert (ended.returncode, ended.stderr) == (0, ""), (
        f"status {ended.returncode}:\n{ended.stderr}"
    )
