"""A folder in which the commands of the documentation can be run, and what they should print.

It has the programs, profiles and commands that the pages name. test_docs.py and
test_first_profile.py say what is run there.
"""

import os
import re
import shutil
import signal
import sys
import textwrap
from functools import cache
from subprocess import PIPE, Popen, TimeoutExpired, run

from docblocks import DOCS, ROOT
from launch import environment
from tracer.results import object_calls

EXAMPLES = DOCS / "examples"
PROGRAMS = {
    "main.py": """
        import threading
        from myapp import read

        @profile
        def work(n):
            return sorted(range(n), key=lambda number: -number)

        for n in range(20):
            read(work(n))
        thread = threading.Thread(target=read, args=([],))
        thread.start(); thread.join()
        """,
    "script.py": """
        from tracer import profile

        @profile
        def work(n):
            return sum(i * i for i in range(n))

        work(100)
        """,
    "myapp/__init__.py": "from myapp.vendored import one\ndef read(found): return one(found)",
    "myapp/vendored.py": "def one(found): return len(found)",
    "package/__init__.py": "",
    "package/module.py": "import sys\nprint(sys.argv[1:])",
    "build/made.py": "",
    "test_something.py": "def test_something(): pass",
}

# The profiles of which questions.md asks, and two with memory.
RECORDED = {
    "shop.out": "shop.py",
    "lines.out": "--lines shop.py",
    "yesterday.out": "shop.py",
    "today.out": "mended/shop.py",
    "then.out": "--memory shop.py",
    "now.out": "--memory mended/shop.py",
    "crawl.out": "crawl.py",
    "waits.out": "waits.py",
    "crawl-timed.out": "--timeline crawl.py",
    "waits-timed.out": "--timeline waits.py",
    "startup.out": "startup.py",
    "tests.out": "-m pytest -q test_shop.py",
    # Whose first screens are read.
    "change.out": "change.py",
    "loans.out": "loans.py",
    "visits.out": "visits.py",
    "turns.out": "turns.py",
    "mails.out": "mails.py",
    "checks.out": "checks.py",
    "upload.out": "upload.py",
    "titles.out": "titles.py",
}

# Commands that the reader has. The one for pytest has to be written in Python.
STUBS = {
    "python": 'bin/sh\nexec "$PYTHON" "$@"',
    "tracer": 'bin/sh\nexec "$PYTHON" -m tracer "$@"',
    "pytest": "usr/bin/env python\nimport pytest, sys\nsys.exit(pytest.main())",
    "inferno-flamegraph": 'bin/sh\ngrep -q "^MainThread;<module> .* [0-9]" && echo "<svg/>"',
}

FLOAT = re.compile(r"\d+\.\d+(e[+-]\d+)?")
# Lines in which whole numbers, too, depend on the machine and on the interpreter.
OF_THE_MACHINE = re.compile(
    r"^ +(time|memory|calls|waited|lines) |function calls|List reduced|Left out|\{"
)
SCREEN_HEAD = re.compile(r" +(time|own) +% ")
SCREEN_ROW = re.compile(r" *\d+\.\d{3,6} +\d+\.\d ")
FINDING = re.compile(r"^ +findings |^ {12}\S")
FINDING_GOES_ON = re.compile(r"^ {14}(?=\S)")
# What a wait for a processor puts into a finding: of what is called, or of the function itself.
OF_A_BUSY_MACHINE = re.compile(
    r" waiting in(?= )| \(I/O, lock, [^)]*\)|(?<=: )# itself, |, # itself(?=;|$)"
)
THREAD_ROW = re.compile(r" \d{10,} +\d+  \S")  # its ident, native id and name
# A call, or a wait, of a timeline: when and how long; what a task ran. And a strip over time.
MOMENT_ROW = re.compile(r" +\d+\.\d{6} +[\d.]+ (s|ms|us|ns)  ")
STRETCHES = re.compile(r"ran [\d.]+ (s|ms|us|ns) in \d+ stretch(es)?")
STRIP_ROW = re.compile(r"^(\w+ {2,})[ A-La-l.+-]{12,}$")
LIBRARY = re.compile(r"(?:/\S*/)?(json/\w+\.py|locks\.py):\d+")  # other versions have other lines
EXAMPLE = re.compile(r"/\S*/(?=\w+\.py:\d+(?:\(|$))")
LISTED = re.compile(r"(\S.*  (?:<-|->)) +(\d.*)")  # a function, and the first that goes with it
DATE = re.compile(r"^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} ")

# Rows that this interpreter does not have: from 3.14 on, any() of a generator is a loop, no call.
NOT_HERE = ["{built-in method builtins.any}", "72,378 any"] if sys.version_info >= (3, 14) else []


class World:
    """A folder, with commands in its `bin`, and the environment in which they are found."""

    def __init__(self, folder):
        self.folder = folder
        commands = folder / "bin"
        commands.mkdir()
        for name, text in STUBS.items():
            (commands / name).write_text(f"#!/{text}\n")
            (commands / name).chmod(0o755)
        self.env = environment(
            PATH=f"{commands}:{os.environ['PATH']}",
            PYTHON=sys.executable,
            BROWSER="true",
            PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
            TERM="dumb",
        )

    def furnish(self):
        """Put there what the pages take for granted."""
        for name, text in PROGRAMS.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{textwrap.dedent(text).strip()}\n")
        (self.folder / "benchmarks").symlink_to(ROOT / "benchmarks")
        shutil.copytree(EXAMPLES, self.folder, dirs_exist_ok=True)
        said(self, "tracer -o profile.out main.py && tracer -l -o work.lprof main.py")
        for name in ("before", "after", "a", "b", "one", "two", "service"):
            (self.folder / f"{name}.out").write_bytes((self.folder / "profile.out").read_bytes())
        for name, words in RECORDED.items():
            said(self, f"tracer -o {name} {words}")


@cache
def targets_of_make():
    """The targets that `make help` lists, and what it says of each."""
    told = run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^make ([a-z-]+) +(.+)$", told, re.MULTILINE))


def said(world, command, patience=300):
    """What a shell command prints. It must succeed. Which figure `diff` compares depends on how
    busy the machine was when the examples ran, so it is told."""
    if re.match(r"\S+ -m tracer diff ", command) and "--metric" not in command:
        command += " --metric tottime" if "--fail-above" not in command else ""
    done = run(
        command, shell=True, cwd=world.folder, env=world.env, capture_output=True, timeout=patience
    )
    assert done.returncode == 0, f"{command}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout.decode()


def served(world, command):
    """Run a command that serves a page, and end it by Ctrl-C."""
    with Popen(
        command.split(), cwd=world.folder, env=world.env, stdout=PIPE, stderr=PIPE
    ) as process:
        try:
            assert b"http://127.0.0.1:" in process.stdout.readline(), process.stderr.read()
            process.send_signal(signal.SIGINT)
            process.wait(timeout=300)
        except (AssertionError, TimeoutExpired):
            process.kill()
            raise


def parts(block):
    """A block of the shell as (command, printed lines); None where the page does not say them."""
    found = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][1] is not None:
            found[-1][1].append(line)
        elif line:
            found.append((line.partition("  # ")[0].strip(), None))
    return found


def compare(printed, output, unlimited):
    """Hold the lines that a page shows beside the output. `...` stands for any lines. Times are
    left out, and so is the order of rows, which goes by times. Times also decide which rows a
    limit leaves, so a row may be in the `unlimited` output instead, which has all rows."""
    known = list if any("waited" in line for line in printed) else without_waits
    shown, lines = masked(printed), masked(known(output.splitlines()))
    rows = set(masked(known(unlimited.splitlines())))
    assert shown
    for line in shown:
        if line != "..." and not any(row in line for row in NOT_HERE):
            assert any(is_of(line, one) for one in (*lines, *rows)), f"{line!r} is not in\n{output}"
    heads = [line for line in shown if line != "..." and not re.match(r"[\d#]", line)]
    after = iter(lines)
    assert all(any(is_of(head, one) for one in after) for head in heads), (
        "they come in another order"
    )
    if "..." not in shown:
        assert len(shown) == len(lines)


def is_of(line, other):
    """Whether two lines are the same, or would be if the other one had more columns: it has fewer
    where there are waits. On a busy machine what a finding says to take time may wait, and another
    part of it may be worth telling, in the next line."""
    quiet = OF_A_BUSY_MACHINE.sub("", other).replace(", waits #", ", takes #").removesuffix(",")
    return any(
        re.fullmatch(re.escape(one).replace("…", ".*"), shown)
        for one in (other, quiet)
        for shown in (line, line.replace("benchmarks/programs/", ""))
    )


def without_waits(lines):
    """Lines of tables without what is there only if something was waited: on a busy machine, in any
    run. masked() does so with those of the first screen. Nor is there what calls of objects took:
    only some interpreters tell that, and only where it is more than 5% of the run."""
    found, column, in_objects = [], None, False
    for line in lines:
        if in_objects or line.startswith("   objects  of "):
            in_objects = line.strip() != object_calls.HINT
            continue
        title = re.search(r"   waited(?= .*filename:lineno)| +Waited(?= .*Line Contents)", line)
        if title and line[title.start() - 1] != " ":
            column = title.span()
        elif not line:
            column = None
        if column:
            line = line[: column[0]] + line[column[1] :]
        if not line.startswith("    waited  "):
            found.append(line)
    return found


def apart(line):
    """The first that is listed with a function has a line of its own, as the others have."""
    listed = LISTED.fullmatch(line)
    return [line] if listed is None else listed.groups()


def unwrapped(lines):
    """Lines, each finding on one: where it is broken depends on the length of its figures."""
    found = []
    for line in lines:
        if found and FINDING.match(found[-1]) and FINDING_GOES_ON.match(line):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
    return found


def masked(lines):
    """Lines without what differs from run to run, empty ones and the branches of a tree."""
    found = []
    for one in (one for line in unwrapped(lines) for one in apart(line)):
        line = DATE.sub("DATE ", re.sub(r"/\S*/benchmarks/", ".../benchmarks/", one))
        if MOMENT_ROW.match(line):
            line = STRETCHES.sub("ran # in # stretches", MOMENT_ROW.sub("# # ", line))
        elif SCREEN_HEAD.match(line):  # waits are of the machine, and so is their column
            line = line.replace(" waited", "")
        elif SCREEN_ROW.match(line):
            line = re.sub(FLOAT.pattern + r"(\s+" + FLOAT.pattern + ")*", "#", line, count=1)
            line = re.sub(r"\S*/(?=[^/]+:\d+$)", "", line)  # which leave less room for folders
        line = STRIP_ROW.sub(r"\1 #", line)
        line = EXAMPLE.sub("", LIBRARY.sub(r"\1:#", line))
        if FINDING.match(line):
            line = line.replace("findings", "", 1)  # stands before the first, whichever that is
            line = re.sub(r"\b\d+(?=%:)|\d+(\.\d+)? (s|ms|us)\b", "#", line)
        if OF_THE_MACHINE.search(line) or THREAD_ROW.search(line):
            line = re.sub(r"\d[\d,]*(/\d+)?(?!\.py)", "#", FLOAT.sub("#", line))
        line = FLOAT.sub("#", line.translate(dict.fromkeys(map(ord, "│├└─"), " ")))
        if line.strip():
            found.append(" ".join(line.split()))
    return found
