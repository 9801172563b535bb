"""`python -m tracer WORDS` in a fork of the process of the tests: for verbs that run no program,
and for refusals. Nothing is imported again: half of the time of a process of its own.

What differs from such a process: modules of the tests are loaded. tests/python/cli/test_verbs.py
holds each verb beside a process of its own.
"""

import gc
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from functools import cache

SECONDS = 300  # a limit that ends what hangs
ROOMS = (
    "analysis",
    "analysis.tree",
    "analysis.outline",
    "analysis.memory",
    "analysis.native",
    "analysis.timeline",
    "analysis.findings",
    "analysis.steps",
    "cli",
    "cli.commands",
    "data",
    "exports",
    "exports.formats",
    "page",
    "report",
)


def forked(words, environ, cwd=None, stdin=b""):
    """A CompletedProcess with bytes, as launch.plain() has it."""
    load()
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin)
        given.seek(0)
        pid = os.fork()
        if not pid:
            child([os.fspath(word) for word in words], environ, cwd, (given, out, err))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess(words, status, out.read(), err.read())


@cache
def load():
    """Loads here, once, what verbs load."""
    for room in ROOMS:
        package = importlib.import_module(f"tracer.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")


def child(words, environ, cwd, files):
    """Does not return: it is the fork."""
    status = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", 1, "utf-8", "backslashreplace", closefd=False)
        signal.alarm(SECONDS)
        gc.callbacks.clear()
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        os.environ.clear()
        os.environ.update(environ)
        if cwd is not None:
            os.chdir(cwd)
        status = ended(words)
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def ended(words):
    """The exit status of the words' verb."""
    from tracer.cli.main import main

    sys.argv = ["tracer", *words]
    try:
        return main(words, "python -m tracer")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
