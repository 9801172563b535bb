"""A program under tracer ends as without: all that it prints, on both streams, and its status.

endings.py has the programs. Where tracer is known to differ, docs/explain/limits.md says so.
"""

import pytest

from endings import BESIDE, PROGRAMS, WITH_FLAGS
from freeings import calls
from launch import environment, masked, plain, write

HEADER = b"   command  "
OUT = ("-o", "profile.out")


@pytest.fixture
def folder(tmp_path):
    for name, text in BESIDE.items():
        write(tmp_path / name, text)
    (tmp_path / "temporary").mkdir()  # for the profiles of programs that lost their streams
    return tmp_path


def run(folder, *words, **options):
    return plain(*words, cwd=folder, env=environment(TMPDIR=str(folder / "temporary")), **options)


def without_table(found, expected):
    """What `found` holds beside the table, if that is where plain Python would have it."""
    before, header, rest = found.partition(HEADER)
    after = expected.removeprefix(before)
    return before + after if header and rest.endswith(after) else found


def without_own_lines(text):
    return b"".join(
        line for line in text.splitlines(keepends=True) if not line.startswith(b"tracer: ")
    )


def without_runpy(text):
    """A traceback without the two calls in runpy that `python -m` begins with."""
    lines = text.splitlines(keepends=True)
    return b"".join(
        line for line in lines if b"_run_module_as_main" not in line and b"in _run_code" not in line
    )


def assert_alike(found, expected):
    assert masked(found.stderr).decode() == masked(expected.stderr).decode()
    assert masked(found.stdout).decode() == masked(expected.stdout).decode()
    assert found.returncode == expected.returncode


def assert_ends_alike(folder, program, flags=(), *, is_table_noticed=False):
    """Assert it with the profile in a file, and with the table printed."""
    write(folder / "program.py", program)
    expected = run(folder, "program.py", flags=flags)
    assert_alike(run(folder, "-m", "tracer", *OUT, "program.py", flags=flags), expected)
    if is_table_noticed:
        return
    found = run(folder, "-m", "tracer", "program.py", flags=flags)
    found.stdout = without_table(masked(found.stdout), masked(expected.stdout))
    found.stderr = without_own_lines(found.stderr)
    assert_alike(found, expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_end(folder, name):
    # The table comes after what the program printed, which is flushed before.
    is_table_noticed = name == "stream: stdout replaced"
    assert_ends_alike(folder, PROGRAMS[name], is_table_noticed=is_table_noticed)


@pytest.mark.parametrize("name", WITH_FLAGS)
def test_end_with_an_option_of_the_interpreter(folder, name):
    flag, program = WITH_FLAGS[name]
    assert_ends_alike(folder, program, [flag])


# What is held, and by what, differs most among these.
FEW = [
    *("exit: 3, beside a global", "exit: nested calls", "exit: a traceback kept", "exit: kept"),
    *("error: beside a global", "error: interrupt", "freeing: garbage", "thread: error"),
    *("freeing: callbacks of a function and its code", "freeing: coroutine, exit"),
    *("thread: arguments and locals", "process: SIGTERM", "exit function: names of __main__"),
]
WAYS = {
    "lines": ["--lines", *OUT],
    "decorated lines": ["-l", *OUT],
    "--save-every": ["--save-every", "0.01", *OUT],
    "--live": ["--live=0", *OUT],
    "--timeline": ["--timeline=1MiB", *OUT],
}


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("way", WAYS)
def test_end_in_other_ways(folder, way, name):
    write(folder / "program.py", PROGRAMS[name])
    expected = run(folder, "program.py")
    found = run(folder, "-m", "tracer", *WAYS[way], "program.py")
    found.stderr = without_own_lines(found.stderr)
    assert_alike(found, expected)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("words", [["-m", "program"], ["-"]], ids=" ".join)
def test_end_of_a_module_and_of_standard_input(folder, words, name):
    write(folder / "program.py", PROGRAMS[name])
    expected = run(folder, *words, stdin=PROGRAMS[name].encode())
    found = run(folder, "-m", "tracer", *OUT, *words, stdin=PROGRAMS[name].encode())
    expected.stderr = without_runpy(expected.stderr)
    assert_alike(found, expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_end_of_a_text(folder, name):
    expected = run(folder, "-c", PROGRAMS[name])
    assert_alike(run(folder, "-m", "tracer", *OUT, "-c", PROGRAMS[name]), expected)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("way", WAYS)
def test_end_of_a_text_in_other_ways(folder, way, name):
    expected = run(folder, "-c", PROGRAMS[name])
    found = run(folder, "-m", "tracer", *WAYS[way], "-c", PROGRAMS[name])
    found.stderr = without_own_lines(found.stderr)
    assert_alike(found, expected)


# Programs that profile a part of themselves; and the same with what profiles nothing.
PROFILED = "from tracer import Profile, profile\n"
UNPROFILED = """
from contextlib import nullcontext
class Profile(nullcontext):
    def enable(self): pass
    def runcall(self, function, *words): return function(*words)
def profile(function): return function
"""
PARTS = {
    "exit within": "with Profile(): f()",
    "exit within a function": "def g():\n    with Profile() as p: f()\ng()",
    "enabled": "p = Profile()\np.enable()\nf()",
    "enabled for good": "p = Profile()\np.enable()\ng = Held('global')\ng.p = p",
    "runcall": "try: Profile().runcall(f)\nexcept BaseException as e: print(type(e), flush=True)",
    "thread": "import threading\nwith Profile():\n"
    "    t = threading.Thread(target=f); t.start(); t.join()\nprint(1)",
    "generator": "def g():\n    with Profile():\n        h = Held('of g'); yield\n"
    "k = g()\nnext(k)\nf()",
    "decorated": "f = profile(f)\nf()",
}


@pytest.mark.parametrize("end", ["sys.exit(3)", "1 / 0", "raise KeyboardInterrupt"])
@pytest.mark.parametrize("part", PARTS)
def test_end_of_a_program_that_profiles_itself(folder, part, end):
    write(folder / "program.py", UNPROFILED + calls(end, PARTS[part]))
    expected = run(folder, "program.py")
    lines = UNPROFILED.count("\n") - PROFILED.count("\n")
    write(folder / "program.py", PROFILED + "\n" * lines + calls(end, PARTS[part]))
    assert_alike(run(folder, "program.py"), expected)
