"""What a timeline costs: an event, real programs, bytes a call, a range of the program's own, and
the exports of a million calls.

Each ratio is of added times: what the same takes without a profiler is subtracted. Whatever is
compared takes turns. An event is measured in full detail, by the loops of events.py, and once the
budget is full and only longer calls are kept, by a program whose calls differ in length.
"""

import gc
import importlib.util
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter

import events
import exports
import programs
from harness.apart import measured_apart
from harness.calls import KINDS
from harness.figures import added, best, ratio, rotated, typical, worst
from harness.profilers import Profiler, available, make_none, make_tracer, require_silence
from harness.programs import PROGRAMS, pyperformance
from harness.report import Goal, finish, need_tracer, number, parser, show, table, version

PLAIN, WITHOUT, FULL, THINNED = "none", "tracer", "tracer timeline", "thinned"
CHOSEN = [
    *("async_tree_none", "async_tree_io", "coroutines", "generators", "threads"),
    *("docutils", "deltablue", "raytrace", "deepcopy", "regex_compile", "pprint"),
]
QUICK = ["deltablue", "generators", "threads"]
FILLING = 4000  # runs of a program of 2,500 calls, by which the smallest budget is full many times
EXPORTED = 1_000_000  # calls
PATIENCE = 120  # seconds for one process

# At most, each: see README.md
EVENT, EVENT_THINNED = 1.18, 1.04
MEDIAN, WORST, TO_VIZTRACER = 1.15, 1.30, 0.75
RECORDED, FILED = 5.3, 4.0  # bytes a call
RANGE, RANGE_OFF = 400, 100  # ns
EXPORT_SECONDS = {"perfetto": 0.4}  # of a million calls; the others:
OTHER_SECONDS = 1.0
EXPORT_BYTES = {"perfetto": 25}


def backends():
    """The back ends of this interpreter."""
    return ["setprofile", "monitoring"] if sys.version_info >= (3, 12) else ["setprofile"]


# -- An event --


def measure_events(backend, rounds, calls):
    """{kind: {variant: ns that it adds to a pair}}, in full detail."""
    variants = [
        Profiler(PLAIN, "builtins", make_none),
        Profiler(WITHOUT, "tracer", partial(make_tracer, backend=backend)),
        Profiler(FULL, "tracer", partial(make_tracer, backend=backend, timeline=True)),
    ]
    samples, _ = events.measure(variants, rounds, calls)
    costs = events.cost(samples, calls)
    return {kind: {name: kinds[kind] for name, kinds in costs.items()} for kind in KINDS}


def queens():
    """A program whose calls differ in length by a factor of thousands."""
    path = Path(__file__).with_name("programs") / "queens.py"
    spec = importlib.util.spec_from_file_location("bench_queens", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def body():
        module.count_solutions(module.Board(5))
        sum(1 for _ in module.solutions(5))

    return body


def measure_thinned(backend, turns):
    """{variant: seconds of each turn}, and the shortest call that is kept, in seconds. All profiles
    know the program before they are measured."""
    from tracer import Profile

    body = queens()
    profiles = {
        WITHOUT: Profile(backend=backend),
        THINNED: Profile(backend=backend, timeline="1MiB"),
    }
    switches = {name: (profile.enable, profile.disable) for name, profile in profiles.items()}
    switches[PLAIN] = make_none()
    for profile in profiles.values():
        profile.enable()
        body()
        profile.disable()
    profiles[THINNED].enable()
    for _ in range(FILLING):
        body()
    profiles[THINNED].disable()
    seconds = {name: [] for name in switches}
    gc.disable()
    for turn in range(turns):
        for name in rotated(list(switches), turn):
            start, stop = switches[name]
            start()
            body()  # the interpreter tells its code of the change
            began = perf_counter()
            body()
            seconds[name].append(perf_counter() - began)
            stop()
    gc.enable()
    timeline = profiles[THINNED].capture().timeline
    return seconds, timeline.least * timeline.seconds_per_tick


# -- What the program tells --


def measure_ranges(turns, count=2000):
    """{"recording" or "off": ns of a pair}"""
    import tracer

    def bare():
        began = perf_counter()
        for _ in range(count):
            pass
        return perf_counter() - began

    def ranges():
        began = perf_counter()
        for _ in range(count):
            with tracer.range("load"):
                pass
        return perf_counter() - began

    found = {}
    base = min(bare() for _ in range(turns))
    for name in ("off", "recording"):
        samples = []
        for _ in range(turns):
            profile = tracer.Profile(timeline=True)
            if name == "recording":
                profile.enable()
            samples.append(ranges())
            profile.disable()
        found[name] = added(best(samples), base, count * 1e-9)
    return found


# -- Bytes, exports --


def measure_bytes(chosen):
    """{program: what harness/timed.py tells}"""
    found = {
        program: measured_apart(
            f"the timeline of {program}", "-m", "harness.timed", program, patience=PATIENCE
        )
        for program in chosen
    }
    return {program: one for program, one in found.items() if one is not None}


def a_call(found, key):
    """Bytes a call, by program."""
    return {program: ratio(one[key], one["slices"]) for program, one in found.items()}


def drawing_formats():
    """The formats that draw a timeline."""
    from tracer.exports.export import FORMATS

    return [name for name, one in FORMATS.items() if getattr(one, "draws", False)]


def record_calls(path, calls):
    """Save a timeline of at least so many slices. Returns their number."""
    from tracer import Profile

    body = queens()
    profile = Profile(timeline="256MiB")
    slices = 0
    while slices < calls:
        profile.enable()
        for _ in range(20 if calls > 1000 else 1):
            body()
        profile.disable()
        slices = sum(len(one.read().starts) for one in profile.capture().timeline.threads)
    profile.dump_stats(path)
    return slices


def measure_exports(calls):
    """{format: {"seconds": .., "bytes": ..} of a call}, by processor time. What an export of a few
    calls takes is subtracted."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder, "few.out"), Path(folder, "many.out")
        fewer = record_calls(few, 1)
        slices = record_calls(many, max(calls, 2 * fewer))
        found = {}
        for name in drawing_formats():
            base, whole = exports.measure(few, name), exports.measure(many, name)
            found[name] = {
                "seconds": (whole["cpu"] - base["cpu"]) / (slices - fewer),
                "bytes": 1e6 * (whole["MB"] - base["MB"]) / (slices - fewer),
            }
        return found


# -- The report --


def event_figures(found):
    """[(what, ns without, ns with, ratio, at most)]"""
    rows = []
    for backend, one in found.items():
        for kind, costs in one["full"].items():
            figures = costs[WITHOUT], costs[FULL]
            rows.append((f"{backend}: {kind}", *figures, ratio(figures[1], figures[0]), EVENT))
        seconds = {name: best(samples) for name, samples in one["thinned"].items()}
        figures = [added(seconds[name], seconds[PLAIN]) for name in (WITHOUT, THINNED)]
        limit = EVENT_THINNED
        rows.append(
            (f"{backend}: once calls are left out", None, None, ratio(*figures[::-1]), limit)
        )
    return rows


def program_goals(summary):
    to_profile = programs.ratios(summary, FULL, WITHOUT)
    to_viztracer = programs.ratios(summary, FULL, "viztracer")
    alone = programs.ratios(summary, WITHOUT, "viztracer")
    beaten = [
        with_one
        for with_one, without in zip(to_viztracer, alone, strict=True)
        if without is not None and without < 1
    ]
    return [
        Goal("programs, median added: with a timeline / without", MEDIAN, typical(to_profile)),
        Goal("programs, worst added: with a timeline / without", WORST, worst(to_profile)),
        Goal("programs, median added: / viztracer", TO_VIZTRACER, typical(to_viztracer)),
        Goal("programs, worst added: / viztracer, where the profile is below", 1.0, worst(beaten)),
    ]


def goals_of(found):
    goals = [
        Goal(f"event, {what}", limit, one)
        for what, *_, one, limit in event_figures(found["events"])
    ]
    goals += program_goals(found["programs"]["summary"])
    sizes = found["bytes"]
    for text, key, limit in (("recorded", "recorded", RECORDED), ("in the file", "filed", FILED)):
        figure = worst(list(a_call(sizes, key).values()))
        goals.append(Goal(f"bytes a call, {text}, at worst", limit, figure))
    goals += [
        Goal("range, ns: recording", RANGE, found["ranges"]["recording"]),
        Goal("range, ns: no profile is on", RANGE_OFF, found["ranges"]["off"]),
    ]
    for name, one in found["exports"].items():
        seconds = EXPORT_SECONDS.get(name, OTHER_SECONDS)
        goals.append(Goal(f"export {name}, s a million calls", seconds, 1e6 * one["seconds"]))
        if name in EXPORT_BYTES:
            goals.append(Goal(f"export {name}, bytes a call", EXPORT_BYTES[name], one["bytes"]))
    return goals


def render(found):
    parts = []
    rows = [
        [what, show(without, 1), show(full, 1), show(one)]
        for what, without, full, one, _ in event_figures(found["events"])
    ]
    parts.append(table(["added to a pair", "without, ns", "with a timeline, ns", "ratio"], rows))
    summary = found["programs"]["summary"]
    against = [WITHOUT, "viztracer"]
    columns = [programs.ratios(summary, FULL, name) for name in against]
    sizes = [a_call(found["bytes"], key) for key in ("recorded", "filed")]
    rows = []
    for index, (program, figures) in enumerate(summary.items()):
        row = [program, show(figures["plain"])]
        row += [show(figures["slowdown"].get(name)) for name in (WITHOUT, FULL, "viztracer")]
        row += [show(column[index]) for column in columns]
        rows.append(row + [show(one.get(program), 1) for one in sizes])
    heads = ["slow-down", "plain, s", "tracer", "with a timeline", "viztracer"]
    heads += ["added: with / without", "added: with / viztracer"]
    parts.append(table([*heads, "bytes a call", "in the file"], rows))
    if found["exports"]:
        rows = [
            [name, show(1e6 * one["seconds"]), show(one["bytes"], 1)]
            for name, one in found["exports"].items()
        ]
        parts.append(table(["export", "s a million calls", "bytes a call"], rows))
    return "\n\n".join(parts)


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--quick", action="store_true", help="two minutes instead of fifteen")
    options.add_argument("--turns", type=number(1), default=400, help="turns of each event (400)")
    options.add_argument("--rounds", type=number(1), default=5, help="samples of a program (5)")
    options.add_argument("--calls", type=number(100), default=1000, help="calls in a turn (1,000)")
    options.add_argument(
        "--minutes", type=float, default=8, help="begin no round of programs after so many (8)"
    )
    options.add_argument(
        "--programs", nargs="+", choices=PROGRAMS, metavar="NAME", help="these alone"
    )
    options.add_argument(
        "--exported", type=number(1), default=EXPORTED, help="calls that are exported (1e6)"
    )
    options = options.parse_args(arguments)
    need_tracer()
    require_silence()
    turns = min(options.turns, 100) if options.quick else options.turns
    rounds = min(options.rounds, 2) if options.quick else options.rounds
    chosen = options.programs or (QUICK if options.quick else CHOSEN)
    if not {"julia", "threads"}.issuperset(chosen):
        pyperformance()
    found = {"events": {}}
    for backend in backends():
        full = measure_events(backend, turns, options.calls)
        thinned, least = measure_thinned(backend, turns)
        found["events"][backend] = {"full": full, "thinned": thinned, "least": least}
    found["ranges"] = measure_ranges(min(turns, 100))
    profilers = available([PLAIN, WITHOUT, FULL, "viztracer"])
    deadline = monotonic() + 60 * options.minutes
    samples, made = programs.measure(chosen, profilers, rounds, deadline)
    summary = programs.summarize(samples, "cpu")
    found["programs"] = {"samples": samples, "rounds": made, "summary": summary}
    found["bytes"] = measure_bytes(chosen)
    found["exports"] = measure_exports(options.exported)
    least = ", ".join(show(1e6 * one["least"], 1) for one in found["events"].values())
    body = (
        f"{render(found)}\n\nBest of {turns} turns; medians of {made} rounds, by processor time. "
    )
    body += f"Calls of less than {least} us are left out where calls are."
    finish(f"Timeline, Python {version()}", body, goals_of(found), options, found)


if __name__ == "__main__":
    sys.exit(main())
