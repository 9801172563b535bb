"""`-c CODE`: a program that stands on the command line.

program.py has what all programs share. Only a run with -c loads this module.
"""

from __future__ import annotations

import sys
from _frozen_importlib import BuiltinImporter

from tracer._core import compile_program
from tracer.launch.errors import UsageError
from tracer.launch.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from tracer.launch.program import RecordCall

NAME = "<string>"  # the file of the code, as plain python has it


class CommandProgram(Program):
    """-c CODE: a text, which the interpreter does not keep in a file."""

    folder: str | None = None if sys.flags.safe_path else ""

    def __init__(self, code: str, arguments: list[str]) -> None:
        super().__init__("-c", arguments)
        self.words: list[str] = ["-c", code, *arguments]
        text = f"{code}\n"
        self.code: str = dedented(text) if sys.version_info >= (3, 14) else text
        try:
            self.text: tuple[str, bytes] = NAME, self.code.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"the code after -c cannot be decoded by {sys.getfilesystemencoding()}, the "
                "encoding of the command line; write the code to a file"
            ) from None

    def source_text(self, namespace: dict[str, Any]) -> str:
        return self.code

    def prepare(self, record_call: RecordCall) -> tuple[CodeType, dict[str, Any]]:
        namespace = self.enter(BuiltinImporter)
        for name in ("__file__", "__cached__"):
            namespace.pop(name, None)
        code = compile_text(self.code, self.text[1])
        if sys.version_info >= (3, 13):
            know_lines(self.code, code)
        return code, namespace


def compile_text(text: str, data: bytes) -> CodeType:
    """The code object of a text, and of the same text as `data`. Raises what compile() raises."""
    # Of bytes the compiler reads a byte order mark and the name of a codec, of a text it does not.
    if "coding" in text or text[0] == "\ufeff":
        return compile(text, NAME, "exec", dont_inherit=True)
    return compile_program(data, NAME)


def know_lines(text: str, code: CodeType) -> None:
    """Have tracebacks show the lines of the text, as Python does from 3.13 on. linecache is what
    the interpreter itself loads for that."""
    import linecache

    register = getattr(linecache, "_register_code", None)
    if register is not None:
        # 3.13.0 keeps the lines under the name of the file, its successors under the code.
        register(code if hasattr(linecache, "_interactive_cache") else NAME, text, NAME)


def dedented(text: str) -> str:
    """The text without the blanks that all its lines begin with, as Python runs it from 3.14 on."""
    lines = text.split("\n")
    full = [line for line in lines if line.strip(" \t")]
    first, last = min(full, default=""), max(full, default="")
    same = 0
    while same < len(first) and first[same] in " \t" and first[same] == last[same]:
        same += 1
    if not same:
        return text
    return "\n".join(line[same:] if line.strip(" \t") else "" for line in lines)
