#!/usr/bin/env bash
# pyinstrument 5.1.3, `-r pstats`: every row of the file has -1 calls. A sampling profiler does not know how often a function
# was called, and the format has no word for that. pstats prints "-1" as ncalls, and as percall the time with its sign
# turned: a reader that divides by the calls, or adds them up, has negative times. Sorting by `ncalls` sorts nothing.
# Seen: "rows with -1 calls: all, percall of work is negative: True".
set -eu
PY=${PYTHON:-$(ls "$HOME"/.pyenv/versions/3.13.*/bin/python 2>/dev/null | tail -n 1)}; [ -n "$PY" ] || PY=$(command -v python3.13)
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
"$PY" -m venv v; v/bin/pip install -q pyinstrument==5.1.3
cat >p.py <<'P'
import time

def work():
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        pass

work()
P
v/bin/python -m pyinstrument -r pstats -o p.pstats p.py
cat >read.py <<'P'
import io, pstats
text = io.StringIO()
stats = pstats.Stats("p.pstats", stream=text)
counts = {row[:2] for row in stats.stats.values()}
stats.print_stats(r"\(work\)")
ncalls, tottime, percall, cumtime, of_cumtime, name = text.getvalue().split("(function)\n")[1].split()
print("rows with -1 calls: %s, percall of work is negative: %s" % ("all" if counts == {(-1, -1)} else counts, float(of_cumtime) < 0))
P
got=$(v/bin/python read.py); echo "$got"
[ "$got" = "rows with -1 calls: all, percall of work is negative: True" ]
