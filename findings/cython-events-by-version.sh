#!/usr/bin/env bash
# Cython 3.3.1, a module that is compiled with profile=True: the version of CPython decides who hears of the module's
# functions, and no version tells both kinds of tools.
#   3.11: sys.setprofile hears of them. The frames are Cython's own, and their f_back is None: no caller can be read.
#   3.12: sys.setprofile, as on 3.11. sys.monitoring hears nothing, so cProfile, which uses it there, shows no row.
#   3.13: sys.monitoring hears of them (PY_START, PY_RETURN, PY_UNWIND). The current frame is that of the Python caller,
#         also for a cdef function that another Cython function called. sys.setprofile hears nothing.
# Needs a C compiler, and CPython 3.11, 3.12 and 3.13 (PYTHONS names others). Seen: the lines in expect().
set -eu
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT
cat >"$t/m.pyx" <<'P'
# cython: profile=True
cdef int twice(int x):
    return x * 2
def outer(n):
    total = 0
    for i in range(n):
        total += twice(i)
    return total
def raises():
    raise ValueError("no")
P
cat >"$t/p.py" <<'P'
import sys, m
def caller(): m.outer(2)
def failing():
    try: m.raises()
    except ValueError: pass
seen = []
if sys.version_info >= (3, 12):
    mon = sys.monitoring; mon.use_tool_id(4, "x"); E = mon.events
    def noted(kind):
        def event(code, *rest):
            if code.co_filename.endswith("m.pyx"): seen.append((kind, code.co_name, sys._getframe(1).f_code.co_name))
        return event
    for k in ("PY_START", "PY_RETURN", "PY_UNWIND"): mon.register_callback(4, getattr(E, k), noted(k))
    mon.set_events(4, E.PY_START | E.PY_RETURN | E.PY_UNWIND); caller(); failing(); mon.set_events(4, 0)
    print("monitoring " + ", ".join(" ".join(map(str, e)) for e in seen))
seen = []
def prof(frame, event, arg):
    if frame.f_code.co_filename.endswith("m.pyx"): seen.append((event, frame.f_code.co_name, frame.f_back and frame.f_back.f_code.co_name))
sys.setprofile(prof); caller(); failing(); sys.setprofile(None)
print("setprofile " + ", ".join(" ".join(map(str, e)) for e in seen))
P
expect() {
  case $1 in
  3.11) echo "setprofile call outer None, call twice None, return twice None, call twice None, return twice None, return outer None, call raises None, return raises None";;
  3.12) echo "monitoring "; expect 3.11;;
  3.13) echo "monitoring PY_START outer caller, PY_START twice caller, PY_RETURN twice caller, PY_START twice caller, PY_RETURN twice caller, PY_RETURN outer caller, PY_START raises failing, PY_UNWIND raises failing"; echo "setprofile ";;
  esac
}
bad=0
for PY in ${PYTHONS:-$(ls "$HOME"/.pyenv/versions/3.1[123].*/bin/python)}; do
  v=$("$PY" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$PY" -m venv "$t/v"; "$t/v/bin/pip" install -q cython==3.3.1 setuptools
  got=$(cd "$t" && rm -rf build *.so *.c && "$t/v/bin/cythonize" -i m.pyx >/dev/null 2>&1; "$t/v/bin/python" p.py)
  echo "$v: $got"; [ "$got" = "$(expect "$v")" ] || { echo "changed on $v"; bad=1; }
  rm -rf "$t/v"
done
exit $bad
