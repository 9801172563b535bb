"""source/import_lines.py: the line of the statement that imports a module."""

import pytest

from tracer.source.import_lines import import_line

SOURCE = """\
import os, sys

try:
    from pandas import DataFrame
except ImportError:
    DataFrame = None
import pandas.core
from . import json

@property
def load():
    def inner():
        import csv
    from concurrent import futures
    import numpy as np

class Loader:
    import yaml

    async def load(self):
        import jsonschema
        if self:
            import json.decoder

from .csv import reader
"""


@pytest.mark.parametrize(
    ("line", "name", "module", "found"),
    [
        (1, "<module>", "sys", 1),
        (1, "<module>", "pandas", 4),
        (1, "<module>", "numpy", None),  # load() imports it
        (1, "<module>", "json", None),  # that of the program's package
        (1, "<module>", "csv", None),
        (10, "load", "numpy", 15),
        (10, "load", "concurrent.futures", 14),
        (10, "load", "concurrent", 14),
        (10, "load", "csv", None),
        (12, "load.<locals>.inner", "csv", 13),
        (17, "Loader", "yaml", 18),
        (20, "Loader.load", "json", 23),
        (19, "Loader.load", "json", None),  # no function begins there
    ],
)
def test_the_line_of_an_import(line, name, module, found):
    assert import_line(SOURCE, line, name, module) == found


@pytest.mark.parametrize("text", ["import json\nprint 'old'\n", "import json\n\0", "("])
def test_of_what_is_no_python_no_line_is_known(text):
    assert import_line(text, 1, "<module>", "json") is None
