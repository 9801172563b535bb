"""Programs of PyTorch's profiler, run under it and, with the import changed, under tracer.

A program is text, for a process of its own. It imports its names from PROFILER and puts what it
found into the dict `told`, by names that both profilers have.
"""

import json
import os
import subprocess
import sys

from packages import PACKAGES, ROOT, SECONDS, need

THEIRS, OURS = "torch.profiler", "tracer.compat.torch"

HEAD = """
import json, os, sys, warnings
import torch
from PROFILER import *
from PROFILER import profile, record_function, schedule, ProfilerActivity, ProfilerAction

torch.manual_seed(0)
torch.set_num_threads(1)
told = {}
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def train(batch=None):
    with record_function("load"):
        batch = torch.randn(8, 16) if batch is None else batch
    with record_function("forward"):
        loss = model(batch).square().mean()
    with record_function("backward"):
        loss.backward()
    with record_function("optimize"):
        optimizer.step()
        optimizer.zero_grad()

def steps_of(profiler):
    return [it.trace_name for it in profiler.events() if it.name == "ProfilerStep*"]

def counts(rows):
    return {it.key: it.count for it in rows if it.is_user_annotation and "#" not in it.key}
"""


def run(program, profiler, folder, *words):
    """What the program put into `told`, and what it printed."""
    need("torch", "PyTorch")
    folder.mkdir(parents=True, exist_ok=True)
    text = f"{HEAD}{program}\njson.dump(told, open('told.json', 'w'))\n"
    script = folder / "program.py"
    script.write_text(text.replace("PROFILER", profiler))
    paths = (str(ROOT / "python"), str(PACKAGES))
    done = subprocess.run(
        [sys.executable, str(script), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "told.json").read_text()), done.stdout


def both(program, folder, *words):
    """What PyTorch and tracer told and printed."""
    theirs = run(program, THEIRS, folder / "theirs", *words)
    return theirs, run(program, OURS, folder / "ours", *words)


def shape_of(table):
    """The titles of a table's columns, their widths but for that of the names, and how its last
    line begins."""
    lines = table.splitlines()
    (head,) = (line for line in lines if "# of Calls" in line)
    rule = lines[lines.index(head) + 1]
    widths = [len(dashes) for dashes in rule.split()]
    assert len(head) == len(rule)
    titles, at = [], 0
    for width in widths:
        titles.append(head[at : at + width].strip())
        at += width + 2
    return titles, widths[1:], lines[-1].partition(":")[0]
