"""The layers of the house, read off the sources: an include or import never points upward.

C: types -> {bus, sources, recorders} -> interp -> core. Python: compat -> commands -> the rest ->
_core. Whether the core's object code is free of Python is checked by the build itself (see
test_build_refusals.py).
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

# Rooms of the extension, by the floor they are on.
C_FLOORS = {
    "core/base": 0,
    "core/tree": 1,
    "core/lines": 2,
    "core/report": 3,
    "interp": 4,
    "sources": 5,
    "recorders": 5,
    "bus": 5,
    "types": 6,
}
C_FILES = sorted(EXT.rglob("*.[ch]"))
PYTHON_FILES = sorted(PACKAGE.rglob("*.py"))

QUOTED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANGLED = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)
CORE_MAY_INCLUDE = re.compile(r"(uthash|immintrin|x86intrin|[a-z0-9]+|sys/[a-z]+|mach/[a-z_]+)\.h")
OF_PYTHON = {"Python.h", "structmember.h", "opcode.h", "frameobject.h", "marshal.h", "pyconfig.h"}


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    return path.parent.relative_to(EXT).as_posix()


def test_there_is_something_to_read() -> None:
    assert {room_of(path) for path in C_FILES} == set(C_FLOORS)
    assert PACKAGE / "cli" / "commands" / "run.py" in PYTHON_FILES


def test_the_map_has_every_module_once() -> None:
    text = (EXT / "README.md").read_text()
    found: dict[str, Counter[str]] = {}
    modules: Counter[str] = Counter()
    for line in text.partition("| module | what is in it |\n|---|---|\n")[2].splitlines():
        if not line:
            break
        cell = line.split("|")[1].strip()
        if cell.startswith("**"):
            modules = found[cell.strip("*")] = Counter()
        modules.update(re.findall(r"`([^`]+?)(?:\.h)?`", cell))
    for room in C_FLOORS:
        assert found[room] == Counter({path.stem for path in C_FILES if room_of(path) == room})


def test_each_back_end_of_the_list_has_its_methods() -> None:
    listed = re.findall(r"\bX\([A-Z]+, (\w+),", (EXT / "sources" / "backend.h").read_text())
    defined = re.compile(r"^const trc_backend_methods trc_(\w+)_methods = ", re.MULTILINE)
    assert sorted(listed) == sorted(
        name for path in C_FILES for name in defined.findall(path.read_text())
    )


@pytest.mark.parametrize("path", C_FILES, ids=named)
def test_includes_are_written_from_ext_and_point_downward(path: Path) -> None:
    for included in QUOTED.findall(path.read_text()):
        assert (EXT / included).is_file(), f"{named(path)} includes {included}"
        floor = C_FLOORS[room_of(EXT / included)]
        assert floor <= C_FLOORS[room_of(path)], f"{named(path)} includes {included}"


@pytest.mark.parametrize("path", sorted(EXT.glob("core/*/*.[ch]")), ids=named)
def test_the_core_includes_nothing_of_python(path: Path) -> None:
    for included in ANGLED.findall(path.read_text()):
        assert included not in OF_PYTHON, f"{named(path)} includes {included}"
        assert CORE_MAY_INCLUDE.fullmatch(included), f"{named(path)} includes {included}"


def test_one_file_reads_the_version_of_python() -> None:
    readers = [named(path) for path in C_FILES if "PY_VERSION_HEX" in path.read_text()]
    assert readers == ["ext/interp/compat.h"]


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
    return 2 if parts[1:2] in (["launch"], ["cli"], ["__main__"]) else 1


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
    assert "api" in submodules
    assert submodules.isdisjoint(tracer.__all__)
