"""Hits are what sys.settrace says: every line that short programs reach in the standard library."""

import json
import subprocess
import sys

import pytest

from launch import environment
from places import HELPERS

SCRIPT = HELPERS / "programs" / "hits.py"

PROGRAMS = [
    "argparse_options",
    "ast_unparse",
    "configparser_files",
    "decimals",
    "difflib_lines",
    "fractions_and_statistics",
    "html_pages",
    "json_texts",
    "makers_of_classes",
    "shapes_of_statements",
    "small_things",
    "textwrap_paragraphs",
    "tokens",
]


def counted(how, program):
    """{(file, first line, name): {line: hits}}, from a fresh process, whose caches are empty."""
    command = [sys.executable, str(SCRIPT), how, program]
    environ = environment(PYTHONPATH=str(HELPERS), PYTHONHASHSEED="0")
    done = subprocess.run(command, capture_output=True, text=True, env=environ, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return {tuple(label): dict(lines) for *label, lines in json.loads(done.stdout)}


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_line_has_the_hits_of_settrace(program):
    expected = counted("settrace", program)
    found = counted("tracer", program)
    assert sum(len(lines) for lines in expected.values()) > 100
    assert {label: lines for label, lines in found.items() if lines} == expected
