#!/usr/bin/env bash
# numba 0.68.1 on CPython 3.13 with NUMBA_ENABLE_SYS_MONITORING=1: sys.monitoring tells a call of a compiled function as
# PY_START and PY_RETURN of the Python code object, but the interpreter has no frame for it. In the callback the current
# frame is that of the *caller*, whose code is another than the event's. A tool that knows activations by their frames
# takes the call for its caller's, or closes the caller when the function returns.
# Without the variable, the default, there is no event at all, not even of a C call.
# Seen: "default: []" and "enabled: [('PY_START', 'f', 'helper'), ('PY_RETURN', 'f', 'helper')]".
set -eu
PY=${PYTHON:-$(ls "$HOME"/.pyenv/versions/3.13.*/bin/python 2>/dev/null | tail -n 1)}
[ -n "$PY" ] || PY=$(command -v python3.13)
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT
"$PY" -m venv "$t/v"; "$t/v/bin/pip" install -q numba==0.68.1
cat >"$t/p.py" <<'P'
import sys, numba

@numba.njit
def f(n):
    total = 0
    for i in range(n):
        total += i
    return total

def helper():
    return f(10)

f(1)
mon, seen = sys.monitoring, []
mon.use_tool_id(4, "looks")
def noted(kind):
    def event(code, *rest):
        if code.co_name == "f":
            seen.append((kind, code.co_name, sys._getframe(1).f_code.co_name))
    return event
for kind in ("PY_START", "PY_RETURN"):
    mon.register_callback(4, getattr(mon.events, kind), noted(kind))
mon.set_events(4, mon.events.PY_START | mon.events.PY_RETURN)
helper()
mon.set_events(4, 0)
print(seen)
P
off=$("$t/v/bin/python" "$t/p.py"); on=$(NUMBA_ENABLE_SYS_MONITORING=1 "$t/v/bin/python" "$t/p.py")
echo "default: $off"; echo "enabled: $on"
[ "$off" = "[]" ] && [ "$on" = "[('PY_START', 'f', 'helper'), ('PY_RETURN', 'f', 'helper')]" ]
