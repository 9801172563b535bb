"""Which functions are the program's own where an installed module runs them, or is run itself."""

import os
import sys

import pytest

import tracer
from launch import environment, traced
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.folding import own_rows, program_of

HOST = """
import importlib, sys

def serve(names):
    for name in names:
        importlib.import_module(name).handle()
"""
RUN = "import sys; from host import serve; serve(sys.argv[1:])"
MAIN = "def main():\n    return sum(range(1000))\n"
PYTHON = "python{}.{}".format(*sys.version_info)


@pytest.fixture
def folder(tmp_path):
    """An environment with the installed module `host` and its script; a project with a plugin, a
    package and tests; and a package that lies elsewhere, as one that is installed in editable
    mode."""
    site = f"env/lib/{PYTHON}/site-packages"
    for file, text in {
        f"{site}/host/__init__.py": HOST,
        f"{site}/host/__main__.py": RUN,
        "env/bin/host": RUN,
        "work/plugin.py": "def handle():\n    return 1\n",
        "work/shop/__init__.py": MAIN,
        "work/shop/__main__.py": "from shop import main; main()",
        "work/tests/test_shop.py": "from shop import main\n\ndef test_main():\n    main()\n",
        "elsewhere/edited/__init__.py": MAIN,
        "elsewhere/edited/__main__.py": "from edited import main; main()",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    return tmp_path


def recorded(folder, *words):
    """(the names of own functions, the installed program) of a run in the project."""
    paths = [folder / f"env/lib/{PYTHON}/site-packages", folder / "elsewhere", folder / "work"]
    ours = os.environ.get("PYTHONPATH", "")
    env = environment(PYTHONPATH=os.pathsep.join([*map(str, paths), ours]))
    out = str(folder / "out.prof")
    found = traced("-o", out, *words, cwd=folder / "work", env=env)
    assert (found.stderr, found.returncode) == (b"", 0)
    paths = paths_of(tracer.Stats(out))
    if program_of(paths):
        return set(), program_of(paths)
    owns = zip(paths.rows, own_rows(paths), strict=True)
    return {row.name for row, is_own in owns if is_own}, ()


def test_an_installed_module_is_a_library_where_it_loads_code_of_the_program(folder):
    assert recorded(folder, "-m", "host", "plugin") == ({"<module>", "handle"}, ())


@pytest.mark.parametrize(
    "words", [["-m", "host"], ["../env/bin/host"], ["./../env/bin/host"]], ids=" ".join
)
def test_an_installed_module_is_the_program_where_it_loads_none(folder, words):
    assert recorded(folder, *words) == (set(), ("host",))


def test_a_script_of_the_environment_is_a_library_likewise(folder):
    names, program = recorded(folder, "../env/bin/host", "plugin")
    assert (names, program) == ({"<module>", "handle"}, ())


@pytest.mark.parametrize("package", ["shop", "edited"])
def test_a_package_of_ones_own_is_the_program_wherever_it_lies(folder, package):
    assert recorded(folder, "-m", package) == ({"<module>", "main"}, ())


def test_tests_are_the_program_and_pytest_a_library(folder):
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert recorded(folder, *words) == ({"<module>", "test_main", "main"}, ())
