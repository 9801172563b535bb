"""snakeviz, tuna and gprof2dot, on exports to pstats and on profiles as tracer -o writes them."""

import json
import re

import pytest

import tracer
from reading import PACKAGES, exported, need, run_package

NEEDS = "pip:snakeviz==2.2.2 pip:tuna==0.5.15 pip:gprof2dot==2025.4.14"


SNAKEVIZ = """
import json, pstats, sys
from snakeviz.stats import json_stats, table_rows
stats = pstats.Stats(sys.argv[1])
print(json.dumps([len(table_rows(stats)), json_stats(stats)]))
"""
TUNA = """
import json, sys
from tuna.main import read
print(json.dumps(read(sys.argv[1])))
"""


@pytest.mark.parametrize("name", ["profile itself", "export"])
def test_snakeviz(profile, name):
    need(PACKAGES.exists(), "snakeviz")
    path = profile if name == "profile itself" else exported(profile, "pstats")
    rows, found = json.loads(run_package("-c", SNAKEVIZ, str(path)))
    stats = tracer.Stats(profile).stats
    assert rows == len(stats)
    assert sorted(row["stats"][:2] for row in found.values()) == sorted(
        [primitive, calls] for primitive, calls, _, _, _ in stats.values()
    )
    assert sum(row["stats"][2] for row in found.values()) == pytest.approx(
        sum(row[2] for row in stats.values())
    )


def test_tuna(profile):
    need(PACKAGES.exists(), "tuna")
    waiting = [json.loads(run_package("-c", TUNA, str(profile)))]
    stats = tracer.Stats(profile).stats
    own = {"{}::{}::{}::self".format(*label): row[2] for label, row in stats.items()}
    seen = set()
    while waiting:
        box = waiting.pop()
        waiting += box.get("children", [])
        if box["text"][0] in own:
            seen.add(box["text"][0])
            assert box["value"] == pytest.approx(own[box["text"][0]])
    assert len(seen) > 20


def test_gprof2dot(tame):
    need(PACKAGES.exists(), "gprof2dot")
    words = ("-m", "gprof2dot", "-f", "pstats", "-n", "0", "-e", "0", str(tame))
    found = run_package(*words)
    for label, row in tracer.Stats(tame).stats.items():
        if label[0].endswith("program.py") and row[1]:
            name = rf'label="program:{label[1]}:{re.escape(label[2])}\\n'
            assert re.search(rf"{name}[^\"]*\\n{row[1]}\xd7\"", found), label
