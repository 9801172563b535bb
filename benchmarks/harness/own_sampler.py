"""Python's own sampler, profiling.sampling of 3.15, which looks at a process from outside. It joins
the process when the body of a program runs already.
"""

import json
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import sleep

from harness.apart import HERE
from harness.ranking import Figures, key
from harness.report import complain
from harness.weighed import looped

NAME = "profiling.sampling"
RATE = "1khz"
STARTING = 4  # seconds in which a program is loaded


def is_here() -> bool:
    """Whether this interpreter has it."""
    return find_spec("profiling") is not None and find_spec(NAME) is not None


def own_samples(program: str, seconds: float) -> Figures | None:
    """How often it saw each function as the innermost one that ran, in the main thread. None, with
    a line on stderr, if it saw none."""
    words = [sys.executable, "-W", "ignore", "-m", "harness.weighed", program, looped.__name__]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "samples")
        with subprocess.Popen([*words, str(STARTING + seconds)], cwd=HERE) as looked:
            sleep(STARTING)
            span = str(max(1, round(seconds)))  # it takes whole ones
            options = ["--mode", "cpu", "-r", RATE, "-d", span, "--jsonl", "-o", str(file)]
            done = subprocess.run(
                [sys.executable, "-m", NAME, "attach", *options, str(looked.pid)],
                capture_output=True,
                text=True,
            )
        if done.returncode != 0 or not file.exists():
            reason = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
            complain(f"{program} under {NAME} ended with status {done.returncode}: {reason}")
            return None
        return samples_in(file.read_text())


def samples_in(text: str) -> Figures:
    """The samples of functions in a file of JSON lines. What runs around the body is left out."""
    told = [json.loads(line) for line in text.splitlines()]
    names = {it["str_id"]: it["value"] for of in told for it in of.get("strings", ())}
    keys = {}
    for frame in (it for of in told for it in of.get("frames", ())):
        file, function = names[frame["path_str_id"]], names[frame["func_str_id"]]
        keys[frame["frame_id"]] = key_of(file, function, frame["line"])
    found: Figures = {}
    for entry in (it for of in told for it in of.get("entries", ())):
        name = keys[entry["frame_id"]]
        if entry["self"] and not name.startswith((f"{HERE}/harness/weighed.py:", "<frozen runpy>")):
            found[name] = found.get(name, 0) + entry["self"]
    return found


def key_of(file: str, function: str, line: int) -> str:
    """The key of the function that has this line. Where its file cannot be read, it has line 0."""
    for qualname, name, first, lines in functions_of(file):
        if qualname == function and line in lines:
            return key(file, first, name)
    return key(file, 0, function.rpartition(".")[2])


@cache
def functions_of(file: str) -> list[tuple[str, str, int, frozenset[int]]]:
    """(qualified name, name, first line, lines) of each code object of a file."""
    try:
        codes = [compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)]
    except (OSError, SyntaxError, ValueError):
        return []
    for code in codes:  # it grows
        codes += [it for it in code.co_consts if isinstance(it, type(code))]
    names = ((it.co_qualname, it.co_name, it.co_firstlineno) for it in codes)
    lines = (frozenset(line for *_, line in it.co_lines()) for it in codes)
    return [(*name, own) for name, own in zip(names, lines, strict=True)]
