"""--save-every: the profile is on disk while the program runs, and the program notices nothing.

Whole programs run here; test_autosave.py has the saving thread itself.
"""

import os
import pstats
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tracer
from launch import plain, start, traced, write
from outfiles import SAVED, own_rows
from tracer._core import Profiler
from tracer.analysis.tree.call_tree import paths_of
from tracer.launch.run_section import RunSection
from unnoticed import CURIOUS, FORKS, LEAF, without_threads

SAVING = ("-o", "profile.out", "--save-every", "0.01")
# Until the profile has been saved in between, for as long as a busy machine may take.
UNTIL_SAVED = "while not os.path.exists('profile.out'): time.sleep(0.001)\n"
# Until something was said on standard error, which is a file: see heard().
UNTIL_SAID = "while not os.fstat(2).st_size: time.sleep(0.001)\n"


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def leaf_calls(path):
    stats = tracer.Stats(path)
    assert not stats.problems
    assert not own_rows(stats.stats)
    return sum(row[1] for label, row in stats.stats.items() if label[2] == "leaf")


def saved(folder, program, *flags, status=0, **options):
    """The standard output of a program that runs with --save-every and says nothing on stderr."""
    write(folder / "program.py", LEAF + program)
    found = traced(*SAVING, "program.py", cwd=folder, flags=flags, **options)
    assert (found.stderr, found.returncode) == (b"", status)
    assert not list(folder.glob(".tracer-*"))
    return found.stdout


def heard(folder, *words):
    """What is said on standard error, a file, and the status."""
    with (folder / "stderr").open("w+b") as file:
        found = traced(*words, cwd=folder, stderr=file)
    return (folder / "stderr").read_bytes(), found.returncode


# -- What is saved ---------------------------------------------------------------------------


def test_profile_is_there_while_the_program_runs_and_whole_at_the_end(folder):
    program = UNTIL_SAVED + "os.rename('profile.out', 'between')\nleaf()\n" + UNTIL_SAVED + "leaf()"
    saved(folder, program)
    assert leaf_calls(folder / "between") <= 1  # none, when the first save was very early
    assert leaf_calls(folder / "profile.out") == 3
    [between] = tracer.Stats(folder / "between").captures
    [last] = tracer.Stats(folder / "profile.out").captures
    assert between.run.command == last.run.command == ("program.py",)
    assert 0 < between.run.real < last.run.real
    assert [thread.name for thread in last.threads] == ["MainThread"]


class Waiting(Profiler):
    """A Profiler whose snapshot has to wait for the interpreter, while the program goes on."""

    def snapshot(self, **options):
        """Waits for longer than all took that was before."""
        began = time.perf_counter()
        while (waited := time.perf_counter() - began) < 0.2 + 2 * (began - self.clock):
            abs(1)
        self.waited = waited
        return super().snapshot(**options)


@pytest.mark.parametrize("over", [False, True])
def test_no_thread_took_longer_than_the_run(over):
    profile = Waiting()
    made = RunSection(profile, None, ["x.py"], keeps_sources=False, reads_files=False)
    made.start_clock()
    profile.clock = made.clock
    profile.enable()
    if over:
        profile.disable()
    section = made.make("", is_over=over)
    profile.disable()
    capture = tracer.Capture(section, tracer.RunInfo(**section["run"]))
    [main] = [it for it in capture.threads if it.ident == threading.get_ident()]
    taken = sum(row[2] for row in capture.figures(thread=main).stats.values())
    assert (taken < profile.waited, capture.run.real < profile.waited) == (over, over)
    assert 0 < taken <= capture.run.real


def test_a_section_tells_how_many_processors_the_machine_has(monkeypatch):
    """As the run began: a program may replace the function that counts them."""
    monkeypatch.setattr("os.cpu_count", lambda: 48)
    made = RunSection(Profiler(), None, ["x.py"], keeps_sources=False, reads_files=False)
    made.start_clock()
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert made.make("", is_over=True)["run"]["processors"] == 48


def test_a_file_that_was_saved_before_the_end_says_so(folder):
    """A SIGKILL leaves such a file: how the run ended is not known."""
    write(folder / "program.py", f"{LEAF}{UNTIL_SAVED}os.kill(os.getpid(), 9)\n")
    found = traced(*SAVING, "program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (b"", -signal.SIGKILL)
    (capture,) = tracer.Stats(folder / "profile.out").captures
    assert capture.run.ended == "saved while the program ran"
    shown = traced("show", "profile.out", cwd=folder).stdout.decode()
    assert "     ended  not known: saved while the program ran\n" in shown
    saved(folder, UNTIL_SAVED)
    (capture,) = tracer.Stats(folder / "profile.out").captures
    assert capture.run.ended == ""


@pytest.mark.parametrize("more", [[], ["--timeline"]])
def test_collections_of_a_killed_run_are_kept(folder, more):
    """The first file to come may be of a moment before them."""
    saved_anew = f"os.path.exists('profile.out') and os.unlink('profile.out')\n{UNTIL_SAVED}"
    program = f"import gc\ngc.disable()\ngc.collect()\ngc.collect()\n{saved_anew * 2}"
    write(folder / "program.py", f"{LEAF}{program}os.kill(os.getpid(), 9)\n")
    found = traced(*SAVING, *more, "program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (b"", -signal.SIGKILL)
    paths = paths_of(tracer.Stats(folder / "profile.out"))
    (one,) = (
        it for it in paths.collected(lambda row: True) if "gc.collect" in paths.rows[it.row].name
    )
    assert one.number == 2
    assert one.time >= one.longest > 0


@pytest.mark.parametrize(
    "end", ["", "os._exit(0)", "sys.exit()", "os.execlp('true', 'true')"], ids=lambda e: e or "end"
)
def test_last_write_wins(folder, end):
    # Saves go on all the time, so some fall together with the end.
    for calls in range(1, 6):
        saved(folder, f"{UNTIL_SAVED}for _ in range({calls}): leaf()\n{end}\n")
        assert leaf_calls(folder / "profile.out") == calls + 1
        (folder / "profile.out").unlink()


def test_signal_while_a_save_may_be_under_way(folder):
    program = UNTIL_SAVED + "os.kill(os.getpid(), 15)\ntime.sleep(10)\n"
    for _ in range(3):
        saved(folder, program, status=-signal.SIGTERM)
        assert leaf_calls(folder / "profile.out") == 1
        (folder / "profile.out").unlink()


def test_nothing_is_saved_before_the_program_begins(folder):
    write(folder / "profile.out", "older")
    with start("-m", "tracer", *SAVING, "-", cwd=folder) as process:
        time.sleep(0.4)  # the program is still being typed
        _, stderr = process.communicate(b"a b\n", timeout=300)
    assert b"SyntaxError" in stderr
    assert (folder / "profile.out").read_text() == "older"


# Saves half of the time, so that a kill finds it at every stage of a write.
EAGER = """
import sys
from tracer.cli.main import main
from tracer.launch import autosave
autosave.REST = 1
main(sys.argv[1:])
"""
ENDLESS = LEAF + "print('ready', flush=True)\nwhile True: leaf()\n"
KILLS = 100


def killed(folder, saves, delay):
    """Kill a run `delay` seconds after so many saves were seen; returns how many were seen."""
    write(folder / "program.py", ENDLESS)
    path = folder / "profile.out"
    words = ["-c", EAGER, "-o", path.name, "--save-every", "0.001", "program.py"]
    calls, inode, seen = 0, 0, 0
    with start(*words, cwd=folder) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            patience = time.monotonic() + 300
            end = None
            while end is None or time.monotonic() < end:
                if end is None and seen >= saves:
                    end = time.monotonic() + delay
                assert time.monotonic() < patience
                time.sleep(0.001)
                if path.exists() and os.stat(path).st_ino != inode:
                    inode = os.stat(path).st_ino
                    before, calls = calls, leaf_calls(path)
                    assert before <= calls
                    seen += 1
        finally:
            process.kill()
        assert process.stderr.read() == b""
    if path.exists():
        assert calls <= leaf_calls(path)
        stats = tracer.Stats(path).stats
        # pstats refuses a profile that was saved before the first call.
        assert not stats or pstats.Stats(str(path)).stats == stats
    assert len(list(folder.glob(".tracer-*"))) <= 1  # what the kill found half-written
    return seen


def test_killed_at_any_moment(tmp_path):
    chance = random.Random(4)
    runs = []
    for number in range(KILLS):
        (tmp_path / str(number)).mkdir()
        runs.append((tmp_path / str(number), number % 4, chance.uniform(0, 0.03)))
    with ThreadPoolExecutor(3) as pool:
        seen = list(pool.map(killed, *zip(*runs, strict=True)))
    assert all(count >= saves for count, (_, saves, _) in zip(seen, runs, strict=True))


# As an event loop that always has something to do: it lets go of the GIL every 2 ms, and takes it
# back at once. It ends when the profile has been saved so often, or says that it gave up.
POLLING = """
import os, select, time
poll = select.poll().poll
began, seen, inode = time.monotonic(), 0, 0
while seen < 10:
    end = time.monotonic() + 0.002
    while time.monotonic() < end: pass
    poll(0)
    now = os.stat("profile.out").st_ino if os.path.exists("profile.out") else 0
    seen, inode = seen + (now != inode), now
    if time.monotonic() - began > 6:
        print(seen, "saves in 6 s")
        break
"""


def test_program_that_polls_is_saved_in_time(folder):
    write(folder / "program.py", POLLING)
    words = [sys.executable, "-c", EAGER, *SAVING, "program.py"]
    found = subprocess.run(words, cwd=folder, capture_output=True, timeout=300)
    assert (found.stdout, found.stderr, found.returncode) == (b"", b"", 0)


# -- What the program notices: nothing -------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        *CURIOUS,
        "def f(): print(threading.active_count())\nt = threading.Thread(target=f)\n"
        "t.start(); t.join(); print(t.name, threading.active_count())",
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {10, 12})\n"
        "os.kill(os.getpid(), 10); print(signal.sigwait({10, 12}))",
        "import gc\nprint(gc.isenabled(), sys.getswitchinterval(), sys.gettrace())",
    ],
)
def test_program_runs_as_it_does_plainly(folder, program):
    output = saved(folder, UNTIL_SAVED + program)
    expected = plain("program.py", cwd=folder)  # profile.out is there already
    assert (output, b"") == (expected.stdout, expected.stderr)


def test_fork_goes_without_a_warning(folder):
    again = "os.unlink('profile.out') if os.path.exists('profile.out') else None\n"
    saved(folder, FORKS + again + UNTIL_SAVED + "leaf()\n", "-W", "always")
    assert leaf_calls(folder / "profile.out") == 52


def test_child_that_lives_on_writes_nothing(folder):
    program = "if os.fork() == 0:\n  while os.getppid() != 1 and not os.path.exists('stop'):\n"
    program += "    leaf()\n    time.sleep(0.01)\n  os._exit(0)\n" + UNTIL_SAVED
    program += "os.unlink('profile.out'); time.sleep(0.1)\nopen('stop', 'w').close(); os.wait()\n"
    saved(folder, program)
    assert leaf_calls(folder / "profile.out") == 1


def test_full_disk_is_said_once(folder, full_disk):
    write(full_disk / "filler", "x")
    path = full_disk / "profile.out"
    write(folder / "program.py", LEAF + UNTIL_SAID + "time.sleep(0.3)\n")
    said, _ = heard(folder, "--save-every", "0.01", "-o", path, "program.py")
    first, last = said.splitlines(keepends=True)
    problem = b"tracer: could not write '%s': No space left on device; " % bytes(path)
    assert first == problem + b"trying again\n"
    assert last.startswith(problem + b"the profile is saved as ")
    rescued = Path(os.fsdecode(SAVED.search(last)[1]))
    assert leaf_calls(rescued) == 1
    rescued.unlink()


def test_folder_that_comes_back(folder):
    program = (
        f"os.rename('sub', 'away')\n{UNTIL_SAID}os.rename('away', 'sub')\n"
        "while not os.path.exists('sub/profile.out'): time.sleep(0.001)\n"
        "os._exit(1)"  # maybe in the middle of another save
    )
    (folder / "sub").mkdir()
    write(folder / "program.py", LEAF + program)
    words = ["--save-every", "0.01", "-o", "sub/profile.out", "program.py"]
    line = b"tracer: could not write 'sub/profile.out': No such file or directory; trying again\n"
    assert heard(folder, *words) == (line, 1)
    assert leaf_calls(folder / "sub/profile.out") == 1


# -- Usage -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--save-every", "1"], "--save-every needs a file to save to: give -o FILE, too"),
        (
            ["--save-every", "1", "-o", "/dev/null"],
            "--save-every cannot write '/dev/null' again and again: it is no regular file; "
            "give another path after -o",
        ),
        *(
            (
                ["-o", "x.out", "--save-every", text],
                f"--save-every {text!r}: give a number of seconds, more than 0",
            )
            for text in ("0", "-1", "often", "nan", "inf", "", "1s")
        ),
    ],
)
def test_refused(folder, words, line):
    write(folder / "program.py", "open('ran', 'w')\n")
    found = traced(*words, "program.py", cwd=folder)
    assert (found.stdout, found.stderr.decode(), found.returncode) == (b"", f"tracer: {line}\n", 2)
    assert [path.name for path in folder.iterdir()] == ["program.py"]


def test_no_thread_to_be_had(folder):
    write(folder / "program.py", LEAF)
    found = without_threads("-o", "profile.out", "--save-every", "1", "program.py", cwd=folder)
    assert found.stderr.decode() == (
        "tracer: cannot start a thread that saves the profile (no more threads): "
        "it is written at the end only\n"
    )
    assert (found.stdout, found.returncode) == (b"", 0)
    assert leaf_calls(folder / "profile.out") == 1
