"""--timeline with -o: a run that is killed leaves what it had; another run leaves FILE alone."""

import os
import re
import resource
import signal
from pathlib import Path

import pytest

import tracer
from launch import plain, refused, start, traced, write
from tracer.cli.run_header import run_header
from tracer.data.killed import KILLED
from tracer.data.section import LOG_FILE_HEAD, LOG_FILE_MAGIC
from tracer.data.section import LOG_FILE_INFIX as INFIX
from tracer.launch.timeline_file import TimelineFile, made_for

LEAF = "import os, sys, time\ndef leaf(): return 1\ndef work(n):\n    for _ in range(n): leaf()\n"
# Until the profile has been saved, for as long as a busy machine may take.
UNTIL_SAVED = "while not os.path.exists('profile.out'): time.sleep(0.001)\n"
TIMED = ("--timeline=4MiB", "-o", "profile.out")


def beside(folder: Path) -> list[str]:
    """What stands in the folder besides the program."""
    return sorted(path.name for path in folder.iterdir() if path.name != "program.py")


def killed(folder: Path, program: str, *flags: str) -> tracer.Stats:
    """The profile of a program that kills itself."""
    write(folder / "program.py", LEAF + program + "os.kill(os.getpid(), 9)\n")
    found = traced(*TIMED, *flags, "program.py", cwd=folder)
    assert (found.stdout, found.stderr, found.returncode) == (b"", b"", -signal.SIGKILL)
    return tracer.Stats(folder / "profile.out")


def slices_of(stats: tracer.Stats, name: str) -> list[tuple[int, int]]:
    """(start, end) of each slice of the functions of this name, in all threads."""
    (capture,) = stats.captures
    assert capture.timeline is not None
    found = []
    for thread in capture.timeline.threads:
        slices = thread.read()
        names = [capture.functions[it].name if it < 2**32 - 1 else "" for it in thread.functions]
        each = zip(slices.nodes, slices.starts, slices.ends, strict=True)
        found += [(start, end) for node, start, end in each if names[node] == name]
    return found


def test_a_killed_run_leaves_its_calls_up_to_the_last_ones(tmp_path: Path) -> None:
    # After the save there are more calls, and more than a bin: the file beside FILE has them.
    stats = killed(tmp_path, f"work(100)\n{UNTIL_SAVED}work(50)\ntime.sleep(0.05)\nwork(1)\n")
    (capture,) = stats.captures
    assert capture.run is not None and capture.run.ended == KILLED
    calls = next(row[1] for label, row in stats.stats.items() if label[2] == "leaf")
    assert calls in (100, 150, 151)
    slices = slices_of(stats, "leaf")
    assert len(slices) in (150, 151)
    assert capture.timeline is not None
    assert capture.timeline.last >= max(end for _, end in slices)


def test_a_killed_run_has_no_slice_that_is_shorter_than_it_says(tmp_path: Path) -> None:
    flags = ("--timeline=1MiB",)
    stats = killed(tmp_path, f"work(100)\n{UNTIL_SAVED}work(1000000)\ntime.sleep(0.05)\n", *flags)
    (capture,) = stats.captures
    timeline = capture.timeline
    assert timeline is not None and timeline.least > 0
    assert all(end - start >= timeline.least for start, end in slices_of(stats, "leaf"))
    assert slices_of(stats, "leaf")


def test_calls_that_a_kill_cut_off_are_there_up_to_the_end(tmp_path: Path) -> None:
    wait = UNTIL_SAVED.replace("\n", "")
    program = f"def brief():\n    {wait}\ndef stuck():\n    brief()\n    work(50)\n"
    program += "    time.sleep(0.05)\n    work(1)\n    os.kill(os.getpid(), 9)\nstuck()\n"
    stats = killed(tmp_path, program)
    (capture,) = stats.captures
    assert capture.timeline is not None
    last = capture.timeline.last
    (brief,), (stuck,), (module,) = (slices_of(stats, it) for it in ("brief", "stuck", "<module>"))
    assert module[0] <= stuck[0] <= brief[0] < brief[1] < stuck[1] == module[1] == last
    assert all(stuck[0] <= start and end <= last for start, end in slices_of(stats, "leaf"))
    (thread,) = capture.timeline.threads
    slices = thread.read()
    is_open = {  # of the outermost slices, by depth
        depth: value
        for depth, node, value in zip(slices.depths, slices.nodes, slices.values, strict=True)
        if node and depth < 2
    }
    assert is_open == {0: 1, 1: 1}


def test_a_thread_that_hung_when_its_process_was_killed_is_there(tmp_path: Path) -> None:
    program = "import threading\ndef hang():\n    threading.Event().wait()\n"
    program += "threading.Thread(target=hang, name='hung', daemon=True).start()\n"
    stats = killed(tmp_path, f"{program}{UNTIL_SAVED}work(50)\n")
    (capture,) = stats.captures
    assert capture.timeline is not None
    (hung,) = slices_of(stats, "hang")
    assert hung[1] == capture.timeline.last


def test_what_lies_beside_file_is_no_profile(tmp_path: Path) -> None:
    killed(tmp_path, UNTIL_SAVED)
    [left] = tmp_path.glob(f"*{INFIX}*")
    alone = f"{left.name}: a timeline alone; "
    told = f"{alone}name profile.out, which is shown with it"
    assert refused("show", left.name, cwd=tmp_path) == told
    (tmp_path / "profile.out").unlink()
    told = f"{alone}its run has saved no profile beside it"
    assert refused("show", left.name, cwd=tmp_path) == told


def test_what_a_killed_run_left_can_be_exported_whole(tmp_path: Path) -> None:
    stats = killed(tmp_path, f"work(100)\n{UNTIL_SAVED}work(50)\ntime.sleep(0.05)\n")
    stats.dump_stats(tmp_path / "whole.out")
    for left in tmp_path.glob(f"*{INFIX}*"):
        left.unlink()
    again = tracer.Stats(tmp_path / "whole.out")
    assert len(slices_of(again, "leaf")) == len(slices_of(stats, "leaf")) == 150
    # FILE itself has only what was saved.
    alone = tracer.Stats(tmp_path / "profile.out")
    assert slices_of(alone, "leaf") == []
    assert re.search(
        r"^  timeline  in profile\.out\.timeline-\d+, which is missing beside the file$",
        run_header(alone, 1),
        re.MULTILINE,
    )


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("", 0),
        ("sys.exit(3)\n", 3),
        ("sys.stdout.flush(); os._exit(4)\n", 4),
        ("os.kill(os.getpid(), 15)\n", -signal.SIGTERM),
        ("raise ValueError\n", 1),
        (f"os.execv({'/bin/true'!r}, ['true'])\n", 0),
        ("if os.fork(): os.wait()\nelse: work(1000)\n", 0),
        ("os.closerange(3, 100)\n", 0),
    ],
    ids=["end", "exit", "_exit", "signal", "exception", "exec", "fork", "descriptors closed"],
)
def test_any_other_run_leaves_one_file(tmp_path: Path, end: str, status: int) -> None:
    write(tmp_path / "program.py", LEAF + "work(100)\n" + end)
    found = traced(*TIMED, "program.py", cwd=tmp_path)
    assert found.returncode == status
    assert beside(tmp_path) == ["profile.out"]
    assert len(slices_of(tracer.Stats(tmp_path / "profile.out"), "leaf")) == 100


def test_a_forked_child_writes_nothing_of_its_own(tmp_path: Path) -> None:
    program = f"work(100)\n{UNTIL_SAVED}if os.fork(): os.wait()\nelse: work(1000); os._exit(0)\n"
    stats = killed(tmp_path, program + "work(50)\ntime.sleep(0.05)\nwork(1)\n")
    assert len(slices_of(stats, "leaf")) in (150, 151)


def test_a_run_that_goes_on_is_not_called_killed(tmp_path: Path) -> None:
    write(tmp_path / "program.py", LEAF + f"work(100)\n{UNTIL_SAVED}print(flush=True)\ninput()\n")
    with start("-m", "tracer", *TIMED, "program.py", cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"\n"
        (capture,) = tracer.Stats(tmp_path / "profile.out").captures
        process.communicate(b"\n", timeout=300)
    assert capture.run is not None and capture.run.ended == "saved while the program ran"


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    killed(tmp_path, UNTIL_SAVED)
    left = [name for name in beside(tmp_path) if INFIX in name]
    assert len(left) == 1
    program = "at = os.stat('profile.out').st_mtime_ns\n"
    program += "while os.stat('profile.out').st_mtime_ns == at: time.sleep(0.001)\n"
    program += "while len([n for n in os.listdir() if 'timeline-' in n]) > 1: time.sleep(0.001)\n"
    write(tmp_path / "program.py", LEAF + program)
    assert traced(*TIMED, "program.py", cwd=tmp_path).returncode == 0
    assert beside(tmp_path) == ["profile.out"]


@pytest.mark.parametrize("name", ["profile.out.timeline-notes.txt", "profile.out.timeline-12"])
def test_a_file_of_the_users_with_such_a_name_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    write(tmp_path / "program.py", LEAF + UNTIL_SAVED)
    assert traced(*TIMED, "program.py", cwd=tmp_path).returncode == 0
    assert beside(tmp_path) == ["profile.out", name]
    assert (tmp_path / name).read_text() == "mine"


def test_another_file_of_that_very_name_stays(tmp_path: Path) -> None:
    """A run writes none where the user has it, and goes on in memory."""
    outfile = str(tmp_path / "profile.out")
    path = tmp_path / f"profile.out{INFIX}{os.getpid()}"
    for make in (lambda: path.write_text("mine"), lambda: os.mkfifo(path), path.mkdir):
        make()
        assert made_for(outfile, 4096) == "File exists"
        assert beside(tmp_path) == [path.name]
        path.rmdir() if path.is_dir() else path.unlink()
    path.write_bytes(LOG_FILE_MAGIC)  # of a process that had our number, and was killed
    file = made_for(outfile, 4096)
    assert isinstance(file, TimelineFile)
    assert path.stat().st_size == LOG_FILE_HEAD + 4096
    file.remove()
    file.file.close()
    assert beside(tmp_path) == []


def test_without_room_the_run_goes_on_in_memory(tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))

    write(tmp_path / "program.py", LEAF + "work(100)\n")
    found = traced(*TIMED, "program.py", cwd=tmp_path, preexec_fn=limit)
    assert found.stderr.decode() == (
        "tracer: no room beside 'profile.out' for the timeline (File too large): a killed run will "
        "have none\n"
    )
    assert (found.returncode, beside(tmp_path)) == (0, ["profile.out"])
    assert len(slices_of(tracer.Stats(tmp_path / "profile.out"), "leaf")) == 100


def test_a_program_that_cannot_be_found_leaves_nothing(tmp_path: Path) -> None:
    assert traced(*TIMED, "none.py", cwd=tmp_path).returncode == 2
    assert beside(tmp_path) == []
    write(tmp_path / "program.py", "(\n")
    assert traced(*TIMED, "program.py", cwd=tmp_path).returncode == 1
    assert beside(tmp_path) == []
    assert plain("program.py", cwd=tmp_path).returncode == 1


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    killed(tmp_path, UNTIL_SAVED)
    (left,) = tmp_path.glob(f"*{INFIX}*")
    assert os.stat(left).st_mode & 0o777 == 0o600
