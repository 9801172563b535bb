"""pprof: profile.proto in gzip for `go tool pprof`: calls and own time of each path, or memory.

Each sample spells out its whole path, the innermost function first. So the size before gzip grows
with the depth of calls. protobuf.py encodes the fields.
"""

from __future__ import annotations

import gzip
from typing import NamedTuple

from tracer.analysis.tree.batches import batches
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.pruning import pruned
from tracer.data.native_view import CPU
from tracer.exports.format import Format, Options
from tracer.exports.names import shown, thread_names, unique_names
from tracer.exports.native_places import NativePlaces
from tracer.exports.protobuf import BYTES, SMALL, Varints, data, integer, packed, varint
from tracer.exports.writing import LARGEST_WRITE
from tracer.source.symbol_names import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from tracer.analysis.native.symbolizer import CodePlace
    from tracer.analysis.tree.call_tree import Paths, Row, Tree
    from tracer.data.profile_set import ProfileSet
    from tracer.data.samples import Module

NAME = "tracer.pb"  # in gzip's head

FORMAT = Format(
    opened_by="go tool pprof and what else reads profile.proto",
    suffix=".pb.gz",
    mark=NAME.encode(),
    is_text=False,
    prunes="paths",
    weighs_memory=True,
    weighs_native=True,
    by_address=True,
)

# Numbers of fields, by message.
SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE = 1, 2, 3, 4, 5, 6
TIME_NANOS, DURATION_NANOS, COMMENT, DEFAULT_SAMPLE_TYPE = 9, 10, 13, 14
TYPE, UNIT = 1, 2
SAMPLE_LOCATIONS, SAMPLE_VALUES, SAMPLE_LABELS = 1, 2, 3
LABEL_KEY, LABEL_TEXT, LABEL_NUMBER = 1, 2, 3
MAPPING_ID, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET = 1, 2, 3, 4
MAPPING_FILE, MAPPING_BUILD_ID, HAS_FUNCTIONS, HAS_FILES, HAS_LINES = 5, 6, 7, 8, 9
LOCATION_ADDRESS = 3
LOCATION_ID, LOCATION_MAPPING, LOCATION_LINES, LINE_FUNCTION, LINE_NUMBER = 1, 2, 4, 1, 2
FUNCTION_ID, FUNCTION_NAME, FUNCTION_SYMBOL, FUNCTION_FILE, FUNCTION_LINE = 1, 2, 3, 4, 5

# The measures of memory, by the names that pprof's users know. "In use" is live at the end.
SPACES = {"allocated": "alloc", "live": "inuse", "peak": "peak", "temporary": "temporary"}
SAMPLED = (
    "Times come from samples. Calls were counted apart, by function and caller; those of a "
    "function that was called too often are at least as many."
)
PACKING = 1  # gzip's level: paths repeat so much that a higher level gains little


class Texts:
    """The string table: texts by their number. 0 is the empty text."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    texts = Texts()
    # gzip's head has one name and no time, so that the same profile gives the same bytes.
    with gzip.GzipFile(NAME, "wb", PACKING, out, mtime=0) as file:
        done = 0
        file.write(kinds(stats, texts))
        frames = [varint(row + 1) for row in range(len(paths.rows))]
        varints = Varints()
        for seen, before, after in by_measure(paths, stats, options):
            for name, tree in zip(thread_names(seen), seen.trees, strict=True):
                labels = label(texts, "thread", name) + label(texts, "thread_id", tree.native_id)
                of = Around(frames, labels, before, after, period_of(stats))
                for_samples = options if seen is paths else Options()
                for chunk in samples(tree, of, varints, for_samples, done):
                    file.write(chunk)
                done += len(tree) if seen is paths else 0
        file.writelines(counted_calls(paths, frames))
        mappings = Mappings(texts)
        file.writelines(functions(paths, texts, NativePlaces(paths, stats), mappings))
        file.write(about(paths, stats, texts, options))
        file.write(mappings.written())
        # Fields may stand in any order. The texts come last: all are known now.
        file.write(b"".join(data(STRING_TABLE, text.encode()) for text in texts.numbers))


def by_measure(
    paths: Paths, stats: ProfileSet, options: Options
) -> Iterator[tuple[Paths, bytes, bytes]]:
    """The paths, and the zeros before and after their two values in a sample. Of memory, a sample
    has two values of each measure, and is of one measure alone: a reader adds them up by path."""
    if stats.measure in (None, CPU) or stats.source is None:
        yield paths, b"", b"" if stats.sampled is None else bytes(1)  # the calls
        return
    for place, measure in enumerate(SPACES):
        seen = paths
        if measure != stats.measure:
            seen = pruned(paths_of(stats.source.seen_by(measure)), options.minimum)
            assert seen.rows == paths.rows
        yield seen, bytes(2 * place), bytes(2 * (len(SPACES) - 1 - place))


def kinds(stats: ProfileSet, texts: Texts) -> bytes:
    """The names and units of the values of a sample."""
    if stats.measure == CPU:
        units = {"samples": "count", "cpu": "nanoseconds"}
    elif stats.sampled is not None:
        units = {"samples": "count", "cpu": "nanoseconds", "calls": "count"}
    elif stats.measure is None:
        units = {"calls": "count", time_name(stats): "nanoseconds"}
    else:
        both = (("objects", "count"), ("space", "bytes"))
        units = {f"{name}_{what}": unit for name in SPACES.values() for what, unit in both}
    return b"".join(
        data(SAMPLE_TYPE, integer(TYPE, texts.number(name)) + integer(UNIT, texts.number(unit)))
        for name, unit in units.items()
    )


def value_name(stats: ProfileSet) -> str:
    """The name of the value that a reader shows first."""
    if stats.measure == CPU:
        return "cpu"
    return time_name(stats) if stats.measure is None else f"{SPACES[stats.measure]}_space"


def time_name(stats: ProfileSet) -> str:
    clocks = {capture.clock for capture in stats.captures}
    return "cpu" if clocks == {"cpu"} else "wall"


def label(texts: Texts, key: str, value: str | int) -> bytes:
    field = integer(LABEL_KEY, texts.number(key))
    if isinstance(value, str):
        field += integer(LABEL_TEXT, texts.number(value))
    else:
        field += integer(LABEL_NUMBER, value)
    return data(SAMPLE_LABELS, field)


def period_of(stats: ProfileSet) -> float:
    """The nanoseconds that a sample stands for, on average; 0 where calls were recorded."""
    if stats.sampled is None or stats.measure is not None:
        return 0.0
    signals = sum(facts.signals for facts in stats.sampled.facts)
    return stats.sampled.time * 1e9 / (signals or 1)


def counted_calls(paths: Paths, frames: list[bytes]) -> Iterator[bytes]:
    """Where times come from samples: the calls that were counted, each with its caller alone, for
    more is not known of them."""
    if paths.sampled is None:
        return
    numbers = {row: number for number, row in enumerate(paths.rows)}
    for (caller, callee), calls in paths.sampled.edges.items():
        stack = [numbers[it] for it in (callee, caller) if it in numbers]
        if callee in numbers:
            places = b"".join(frames[number] for number in stack)
            values = bytes(2) + varint(calls)
            yield data(SAMPLE, data(SAMPLE_LOCATIONS, places) + data(SAMPLE_VALUES, values))


class Around(NamedTuple):
    """What is the same in all samples of a thread. frames: the encoded numbers of the functions.
    before, after: zeros around the two values. period: the nanoseconds of a sample, where the first
    value is samples; 0 where it is calls."""

    frames: list[bytes]
    labels: bytes
    before: bytes
    after: bytes
    period: float


# One long loop: a call at each of millions of nodes would take 3% more time.
def samples(
    tree: Tree,
    around: Around,
    varints: Varints,
    options: Options,
    done: int,
) -> Iterator[bytearray]:
    """The samples of a thread, many at a time."""
    frames, labels, before, after, period = around
    rest, zeros = after + labels, len(before) + len(after)
    deepest = max(tree.depth)
    # The path grows towards the front, because the innermost function comes first.
    path = bytearray(deepest * max(map(len, frames), default=0))
    starts = [len(path)] * (deepest + 1)
    sample, locations, values = (
        varint(field << 3 | BYTES) for field in (SAMPLE, SAMPLE_LOCATIONS, SAMPLE_VALUES)
    )
    small, low = varints.small, varints.low
    chunk = bytearray()
    for batch in batches(tree, options.progress, done):
        for depth, row, calls, _, time in batch:
            frame = frames[row]
            end = starts[depth - 1]
            starts[depth] = start = end - len(frame)
            path[start:end] = frame
            if period:
                calls = round(time / period)
            if not calls and time <= 0:
                continue
            figures = small[calls] if calls < SMALL else varint(calls)
            if time < SMALL:
                figures += small[max(time, 0)]
            elif time < SMALL * SMALL:
                figures += low[time % SMALL] + small[time // SMALL]
            else:
                figures += varint(time)
            length = len(path) - start
            body = locations + (small[length] if length < SMALL else varint(length))
            body += path[start:] + values + small[zeros + len(figures)] + before + figures + rest
            chunk += sample
            chunk += small[len(body)] if len(body) < SMALL else varint(len(body))
            chunk += body
            if len(chunk) > LARGEST_WRITE:
                yield chunk
                chunk = bytearray()
    yield chunk


def size(paths: Paths) -> int:
    """About how many bytes the paths have before gzip."""
    lengths = [len(varint(row + 1)) for row in range(len(paths.rows))]
    total = 0
    for tree in paths.trees:
        ends = [0] * (max(tree.depth) + 1)
        for batch in batches(tree):
            for depth, row, calls, _, time in batch:
                ends[depth] = end = ends[depth - 1] + lengths[row]
                if calls or time > 0:
                    total += end
    return total


class Mappings:
    """The files of native code, as far as they are used. Number 1 is the program."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.used: dict[Module, int] = {}

    def number(self, module: Module | None) -> int:
        """0: no file."""
        return 0 if module is None else self.used.setdefault(module, len(self.used) + 2)

    def written(self) -> bytes:
        found = b""
        for module, number in self.used.items():
            mapping = integer(MAPPING_ID, number) + integer(MAPPING_START, module.start)
            mapping += integer(MAPPING_LIMIT, module.limit)
            mapping += integer(MAPPING_OFFSET, module.offset)
            mapping += integer(MAPPING_FILE, self.texts.number(shown(module.path)))
            mapping += integer(MAPPING_BUILD_ID, self.texts.number(module.build_id))
            found += data(MAPPING, mapping + integer(HAS_FUNCTIONS, 1))
        return found


def functions(
    paths: Paths, texts: Texts, places: NativePlaces, mappings: Mappings
) -> Iterator[bytes]:
    """A location for each row, numbered from 1, and the functions. A native function has a location
    for each of its addresses."""
    natives = NativeFunctions(texts, len(paths.rows))
    for number, (row, name) in enumerate(zip(paths.rows, unique_names(paths), strict=True), 1):
        location = integer(LOCATION_ID, number)
        if number - 1 in paths.natives:
            location += integer(LOCATION_MAPPING, mappings.number(places.module_of(row)))
            location += integer(LOCATION_ADDRESS, row.line)
            yield data(LOCATION, location + natives.lines(row, places.lines_of(row)))
            continue
        # Without a "system name" pprof leaves the name alone, and takes no <locals> for a template.
        function = integer(FUNCTION_ID, number) + integer(FUNCTION_NAME, texts.number(name))
        if row.file not in ("~", ""):
            function += integer(FUNCTION_FILE, texts.number(shown(row.file)))
            function += integer(FUNCTION_LINE, row.line)
        line = integer(LINE_FUNCTION, number) + integer(LINE_NUMBER, row.line)
        # No mapping: pprof would look for instructions in the program's file.
        yield data(FUNCTION, function) + data(LOCATION, location + data(LOCATION_LINES, line))
    yield b"".join(natives.written)


class NativeFunctions:
    """The native functions, as they are met. One whose lines are of several files, as of a header's
    macro, is a function in each: pprof adds them up by their name."""

    def __init__(self, texts: Texts, taken: int) -> None:
        """taken: the highest number that a function has by now."""
        self.texts = texts
        self.taken = taken
        self.known: dict[tuple[str, str, str], int] = {}
        self.written: list[bytes] = []

    def lines(self, row: Row, places: list[CodePlace]) -> bytes:
        """The lines of a location: what was put in line there, the innermost first, then the
        function itself."""
        found = b""
        for place in places[:-1]:
            found += self.line(row.file, place.function, place.file, place.line)
        file, line = places[-1][:2] if places else ("", 0)
        return found + self.line(row.file, row.name, file, line)

    def line(self, library: str, symbol: str, file: str, line: int) -> bytes:
        key = library, symbol, file
        number = self.known.setdefault(key, self.taken + len(self.known) + 1)
        if len(self.written) < len(self.known):
            name = self.texts.number(shown(readable(symbol)))
            fields = integer(FUNCTION_ID, number) + integer(FUNCTION_NAME, name)
            fields += integer(FUNCTION_SYMBOL, self.texts.number(shown(symbol)))
            if file:  # else the mapping names the file, which is no source
                fields += integer(FUNCTION_FILE, self.texts.number(shown(file)))
            self.written.append(data(FUNCTION, fields))
        of_line = integer(LINE_FUNCTION, number) + (integer(LINE_NUMBER, line) if line else b"")
        return data(LOCATION_LINES, of_line)


def about(paths: Paths, stats: ProfileSet, texts: Texts, options: Options) -> bytes:
    """The command, when it began, how long it took, and by which rule paths were estimated."""
    # These flags say that names are known: pprof looks for no program to find names in.
    mapping = integer(MAPPING_ID, 1) + integer(MAPPING_FILE, texts.number(options.title))
    mapping += integer(HAS_FUNCTIONS, 1) + integer(HAS_FILES, 1) + integer(HAS_LINES, 1)
    comments = [] if paths.rule is None else [texts.number(paths.rule)]
    if paths.sampled is not None:
        comments.append(texts.number(SAMPLED))
    runs = [capture.run for capture in stats.captures if capture.run is not None]
    began = min((run.started for run in runs), default=0)
    return (
        data(MAPPING, mapping)
        + integer(TIME_NANOS, int(began * 1e9))
        + integer(DURATION_NANOS, int(sum(run.real for run in runs) * 1e9))
        + packed(COMMENT, comments)
        + integer(DEFAULT_SAMPLE_TYPE, texts.number(value_name(stats)))
    )
