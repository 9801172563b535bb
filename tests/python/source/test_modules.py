"""The modules that files are: from their paths alone, wherever a checkout lies."""

import pytest

from tracer.launch.program import is_installed_script
from tracer.source.file_kinds import place_of, prefix_of
from tracer.source.modules import Module, modules_of

pytestmark = pytest.mark.results


def test_nothing():
    assert modules_of([]) == {}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("~", Module("", "", "builtin")),
        ("", Module("", "", "builtin")),
        ("/usr/lib/python3.11/json/decoder.py", ("json.decoder", "json", "library")),
        ("/usr/lib/python3.11/json/__init__.py", ("json", "json", "library")),
        ("/opt/py/lib64/python3.13/os.py", ("os", "os", "library")),
        ("/usr/lib/python3/dist-packages/six.py", ("six", "six", "site")),
        ("/usr/lib/python3/six.py", ("six", "six", "library")),
        ("/opt/py/lib/python3.14t/json/tool.py", ("json.tool", "json", "library")),
        ("/srv/lib/python3app/main.py", ("main", "main", "own")),
        ("/e/lib/python3.12/site-packages/a/b/__init__.py", ("a.b", "a", "site")),
        ("/e/lib/python3.12/lib-dynload/_bz2.cpython-312-x.so", ("_bz2", "_bz2", "library")),
        ("<frozen importlib._bootstrap>", ("importlib._bootstrap", "importlib", "library")),
        ("<string>", ("<string>", "<string>", "own")),
        ("main.py", ("main", "main", "own")),
        ("C:\\work\\main.py", ("main", "main", "own")),
        ("/src/.hidden", (".hidden", ".hidden", "own")),
        ("/src/a b.py", ("a b", "a b", "own")),
        ("/__init__.py", ("__init__", "__init__", "own")),
    ],
)
def test_a_file(file, expected):
    assert modules_of([file]) == {file: expected}


def test_own_files_are_named_from_the_folder_they_share():
    for place in "/home/a/checkout", "/build/7":
        files = [f"{place}/main.py", f"{place}/app/views.py", f"{place}/app/__init__.py"]
        modules = modules_of([*files, "~", "/usr/lib/python3.11/os.py"])
        assert [module.name for module in modules.values()] == [
            "main",
            "app.views",
            "app",
            "",
            "os",
        ]


def test_what_has_no_folder_shares_none():
    modules = modules_of(["<string>", "/a/b/c.py", "/a/b/d/e.py"])
    assert [module.name for module in modules.values()] == ["<string>", "c", "d.e"]


@pytest.mark.parametrize(
    "elsewhere", ["/tmp/x/y.py", "/home/u/v/bin/tool", "/home/u/sd/tests/t.py"]
)
def test_what_is_in_a_package_is_named_from_it(elsewhere):
    """It is, however far apart the program's own files are, as under an environment's script."""
    root = "/home/u/sd/lark_parser"
    files = [f"{root}/lark/{name}.py" for name in ("__init__", "a", "in/__init__", "in/b", "c/d")]
    names = [modules_of([elsewhere, *files])[file].name for file in files]
    assert names == ["lark", "lark.a", "lark.in", "lark.in.b", "lark.c.d"]
    assert [modules_of(files)[file].name for file in files] == names


def test_a_folder_that_is_no_identifier_is_of_no_name():
    files = ["/w/sd/lark-1.3.1/tests/test_x.py", "/w/sd/lark-1.3.1/lark/x.py", "/w/other/a.py"]
    assert [it.name for it in modules_of(files).values()] == ["tests.test_x", "lark.x", "other.a"]
    odd = ["/w/my-package/__init__.py", "/w/my-package/x.py", "/w/a.py"]
    assert [it.name for it in modules_of(odd).values()] == ["__init__", "x", "a"]


@pytest.mark.parametrize("library", ["site-packages/pytest/__init__.py", "json/decoder.py"])
def test_the_script_of_an_environment_is_no_own_code(library):
    script, main = "/w/app/.venv/bin/pytest", "/w/app/main.py"
    modules = modules_of([script, main, f"/w/app/.venv/lib/python3.13/{library}"])
    assert modules[script] == Module("pytest.__main__", "pytest", "site")
    assert modules[main] == Module("main", "main", "own")
    assert modules_of([script, main])[script].kind == "own"


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("/w/app/../.venv/bin/pytest", "site"),
        ("/w/./.venv//bin/pytest", "site"),
        ("/w/app/.venv/bin/pytest", "own"),
        ("/w/.venv/bin/tools/../../pytest", "own"),
    ],
)
def test_the_path_of_a_script_has_what_the_user_typed(script, kind):
    library = "/w/.venv/lib/python3.13/site-packages/pytest/__init__.py"
    assert modules_of([script, library])[script].kind == kind


@pytest.mark.parametrize(
    ("folder", "versioned"),
    [
        *((name, True) for name in ("python3", "python3.9", "python3.14", "python3.14t")),
        *((f"python3{rest}", False) for rest in ("app", "-tools", "t", "14", ".", ".t", ".x")),
        *((f"python3.{rest}", False) for rest in ("14tt", "14-site", "14.1", " 14", "\u0661")),
        *((name, False) for name in ("python", "python2.7", "xpython3.11", "python3.11\n")),
    ],
)
def test_which_folders_of_a_library_are_of_python(folder, versioned, tmp_path):
    """`python3(\\.\\d+t?)?` and no other, wherever that is asked."""
    file = f"/srv/lib/{folder}/pkg/main.py"
    parts = ["srv", "lib", folder, "pkg", "main.py"]
    expected = ("library", ["pkg", "main.py"]) if versioned else ("own", parts)
    assert place_of(file) == expected
    assert place_of(file.replace("/lib/", "/lib64/"))[0] == expected[0]
    assert prefix_of(file) == ("/srv" if versioned else None)
    (tmp_path / "lib" / folder).mkdir(parents=True)
    assert is_installed_script(str(tmp_path / "bin" / "tool")) is versioned


@pytest.mark.parametrize("package", ["/w/venv/lib/python3.13/site-packages/foo", "/w/p/foo"])
def test_a_script_is_not_the_package_of_its_name(package):
    """Nor does the script have another name where the package is installed elsewhere."""
    script, init = "/w/venv/bin/foo", f"{package}/__init__.py"
    modules = modules_of([script, init, f"{package}/broker.py", "/w/main.py"])
    assert modules[script].name == "foo.__main__"
    assert modules[init].name == "foo"


def test_the_code_of_cells_is_of_the_main_module():
    """Each edit of a cell makes another file, so two runs could not be compared."""
    files = ["/tmp/ipykernel_12/345.py", "/tmp/ipykernel_12/67.py", "<ipython-input-3-abc>"]
    assert {it.name for it in modules_of([*files, "/home/me/ipykernel_1/app.py"]).values()} == {
        "__main__",
        "app",
    }
