"""line_profiler's `profile`: a decorator that does nothing until it is enabled. Once enabled, it
reports when the program ends.

LINE_PROFILE=1 in the environment, --line-profile on the command line, or profile.enable() enable
it. tracer's own decorator, tracer.profile, is in api/decorator.py.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tracer.api import line_config
from tracer.api.decorator import NO
from tracer.api.line_profiler import LineProfiler
from tracer.launch.output import rescue, say
from tracer.runtime.processes import is_worker

P = ParamSpec("P")
T = TypeVar("T")


class GlobalProfiler:
    """The class of `profile`, its one instance. A program may change setup_config until it
    decorates its first function, and the other settings until it ends.

    setup_config: the environment variables and words that enable it. write_config: which files are
    written. show_config: the arguments of LineProfiler.print_stats(). output_prefix: how the names
    of the files begin.
    """

    def __init__(self, config: str | os.PathLike[str] | bool | None = None) -> None:
        self._config = config
        self._profile: LineProfiler | None = None
        self._owner = 0  # the process that reports
        self.enabled: bool | None = None
        self.setup_config: dict[str, Any] = line_config.section("setup", config)
        self.write_config: dict[str, Any] = line_config.section("write", config)
        self.show_config: dict[str, Any] = line_config.section("show", config)
        self.output_prefix: str = self.write_config.pop("output_prefix")

    def _kernprof_overwrite(self, profile: LineProfiler) -> None:
        """Use `profile`, kernprof's profiler, from now on. kernprof writes the report."""
        self._profile = profile
        self.enabled = True

    def _implicit_setup(self) -> None:
        environment = (os.environ.get(name, "") for name in self.setup_config["environ_flags"])
        words = self.setup_config["cli_flags"]
        asked_for = any(value.lower() not in NO for value in environment) or any(
            word in sys.argv for word in words
        )
        if asked_for and not is_worker():
            self.enable()
        else:
            self.enabled = False

    def enable(self, output_prefix: str | None = None) -> None:
        """Profile functions decorated from now on, and report when the program ends."""
        if self._profile is None:
            self._profile = LineProfiler()
            self._owner = os.getpid()
            atexit.register(self.show)
        self.enabled = True
        if output_prefix is not None:
            self.output_prefix = output_prefix

    def disable(self) -> None:
        """Return functions decorated from now on unchanged."""
        self.enabled = False

    def __call__(self, func: Callable[P, T]) -> Callable[P, T]:
        """Decorate a function: time its lines if enabled, else return the function unchanged."""
        if self.enabled is None:
            self._implicit_setup()
        if not self.enabled or self._profile is None:
            return func
        return self._profile(func)

    def show(self) -> None:
        """Print and write what was recorded. Called when the program ends; only the process that
        enabled the profiler reports."""
        profile = self._profile
        if profile is None or os.getpid() != self._owner:
            return
        if self.write_config["stdout"]:
            profile.print_stats(config=self._config, **self.show_config)
        for path in self._text_files():
            self._write_text(profile, path)
        if self.write_config["lprof"] and (saved := self._save(profile)) is not None:
            print("To view details run:")
            print(f"{sys.executable} -m tracer.compat.line_profiler -rtmz {saved}")

    def _write_text(self, profile: LineProfiler, path: str) -> None:
        options: dict[str, Any] = {**self.show_config, "rich": False, "details": True}
        try:
            with open(path, "w", encoding="utf-8") as stream:
                profile.print_stats(stream, config=self._config, **options)
        except OSError as error:
            remedy = "set profile.output_prefix to one that can be written"
            say(f"could not write {path!r}: {error.strerror}; {remedy}")
        else:
            print(f"Wrote profile results to {path}")

    def _save(self, profile: LineProfiler) -> str | None:
        """Write the `.lprof` file, or else save it to the temporary folder. Returns its path, or
        None if it is lost."""
        path = f"{self.output_prefix}.lprof"
        try:
            profile.dump_stats(path)
        except OSError as error:
            from tracer.data import lprof

            stats = profile.get_stats()
            data = lprof.dumps(stats.timings, stats.unit)
            return rescue(data, f"could not write {path!r}: {error.strerror}", sys.stderr)
        print(f"Wrote profile results to {path}")
        return path

    def _text_files(self) -> list[str]:
        from datetime import datetime

        files = []
        if self.write_config["text"]:
            files.append(f"{self.output_prefix}.txt")
        if self.write_config["timestamped_text"]:
            files.append(f"{self.output_prefix}_{datetime.now():%Y-%m-%dT%H%M%S}.txt")
        return files
