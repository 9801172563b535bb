#!/usr/bin/env bash
# cProfile that is enabled and disabled while another profiler is on: what the other one sees of the program after that.
# pyinstrument 5.1.3, yappi 1.7.6 and viztracer 1.1.1, in one thread.
#   3.11: all four use the interpreter's one profile function. cProfile takes its place, and removes it at the end: the
#         three see nothing more of that thread, and none of them says so.
#   3.13: cProfile uses sys.monitoring. pyinstrument and yappi keep the profile function and go on. viztracer has
#         taken the tool id of profilers, too, so CPython refuses cProfile with ValueError.
# A test or a library that uses cProfile thus ends the other profiler's session on 3.11.
# Needs CPython 3.11 and 3.13. Seen: the lines in expect().
set -eu
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
cat >p.py <<'P'
import cProfile, json, sys, time
import pyinstrument, viztracer, yappi

def busy():
    end = time.perf_counter() + 0.2
    while time.perf_counter() < end:
        pass

def after():
    busy()

def inner():
    profile = cProfile.Profile()
    profile.enable()
    profile.disable()

def by_pyinstrument():
    with pyinstrument.Profiler() as profiler:
        inner()
        after()
    return "after" in profiler.output_text(show_all=True)

def by_yappi():
    yappi.start()
    try:
        inner()
        after()
    finally:
        yappi.stop()
    return any(it.name == "after" for it in yappi.get_func_stats())

def by_viztracer():
    with viztracer.VizTracer(verbose=0, output_file="v.json"):
        inner()
        after()
    with open("v.json") as file:
        return any("after" in event["name"] for event in json.load(file)["traceEvents"])

def told(call):
    try:
        return "goes on" if call() else "sees nothing more"
    except ValueError as error:
        return "ValueError, " + str(error)

for name, call in ("pyinstrument", by_pyinstrument), ("yappi", by_yappi), ("viztracer", by_viztracer):
    print("%s: %s" % (name, told(call)))
P
expect() {
  case $1 in
  3.11) printf '%s: sees nothing more\n' pyinstrument yappi viztracer;;
  3.13) printf '%s: goes on\n' pyinstrument yappi; echo "viztracer: ValueError, Another profiling tool is already active";;
  esac
}
bad=0
for v in 3.11 3.13; do
  PY=$(ls "$HOME"/.pyenv/versions/$v.*/bin/python 2>/dev/null | tail -n 1); [ -n "$PY" ] || PY=$(command -v python$v)
  "$PY" -m venv v; v/bin/pip install -q pyinstrument==5.1.3 yappi==1.7.6 viztracer==1.1.1
  got=$(v/bin/python p.py); echo "$v:"; echo "$got"
  [ "$got" = "$(expect $v)" ] || { echo "changed on $v"; bad=1; }
  rm -rf v
done
exit $bad
