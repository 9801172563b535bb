"""Prints the listings that stand in place of the table of functions: who called whom, the tree,
threads, figures. options/printing.py has their options; Stats and tracer/report make them."""

from __future__ import annotations

from pstats import func_strip_path  # type: ignore[attr-defined]
from typing import Any

from tracer.analysis.outline.finding import counted
from tracer.analysis.tree.folding import MODULE
from tracer.analysis.tree.function_names import names_of
from tracer.cli.chooser import Chooser, number_in
from tracer.data.native_view import CPU
from tracer.report.figure_tables import FIGURE_KEYS
from tracer.report.selection import Selection
from tracer.source.file_kinds import LIBRARY, OWN, SITE, is_made_of_text, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tracer.api.stats import Stats
    from tracer.cli.options.option import Option
    from tracer.cli.options.printing import PrintingOptions
    from tracer.data.types import CallerFigures, Label
    from tracer.report.call_lists import CallFigures


ROWS = 30  # of a table, by default
NATIVE_ROWS = 15  # there are two tables
IMPORTLIB = "<frozen importlib._bootstrap"  # files of what stands between an import and a module
MANY_THREADS = 10  # more of them are grouped
GROUPED = "Threads whose names differ in numbers only share a row: --limit 0 prints each"
FOLD_IMPORTS = "--fold prints each import, and each library, as one row"
FOLD_CALLERS = "--fold prints which of the program's own functions cause the calls"
INCLUDE_FILE = "--include FILE lists the functions of that file"
LEADING = 5  # rows of --longest: where none is a function of the program, INCLUDE_FILE is told
BY_PATHS = "By the paths of calls: the program's own functions that are nearest above."


def limit_of(options: PrintingOptions) -> int | None:
    """How many rows a table has at most; None: there is no limit."""
    limit: int | None = options.limit
    return ROWS if limit is None else limit or None


def remark_on_rest(
    number: int, options: PrintingOptions, thing: str = "function", rows: int = ROWS
) -> str:
    """The line that says how many of a table's rows are left out; empty where a limit was given.
    rows: those that it has without one."""
    if options.limit is not None or number <= rows:
        return ""
    return f"{counted(number - rows, f'more {thing}')}: --limit 0 prints all\n"


def print_listing(
    listing: Option, stats: Stats, options: PrintingOptions, chooser: Chooser
) -> None:
    """Print a listing for the functions that options choose."""
    if listing.name == "memory" and options.tree:
        return  # it is the tree that has the memory
    if listing.name == "native" and has_other(options):
        return  # likewise
    if options.native and listing.name in ("callers", "callees"):
        shown = stats.shown
        stats = stats.with_folders().by_native()
        stats.shown = shown
        if options.strip_dirs:
            stats.strip_dirs()
        stats.sort_stats("cumulative")
        stats.sort_type = "cumulative CPU time"
        chooser = Chooser(lambda: names_of(stats), chooser.notes)
    if listing.name in ("callers", "callees"):
        print_calls(listing.name, stats, options, chooser)
    elif listing.name == "tree":
        print_tree(stats, options, chooser)
    elif listing.name == "threads":
        print_threads(stats, options)
    elif listing.name == "memory":
        print_memory(stats, options, chooser)
    elif listing.name == "native":
        print_native(stats, options, chooser)
    else:
        print_figure(listing.name, stats, options, chooser)


def print_threads(stats: Stats, options: PrintingOptions) -> None:
    """Print the threads; where there are many and no limit is given, those of a kind as one."""
    from tracer.report.threads import grouped, threads_table
    from tracer.results.function_tables import threads

    rows, _ = threads(stats, None)
    groups = grouped(rows) if options.limit is None and len(rows) > MANY_THREADS else rows
    stats.stream.write(threads_table(stats, limit_of(options), groups))
    print_remark(stats, remark_on_rest(len(groups), options, "row"))
    if len(groups) < len(rows):
        print_remark(stats, GROUPED)


def print_memory(stats: Stats, options: PrintingOptions, chooser: Chooser) -> None:
    """Print the table of memory, of the functions that --include and --only leave."""
    from tracer.report.memory import memory_table

    selection = selection_of(stats, options, chooser)
    stats.stream.write(memory_table(stats, selection, options.sort or "peak", stats.shown))
    print_remark(stats, remark_on_rest(len(selection.found), options))


def selection_of(stats: Stats, options: PrintingOptions, chooser: Chooser) -> Selection:
    """What --include, --only and --limit leave."""
    choices = chooser.restrictions(options)
    return Selection(stats.eval_print_amount, choices, limit_of(options))


def has_other(options: PrintingOptions) -> bool:
    """Whether --native says by what another listing is."""
    return bool(options.tree) or options.callers is not None or options.callees is not None


def print_native(stats: Stats, options: PrintingOptions, chooser: Chooser) -> None:
    """Print the table of native functions, of those that --include and --only leave."""
    from tracer.report.native import native_table

    whole = stats.with_folders()
    seen = whole.by_native()
    limit = NATIVE_ROWS if options.limit is None else options.limit
    selection = selection_of(
        seen, options.but(limit=limit), Chooser(lambda: names_of(seen), chooser.notes)
    )
    order, strip_dirs = options.sort or "tottime", options.strip_dirs
    text = native_table(whole, selection, order, strip_dirs=strip_dirs, shown=stats.shown)
    stats.stream.write(text)
    print_remark(stats, remark_on_rest(len(selection.found), options, rows=NATIVE_ROWS))


def print_figure(name: str, stats: Stats, options: PrintingOptions, chooser: Chooser) -> None:
    """Print the table of a figure, of the functions that --include and --only leave."""
    from tracer.report.functions import figure_table, resumes_table

    selection = selection_of(stats, options, chooser)
    waits = Suspended(stats, options) if name == "suspended" else None
    generators = waits.generators if waits is not None and not selection.amount else frozenset()

    def restrict(labels: list[Label], message: str) -> tuple[list[Label], str]:
        return selection([label for label in labels if label not in generators], message)

    if name == "resumes":
        stats.stream.write(resumes_table(stats, restrict, stats.shown))
    elif name == "waited" and stats.sampled is not None:
        from tracer.report.sampled_waits import sampled_waits_table

        stats.stream.write(sampled_waits_table(stats, restrict, stats.shown))
    else:
        awaited = waits.awaited if waits else None
        stats.stream.write(figure_table(stats, name, restrict, awaited, stats.shown))
    print_remark(stats, remark_on_rest(len(selection.found), options))
    if name == "longest" and not selection.amount and are_led_by_others(selection.found):
        print_remark(stats, INCLUDE_FILE)
    if generators:
        print_remark(stats, remark_on_generators(len(generators)))


def are_led_by_others(labels: Sequence[Label]) -> bool:
    """Whether the program's own functions stand below what only contains them: its modules, and
    libraries that call or import."""
    places = (place for place, label in enumerate(labels) if is_own_function(label))
    return next(places, 0) >= LEADING


def is_own_function(label: Label) -> bool:
    return place_of(label[0])[0] == OWN and not is_made_of_text(label[0]) and label[2] != MODULE


def remark_on_generators(number: int) -> str:
    """The line that says how many plain generators are not in the table of waits."""
    are = "is" if number == 1 else "are"
    return (
        f"{counted(number, 'plain generator')} {are} left out: no wait; --resumes or --only NAME "
        "prints them"
    )


class Suspended:
    """What --suspended tells besides the figures. awaited: {function: the innermost that it
    awaited}. generators: the plain generators, which do not wait; none where nothing else is
    known to."""

    def __init__(self, stats: Stats, options: PrintingOptions) -> None:
        from tracer.analysis.outline.suspensions import awaited_longest, waiting_functions
        from tracer.analysis.tree.call_tree import paths_of

        def printed(label: Label) -> Label:
            shown: Label = func_strip_path(label) if options.strip_dirs else label
            return shown

        self.awaited: dict[Label, Label] = {}
        self.generators: frozenset[Label] = frozenset()
        whole = stats.with_folders()  # whose files can be read
        totals = whole.totals
        waits = waiting_functions(whole, totals.resumes)
        if any(waits.values()):
            plain = {label for label, waits in waits.items() if not waits}
            others = {printed(label) for label in totals.resumes if label not in plain}
            self.generators = frozenset(map(printed, plain)) - others
            found = awaited_longest(paths_of(whole, whole.names), plain)
            self.awaited = {printed(outer): printed(inner) for outer, inner in found.items()}


def print_remark(stats: Stats, remark: str) -> None:
    """Print a remark below a table, apart from the next."""
    if remark:
        stats.stream.write(f"{remark}\n")


def print_calls(name: str, stats: Stats, options: PrintingOptions, chooser: Chooser) -> None:
    """Print who called the functions that --callers names, or whom those of --callees called."""
    from tracer.report.call_lists import BY_CPU, call_list, callees_of, callers_of, figures_in

    limit = limit_of(options)
    figures = BY_CPU if options.native else figures_in(stats.sampled)
    shown = shown_names(stats) if options.native else stats.shown
    choices = [
        *chooser.restrictions(options.but(only=None)),
        chooser.choose(getattr(options, name)),
    ]
    amount: Any = [*choices, *(() if limit is None else (limit,))]
    chosen: Any = stats.get_print_list(amount)[1]
    by = place_of_sort(stats, options)
    if name == "callers" and options.fold:
        text = own_call_list(stats, chosen, by, options, shown, figures)
    elif name == "callers":
        calls = callers_of(stats.stats, chosen)
        text = call_list(calls, "was called by...", "<-", by, limit, shown, figures)
    else:
        calls = callees_of(stats.stats, chosen)
        text = call_list(calls, "called...", "->", by, limit, shown, figures)
    stats.stream.write(text)
    print_remark(stats, remark_on_rest(number_in(stats, choices), options))
    if (
        name == "callers"
        and not options.fold
        and any(is_called_by_a_library(stats.stats[label][4]) for label in chosen)
    ):
        print_remark(stats, FOLD_CALLERS)


def shown_names(stats: Stats) -> Callable[[Label], str]:
    """A function that tells a function by native samples: native ones with their library."""
    from tracer.report.native import native_name

    found = {
        capture.functions[number][:3]
        for capture in stats.captures
        for number in capture.native_functions
    }
    natives = found | {func_strip_path(label) for label in found}

    def text_of(label: Label) -> str:
        return native_name(label) if label in natives else stats.shown(label)

    return text_of


def is_called_by_a_library(callers: Mapping[Label, CallerFigures]) -> bool:
    """Whether most of the calls are of installed libraries, or of the standard library."""
    often = {label: figures[0] for label, figures in callers.items()}
    calls = sum(often[label] for label in often if place_of(label[0])[0] in (LIBRARY, SITE))
    return 2 * calls > sum(often.values())


def place_of_sort(stats: Stats, options: PrintingOptions) -> int | None:
    """The place in a row of pstats of the figure that callers are sorted by; None: of none."""
    from tracer.report.call_lists import BY_CUMTIME

    if options.sort is None or options.sort in FIGURE_KEYS:
        return BY_CUMTIME
    keys: Any = stats.get_sort_arg_defs()[options.sort][0]
    (first, _), *others = keys
    return None if others or first > BY_CUMTIME else first


def own_call_list(
    stats: Stats,
    chosen: Sequence[Label],
    by: int | None,
    options: PrintingOptions,
    shown: Callable[[Label], str],
    figures: CallFigures,
) -> str:
    """The list of --callers --fold: the nearest functions of the program's own above."""
    from tracer.analysis.tree.call_tree import paths_of
    from tracer.analysis.tree.own_callers import own_callers
    from tracer.report.call_lists import call_list
    from tracer.report.call_tree import wrapped

    def as_printed(label: Label) -> Label:
        printed: Label = func_strip_path(label) if options.strip_dirs else label
        return printed

    def text_of(label: Label) -> str:
        return shown(as_printed(label))

    whole = stats.with_folders()  # which tell the program's own files from others
    order = {label: place for place, label in enumerate(chosen)}
    sought = [label for label in whole.stats if as_printed(label) in order]
    paths = paths_of(whole, whole.names)
    found = own_callers(paths, sorted(sought, key=lambda label: order[as_printed(label)]))
    text = call_list(found, "is called for...", "<-", by, limit_of(options), text_of, figures)
    return f"{wrapped(paths.rule or BY_PATHS)}\n\n" + text if text else ""


def measure_of(options: PrintingOptions) -> str | None:
    """By what the call tree is; None: by time."""
    if options.memory:
        sort: str = options.sort or "peak"
        return sort
    return CPU if options.native else None


def print_tree(stats: Stats, options: PrintingOptions, chooser: Chooser) -> None:
    """Print the part of the call tree that --root, --only, --include and --fold choose. Its
    functions are told apart by their files, also where folders are left out."""
    from tracer.analysis.tree.choice import TreeChoice
    from tracer.report.call_tree import LEAST, tree_table

    stats = stats.with_folders()
    named = stats.by_native() if options.native else stats
    chooser = Chooser(lambda: names_of(named), chooser.notes)
    root = None if options.root is None else chooser.choose(options.root)
    only = tuple(chooser.restrictions(options))
    packages, functions = [], []
    for name in filter(None, options.fold):
        if chooser.names.has_module(name):
            packages.append(name)
        else:
            functions.append(chooser.choose(name))
    if all((root is None or root, *only, *functions)):
        choice = TreeChoice(root, only, "" in options.fold, tuple(packages), tuple(functions))
        percent = LEAST if options.min is None else options.min
        limit = options.limit or None
        text, files = tree_table(
            stats,
            options.depth,
            percent,
            limit,
            choice=choice,
            strip_dirs=options.strip_dirs,
            measure=measure_of(options),
            shown=stats.shown,
        )
        stats.stream.write(text)
        if not options.fold and any(file.startswith(IMPORTLIB) for file in files):
            print_remark(stats, FOLD_IMPORTS)
