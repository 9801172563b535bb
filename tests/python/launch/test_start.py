"""What is loaded when a program starts: each module costs its start time, and is one more that the
program does not load itself. `make bench-start` counts the instructions.
"""

import sys
from pathlib import Path

import pytest

import tracer
from launch import plain, traced, write

IMPORTED = {""}  # below `tracer`, as all names here
# Packages, which hold nothing themselves, and modules.
COMMAND = IMPORTED | {
    *("_core", "api", "cli", "cli.commands", "data", "launch", "report", "runtime", "source"),
    *("api.decorator", "cli.commands.run", "cli.main", "cli.options", "cli.options.option"),
    *("cli.options.printing", "cli.options.run", "data.section"),
    *("launch.descriptors", "launch.errors", "launch.exit_hooks"),
    *("launch.interpreter_state", "launch.output", "launch.profile_output", "launch.profiled_run"),
    *("launch.program", "launch.run_section", "report.figure_tables"),
    *("runtime.atomic_files", "runtime.folders", "runtime.unrecorded"),
    *("source.code_objects", "source.file_kinds", "source.statements", "source.texts"),
}
BACKGROUND = {"launch.background_thread"}
SAVED = COMMAND | BACKGROUND | {"launch.autosave"}
FOCUSED = COMMAND | {"recording", "recording.focus"}
TIMELINE = COMMAND | {"cli.timeline_recording"}
TIMELINE |= {"recording", "recording.budget", "recording.timeline_api"}
STEPS = TIMELINE | {
    *("api.function_steps", "api.schedule", "api.step_machine", "cli.step_recording"),
    *("launch.step_function", "launch.stepped_run"),
}
LINES = COMMAND | {"launch.line_timing", "source.checksums"}
LIVE = {"cli.options.page", "launch.live_feed", "launch.live_objects"}
LIVE |= {"server", "server.address", "server.browser", "server.live_protocol"}

OUT = ("-o", "profile.out")
STARTS = [
    ([], COMMAND),
    ([*OUT], COMMAND),
    ([*OUT, "--save-every", "9"], SAVED),
    ([*OUT, "--include", "program.py"], FOCUSED),
    (["--timeline"], TIMELINE),
    ([*OUT, "--timeline"], TIMELINE | SAVED | {"launch.timeline_file"}),
    ([*OUT, "--live=0"], COMMAND | BACKGROUND | LIVE),
    (["-l"], LINES),
    (["--lines"], LINES),
    (["--lines", "--include", "program.py"], LINES | FOCUSED),
    (["--step-function", "lib.step"], STEPS),
]
# What a schedule's Action needs, and what compiles a program twice.
OF_STEPS = {"enum", "functools", "collections", "keyword", "operator", "reprlib"}
OF_STEPS |= {"warnings", "_py_warnings"}
SHOWS_MODULES = "import sys\nprint(*sorted(sys.modules))\n"


def loaded(run):
    return set(run.stdout.decode().splitlines()[0].split())


def ours(names):
    """The modules of the package, by their names below it."""
    found = {name for name in names if name.partition(".")[0] == "tracer"}
    return {name.removeprefix("tracer").removeprefix(".") for name in found}


@pytest.mark.parametrize(
    ("options", "expected"), STARTS, ids=[" ".join(options) or "plain" for options, _ in STARTS]
)
def test_what_is_loaded_before_the_program(tmp_path, options, expected):
    program = write(tmp_path / "program.py", SHOWS_MODULES)
    before = loaded(plain("-m", "program", cwd=tmp_path))
    found = loaded(traced(*options, program.name, cwd=tmp_path))
    assert ours(found) == expected
    others = {name for name in found - before if name.partition(".")[0] != "tracer"}
    # A module that tracer has loaded is not the program's own one of that name. No program can have
    # one that is built in, which is found before any file, or of a name that the compiler knows.
    known = {"__future__", "_socket"} if "--live=0" in options else {"__future__"}
    if "--step-function" in options:
        known |= others & OF_STEPS
    assert others - set(sys.builtin_module_names) == known - set(sys.builtin_module_names)


def test_what_is_loaded_before_a_text(tmp_path):
    write(tmp_path / "program.py", SHOWS_MODULES)
    before = loaded(plain("-m", "program", cwd=tmp_path))  # as tracer is started
    before |= loaded(plain("-c", SHOWS_MODULES, cwd=tmp_path))
    found = loaded(traced(*OUT, "-c", SHOWS_MODULES, cwd=tmp_path))
    assert ours(found) == COMMAND | {"launch.command_text"}
    others = {name for name in found - before if name.partition(".")[0] != "tracer"}
    assert others - set(sys.builtin_module_names) == {"__future__"}


def test_what_importing_tracer_loads(tmp_path):
    before = loaded(plain("-c", SHOWS_MODULES, cwd=tmp_path))
    found = loaded(plain("-c", f"import tracer\n{SHOWS_MODULES}", cwd=tmp_path))
    assert ours(found) == IMPORTED
    assert found - before == {"__future__", "tracer"}


def test_packages_that_are_loaded_before_the_program_hold_nothing():
    home = Path(tracer.__file__).parent
    packages = [name for name in COMMAND if name and (home / name.replace(".", "/")).is_dir()]
    assert len(packages) == 9
    for name in packages:
        text = (home / name.replace(".", "/") / "__init__.py").read_text()
        assert text == "", name
