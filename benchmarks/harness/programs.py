"""The real programs, in one table: how each is loaded, and its body, sized to tenths of a second.

The first set has the programs of the OSDI'23 comparison of Python profilers, six more that make
many calls, and the Julia set of ../programs. The other set has nine programs by which no decision
was made. All but the Julia set come from the package pyperformance. Those in no set are of a single
script. This file knows nothing of profilers.
"""

import asyncio
import gc
import importlib.util
import io
import logging
import queue
import sys
import threading
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


def prepare_generators(module: ModuleType) -> Body:
    tree = module.tree(range(100_000))

    def body():
        for _ in range(14):
            for _ in tree:
                pass

    return body


def prepare_pyflate(module: ModuleType) -> Body:
    archive = Path(module.__file__).parent / "data" / "interpreter.tar.bz2"
    return lambda: module.bench_pyflake(1, archive)


def prepare_pickle(module: ModuleType) -> Body:
    """pickle is imported anew, without its half in C: its classes are in Python then."""
    sys.modules["_pickle"] = None
    sys.modules.pop("pickle", None)
    pickle = importlib.import_module("pickle")
    del sys.modules["_pickle"]
    options = SimpleNamespace(protocol=pickle.HIGHEST_PROTOCOL)
    return lambda: module.bench_pickle(70, pickle, options)


def prepare_logging(module: ModuleType) -> Body:
    stream = io.StringIO()
    logger = logging.getLogger("benchlogger")
    logger.propagate = False
    logger.addHandler(logging.StreamHandler(stream=stream))
    logger.setLevel(logging.WARNING)
    return lambda: [bench(3000, logger, stream) for bench in module.BENCHMARKS.values()]


def prepare_threads(module: ModuleType) -> Body:
    """Four threads solve the same problem, and hand their results over."""

    def solve(results: queue.SimpleQueue[int]) -> None:
        for _ in range(16):
            results.put(module.count_solutions(module.Board(8)))
            results.put(sum(1 for _ in module.solutions(7)))

    def body() -> None:
        results: queue.SimpleQueue[int] = queue.SimpleQueue()
        threads = [threading.Thread(target=solve, args=(results,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(128):
            results.get()
        for thread in threads:
            thread.join()

    return body


def prepare_pages(module: ModuleType) -> Body:
    template = module.made()
    return lambda: module.render(template, 60)


def prepare_json(module: ModuleType) -> Body:
    cases = [getattr(module, case) for case in module.CASES]
    data = [(thing, range(10 * count)) for thing, count in cases]
    return lambda: module.bench_json_dumps(data)


def prepare_toml(module: ModuleType) -> Body:
    folder = pyperformance() / "bm_tomli_loads" / "data"
    text = module.beginning(folder / "tomli-bench-data.toml", 150_000)
    return lambda: module.tomllib.loads(text)


def named(*programs: Program) -> dict[str, Program]:
    return {program.name: program for program in programs}


SETS = {
    "first": named(
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
    ),
    "other": named(
        Program("hexiom", "hexiom", lambda m: lambda: m.main(70, m.DEFAULT_LEVEL)),
        Program("generators", "generators", prepare_generators),
        Program("coroutines", "coroutines", lambda m: lambda: m.bench_coroutines(16)),
        Program("pyflate", "pyflate", prepare_pyflate),
        Program(
            "typing_runtime_protocols",
            "typing_runtime_protocols",
            lambda module: lambda: module.bench_protocols(2000),
        ),
        Program("nqueens", "nqueens", lambda m: lambda: [m.bench_n_queens(8) for _ in range(4)]),
        Program("pickle_pure_python", "pickle", prepare_pickle),
        Program("float", "float", lambda m: lambda: [m.benchmark(100_000) for _ in range(4)]),
        Program("logging", "logging", prepare_logging),
    ),
}
IN_NO_SET = named(
    Program("threads", "queens.py", prepare_threads),
    Program("json_dumps", "json_dumps", prepare_json),
    Program("tomllib", "toml.py", prepare_toml),
    Program("heap", "heap.py", lambda module: lambda: module.grow(150_000)),
    Program("arrays", "arrays.py", lambda module: lambda: module.means(300)),
    Program("pylint", "linted.py", lambda module: module.lint),
    Program("django", "pages.py", prepare_pages),
    Program("pool", "pool.py", lambda module: lambda: module.run(1000)),
    Program("served", "served.py", lambda module: lambda: module.run(16, 100)),
    Program("echo", "echo.py", lambda module: lambda: asyncio.run(module.run(8, 200))),
)
PROGRAMS = {
    name: program for programs in (*SETS.values(), IN_NO_SET) for name, program in programs.items()
}
# Those of which shares of time are compared: seventeen of one thread, three with threads, and a
# service.
SHARES = (
    *("hexiom", "richards", "nqueens", "float", "generators", "pyflate", "logging", "raytrace"),
    *("sympy", "go", "deltablue", "chaos", "mdp", "pprint", "docutils", "pylint", "django"),
    *("threads", "pool", "served", "echo"),
)
