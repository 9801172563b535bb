"""The real programs, in one table: how each is loaded, and its body, sized to tenths of a second.

They are the programs of the OSDI'23 comparison of Python profilers, six more that make many calls,
and the Julia set of ../programs. All but the Julia set come from the package pyperformance. This
file knows nothing of profilers.
"""

import asyncio
import gc
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

from harness.report import complain

HERE = Path(__file__).parents[1] / "programs"

Body = Callable[[], object]


@dataclass(frozen=True)
class Program:
    name: str
    file: str  # a file of programs/, or bm_<this> of pyperformance
    prepare: Callable[[ModuleType], Body]

    def load(self) -> Body:
        path = HERE / self.file
        if path.suffix != ".py":
            path = pyperformance() / f"bm_{self.file}" / "run_benchmark.py"
        sys.path.insert(0, str(path.parent))  # regex_compile imports its neighbours
        name = f"bench_{self.name}"  # not the name of the library that it may import
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return self.prepare(module)


def pyperformance() -> Path:
    """The folder of the package's benchmarks. Ends the script where the package is missing."""
    spec = importlib.util.find_spec("pyperformance")
    if spec is None:
        complain("pyperformance is missing, so there is nothing to run: `make bench` has it")
        raise SystemExit(2)
    return Path(spec.origin).parent / "data-files" / "benchmarks"


def async_tree(kind: str) -> Callable[[ModuleType], Body]:
    return lambda module: lambda: asyncio.run(getattr(module, kind)().run())


def prepare_pprint(module: ModuleType) -> Body:
    items = module.printable[:8000]

    def body():
        if hasattr(module.p, "_safe_repr"):
            module.p._safe_repr(items, {}, None, 0)
        module.p.pformat(items)

    return body


def prepare_sympy(module: ModuleType) -> Body:
    gc.disable()  # as pyperformance runs it
    functions = [getattr(module, f"bench_{name}") for name in module.BENCHMARKS]
    return lambda: [module.bench_sympy(1, function) for function in functions]


def prepare_deepcopy(module: ModuleType) -> Body:
    def body():
        module.benchmark(300)
        module.benchmark_reduce(5000)
        module.benchmark_memo(2000)

    return body


def prepare_chaos(module: ModuleType) -> Body:
    """main() of chaos makes the scene, and hands the work to a runner: run() does it at once."""

    def run(_, function, *arguments):
        for _ in range(4):
            function(*arguments)

    sizes = {
        name.lower().removeprefix("default_"): value
        for name, value in vars(module).items()
        if name.startswith("DEFAULT_")
    }
    settings = SimpleNamespace(**sizes, filename=None)
    return lambda: module.main(SimpleNamespace(metadata={}, bench_func=run), settings)


def prepare_regexes(module: ModuleType) -> Body:
    regexes = module.capture_regexes()
    return lambda: module.bench_regex_compile(2, regexes)


def prepare_julia(module: ModuleType) -> Body:
    points = module.grid(260)
    return lambda: module.escape_times(points, module.C, 300)


PROGRAMS = {
    program.name: program
    for program in (
        Program("mdp", "mdp", lambda module: lambda: module.Battle().evaluate(0.3)),
        Program("async_tree_none", "async_tree", async_tree("NoneAsyncTree")),
        Program("async_tree_io", "async_tree", async_tree("IOAsyncTree")),
        Program("async_tree_cpu_io_mixed", "async_tree", async_tree("CpuIoMixedAsyncTree")),
        Program("async_tree_memoization", "async_tree", async_tree("MemoizationAsyncTree")),
        Program("fannkuch", "fannkuch", lambda module: lambda: module.fannkuch(9)),
        Program("pprint", "pprint", prepare_pprint),
        Program("raytrace", "raytrace", lambda m: lambda: m.bench_raytrace(1, 100, 100, None)),
        Program("sympy", "sympy", prepare_sympy),
        Program("docutils", "docutils", lambda m: lambda: m.bench_docutils(1, m.DOC_ROOT / "peps")),
        Program("deltablue", "deltablue", lambda module: lambda: module.delta_blue(8000)),
        Program("richards", "richards", lambda module: lambda: module.Richards().run(4)),
        Program("deepcopy", "deepcopy", prepare_deepcopy),
        Program("go", "go", lambda module: lambda: [module.versus_cpu() for _ in range(2)]),
        Program("chaos", "chaos", prepare_chaos),
        Program("regex_compile", "regex_compile", prepare_regexes),
        Program("julia", "julia.py", prepare_julia),
    )
}
