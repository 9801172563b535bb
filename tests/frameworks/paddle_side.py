"""Programs of Paddle's profiler, run under it and, with the import changed, under tracer.

A program is text, for a process of its own. It finds Paddle's profiler as `theirs`, tracer's as
`ours`, one of them as `profiler`, and puts what it found into the dict `told`.
"""

import json
import os
import re
import subprocess
import sys

from packages import PACKAGES, ROOT, SECONDS, need

HEAD = """
import gc, json, os, random, sys, time, warnings
import numpy, paddle
import paddle.profiler as theirs
import tracer.compat.paddle as ours
import NAME as profiler

paddle.seed(0)
told = {}
CPU = [profiler.ProfilerTarget.CPU]
images = numpy.ones((640, 1, 28, 28), "float32")
labels = numpy.zeros((640, 1), "int64")

class Images(paddle.io.Dataset):
    def __len__(self):
        return len(images)
    def __getitem__(self, number):
        return images[number], labels[number]

class LeNet(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2, 2),
        )
        self.classes = nn.Sequential(
            nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)
        )
    def forward(self, batch):
        return self.classes(paddle.flatten(self.features(batch), 1))

net = LeNet()
loss_of = paddle.nn.CrossEntropyLoss()
optimizer = paddle.optimizer.Adam(learning_rate=0.001, parameters=net.parameters())

def loader(size=32, workers=0):
    return paddle.io.DataLoader(Images(), batch_size=size, num_workers=workers)

def train(batch, label):
    loss = loss_of(net(batch), label)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()

def run(profilers, steps=12, **options):
    for one in profilers:
        one.start()
    for number, (batch, label) in enumerate(loader(**options)):
        train(batch, label)
        for one in profilers:
            one.step(len(batch))
        if number + 1 == steps:
            break
    for one in profilers:
        one.stop()

def steps_of(result):
    roots = result.get_data().values()
    names = [node.name for root in roots for node in root.children_node]
    return sorted(name for name in names if name.startswith("ProfileStep"))
"""


def run(program, folder, name="tracer.compat.paddle", *words):
    """What the program put into `told`, and what it printed."""
    need("paddle", "Paddle")
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "program.py"
    end = "if __name__ == '__main__':\n    json.dump(told, open('told.json', 'w'))\n"
    script.write_text(f"{HEAD.replace('NAME', name)}\n{program}\n{end}")
    paths = (str(ROOT / "python"), str(PACKAGES))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "told.json").read_text()), done.stdout


def both(program, folder):
    """What Paddle and tracer told and printed."""
    theirs = run(program, folder / "theirs", "paddle.profiler")
    return theirs, run(program, folder / "ours", "tracer.compat.paddle")


def tables_of(text):
    """{title: (headings, {name: the other cells})} of the tables of a summary."""
    found, title = {}, None
    for line in text.splitlines():
        named = re.fullmatch(r"-+(\w[\w ]*Summary[^-]*)-+", line)
        if named:
            title = named[1]
            found[title] = ([], {})
        elif title and "  " in line.strip() and not line.startswith(("-", "Note")):
            cells = [cell.strip() for cell in re.split(r" {2,}", line.strip())]
            headings, rows = found[title]
            if cells[-1].endswith(("(%)", "FLOPs", "Size")):
                headings.append(cells)
            else:
                rows[cells[0]] = cells[1:]
    return found
