"""Starting programs from the tests: plainly, and under `python -m tracer`.

Both take the same words and options, so that a test can hold one beside the other.
"""

import errno
import os
import pty
import re
import subprocess
import sys
import termios

from forked import forked

# These verbs run no program, and nothing of theirs depends on how their process began.
READING = ("show", "diff", "merge", "export", "html")
IN_FORKS = {"cwd", "stdin"}  # the options that forked() has


def environment(**changes):
    """The tests' own environment, without what makes a Python program run differently."""
    ours = ("COLUMNS", "PYTHONUNBUFFERED", "PYTHONINSPECT", "PYTHONSAFEPATH")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHON_COLORS": "0", **changes}


def start(*words, flags=(), **options):
    """A Popen of this interpreter with pipes for its standard streams."""
    options = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "env": environment(),
        **options,
    }
    return subprocess.Popen([sys.executable, *flags, *words], **options)


def plain(*words, stdin=b"", **options):
    """Run `python WORDS` to its end: a CompletedProcess with bytes."""
    with start(*words, **options) as process:
        try:
            stdout, stderr = process.communicate(stdin, timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()  # otherwise leaving the block waits for ever
            raise
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


def traced(*words, **options):
    """Run `python -m tracer WORDS` to its end; in a fork of this process where that is the same."""
    if words and words[0] in READING and options.keys() <= IN_FORKS:
        return forked(words, environment(), **options)
    return plain("-m", "tracer", *words, **options)


def good(*words, **options):
    """What `python -m tracer WORDS` prints, where nothing is wrong."""
    found = traced(*words, **options)
    assert (found.stderr, found.returncode) == (b"", 0)
    return found.stdout.decode()


def ncalls_in(text):
    """{function: ncalls} of a table of functions, as printed."""
    above, table = text.split("filename:lineno(function)\n")
    columns = len(above.splitlines()[-1].split())  # one more where threads waited
    lines = [line.split(maxsplit=columns) for line in table.splitlines() if line]
    return {line[-1]: line[0] for line in lines}


def refused(*words, **options):
    """The one line that `python -m tracer WORDS` answers with, without the name before it."""
    alike = options.keys() <= IN_FORKS
    found = forked(words, environment(), **options) if alike else traced(*words, **options)
    line = found.stderr.decode()
    assert (found.stdout, found.returncode) == (b"", 2)
    assert line.startswith("tracer: ") and line.count("\n") == 1, line
    return line[len("tracer: ") : -1]


def on_terminal(stream, *words, columns=None, **options):
    """Run `python WORDS` with a terminal as its "stdout" or "stderr": what it shows, the status."""
    terminal, end = pty.openpty()
    if columns is not None:
        termios.tcsetwinsize(end, (24, columns))
    with start(*words, **{stream: end}, **options) as process:
        os.close(end)
        shown = b""
        try:
            while data := os.read(terminal, 4096):
                shown += data
        except OSError as error:
            assert error.errno == errno.EIO  # how a terminal says that it has ended
    os.close(terminal)
    return shown.replace(b"\r\n", b"\n"), process.returncode


def masked(data):
    """Output without what differs from run to run: addresses, counts of references."""
    return re.sub(rb"0x[0-9a-f]+|(?<=refcount : )\d+", b"...", data)


def write(path, text):
    """Write a program and return its path, for use on a command line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
