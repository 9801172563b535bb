"""Programs as Paddle's guide has them, without Paddle: a loop with phases, by a clock that the test
moves."""

from rows import Clock
from tracer.compat.paddle import RecordEvent, TracerEventType
from tracer.compat.paddle_parts import profiler

PHASES = (
    (TracerEventType.Dataloader, 5),
    (TracerEventType.Forward, 20),
    (TracerEventType.Backward, 30),
    (TracerEventType.Optimization, 10),
)


class World:
    """A clock in milliseconds, and the Profilers that run by it."""

    def __init__(self, monkeypatch, folder):
        self.clock = Clock()
        real = profiler._Steps

        def by_clock(*args, compensate):
            return real(*args, timer=self.clock, timeunit=0.001)

        monkeypatch.setattr(profiler, "_Steps", by_clock)
        monkeypatch.setattr(profiler, "_reported", set())
        monkeypatch.chdir(folder)
        self.ready = []  # the numbers of the steps of each cycle

    def note(self, prof):
        self.ready.append(steps_of(prof))

    def wait(self, ticks):
        self.clock.now += ticks

    def train(self):
        """A step of 65 ms, and 5 ms in no phase."""
        for kind, ticks in PHASES:
            with RecordEvent("phase", kind):
                self.wait(ticks)
        self.wait(5)

    def run(self, steps, **options):
        """The Profiler, after so many steps."""
        options = {"on_trace_ready": self.note, **options}
        with profiler.Profiler(**options) as prof:
            self.loop(prof, steps)
        return prof

    def loop(self, prof, steps, num_samples=None):
        for _ in range(steps):
            self.train()
            prof.step(num_samples)


def steps_of(prof):
    """The numbers of the steps of the latest cycle."""
    return sorted(
        int(node.name.removeprefix("ProfileStep#"))
        for root in prof.profiler_result.get_data().values()
        for node in root.children_node
        if node.type is TracerEventType.ProfileStep
    )


def tables(text):
    """{title: rows of cells} of a summary: rows are told by two blanks between cells."""
    found, title = {}, None
    for line in text.splitlines():
        inner = line.strip("-")
        if line.startswith("-") and inner.endswith("Summary"):
            title = inner
            found[title] = []
        elif title and "  " in line.strip() and not line.startswith("-"):
            found[title].append([cell.strip() for cell in line.strip().split("  ") if cell])
    return found
