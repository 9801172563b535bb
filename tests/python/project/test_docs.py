"""README.md, CONTRIBUTING.md and all of docs/ are run: each block, and each command in their text.

A block is known by its language and its first words, so nothing is marked in the files; one that
nothing here can run makes a test fail. The tutorial is run as a whole by test_first_profile.py.
test_manual.py tests which options and names the manual has, and test_docs_links.py where its links
lead to.
"""

import re
import sys
import tomllib
from subprocess import run

import pytest

from docblocks import PAGES, ROOT, TUTORIAL, prose_of, spans, split
from docworld import World, compare, parts, said, served, targets_of_make
from tracer.data.phases import checked
from tracer.runtime.preloading import LIBRARY, is_loadable

BLOCKS = [block for page in PAGES if page != TUTORIAL for block in split(page)[0]]
COMMANDS = sorted(
    {
        span
        for span in spans(prose_of(PAGES))
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
    "python -m memory_profiler script.py": "what you used: memory_profiler's",
    "python -m yep script.py": "what you used: yep's",
    "python -m yep -v script.py": "what you used: yep's",
    "python -m line_profiler": "what you used: line_profiler's",
    "python -m line_profiler X.lprof": "what you used: line_profiler's",
    "python benchmarks/focus.py": "takes minutes: that it is there is looked at",
    "ssh -N -L PORT:127.0.0.1:PORT HOST": "needs another machine",
    "tracer -m profile": "is said to fail: see test_it_fails_under_the_module_profile",
}
if not is_loadable(LIBRARY):
    NOT_RUN["python -m tracer --memory=native main.py"] = (
        "the system cannot load a library of a path with blanks, as that of this clone"
    )

# Commands that the text only names.
NAMED = (
    *("python -m tracer", "tracer show"),
    *("python -m tracer.compat.line_profiler", "python -m tracer.compat.mprof"),
)
# Commands that go on until Ctrl-C.
SERVES = re.compile(r"(python -m )?tracer view ")
# The text's names for files, where it does not name one.
FILES = {**dict.fromkeys(("F", "FILE", "PATH"), "profile.out"), "X.lprof": "work.lprof"}

TRAINING = "import tracer\n\ndef train(batch):\n    return sum(batch)\n"
# By the first words of a Python block: what is run before it, what after it, what is printed.
PYTHON = {
    "import tracer": ("", "", ["function calls", "Ordered by: internal time", "was called by"]),
    "timing = tracer.time(": (
        "import tracer",
        "",
        ["200 loops, best of 5: ", "5 repeats: mean ", "Ordered by: internal time"],
    ),
    "stats = tracer.Stats(": (
        "import tracer",
        "print(repr(stats.table()))",
        ["<tracer.Table functions: "],
    ),
    "with tracer.Profile(threads=False) as found": (
        "import tracer\ndef simulate(n): return [n * n for n in range(n)]",
        "print(slowest)",
        ["simulate"],
    ),
    "before = tracer.heap()": ("import tracer", "", [" kind\n", "  complex\n", "+1j)"]),
    "@tracer.range(": ("import tracer", "", []),
    "import ctypes": ("", "print(type(take()))", ["<class 'int'>"]),
    "import cProfile": ("", "", ["function calls", "Ordered by: internal time"]),
    "import pstats": ("", "", ["function calls", "Ordered by: internal time"]),
    "from tracer import profile": ("", "assert work(3) == 5", []),
    "from tracer.compat.memory_profiler": ("", "", ["    Increment  Occurrences", "True"]),
    "from tracer.compat import paddle": ("", "", ["Model Summary", "ProfileStep      3 "]),
    "import shop": (
        "",
        "import tracer\ntracer.Stats('warm.out').print_stats('shop')",
        ["shop.py:32(main)"],
    ),
    "profile.enable()": (
        "from tracer import profile\n@profile\ndef work(n):\n    return n",
        "",
        ["Function: work", "    return n"],
    ),
    "profile = tracer.Profile(timeline=": ("import tracer", "", ["<memory at "]),
    "with tracer.range(": ("import tracer", "print('done')", ["done"]),
    "profile = tracer.Profile(include=": (
        "import tracer",
        "import myapp\nwith profile: myapp.read([])\ntracer.Stats(profile).print_stats()",
        ["(read)"],
    ),
    "batches = (": (TRAINING, "", ["Model", "Timings of 40 steps", "items a second"]),
    "on_ready = ": (
        TRAINING,
        "with profiler:\n    for _ in range(110):\n        profiler.step()\n"
        "import os\nprint(*os.listdir('profiles'))",
        ["-steps-101-105.out"],
    ),
    "phases = {": ("import tracer", "print(profiler.phases['save'])", ["('mypkg.store.*', "]),
    "profiler = tracer.StepProfiler(timer_only": (
        TRAINING,
        "",
        ["images/s", "reader_cost: ", "Timings of 1,000 steps", "reader ratio: "],
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


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    made = World(tmp_path_factory.mktemp("world"))
    made.furnish()
    return made


def targets(text):
    return re.findall(r"^(?:    )?make ([a-z-]+)", text, re.MULTILINE)


# -- Blocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_block(block, world):
    if block.kind == "python":
        run_python(block, world)
    elif block.kind == "toml":
        assert checked(tomllib.loads(block.text)["tool"]["tracer"]["phases"])
    elif block.kind == "diff":
        run_changed(block, world)
    elif block.first.startswith(("In [", "%%")):
        run_cells(block, world)
    elif block.kind == "indented":
        for command, printed in parts(block):
            run_command(command, printed, world)
    else:
        pytest.fail(f"{block}: say in test_docs.py how a block of the kind {block.kind!r} is run")


def run_command(command, printed, world):
    if command in NOT_RUN:
        return
    if command.startswith("make "):
        missing = set(re.findall(r"make ([a-z-]+)", command)) - set(targets_of_make())
        assert not missing
    elif "..." in command or "[" in command:
        check_synopsis(command, world)
    elif SERVES.match(command):
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
    """The --help of a verb says in the same words how it is called."""
    verb = re.match(r"python -m tracer ([a-z]+)", command)
    said_here = said(world, f"python -m tracer {verb[1] if verb else 'run'} --help")
    assert f"usage: {command}\n" in said_here


def run_python(block, world):
    known = [key for key in PYTHON if block.first.startswith(key)]
    assert len(known) == 1, f"say in PYTHON what is to be done with {block}: {block.first}"
    before, after, printed = PYTHON[known[0]]
    (world.folder / "snippet.py").write_text(f"{before}\n{block.text}\n{after}\n")
    output = said(world, "python snippet.py")
    for text in printed:
        assert text in output


def run_changed(block, world):
    """Run the program as it is after the change, which prints tables."""
    kept = [line[1:] for line in block.text.splitlines() if not line.startswith("-")]
    (world.folder / "snippet.py").write_text("\n".join(kept))
    assert "Self CPU time total: " in said(world, "python snippet.py")


def run_cells(block, world):
    pytest.importorskip("IPython", reason="IPython is not for this Python yet")
    cells = [block.text]
    if block.first.startswith("In ["):
        cells = re.findall(r"^In \[\d+\]: (.+)$", block.text, re.MULTILINE)
        assert len(cells) == block.text.count("In [")
    (world.folder / "cells.py").write_text(CELLS)
    command = [sys.executable, "cells.py", *cells]
    env = {**world.env, "IPYTHONDIR": str(world.folder / "ipython")}
    done = run(command, cwd=world.folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    if "ttime" in block.text:
        assert " per loop\n5 repeats: mean " in done.stdout or " per loop\n3 " in done.stdout
        return
    assert "Line #" in done.stdout
    assert "ncalls" in done.stdout or len(cells) == 1


def test_every_entry_is_of_a_block():
    firsts = [block.first for block in BLOCKS if block.kind == "python"]
    assert [key for key in PYTHON if not any(first.startswith(key) for first in firsts)] == []
    typed = [command for block in BLOCKS if block.kind == "indented" for command, _ in parts(block)]
    assert sorted(set(NOT_RUN) - {*COMMANDS, *typed}) == []


# -- What stands in the text ----------------------------------------------------------------------


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in NOT_RUN])
def test_command_in_the_text(command, world):
    words = [FILES.get(word, word) for word in command.split()]
    if command in NAMED:
        words.append("--help")
    if words[0] == "make":
        assert words[1] in targets_of_make()
    elif SERVES.match(command):
        served(world, " ".join(words))
    else:
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
