"""line_profiler's own tests, run against tracer.compat by substitution.

Nothing is copied from them: the source distribution is fetched, and its tests find the modules of
tests/line_suite where they import line_profiler and kernprof. What cannot hold for tracer is listed
with a reason each; it is run too, and must fail.
"""

import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path, PurePosixPath

import pytest

from places import ROOT
from releases import archive_of, packages_of

SUITE = ROOT / "tests" / "line_suite"
RELEASE = "line_profiler==5.1.0"
HELPERS = "ubelt>=1.3"  # what its tests import
REQUIRED = "TRACER_NEEDS_LINE_SUITE"  # set where a skip is no success
SECONDS = 900

MODULES = {
    "test_line_profiler": 30,  # and how many tests of it pass at least
    "test_explicit_profile": 25,
    "test_kernprof": 20,
    "test_autoprofile": 40,
    "test_cli": 3,
    "test_import": 1,
    "test_duplicate_functions": 1,
    "test_child_procs": 1,
    "test_complex_case": 1,
    "test_ipython": 0,  # where there is no IPython
}

NOT_ABOUT_US = {
    "test_cython": "compiles Cython modules, whose lines tracer does not time",
    "test_docs_conf": "line_profiler's documentation",
    "test_eager_preimports": "the module that its kernprof generates; tracer's generates none",
    "test_string_enum": "a class of its own",
    "test_sys_monitoring": "its callbacks, and those of others that it calls",
    "test_sys_trace": "its trace function, and those of others that it calls",
    "test_toml_config": "the class that reads its configuration",
    "test_windows_wheel_repair": "how its wheels are built",
}

INSIDES = "calls what is inside line_profiler, and not of its documented interface"
OWN_WORDS = "wants the words 'python -m line_profiler' in what is said; tracer names its own viewer"
NO_FILE = "wants the text of -c and of standard input to be run from a temporary file"
# The beginning of a test's name -> why it is no requirement of ours.
SET_ASIDE = {
    "test_line_profiler::test_last_time": INSIDES,
    "test_line_profiler::test_recursive_call_timing": (
        "wants the time of a line that recurses to be the sum of all its activations, those within "
        "others counted again; tracer has the time of the outermost"
    ),
    "test_line_profiler::test_load_stats_files[True": INSIDES,
    "test_line_profiler::test_sys_monitoring": (
        "wants the tool of sys.monitoring to be called line_profiler"
    ),
    "test_explicit_profile::test_profiler_add_methods": INSIDES,
    "test_kernprof::test_kernprof_m_import_resolution[True": (
        "an undocumented variable that has modules sought without importing their packages"
    ),
    "test_kernprof::test_kernprof_verbosity[-expected": OWN_WORDS,
    "test_kernprof::test_kernprof_verbosity[-vv": "diagnostics in line_profiler's words",
    "test_kernprof::test_kernprof_eager_preimport_bad_module": (
        "wants the statement of a generated module in the traceback; tracer generates none"
    ),
    "test_kernprof::test_call_with_diagnostics[True-False": "diagnostics in line_profiler's words",
    "test_kernprof::test_call_with_diagnostics[False": "diagnostics in line_profiler's words",
    "test_autoprofile::test_autoprofile_exec_module[False-test_mod.submod2,test_mod.subpkg.submod3"
    ".add_three---no-preimports": (
        "wants --no-preimports to leave out targets that others than the program itself import"
    ),
    "test_autoprofile::test_multitarget_import_": INSIDES,
    "test_autoprofile::test_profmod_extractor": INSIDES,
    "test_autoprofile::test_handle_star_imports": INSIDES,
    "test_cli::test_boolean_argument": INSIDES,
    "test_ipython::test_lprun_timer_unit[True": (
        "wants a TypeError for a unit that is no number; here it is one line, as for all options"
    ),
    "test_ipython::test_lprun_all": "a magic that is not there: %%tlprun times whole cells",
    "test_import::test_version": "wants kernprof to have a version of its own",
}
if sys.version_info < (3, 14):
    SET_ASIDE["test_line_profiler::test_multiple_profilers_identical_bytecode"] = (
        "wants the bytecode of functions to be changed; tracer leaves it as it is"
    )
# From 3.13 on the interpreter finds the source of such text for a traceback.
if sys.version_info < (3, 13):
    SET_ASIDE["test_kernprof::test_kernprof_bad_temp_script"] = NO_FILE


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What became of each test: {name: "passed", "failed" or "skipped"}."""
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("line_profiler's tests start hundreds of processes: not under the sanitizers")
    if os.environ.get("TRACER_BACKEND") == "setprofile" and hasattr(sys, "monitoring"):
        pytest.skip(
            "lines have one back end: line_profiler's tests run with the other run of these"
        )
    try:
        archive, helpers = archive_of(RELEASE, "line_suite"), packages_of(HELPERS, "line_suite")
    except RuntimeError as error:
        if os.environ.get(REQUIRED):
            raise
        pytest.skip(f"line_profiler's own tests are NOT run: {error}")
    folder = tmp_path_factory.mktemp("line_profiler")
    with tarfile.open(archive) as file:
        tests = [m for m in file.getmembers() if m.name.split("/")[1:2] == ["tests"]]
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # 3.11.4
        file.extractall(folder, tests, **safely)
    (tests,) = folder.glob("*/tests")
    report = folder / "report.xml"
    # The suite gives the interpreter's path to a shell, and this clone may stand below a blank.
    (folder / "prefix").symlink_to(sys.prefix)
    python = folder / "prefix" / Path(sys.executable).relative_to(sys.prefix)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SUITE), str(helpers)]),
        "PATH": os.pathsep.join([str(SUITE / "bin"), str(python.parent), os.environ["PATH"]]),
        "PYTHON_COLORS": "0",
    }
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    command += ["--rootdir", str(tests), "--junitxml", str(report)]
    command += [str(tests / f"{module}.py") for module in MODULES]
    result = subprocess.run(
        command, cwd=tests.parent, env=environment, capture_output=True, text=True, timeout=SECONDS
    )
    assert report.exists(), result.stdout + result.stderr
    kinds = {"failure": "failed", "error": "failed", "skipped": "skipped"}
    cases = {}
    for case in ElementTree.parse(report).iter("testcase"):
        module = (case.get("classname") or case.get("name")).split(".")
        module = next(part for part in module if part.startswith("test_"))
        kind = next((kinds[part.tag] for part in case if part.tag in kinds), "passed")
        cases[f"{module}::{case.get('name')}"] = kind
    return cases


def is_set_aside(name):
    return any(name.startswith(beginning) for beginning in SET_ASIDE)


@pytest.mark.parametrize("module", MODULES)
def test_its_tests_pass(outcomes, module):
    mine = {name: kind for name, kind in outcomes.items() if name.startswith(f"{module}::")}
    failed = [name for name, kind in mine.items() if kind == "failed" and not is_set_aside(name)]
    assert not failed
    assert list(mine.values()).count("passed") >= MODULES[module]


@pytest.mark.parametrize("beginning", SET_ASIDE)
def test_what_is_set_aside_exists_and_fails(outcomes, beginning):
    kinds = {kind for name, kind in outcomes.items() if name.startswith(beginning)}
    assert kinds <= {"failed", "skipped"}, f"{beginning} passes: take it off the list"
    assert kinds


def test_no_module_of_the_suite_is_overlooked(outcomes):
    archive = archive_of(RELEASE, "line_suite")
    with tarfile.open(archive) as file:
        paths = [PurePosixPath(name) for name in file.getnames()]
    names = {path.stem for path in paths if path.match("*/tests/test_*.py")}
    assert names == {*MODULES, *NOT_ABOUT_US}
