"""pstats: one marshalled dict, as cProfile writes it, and nothing after it.

tracer's own files begin with such a dict, too. This format is for tools that accept nothing after
the dict, and for several profiles added up. Functions have the names that the Stats has.
"""

from __future__ import annotations

import marshal

from tracer.data.section import MARSHAL_VERSION
from tracer.exports.format import Format, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet

FORMAT = Format(
    opened_by="pstats, snakeviz, tuna, gprof2dot",
    suffix=".pstats",
    is_text=False,
    needs="functions",
)


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    marshal.dump(stats.stats, out, MARSHAL_VERSION)
