#!/usr/bin/env bash
# flask 3.1.3 with Werkzeug 3.1.6, `flask run --debug` on CPython 3.13: SIGTERM goes to the reloader's parent, and the
# parent ends the worker, which runs the program, by SIGKILL (9). The parent waits in subprocess.call(), which kills
# the child on any exception, and Werkzeug turns SIGTERM into sys.exit(0). Nothing in the worker can act: no function
# of atexit, no handler of SIGTERM, no finally. A profiler or a coverage tool that writes at the end loses all.
# Seen: "sent by the parent: 9", and no line of the worker's atexit function.
set -eu
PY=${PYTHON:-$(ls "$HOME"/.pyenv/versions/3.13.*/bin/python 2>/dev/null | tail -n 1)}; [ -n "$PY" ] || PY=$(command -v python3.13)
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
"$PY" -m venv v; v/bin/pip install -q flask==3.1.3 werkzeug==3.1.6
cat >app.py <<'P'
import atexit, os
from flask import Flask
app = Flask(__name__)
if os.environ.get("WERKZEUG_RUN_MAIN"):
    open("worker", "w").write(str(os.getpid()))
    atexit.register(lambda: open("ended", "w").write("atexit ran"))
P
mkdir site; cat >site/sitecustomize.py <<'P'
import subprocess
send = subprocess.Popen.send_signal
def told(self, number):
    open("sent", "a").write("%d " % number)
    send(self, number)
subprocess.Popen.send_signal = told
P
PYTHONPATH=site v/bin/python -m flask --app app run --debug --port 8891 >log 2>&1 & p=$!
for i in $(seq 100); do [ -e worker ] && break; sleep .1; done; sleep .5
kill -TERM $p; wait $p || true; sleep .5
echo "sent by the parent: $(cat sent 2>/dev/null)"; echo "worker's atexit: $(cat ended 2>/dev/null || echo no)"
[ "$(cat sent)" = "9 " ] && [ ! -e ended ] && ! kill -0 "$(cat worker)" 2>/dev/null
