"""The layers of the house, read off the sources: an include or import never points upward.

C: types -> dispatch -> recorders -> sources -> context -> interp -> core; preload is beside them.
Python: compat -> commands -> the rest -> _core. Whether the core's object code is free of Python is
checked by the build itself (see test_build_refusals.py).
"""

import ast
import pkgutil
import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from places import ROOT

EXT = ROOT / "ext"
PACKAGE = ROOT / "python" / "tracer"

# Rooms of the extension, by the floor they are on. Those on one floor know nothing of each other.
C_FLOORS = {
    "preload": 0,
    "core/base": 0,
    "core/log": 1,
    "core/unwind": 1,
    "core/samples": 2,
    "core/tree": 2,
    "core/lines": 2,
    "core/heap": 3,
    "interp": 3,
    "core/report": 4,
    "heapwalk": 4,
    "context": 4,
    "sources": 5,
    "recorders": 6,
    "dispatch": 7,
    "types": 8,
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
    text = (EXT / "MODULES.md").read_text()
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
    # That of profiles that are made of samples is in no list: nobody chooses it by its name.
    assert sorted([*listed, "samples"]) == sorted(
        name for path in C_FILES for name in defined.findall(path.read_text())
    )


@pytest.mark.parametrize("path", C_FILES, ids=named)
def test_includes_are_written_from_ext_and_point_downward(path: Path) -> None:
    here = room_of(path)
    for included in QUOTED.findall(path.read_text()):
        assert (EXT / included).is_file(), f"{named(path)} includes {included}"
        room = room_of(EXT / included)
        lower = C_FLOORS[room] < C_FLOORS[here]
        assert room == here or lower, f"{named(path)} includes {included}"


def modules_included() -> dict[str, set[str]]:
    """What each module of the extension, a .c with its .h, includes of others."""
    found: dict[str, set[str]] = {}
    for path in C_FILES:
        module = path.relative_to(EXT).with_suffix("").as_posix()
        others = {included.rpartition(".")[0] for included in QUOTED.findall(path.read_text())}
        found[module] = found.get(module, set()) | others - {module}
    return found


def test_no_includes_make_a_circle() -> None:
    included = modules_included()
    assert "recorders/calls" in included["dispatch/dispatcher"]
    try:
        TopologicalSorter(included).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_module_is_alone_on_top() -> None:
    included = modules_included()
    used = set().union(*included.values())
    assert {name for name in included if name.startswith("types/")} - used == {"types/module"}


@pytest.mark.parametrize("path", sorted(EXT.glob("core/*/*.[ch]")), ids=named)
def test_the_core_includes_nothing_of_python(path: Path) -> None:
    for included in ANGLED.findall(path.read_text()):
        assert included not in OF_PYTHON, f"{named(path)} includes {included}"
        assert CORE_MAY_INCLUDE.fullmatch(included), f"{named(path)} includes {included}"


def test_one_file_reads_the_version_of_python() -> None:
    readers = [named(path) for path in C_FILES if "PY_VERSION_HEX" in path.read_text()]
    assert readers == ["ext/interp/compat.h"]


# -- The package -----------------------------------------------------------------------------------

LONGEST = 60  # lines of a function of the command

# Each package may import those of the floors before its own, and itself; those that share a floor
# know nothing of each other. On top stand the lazy names of `import tracer` and `python -m tracer`.
FLOORS = (
    ("_core", "_version"),
    ("runtime", "source"),
    ("data",),
    ("recording",),
    ("analysis",),
    ("results",),
    ("report", "page", "exports"),
    ("server",),
    ("api",),
    ("launch",),
    ("cli",),
    ("integrations", "compat"),
    ("__init__", "__main__"),
)
FLOOR = {package: floor for floor, packages in enumerate(FLOORS) for package in packages}


def module_of(path: Path) -> str:
    """The dotted name of a file of the package, below `tracer`; "" of its own `__init__`."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in PYTHON_FILES}


def package_of(module: str) -> str:
    return module.partition(".")[0] or "__init__"


def modules_imported(path: Path) -> set[str]:
    """The modules of the package that a file imports: at its top, inside of functions and for its
    types alone. They are named below `tracer`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{named(path)} imports by dots"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner.removeprefix("tracer.") in MODULES else str(node.module))
    ours = {name for name in found if name == "tracer" or name.startswith("tracer.")}
    return {name.removeprefix("tracer").removeprefix(".") for name in ours}


def test_each_package_has_a_floor() -> None:
    assert {package_of(module) for module in MODULES} == FLOOR.keys() - {"_core"}


@pytest.mark.parametrize("path", PYTHON_FILES, ids=named)
def test_imports_point_downward(path: Path) -> None:
    here = package_of(module_of(path))
    for module in sorted(modules_imported(path)):
        there = package_of(module)
        assert there == here or FLOOR[there] < FLOOR[here], f"{named(path)} imports {module}"


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = {module: modules_imported(path) for module, path in MODULES.items()}
    assert sum(map(len, graph.values())) > 200
    assert circles(graph) == []


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The nodes that lead to themselves, those of one circle together."""
    beyond = {node: reached_from(node, graph) for node in graph}
    inside = sorted(node for node, reached in beyond.items() if node in reached)
    rings = {tuple(b for b in inside if b in beyond[a] and a in beyond[b]) for a in inside}
    return sorted(map(list, rings))


def reached_from(node: str, graph: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [node]
    while waiting:
        more = graph.get(waiting.pop(), set()) - reached
        reached |= more
        waiting += more
    return reached


def test_rooms_of_analysis_make_no_circle() -> None:
    """recordings.py stands above the rooms: they import nothing of the package but each other."""
    rooms: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        if module.startswith("analysis.") and module.count(".") == 2:
            room = rooms.setdefault(module.split(".")[1], set())
            room |= {
                other.split(".")[1]
                for other in modules_imported(path)
                if other.startswith("analysis.")
            }
    assert {"findings", "steps", "tree"} <= rooms.keys()
    assert circles({room: others - {room} for room, others in rooms.items()}) == []
    assert set().union(*rooms.values()) <= rooms.keys()


def test_packages_load_nothing_of_their_own() -> None:
    """What stands in an `__init__` is loaded with every module of the package."""
    for path in PACKAGE.glob("*/**/__init__.py"):
        code = [node for node in ast.parse(path.read_text()).body if not isinstance(node, ast.Expr)]
        assert code == [], named(path)


@pytest.mark.parametrize("path", sorted((PACKAGE / "cli").rglob("*.py")), ids=named)
def test_no_function_of_the_command_is_long(path: Path) -> None:
    """Signature and docstring are counted."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= LONGEST, f"{named(path)}: {node.name}"


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"e"}}
    assert circles(graph) == [["b", "c"], ["e"]]


def test_no_submodule_bears_a_public_name() -> None:
    import tracer

    submodules = {module.name for module in pkgutil.iter_modules(tracer.__path__)}
    assert {"api", "cli"} <= submodules
    assert submodules.isdisjoint(tracer.__all__)
