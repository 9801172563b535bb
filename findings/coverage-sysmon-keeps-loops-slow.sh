#!/usr/bin/env bash
# coverage 7.11.0 with COVERAGE_CORE=sysmon has sys.monitoring tell of each line once, and answers DISABLE. CPython then
# puts the place's own instruction back. But a `for` with its body on the same line has one more place, to which the end of
# the body jumps back. It is marked for LINE as well and is never told of, as the line is the same, so nothing can answer
# DISABLE there. It stays INSTRUMENTED_LINE for as long as the tool is on, where a plain run has FOR_ITER_GEN: a loop over a
# generator is no longer inlined, and stays slow, though every line was seen long ago. With the body on a line of its own
# the place is told of, and is as fast as in a plain run.
# CPython 3.12.1 and 3.13.0.
# Seen on both: what expect() says; and beside it, as machines differ, that a loop on one line takes 1.3 to 2.4 times as long.
set -eu
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
cat >p.py <<'P'
import dis, sys, time
def numbers(n):
    for i in range(n):
        yield i
def one_line(n):
    for i in numbers(n): pass
def two_lines(n):
    for i in numbers(n):
        pass
for loop in one_line, two_lines:
    loop(1000)
    best = 9
    for _ in range(5):
        began = time.process_time()
        loop(600_000)
        best = min(best, time.process_time() - began)
    place = next(it.offset for it in dis.get_instructions(loop) if it.opname == "FOR_ITER")
    print(loop.__name__, next(it.opname for it in dis.get_instructions(loop, adaptive=True) if it.offset == place))
    print(" %.4f s" % best, end="", file=sys.stderr)
P
expect() { printf '%s\n' "one_line $1" "two_lines FOR_ITER_GEN"; }
bad=0
for v in 3.12 3.13; do
  PY=$(ls "$HOME"/.pyenv/versions/$v.*/bin/python 2>/dev/null | tail -n 1); [ -n "$PY" ] || PY=$(command -v python$v)
  "$PY" -m venv v; v/bin/pip install -q coverage==7.11.0
  plain=$(v/bin/python p.py 2>plain); sysmon=$(COVERAGE_CORE=sysmon v/bin/coverage run p.py 2>sysmon)
  echo "$v, plain:$(cat plain); sysmon:$(cat sysmon)"; echo "$sysmon"
  [ "$plain" = "$(expect FOR_ITER_GEN)" ] && [ "$sysmon" = "$(expect INSTRUMENTED_LINE)" ] || { echo "changed on $v"; bad=1; }
  rm -rf v
done
exit $bad
