"""The layers of the house, read off the sources: an include or import never points upward.

C: types -> hooks -> core. Python: compat -> commands -> the rest -> _core. Whether the core's
object code is free of Python is checked by the build itself (see test_build_refusals.py).
"""

import ast
import pkgutil
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXT = ROOT / "ext"
PACKAGE = ROOT / "python" / "tracer"

C_LAYERS = ["core", "hooks", "types"]
C_FILES = sorted(EXT.glob("*/*.[ch]"))
PYTHON_FILES = sorted(PACKAGE.rglob("*.py"))

QUOTED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANGLED = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)
CORE_MAY_INCLUDE = re.compile(r"(uthash|immintrin|x86intrin|[a-z0-9]+|sys/[a-z]+|mach/[a-z_]+)\.h")
OF_PYTHON = {"Python.h", "structmember.h", "opcode.h", "frameobject.h", "marshal.h", "pyconfig.h"}


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def layer_of_include(including: Path, included: str) -> str:
    """The layer that a quoted include leads to, beside the including file or below ext/."""
    for base in (including.parent, EXT):
        target = (base / included).resolve()
        if target.exists():
            return target.parent.name
    raise AssertionError(f"{named(including)} includes {included}, which does not exist")


def test_there_is_something_to_read() -> None:
    assert {path.parent.name for path in C_FILES} == set(C_LAYERS)
    assert PACKAGE / "commands" / "run.py" in PYTHON_FILES


def test_the_map_has_every_module_once() -> None:
    text = (EXT / "README.md").read_text()
    found = {layer: Counter[str]() for layer in C_LAYERS}
    of_columns = []
    table = text.partition("| core | | hooks | |\n")[2].partition("\n\n")[0]
    for line in ["| core | | hooks | |", *table.splitlines()]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for column, cell in enumerate(cells[::2]):
            heading = cell.strip("*")
            if heading in C_LAYERS:
                of_columns[column:] = [heading]
            elif not cell.startswith("---"):
                found[of_columns[column]].update(re.findall(r"`([^`]+?)(?:\.h)?`", cell))
    for layer in C_LAYERS:
        modules = {path.stem for path in C_FILES if path.parent.name == layer}
        assert found[layer] == Counter(modules), layer


def test_each_back_end_of_the_list_has_its_methods() -> None:
    listed = re.findall(r"\bX\([A-Z]+, (\w+),", (EXT / "hooks" / "backend.h").read_text())
    defined = re.compile(r"^const trc_backend_methods trc_(\w+)_methods = ", re.MULTILINE)
    assert sorted(listed) == sorted(
        name for path in C_FILES for name in defined.findall(path.read_text())
    )


@pytest.mark.parametrize("path", C_FILES, ids=named)
def test_includes_point_downward(path: Path) -> None:
    here = C_LAYERS.index(path.parent.name)
    for included in QUOTED.findall(path.read_text()):
        layer = layer_of_include(path, included)
        assert C_LAYERS.index(layer) <= here, f"{named(path)} includes {included} of {layer}"


@pytest.mark.parametrize("path", sorted(EXT.glob("core/*.[ch]")), ids=named)
def test_the_core_includes_nothing_of_python(path: Path) -> None:
    for included in ANGLED.findall(path.read_text()):
        assert included not in OF_PYTHON, f"{named(path)} includes {included}"
        assert CORE_MAY_INCLUDE.fullmatch(included), f"{named(path)} includes {included}"


def test_one_file_reads_the_version_of_python() -> None:
    readers = [named(path) for path in C_FILES if "PY_VERSION_HEX" in path.read_text()]
    assert readers == ["ext/hooks/compat.h"]


def modules_imported(path: Path) -> set[str]:
    """Absolute names of what a file of the package imports, at the top or inside of functions."""
    package = ("tracer", *path.relative_to(PACKAGE).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *filter(None, [node.module])))
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


def python_layer(module: str) -> int | None:
    """0 for _core, 1 for the rest, 2 for the commands, 3 for other profilers' names of those; None
    for what is not of the package."""
    parts = module.split(".")
    if parts[0] != "tracer":
        return None
    if parts[1:2] == ["_core"]:
        return 0
    if parts[1:2] == ["compat"]:
        return 3
    return 2 if parts[1:2] in (["commands"], ["__main__"]) else 1


@pytest.mark.parametrize("path", PYTHON_FILES, ids=named)
def test_imports_point_downward(path: Path) -> None:
    parts = ("tracer", *path.relative_to(PACKAGE).with_suffix("").parts)
    here = python_layer(".".join(parts))
    assert here is not None
    for module in sorted(modules_imported(path)):
        layer = python_layer(module)
        assert layer is None or layer <= here, f"{named(path)} imports {module}"


def test_no_submodule_bears_a_public_name() -> None:
    import tracer

    submodules = {module.name for module in pkgutil.iter_modules(tracer.__path__)}
    assert "stats" in submodules
    assert submodules.isdisjoint(tracer.__all__)
