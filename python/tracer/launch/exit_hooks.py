"""Tells when the program is about to replace its process or to end it without a word.

os._exit and os.exec* are preceded by functions of the recorder's while the run lasts. Whoever asks
them for their name, signature or documentation is answered by the builtins that they stand for.
"""

from __future__ import annotations

import os
import posix

from tracer._core import precede

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


class LastWords:
    """Calls before_exit or before_exec, with the same arguments, before the program's own call."""

    def __init__(
        self, before_exit: Callable[..., object], before_exec: Callable[..., object]
    ) -> None:
        # All of os.exec* end in one of these two, which they look up in os.
        self.before: dict[str, Callable[..., object]] = {
            "_exit": before_exit,
            "execv": before_exec,
            "execve": before_exec,
        }
        self.replaced: list[tuple[ModuleType, str, object, object]] = []

    def install(self) -> None:
        for name, before in self.before.items():
            function = getattr(os, name)
            preceded = precede(function, before)
            for module in (os, posix):
                if getattr(module, name) is function:
                    setattr(module, name, preceded)
                    self.replaced.append((module, name, function, preceded))

    def remove(self) -> None:
        """Put the builtins back, but for what the program has replaced itself."""
        for module, name, function, preceded in self.replaced:
            if getattr(module, name, None) is preceded:
                setattr(module, name, function)
        self.replaced.clear()


def can_be_executed(path: object) -> bool:
    """Whether the system may start this file, or open file, in the place of the process.

    os.execvp tries a path in every folder of PATH: where nothing is, nothing is going to happen.
    """
    if isinstance(path, (str, bytes, os.PathLike)):
        return os.path.isfile(path) and os.access(path, os.X_OK)
    return True
