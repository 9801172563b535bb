"""Where the native functions of an export come from: the file of code that an address is in, and
the lines of source that it was compiled from."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property

from tracer.analysis.native.code import LEAST
from tracer.analysis.native.symbolizer import code_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.native.symbolizer import CodePlace
    from tracer.analysis.tree.call_tree import Paths, Row
    from tracer.data.profile_set import ProfileSet
    from tracer.data.samples import Module


class NativePlaces:
    """Of paths in which each address of native code is a row, whose line is the address."""

    def __init__(self, paths: Paths, stats: ProfileSet) -> None:
        self._paths = paths
        self._modules: defaultdict[str, list[Module]] = defaultdict(list)
        for capture in stats.source.captures if stats.source is not None else ():
            for module in capture.native.modules if capture.native is not None else ():
                self._modules[module.path].append(module)

    def module_of(self, row: Row) -> Module | None:
        """The file of code; None for code in no file."""
        for module in self._modules.get(row.file, ()):
            if module.start <= row.line < module.limit:
                return module
        return None

    def lines_of(self, row: Row) -> list[CodePlace]:
        """The innermost function that was put in line there first, and the function itself last;
        none where debugging information, the file or a symbolizer is missing."""
        module = self.module_of(row)
        return [] if module is None else self._lines.get((module, row.line), [])

    @cached_property
    def _lines(self) -> dict[tuple[Module, int], list[CodePlace]]:
        """Of the files that ran for more than hardly any time: to read one takes long."""
        weights: Counter[Module] = Counter()
        addresses: defaultdict[Module, set[int]] = defaultdict(set)
        whole = 0
        for tree in self._paths.trees:
            totals = tree.totals()
            whole += totals[0]
            for node in range(1, len(tree)):
                row = self._paths.rows[tree.row[node]]
                module = self.module_of(row) if tree.row[node] in self._paths.natives else None
                if module is not None:
                    weights[module] += totals[node]
                    addresses[module].add(row.line)
        return {
            (module, address): places
            for module, asked in addresses.items()
            if weights[module] >= LEAST * whole
            for address, places in code_places(module, asked).items()
        }
