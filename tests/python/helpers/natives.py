"""Captures with made-up native samples, whose figures are known exactly.

The functions, threads and times are those of PROGRAM, recorded by a clock of two hands
(waiting.py): only the samples are made up. A sample is told by two texts: the path of its node,
`main/fit/step`, and its native stack from the outermost function on, `matmul@numpy.so
dgemm_@blas.so`. `@libz.so.1` has no symbol, and `jit` is in no file.
"""

from tracer.data.capture import Capture
from tracer.data.records import NODE
from tracer.data.samples import FRAME, IN_PROGRAM, NOWHERE, SAMPLE, STACK
from tracer.data.types import RunInfo
from waiting import FILE, profile_of, space_of

# Own times, in ms: main 100, load 900 of which it ran for 200, fit 100 in 2 calls, step 2,000 in 2.
PROGRAM = """
def main():
    WORK(100)
    load()
    fit()
    fit()

def load():
    WORK(200); WAIT(700)

def fit():
    WORK(50)
    step()

def step():
    WORK(1000)
"""
# The labels of its functions.
MAIN, LOAD, FIT, STEP = (
    (FILE, PROGRAM[: PROGRAM.index(f"def {name}()")].count("\n") + 1, name)
    for name in ("main", "load", "fit", "step")
)
RUN = RunInfo(("python", "work.py"), 1.7e9, 3.2, 2.5, 0.1, 50 << 20, "3.13")
SIZE = 0x100000  # of the code of each library
ENTRY = 0x1000  # of a function: its place in the file is a multiple


class Natives:
    """Makes a capture. hz, period, means, cut, lost, refused: as in data/samples.py; signals: None
    for the sum of all weights."""

    def __init__(
        self,
        capture=None,
        *,
        hz=100,
        period=0.01,
        means="timer",
        signals=None,
        cut=0,
        lost=0,
        refused=(),
        cpu=-1.0,
    ):
        self.capture = recorded() if capture is None else capture
        self.signals = signals
        self.facts = {
            "hz": hz,
            "period": period,
            "means": means,
            "cut": cut,
            "lost": lost,
            "refused": tuple(refused),
        }
        self.cpu = [cpu] * len(self.capture.threads)
        self.samples = [[] for _ in self.capture.threads]
        self.libraries = {}
        self.symbols = {}  # (name, library): position
        self.frames = {}  # (symbol, library, whether it is innermost): position
        self.stacks = {}  # (number of the caller's, position of the frame): number
        self.others = []

    def at(self, path, stack="", weight=1, *, kind=IN_PROGRAM, thread=0):
        """Adds a sample. path: "" for the root of the thread."""
        node = self.node(path, thread)
        self.samples[thread].append((node, 0, self.stack(stack), kind, weight))
        return self

    def unkept(self, position, stack="", weight=1, *, kind=IN_PROGRAM, thread=0):
        """Adds a sample in a call whose path was not kept."""
        self.samples[thread].append((position, 1, self.stack(stack), kind, weight))
        return self

    def other(self, name, stacks, cpu=-1.0, native_id=77):
        """Adds a thread that Python does not know. stacks: {stack: weight}."""
        records = [(0, 0, self.stack(stack), IN_PROGRAM, n) for stack, n in stacks.items()]
        self.others.append((name, native_id, cpu, packed(SAMPLE, records)))
        return self

    def node(self, path, thread=0):
        nodes = {}  # (number of the parent, name): number
        records = self.capture.threads[thread].records["nodes"]
        for number, (parent, function, *_) in enumerate(NODE.iter_unpack(records)):
            if number:
                nodes[parent, self.capture.functions[function].name] = number
        found = 0
        for name in filter(None, path.split("/")):
            found = nodes[found, name]
        return found

    def stack(self, text):
        found, words = 0, text.split()
        for left, word in zip(range(len(words), 0, -1), words, strict=True):
            key = (found, self.frame(word, left == 1))
            found = self.stacks.setdefault(key, len(self.stacks) + 1)
        return found

    def frame(self, word, is_innermost):
        name, at, library = word.partition("@")
        module = self.libraries.setdefault(library, len(self.libraries)) if at else NOWHERE
        symbol = self.symbols.setdefault((name, module), len(self.symbols))
        return self.frames.setdefault((symbol, module, is_innermost), len(self.frames))

    def made(self):
        """The capture."""
        weights = [sample[-1] for samples in self.samples for sample in samples]
        weights += [sample[-1] for it in self.others for sample in SAMPLE.iter_unpack(it[3])]
        native = {
            **self.facts,
            "signals": sum(weights) if self.signals is None else self.signals,
            "modules": tuple(
                (f"/lib/{name}", f"{number:040x}", start_of(number), start_of(number) + SIZE, ENTRY)
                for name, number in self.libraries.items()
            ),
            "symbols": tuple(
                (name, module, ENTRY * (number + 1))
                for (name, module), number in self.symbols.items()
            ),
            # A call ends 0x20 bytes behind the function's entry, and what runs is 0x40 behind.
            "frames": packed(
                FRAME,
                (
                    (
                        start_of(module) + ENTRY * symbol + (0x40 if is_innermost else 0x20),
                        module,
                        symbol,
                    )
                    for symbol, module, is_innermost in self.frames
                ),
            ),
            "stacks": packed(STACK, self.stacks),
            "others": tuple(self.others),
        }
        section = self.capture.section()
        threads = tuple(
            {**thread, "native": packed(SAMPLE, samples), "native_cpu": cpu}
            for thread, samples, cpu in zip(section["threads"], self.samples, self.cpu, strict=True)
        )
        return Capture({**section, "threads": threads, "native": native}, self.capture.run)


def start_of(module):
    return 0x7F0000000000 + (0 if module == NOWHERE else module + 1) * SIZE


def packed(layout, records):
    return b"".join(layout.pack(*record) for record in records)


def save(file, natives=None):
    """Writes a profile with native samples; by default the few of a single thread."""
    found = Natives().at("main", "deflate@libz.so crc@libz.so", 3) if natives is None else natives
    capture = found.made()
    file.write_bytes(capture.dumps(capture.figures().stats))


def recorded(source=PROGRAM, run=RUN, threads=("MainThread",)):
    """A capture of a call of main() without samples. threads: names of threads that each did the
    same."""
    capture = profile_of(space_of(source)).capture()
    (thread,) = capture.threads
    capture.threads = tuple(
        thread._replace(name=name, ident=number, native_id=number)
        for number, name in enumerate(threads, 1)
    )
    capture.run = run
    return capture


def trained():
    """The samples of a small training, of 10 ms each. Of step's 193, 180 are native, and of load's
    20, 6; main's 8 and fit's 4 are the interpreter's. 5 more of fit's are overhead. A thread of
    BLAS has 25."""
    natives = Natives(
        hz=100, signals=230, cut=2, lost=1, cpu=2.35, refused=[("pool-1", "SIGPROF is blocked")]
    )
    natives.at("main", weight=8)
    natives.at("main/load", weight=14)
    natives.at("main/load", "loads@json.so scan@json.so", 6)
    natives.at("main/fit", weight=4)
    natives.at("main/fit", weight=5, kind=1)
    natives.at("main/fit/step", "matmul@numpy.so dgemm@blas.so kernel@blas.so", 150)
    natives.at("main/fit/step", "matmul@numpy.so dgemm@blas.so", 20)
    natives.at("main/fit/step", "matmul@numpy.so", 10)
    natives.at("main/fit/step", weight=13)
    natives.other("worker", {"start@blas.so kernel@blas.so": 25}, cpu=0.26)
    return natives
