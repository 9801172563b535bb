"""line_profiler's configuration: a table of a TOML file that gives options their defaults.

The file is the one named; else the one in the environment variable LINE_PROFILER_RC; else the
nearest `line_profiler.toml` or `pyproject.toml` from the current folder upwards. This file reads
options; the callers apply them.
"""

from __future__ import annotations

import math
import os
import tomllib
from typing import Any

from tracer.report.line_table import WIDTHS
from tracer.runtime.folders import current_folder, upward

NAMES = ("line_profiler.toml", "pyproject.toml")
VARIABLE = "LINE_PROFILER_RC"

DEFAULTS: dict[str, dict[str, Any]] = {
    "kernprof": {
        "line-by-line": False,
        "builtin": False,
        "rich": False,
        "skip-zero": False,
        "summarize": False,
        "preimports": True,
        "prof-imports": False,
        "verbose": 0,
        "outfile": "",
        "setup": "",
        "unit": 1e-6,
        "output-interval": 0,
        "prof-mod": [],
    },
    "cli": {"unit": 1e-6, "rich": False, "skip-zero": False, "sort": False, "summarize": False},
    "setup": {
        "environ_flags": ["LINE_PROFILE"],
        "cli_flags": ["--line-profile", "--line_profile"],
    },
    "write": {
        "output_prefix": "profile_output",
        "lprof": True,
        "text": True,
        "timestamped_text": True,
        "stdout": True,
    },
    "show": {
        "sort": True,
        "stripzeros": True,
        "rich": False,
        "details": False,
        "summarize": True,
    },
    "column_widths": WIDTHS,
}


class ConfigError(ValueError):
    """A configuration file that cannot be used. The text is one line, with the remedy."""


def column_widths(config: str | os.PathLike[str] | bool | None) -> dict[str, int]:
    """The least widths of the table's columns."""
    return section("column_widths", config)


def section(name: str, config: str | os.PathLike[str] | bool | None = None) -> dict[str, Any]:
    """The options of a section: the file's values, else the defaults. `config`: a file, which must
    exist; False: no file; None or True: the file that is found.

    Raises ConfigError for a named file that cannot be read as TOML, and for a value of the wrong
    kind.
    """
    path, table = _load(config)
    place = ("show", "column_widths") if name == "column_widths" else (name,)
    for key in ("tool", "line_profiler", *place):
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: {key} is no table; correct the file, or use --no-config")
    options = dict(DEFAULTS[name])
    for key, default in options.items():
        value = table.get(key, default)
        if isinstance(default, float) and type(value) is int:
            value = float(value)
        if type(value) is not type(default):
            raise ConfigError(
                f"{path}: {key} = {value!r} is no {type(default).__name__}; "
                "correct the file, or use --no-config"
            )
        if key == "unit" and not 0 < value < math.inf:
            raise ConfigError(
                f"{path}: unit = {value!r} is no positive number of seconds; "
                "correct the file, or use --no-config"
            )
        if name == "column_widths":
            value = max(value, default)
        options[key] = value
    return options


def _load(config: str | os.PathLike[str] | bool | None) -> tuple[str, dict[str, Any]]:
    if config is False:
        return "", {}
    named = os.environ.get(VARIABLE) if config is None or config is True else os.fspath(config)
    if named:
        return named, _read(named)
    for path in _candidates():
        try:
            return path, _read(path)
        except ConfigError:
            continue
    return "", {}


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"cannot read {path!r}: {error.strerror}; name a TOML file") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no TOML file: {error}; correct it") from None


def _candidates() -> list[str]:
    """The files that exist, the nearest first."""
    paths = (os.path.join(it, name) for it in upward(current_folder()) for name in NAMES)
    return list(filter(os.path.isfile, paths))
