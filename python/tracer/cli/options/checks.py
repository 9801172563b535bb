"""Which printing options go together. option.py has the pairs that exclude each other."""

from __future__ import annotations

from tracer.cli.options.option import refuse_pairs
from tracer.cli.options.printing import (
    LINE_KEYS,
    LISTINGS,
    MEMORY_KEYS,
    NATIVE_KEYS,
    RANGE_KEYS,
    SUMMARY_KEYS,
    PrintingOptions,
    sort_words,
)
from tracer.launch.errors import UsageError
from tracer.report.figure_tables import FIGURE_KEYS, FIGURE_TABLES

# Which rows come first in the listings that -s does not sort.
FIRST = {
    **dict.fromkeys(("threads", "tree"), "those with the most time"),
    **{name: table.first for name, table in FIGURE_TABLES.items()},
}


def refuse_single_calls(options: PrintingOptions) -> None:
    """Raise UsageError where a table of samples would be sorted by what these do not tell."""
    if options.sort in FIGURE_KEYS:
        raise UsageError(
            f"-s {options.sort}: samples tell of no single call; give --waited for where threads "
            "waited"
        )


def check_printing(
    options: PrintingOptions, *, are_lines: bool = False, sort_flag: str = "-s"
) -> None:
    """Raise UsageError for printing options that do not go together. are_lines: the lines that took
    longest are printed. sort_flag: the flag by which the verb has --sort."""
    check_sort(options, are_lines, sort_flag)
    refuse_pairs(options)
    if options.native and options.sort not in (None, *NATIVE_KEYS):
        raise UsageError(
            f"-s {options.sort} does not sort native functions; give {' or '.join(NATIVE_KEYS)}"
        )
    for listing in options.given(LISTINGS):
        if options.memory and listing.name == "tree":
            continue  # -s chooses by which memory it is
        if listing.name in FIRST and options.sort is not None:
            raise UsageError(
                f"{sort_flag} does not sort {listing.flags[0]}, which has {FIRST[listing.name]} "
                f"first; leave {sort_flag} out"
            )
    check_tree(options)


def check_sort(options: PrintingOptions, are_lines: bool, sort_flag: str) -> None:
    """Raise UsageError for a key by which something else is sorted."""
    key, memory = options.sort, options.memory
    of_ranges = set(RANGE_KEYS).difference(LINE_KEYS, sort_words())
    if not are_lines and key in set(LINE_KEYS).difference(FIGURE_KEYS):
        raise UsageError(
            f"{sort_flag} {key} sorts lines; give it to 'show --lines', or another key"
        )
    if key in of_ranges and not (memory and key in MEMORY_KEYS):
        raise UsageError(
            f"{sort_flag} {key} sorts ranges; give it to 'show --ranges', or another key"
        )
    if key in set(SUMMARY_KEYS).difference(RANGE_KEYS, sort_words()):
        raise UsageError(f"-s {key} sorts a summary; give it to 'show --summary', or another key")
    if key in set(MEMORY_KEYS).difference(RANGE_KEYS) and not memory:
        raise UsageError(f"-s {key} sorts memory; give it to 'show --memory', or another key")
    if memory and key not in (None, *MEMORY_KEYS):
        raise UsageError(f"-s {key} sorts functions; memory is sorted by {', '.join(MEMORY_KEYS)}")


def check_tree(options: PrintingOptions) -> None:
    """Raise UsageError for options of the tree without it."""
    folds_callers = options.callers is not None and bool(options.fold)
    if folds_callers and any(options.fold):
        raise UsageError("--fold of --callers takes no name; give --fold alone")
    of_tree = ("depth", "root") if folds_callers else ("depth", "root", "fold")
    unused = options.first_given(of_tree)
    if unused == "--fold" and options.native and not options.tree:
        raise UsageError(
            "--fold is of no use without the call tree or --callers; give --native --tree --fold, "
            "or --native --callers NAME --fold"
        )
    if unused and not options.tree:
        besides = " or --callers" if unused == "--fold" else ""
        raise UsageError(f"{unused} is of no use without the call tree{besides}; give --tree, too")
