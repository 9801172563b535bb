"""Programs that would notice what goes on beside them: a thread of --live or of --save-every, which
the tests of both run them with; and how one is run with --live. Each begins with LEAF.
"""

import re
from contextlib import contextmanager

from launch import environment, plain, start, write

LEAF = "import os, sys, threading, time\ndef leaf(): pass\nleaf()\n"
ENDLESS = LEAF + "while True: leaf(); time.sleep(0.001)\n"

# Programs that print the same as without tracer.
CURIOUS = [
    "print(len(threading.enumerate()), threading.active_count())",
    "import signal\nprint(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())))",
    "import multiprocessing\nc = multiprocessing.get_context('fork')\n"
    "with c.Pool(2) as p: print(p.map(abs, [-1, -2]))",
    "import subprocess\nprint(subprocess.run(['true'], preexec_fn=leaf).returncode)",
    "import atexit\natexit._clear()\nprint('no last words')",
]

# Calls leaf() 50 times. The interpreter warns of forks in a process with threads.
FORKS = """
for number in range(50):
    child = os.fork()
    if child == 0:
        leaf()
        assert threading.active_count() == 1
        if number % 2:
            os._exit(3)
        sys.exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    leaf()
"""

ADDRESS = re.compile(
    r"tracer: live at http://([^ ]+):(\d+)(/[0-9a-f]{32}/) while the program runs\n"
)
# Says that there is a screen, so that only the address is told.
SCREEN = {"DISPLAY": ":0"}


@contextmanager
def running(folder, program=ENDLESS, *options, live="--live", **more):
    """(process, port, path) of a program that runs with --live."""
    write(folder / "program.py", program)
    words = ["-m", "tracer", live, *options, "program.py"]
    with start(*words, cwd=folder, env=environment(**SCREEN), **more) as process:
        try:
            line = process.stderr.readline().decode()
            found = ADDRESS.fullmatch(line)
            assert found, line
            yield process, int(found[2]), found[3]
        finally:
            process.kill()


def without_threads(*words, **options):
    """The command with these words, where no thread is to be had: as plain() gives it."""
    program = (
        "import _thread, sys\n"
        "def refuse(*args): raise RuntimeError('no more threads')\n"
        "_thread.start_new_thread = refuse\n"
        "from tracer.cli.main import main\n"
        "raise SystemExit(main(sys.argv[1:]))\n"
    )
    return plain("-c", program, *words, **options)
