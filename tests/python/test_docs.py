"""README.md and CONTRIBUTING.md are run: each block, and each command that stands in their text.

A block is known by its language and its first words, so nothing is marked in the files; one that
nothing here can run makes a test fail. Which options and names the manual has is test_manual.py's.
"""

import os
import re
import signal
import sys
from subprocess import PIPE, Popen, TimeoutExpired, run
from types import SimpleNamespace

import pytest

from docblocks import CONTRIBUTING, README, ROOT, spans, split
from launch import environment

BLOCKS = [block for path in (README, CONTRIBUTING) for block in split(path)[0]]
COMMANDS = sorted(
    {
        span
        for path in (README, CONTRIBUTING)
        for span in spans(split(path)[1])
        if re.match(r"([A-Z_]+=\S+ )*(python|tracer|kernprof|make|pip|apt|dnf|brew|ssh) ", span)
    }
)
# Commands in the text that are not run here, and why.
NOT_RUN = {
    "apt install uthash-dev": "changes the machine",
    "brew install uthash": "changes the machine",
    "dnf install uthash-devel": "changes the machine",
    "kernprof -l script.py": "what you used: line_profiler's",
    "kernprof -lv": "what you used: line_profiler's",
    "pip install .": "builds the package: `make dist` tries the wheel",
    "python -m cProfile -o F main.py": "what you used: cProfile's",
    "python -m line_profiler X.lprof": "what you used: line_profiler's",
    "python benchmarks/focus.py": "takes minutes: that it is there is looked at",
    "ssh -N -L PORT:127.0.0.1:PORT HOST": "needs another machine",
    "tracer -m profile": "is said to fail: see test_it_fails_under_the_module_profile",
}

# Commands that the text only names.
NAMED = ("python -m tracer", "tracer show")
# The text's names for files, where it does not name one.
FILES = {"F": "profile.out", "FILE": "profile.out", "X.lprof": "work.lprof"}

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

# Commands that the reader has. That of pytest has to be one that is written in Python.
STUBS = {
    "python": 'bin/sh\nexec "$PYTHON" "$@"',
    "tracer": 'bin/sh\nexec "$PYTHON" -m tracer "$@"',
    "pytest": "usr/bin/env python\nimport pytest, sys\nsys.exit(pytest.main())",
    "inferno-flamegraph": 'bin/sh\ngrep -q "^MainThread;<module> .* [0-9]" && echo "<svg/>"',
}

# What a Python block needs before, and what is done with it then; what is printed in the end.
PYTHON = {
    "import tracer": ("", "", ["function calls", "Ordered by: internal time", "was called by"]),
    "from tracer import profile": ("", "assert work(3) == 5", []),
    "profile.enable()": (
        "from tracer import profile\n@profile\ndef work(n):\n    return n",
        "",
        ["Function: work", "    return n"],
    ),
    "profile = tracer.Profile(include=": (
        "import tracer",
        "import myapp\nwith profile: myapp.read([])\ntracer.Stats(profile).print_stats()",
        ["(read)"],
    ),
    "from http.server import": (
        "",
        "import http.server, threading, urllib.request\n"
        "server = http.server.HTTPServer(('127.0.0.1', 0), Handler)\n"
        "threading.Thread(target=server.handle_request).start()\n"
        "url = f'http://127.0.0.1:{server.server_port}/profile'\n"
        "assert urllib.request.urlopen(url).read() == b'hello'\n",
        ["(send_response)"],
    ),
}

CELLS = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "tracer")
shell.run_cell("class Model:\\n    def step(self): pass").raise_error()
shell.run_cell("def simulate(n):\\n    for _ in range(n): Model().step()").raise_error()
for cell in sys.argv[1:]:
    shell.run_cell(cell).raise_error()
"""

FLOAT = re.compile(r"\d+\.\d+(e[+-]\d+)?")
# Lines in which whole numbers, too, are the machine's and the interpreter's.
OF_THE_MACHINE = re.compile(
    r"^ +(time|memory|calls|lines) |function calls|List reduced|Left out|\{"
)

# Rows that this interpreter has not: from 3.14 on, any() of a generator is no call but a loop.
NOT_HERE = ["{built-in method builtins.any}"] if sys.version_info >= (3, 14) else []


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with programs and profiles, and a `run` that runs a line of shell in it."""
    folder = tmp_path_factory.mktemp("world")
    for name, text in PROGRAMS.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        lines = text.strip("\n").splitlines()
        indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
        path.write_text("\n".join(line[indent:] for line in lines) + "\n")
    (folder / "benchmarks").symlink_to(ROOT / "benchmarks")
    commands = folder / "bin"
    commands.mkdir()
    for name, text in STUBS.items():
        (commands / name).write_text(f"#!/{text}\n")
        (commands / name).chmod(0o755)

    env = environment(
        PATH=f"{commands}:{os.environ['PATH']}",
        PYTHON=sys.executable,
        BROWSER="true",
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        TERM="dumb",
    )
    made = SimpleNamespace(folder=folder, env=env)
    said(made, "tracer -o profile.out main.py && tracer -l -o work.lprof main.py")
    for name in ("before", "after", "a", "b", "one", "two"):
        (folder / f"{name}.out").write_bytes((folder / "profile.out").read_bytes())
    return made


def said(world, command, patience=60):
    """What a line of shell prints, which ends well."""
    done = run(
        command, shell=True, cwd=world.folder, env=world.env, capture_output=True, timeout=patience
    )
    assert done.returncode == 0, f"{command}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout.decode()


def served(world, command):
    """Run what serves a page until Ctrl-C."""
    with Popen(
        command.split(), cwd=world.folder, env=world.env, stdout=PIPE, stderr=PIPE
    ) as process:
        try:
            assert b"http://127.0.0.1:" in process.stdout.readline(), process.stderr.read()
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        except (AssertionError, TimeoutExpired):
            process.kill()
            raise


def targets(text):
    return re.findall(r"^(?:    )?make ([a-z-]+)", text, re.MULTILINE)


@pytest.fixture(scope="module")
def of_make():
    """The targets that `make help` lists, and what it says of each."""
    told = run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^make ([a-z-]+) +(.+)$", told, re.MULTILINE))


# -- Blocks ---------------------------------------------------------------------------------------


def parts(block):
    """A block of the shell as (command, what is printed), with None for what is not told."""
    found = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][1] is not None:
            found[-1][1].append(line)
        elif line:
            found.append((line.partition("  # ")[0].strip(), None))
    return found


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_block(block, world, of_make):
    if block.kind == "python":
        run_python(block, world)
    elif block.first.startswith(("In [", "%%")):
        run_cells(block, world)
    elif block.kind == "indented":
        for command, printed in parts(block):
            run_command(command, printed, world, of_make)
    else:
        pytest.fail(f"{block}: say in test_docs.py how a block of the kind {block.kind!r} is run")


def run_command(command, printed, world, of_make):
    if command.startswith("make "):
        missing = set(targets(command) + re.findall(r"make ([a-z-]+)", command)) - set(of_make)
        assert not missing
    elif "..." in command or "[" in command:
        check_synopsis(command, world)
    elif command.startswith(("python -m tracer view", "tracer view")):
        served(world, command)
    elif re.match(r"(python|tracer) ", command):
        output = said(world, f"{command} 2>&1" if "--live" in command else command)
        assert output or re.search(r" (-o|--to|html|>) ", command)
        assert "--live" not in command or "http://127.0.0.1:" in output
        if printed is not None:
            compare(printed, output, said(world, re.sub(r"--limit \d+", "", command)))
    else:
        pytest.fail(f"say in test_docs.py how this is run: {command}")


def check_synopsis(command, world):
    """How a verb is called is told in the same words by its --help."""
    verb = re.match(r"python -m tracer ([a-z]+)", command)
    said_here = said(world, f"python -m tracer {verb[1] if verb else 'run'} --help")
    assert f"usage: {command}\n" in said_here


def compare(printed, output, unlimited):
    """Hold what a file shows beside what is printed. `...` stands for any lines. Times are left
    out, and so is the order of rows, which goes by them; which rows are the first so many, too:
    they are sought in the `unlimited` output, where there are all."""
    shown, lines = masked(printed), masked(output.splitlines())
    rows = set(masked(unlimited.splitlines()))
    assert shown
    for line in shown:
        if line != "..." and not any(row in line for row in NOT_HERE):
            assert line in lines or line in rows, f"{line!r} is not in\n{output}"
    heads = [line for line in shown if line != "..." and not re.match(r"[\d#]", line)]
    after = iter(lines)
    assert all(head in after for head in heads), "they come in another order"
    if "..." not in shown:
        assert len(shown) == len(lines)


def masked(lines):
    """Lines without what differs from run to run, empty ones and the branches of a tree."""
    found = []
    for line in lines:
        line = re.sub(r"/\S*/benchmarks/", ".../benchmarks/", line)
        if OF_THE_MACHINE.search(line):
            line = re.sub(r"\d[\d,]*(/\d+)?(?!\.py)", "#", FLOAT.sub("#", line))
        line = FLOAT.sub("#", line.translate(dict.fromkeys(map(ord, "│├└─"), " ")))
        if line.strip():
            found.append(" ".join(line.split()))
    return found


def run_python(block, world):
    known = [key for key in PYTHON if block.first.startswith(key)]
    assert len(known) == 1, f"say in PYTHON what is to be done with {block}: {block.first}"
    before, after, printed = PYTHON[known[0]]
    (world.folder / "snippet.py").write_text(f"{before}\n{block.text}\n{after}\n")
    output = said(world, "python snippet.py")
    for text in printed:
        assert text in output


def run_cells(block, world):
    pytest.importorskip("IPython", reason="IPython is not for this Python yet")
    cells = [block.text]
    if block.first.startswith("In ["):
        cells = re.findall(r"^In \[\d+\]: (.+)$", block.text, re.MULTILINE)
        assert len(cells) == block.text.count("In [")
    (world.folder / "cells.py").write_text(CELLS)
    command = [sys.executable, "cells.py", *cells]
    env = {**world.env, "IPYTHONDIR": str(world.folder / "ipython")}
    done = run(command, cwd=world.folder, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Line #" in done.stdout
    assert "ncalls" in done.stdout or len(cells) == 1


def test_every_entry_is_of_a_block():
    firsts = [block.first for block in BLOCKS if block.kind == "python"]
    assert [key for key in PYTHON if not any(first.startswith(key) for first in firsts)] == []
    assert sorted(set(NOT_RUN) - set(COMMANDS)) == []


# -- What stands in the text ----------------------------------------------------------------------


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in NOT_RUN])
def test_command_in_the_text(command, world, of_make):
    words = [FILES.get(word, word) for word in command.split()]
    if command in NAMED:
        words.append("--help")
    if words[0] == "make":
        assert words[1] in of_make
        return
    said(world, " ".join(words))


def test_script_that_is_not_run_is_there():
    for command in NOT_RUN:
        for path in re.findall(r"[\w/]+/\w+\.py", command):
            assert (ROOT / path).is_file()


def test_it_fails_under_the_module_profile(world):
    done = run(
        "tracer -m profile main.py",
        shell=True,
        cwd=world.folder,
        env=world.env,
        capture_output=True,
    )
    assert done.returncode != 0
    if sys.version_info < (3, 15):
        assert b"AssertionError: ('Bad return', " in done.stderr


def test_paths_in_the_text_are_there():
    """What looks like a path of the repository, and where links lead."""
    for path in (README, CONTRIBUTING):
        text = "\n".join(split(path)[1])
        for span in set(re.findall(r"`((?:ext|python|tests|benchmarks)/[\w./-]*)`", text)):
            assert (ROOT / span).exists(), f"{path.name} names {span}"
        for link in set(re.findall(r"\]\(([^)#:]+)\)", text)):
            assert (ROOT / link).exists(), f"{path.name} links to {link}"


def test_headings_that_are_linked_to_are_there():
    text = "\n".join(split(README)[1])
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


def test_targets_of_make(of_make):
    """Each is told of in README.md or CONTRIBUTING.md, and each that is told of is there."""
    text = README.read_text() + CONTRIBUTING.read_text()
    told = set(re.findall(r"(?:^ +|`|; )make ([a-z-]+)", text, re.MULTILINE))
    assert told == set(of_make)
