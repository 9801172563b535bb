"""inferno's flame graph of exports to folded."""

import re
from collections import defaultdict
from html import unescape

from reading import FETCHED, exported, need, run
from tracer.analysis.tree.call_tree import paths_of
from tracer.exports.names import shown

NEEDS = "inferno"


def test_folded_as_a_flame_graph(profile, qualified):
    program = FETCHED / "inferno" / "bin" / "inferno-flamegraph"
    need(program.exists(), "inferno-flamegraph")
    path = exported(profile, "folded")
    picture = run(str(program), "--minwidth", "0", "--countname", "ns", str(path))
    boxes = re.findall(r"<title>([^<]*) \(([\d,]+) ns, [\d.]+%\)</title>", picture)
    found = defaultdict(int)
    for name, width in boxes:
        found[unescape(name)] += int(width.replace(",", ""))
    want = defaultdict(int)
    paths = paths_of(qualified)
    for tree in paths.trees:
        totals = tree.totals()
        want["all"] += totals[0] - tree.time[0]
        want[tree.name.replace(";", ":")] += totals[0] - tree.time[0]
        for row, total in zip(tree.row[1:], totals[1:], strict=True):
            label, module = paths.rows[row], paths.modules[row].name
            place = f" ({shown(module)}:{label.line})" if module else ""
            want[f"{shown(label.name)}{place}".replace(";", ":")] += total
    assert found == {name: total for name, total in want.items() if total}
