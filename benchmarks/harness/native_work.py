"""Programs that spend their time inside C, and one run of each with its native samples: what
native.py measures, each in a process of its own.

    native_work.py compare KIND SECONDS    shares of native functions, by tracer and by perf
    native_work.py entered KIND SECONDS    whether the node's C function is in the native stacks
    native_work.py unwound KIND SECONDS    whether libdwfl finds the same stacks, by core/unwound.c
    native_work.py run KIND SECONDS        nothing but that work
    native_work.py kernel SECONDS          whether the callers of OpenBLAS's kernel are known
    native_work.py threads KIND SECONDS    CPU time in samples, beside the process's
    native_work.py times KIND TURNS HZ...  CPU time of the body without samples, and at each rate
"""

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path

from harness.report import complain
from tracer import Profile
from tracer.data.records import NODE
from tracer.data.samples import IN_OVERHEAD, samples_of

RATE = 997  # of perf, samples a second
INTERPRETER = "_PyEval_EvalFrameDefault"
# The C function that the body calls, by its name in Python and in C: the outermost of each native
# stack below it.
ENTERED = {
    "zlib": ("compress", "zlib_compress"),
    "re": ("findall", "_sre_SRE_Pattern_findall"),
    "sorted": ("sorted", "builtin_sorted"),
}


def _json():
    data = [{"a": i, "b": [1, 2, 3.5], "name": f"row {i}"} for i in range(2000)]
    return lambda: json.loads(json.dumps(data))


def _re():
    text = "the quick brown fox 2026-11-24 jumps over 10.0.0.1 " * 500
    pattern = re.compile(r"(\d+)[-.](\d+)|[a-z]+ow|\b[aeiou]\w+")
    return lambda: len(pattern.findall(text))


def _sorted():
    words = [(i * 7919 % 10007, str(i)) for i in range(20000)]
    return lambda: sorted(words, key=lambda pair: pair[1])


def _zlib():
    data = os.urandom(100000) + bytes(300000) + str(list(range(50000))).encode()
    return lambda: zlib.compress(data, 6)


def _matmul():
    import numpy

    a, b = numpy.random.rand(500, 500), numpy.random.rand(500, 500)
    return lambda: a @ b


def _pandas():
    import numpy
    import pandas

    count = 100_000
    frame = pandas.DataFrame({"k": numpy.arange(count) % 97, "v": numpy.random.rand(count)})
    return lambda: (frame.groupby("k")["v"].sum(), frame.sort_values("v"), frame["v"].rank())


def _polars():
    import polars

    count = 1_000_000
    frame = polars.DataFrame({"k": [i % 97 for i in range(count)], "v": list(range(count))})
    return lambda: frame.group_by("k").agg(polars.col("v").sum()).sort("v")


def _python():
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return lambda: fib(18)


KINDS = {
    "json": _json,
    "re": _re,
    "sorted": _sorted,
    "zlib": _zlib,
    "matmul": _matmul,
    "pandas": _pandas,
    "polars": _polars,
    "python": _python,
}


def run_for(step, seconds):
    """For so many seconds of CPU time of the process."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        step()


def sampled(step, seconds, hz=200):
    """The capture of a run."""
    step()
    with Profile(native=hz) as profile:
        run_for(step, seconds)
    return profile.capture()


def stacks_of(capture, *, overhead=False):
    """(thread's native id, sample, functions of its stack) of the program's samples. overhead: and
    of those in tracer's own work."""
    threads = [(it.native_id, it.native) for it in capture.threads]
    threads += [(it.native_id, it.samples) for it in capture.native.others]
    for native_id, samples in threads:
        for sample in samples_of(samples):
            if overhead or sample.kind != IN_OVERHEAD:
                frames = capture.native.frames_of(sample.stack)
                yield native_id, sample, [frame.function for frame in frames]


# -- Beside perf --


class Perf:
    """perf record of this process, while it is open."""

    def __init__(self, folder):
        self.file = Path(folder) / "perf.data"

    def __enter__(self):
        words = ["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", RATE, "-o", self.file]
        words += ["-p", os.getpid()]
        self.process = subprocess.Popen([*map(str, words)], stderr=subprocess.PIPE)
        time.sleep(1)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()

    def functions(self):
        """(thread, library, name) of each sample: of the innermost frame that is not the kernel's,
        so that a page fault is the function's that had it."""
        words = ["perf", "script", "-i", self.file, "-F", "tid,ip,sym,dso", "--no-demangle"]
        text = subprocess.run([*map(str, words)], capture_output=True, text=True, check=True).stdout
        for block in filter(str.strip, text.split("\n\n")):
            head, *frames = block.strip().splitlines()
            for frame in frames:
                place, library = frame.strip().rsplit(" ", 1)
                name, library = place.partition(" ")[2], library.strip("()")
                if not library.startswith("[kernel"):
                    yield int(head.split()[0]), library.rpartition("/")[2], name
                    break


def shares(found, named):
    """{function: percent}. Functions that one of the two has no name for are one for each library.
    Of the names of one function, `brk` and `__brk`, each may have told another."""
    counts = Counter()
    for (library, name), weight in found.items():
        known = (library, name.lstrip("_")) in named
        counts[f"{name.lstrip('_')} ({library})" if known else f"others ({library})"] += weight
    return {name: 100 * count / counts.total() for name, count in counts.items()}


def compare(kind, seconds):
    step = KINDS[kind]()
    with tempfile.TemporaryDirectory() as folder:
        with Perf(folder) as perf:
            capture = sampled(step, float(seconds))
        ours, theirs, threads = Counter(), Counter(), set()
        interpreter = None
        for thread, sample, stack in stacks_of(capture, overhead=True):
            threads.add(thread)
            name, library = (stack[-1].name, stack[-1].library) if stack else (INTERPRETER, "")
            ours[Path(library).resolve().name if library else "", name] += sample.weight
        for thread, library, name in perf.functions():
            if name.startswith(INTERPRETER):
                interpreter = library
            if thread in threads:
                theirs[library, name] += 1
    if ours[("", INTERPRETER)]:
        ours[interpreter, INTERPRETER] += ours.pop(("", INTERPRETER))
    named = set.intersection(
        *({(library, name.lstrip("_")) for library, name in side} for side in (ours, theirs))
    )
    return {"tracer": shares(ours, named), "perf": shares(theirs, named), "samples": ours.total()}


# -- Beside libdwfl --

UNWOUND = Path(__file__).parents[2] / "build" / "bench" / "unwound"


def unwound(kind, seconds):
    """The program runs the interpreter as a library."""
    folder, name = map(sysconfig.get_config_var, ("LIBDIR", "INSTSONAME"))
    library = Path(folder or "", name or "")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED") or not library.is_file():
        raise ImportError("this Python has no shared library, so its stacks have no second reading")
    paths = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONHOME": sys.base_prefix, "PYTHONPATH": paths}
    words = [UNWOUND, library, "-m", "harness.native_work", "run", kind, seconds]
    done = subprocess.run(
        [*map(str, words)], env=environment, capture_output=True, text=True, check=False
    )
    if done.stderr:
        complain(done.stderr.strip())
    return json.loads(done.stdout.splitlines()[-1])


def run(kind, seconds):
    run_for(KINDS[kind](), float(seconds))


# -- OpenBLAS's kernel, C functions, threads, times --


def kernel(seconds):
    """Of the samples in a kernel of matrices, in a thread of Python's: those below a function of
    the program, with cblas_dgemm between."""
    capture = sampled(KINDS["matmul"](), float(seconds))
    found = {"kernel": 0, "called": 0, "names": []}
    own = {it.native_id for it in capture.threads}
    for thread, sample, stack in stacks_of(capture):
        if thread in own and stack and re.match(r"[sd]gemm_kernel", stack[-1].name):
            found["kernel"] += sample.weight
            is_called = sample.node and any("cblas_dgemm" in it.name for it in stack)
            found["called"] += sample.weight * bool(is_called)
            found["names"] = sorted({*found["names"], stack[-1].name})
    return found


def entered(kind, seconds):
    """Of the samples in the calls of one C function: those whose outermost native function is
    that."""
    capture = sampled(KINDS[kind](), float(seconds))
    known, symbol = ENTERED[kind]
    found = Counter()
    (thread,) = capture.threads
    rows = [row for _, row, *_ in NODE.iter_unpack(thread.records["nodes"])]
    for _, sample, stack in stacks_of(capture):
        name = capture.functions[rows[sample.node]].qualname if sample.node else ""
        if known in name and "<lambda>" not in name:
            found["all"] += sample.weight
            is_there = bool(stack) and stack[0].name.split(".")[0] == symbol
            found["entered"] += sample.weight * is_there
    return dict(found)


def threads(kind, seconds):
    step = KINDS[kind]()
    before = time.process_time()
    capture = sampled(step, float(seconds), 250)
    used = time.process_time() - before
    weight = sum(sample.weight for _, sample, _ in stacks_of(capture, overhead=True))
    return {"process": used, "samples": weight * capture.native.period}


def times(kind, turns, *rates):
    """{rate: [seconds of the thread for the same work]}; 0: recorded without samples."""
    step = KINDS[kind]()
    started = time.thread_time()
    step()
    rounds = max(1, round(0.05 / max(time.thread_time() - started, 1e-6)))
    found = {rate: [] for rate in ("0", *rates)}
    for _ in range(int(turns)):
        for rate, seconds in found.items():
            with Profile(native=int(rate) or False):
                began = time.thread_time()
                for _ in range(rounds):
                    step()
                seconds.append(time.thread_time() - began)
    return found


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    try:
        print(json.dumps(globals()[what](*words)))
    except ImportError as missing:
        complain(str(missing))
        sys.exit(3)
