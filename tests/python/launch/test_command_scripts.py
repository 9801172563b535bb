"""A script of an environment, like pytest: the user's own code is in the current folder."""

import json
import os
import sys

import pytest

import tracer
from launch import environment, traced, write

SCRIPT = f"""#!{sys.executable}
import sys
sys.path.insert(0, "")
import bought
sys.exit(bought.main(sys.argv[1]))
"""
BOUGHT = "def main(name):\n    return __import__(name).work()\n"
WORK = "def work():\n    from lark import parts\n    return parts.add(1, -1)\n"


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    for place in "env", "sd/lark-1.3.1/.venv":
        site = folder / place / "lib" / "python3.12" / "site-packages"
        write(site / "bought.py", BOUGHT)
        path = f"sys.path.append({str(site)!r})\n"
        script = write(
            folder / place / "bin" / "tool", SCRIPT.replace("import b", f"{path}import b")
        )
        os.chmod(script, 0o755)
    here = folder / "sd" / "lark-1.3.1"
    write(here / "work.py", WORK)
    write(here / "lark" / "__init__.py", "__all__ = []\n")
    write(here / "lark" / "parts.py", "def add(a, b):\n    return a + b\n")
    return here


def on_path(folder):
    return environment(PATH=f"{folder}/bin:{os.environ['PATH']}")


def run(here, *words, status=0, said=b"", **options):
    found = traced(*words, cwd=here, **options)
    assert (found.returncode, found.stderr) == (status, said)
    return found.stdout.decode()


@pytest.fixture(params=["PATH", "path", "PATH of an environment below", "path below"])
def tool(request, here):
    """The words that start the tool, and the environment."""
    folder = here / ".venv" if "below" in request.param else here.parent.parent / "env"
    if request.param.startswith("PATH"):
        return "tool", {"env": on_path(folder)}
    return str(folder / "bin" / "tool"), {}


def test_the_lines_of_the_current_folder_are_timed(here, tool, tmp_path):
    name, options = tool
    file = tmp_path / "profile.out"
    run(here, "--lines", "-o", str(file), name, "work", **options)
    timed = {os.path.relpath(it.file, here) for it in tracer.Stats(file).lines.functions}
    assert timed == {"work.py", "lark/__init__.py", "lark/parts.py"}


def test_modules_are_named_from_their_package(here, tool, tmp_path):
    name, options = tool
    file = tmp_path / "profile.out"
    run(here, "-o", str(file), name, "work", **options)
    whole = json.loads(run(here, "export", str(file), "--to", "json", "-o", "-"))
    modules = {it["module"]: it["kind"] for it in whole["functions"] if it["file"].endswith(".py")}
    own = {"lark": "own", "lark.parts": "own", "work": "own"}
    assert {module: kind for module, kind in modules.items() if kind == "own"} == own
    assert modules["bought"] == "site"
    [script] = [it for it in whole["functions"] if it["file"].endswith("/tool")]
    assert script["module"] == "tool.__main__"


def test_nothing_of_the_own_ran(here, tool, tmp_path):
    name, options = tool
    said = (
        b"tracer: no line was timed: the program's own code that ran is excluded, or "
        b"lies elsewhere; add code by --lines-of\n"
    )
    words = "--exclude", ".", "--lines"
    run(here, *words, name, "work", said=said, **options)


def test_a_module_of_the_current_folder_can_be_named(here, tool, tmp_path):
    name, options = tool
    file = tmp_path / "profile.out"
    run(here, "--include", "lark.parts", "-o", str(file), name, "work", **options)
    names = {label[2] for label in tracer.Stats(file).stats if label[0].endswith(".py")}
    assert names == {"<module>", "add"}


TWICE = """#!{python}
import os, sys
sys.path.append({site!r})
if sys.argv[1] == "first":
    sys.path.insert(0, os.getcwd())
elif sys.argv[1] == "last":
    sys.path.append(os.getcwd())
import twin.inner
twin.inner.work()
"""


@pytest.fixture
def twice(tmp_path):
    """A folder whose package is installed beside the tool, too, and a tool that chooses one."""
    site = tmp_path / "env" / "lib" / "python3.12" / "site-packages"
    tool = write(tmp_path / "env/bin/tool", TWICE.format(python=sys.executable, site=str(site)))
    os.chmod(tool, 0o755)
    for place, name in (site, "installed"), (tmp_path / "here", "own"):
        write(place / "twin" / "__init__.py", "")
        write(place / "twin" / "inner.py", f"def work():\n    {name}()\ndef {name}(): pass\n")
    return tmp_path / "here", environment(PYTHONPATH=str(site)), str(tool)


@pytest.mark.parametrize(("order", "found"), [("first", "own"), ("last", "installed")])
def test_a_module_that_is_here_and_installed_is_the_one_that_is_imported(twice, order, found):
    here, env, tool = twice
    for name in "twin", "twin.inner":
        options = ("--no-builtins", "--include", name, "-o", "x.out")
        run(here, *options, tool, order, env=env)
        names = {label[2] for label in tracer.Stats(here / "x.out").stats}
        assert names == {"<module>", "work", found}
        words = ("--no-builtins", "--exclude", name, "-o", "x.out")
        run(here, *words, tool, order, env=env)
        names = {label[2] for label in tracer.Stats(here / "x.out").stats}
        assert "<module>" in names and not names & {"work", found}
    run(here, "--lines", "--include", "twin.inner", "-o", "x.out", tool, order, env=env)
    timed = {it.name for it in tracer.Stats(here / "x.out").lines.functions}
    assert {"work", found} <= timed


def test_a_folder_of_that_name_is_no_module_where_another_is_found(twice):
    here, env, tool = twice
    (here / "twin" / "__init__.py").unlink()
    shown = run(here, "--include", "twin", tool, "last", env=env)
    assert shown.count("   include  ") == 1 and f"   include  {here}" not in shown


def test_another_program_imports_what_is_found_first(twice):
    here, env, _ = twice
    write(here / "program.py", "import twin.inner\ntwin.inner.work()\n")
    for words in ["program.py"], ["-m", "program"]:
        shown = run(here, "--include", "twin", *words, env=env)
        assert shown.count("   include  ") == 1 and f"   include  {here}/twin\n" in shown


def test_a_script_of_the_users_own_on_path(here, tmp_path):
    """The script's lines are timed, for it is in no environment; so are the current folder's."""
    script = write(tmp_path / "bin" / "mine", f"#!{sys.executable}\nprint(1)\n")
    os.chmod(script, 0o755)
    file = tmp_path / "profile.out"
    run(here, "--lines", "-o", str(file), "mine", env=on_path(tmp_path))
    assert [it.file for it in tracer.Stats(file).lines.functions] == [str(script)]
