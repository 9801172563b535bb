#!/usr/bin/env bash
# yappi 1.7.6, get_func_stats().save(FILE, "pstat"): the two numbers of calls of a recursive function change places. A row of
# pstats is (primitive calls, all calls, ...), and yappi writes all calls first. pstats then prints "1/6" for a function
# that was called once and called itself five times; of cProfile's file it prints "6/1". yappi's own objects are right.
# Functions that are not recursive have the same number in both places.
# Seen: "yappi: (1, 6), its pstat file: (6, 1) 1/6, cProfile's: (1, 6) 6/1".
set -eu
PY=${PYTHON:-$(ls "$HOME"/.pyenv/versions/3.13.*/bin/python 2>/dev/null | tail -n 1)}; [ -n "$PY" ] || PY=$(command -v python3.13)
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
"$PY" -m venv v; v/bin/pip install -q yappi==1.7.6
cat >p.py <<'P'
import cProfile, io, pstats, yappi

def down(n):
    return n and down(n - 1)

yappi.start()
down(5)
yappi.stop()
found = yappi.get_func_stats()
found.save("yappi.pstat", "pstat")
profile = cProfile.Profile()
profile.runcall(down, 5)
profile.dump_stats("cprofile.pstat")

def read(name):
    text = io.StringIO()
    stats = pstats.Stats(name, stream=text)
    stats.print_stats("down")
    (row,) = [row[:2] for label, row in stats.stats.items() if label[2] == "down"]
    return row, text.getvalue().split("(function)\n")[1].split()[0]

own = [(it.nactualcall, it.ncall) for it in found if it.name == "down"][0]
print("yappi: %s, its pstat file: %s %s, cProfile's: %s %s" % (own, *read("yappi.pstat"), *read("cprofile.pstat")))
P
got=$(v/bin/python p.py); echo "$got"
[ "$got" = "yappi: (1, 6), its pstat file: (6, 1) 1/6, cProfile's: (1, 6) 6/1" ]
