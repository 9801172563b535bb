"""A run whose profile is recorded in cycles of steps, which are the calls of a function.

api/function_steps.py has the cycles, step_function.py finds the function. The program runs as a
plain one in between.
"""

from __future__ import annotations

import os
from _thread import get_ident

from tracer.launch.profiled_run import RECORDING, ProfiledRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from tracer.api.function_steps import FunctionSteps
    from tracer.launch.program import Program
    from tracer.launch.step_function import StepFunction


class SteppedRun(ProfiledRun):
    """steps: the cycles, of the same Profiler as the run's."""

    def follow(self, steps: FunctionSteps, function: StepFunction) -> None:
        """Have calls of the function be the steps. To be called before start()."""
        self.steps = steps
        self.function = function
        function.wrap = steps.wrap

    def start(self, **options: Any) -> None:
        super().start(**options)
        if self.lines is not None:
            self.lines.recorder.disable()  # until a cycle begins

    def run(self, program: Program) -> None:
        self.function.watch_imports()
        super().run(program)

    def prepared(self, program: Program, code: CodeType, namespace: dict[str, Any]) -> CodeType:
        file = code.co_filename
        spec = namespace.get("__spec__")
        name = os.path.basename(file).removesuffix(".py") if spec is None else spec.name
        return self.function.put_into(code, program.source_text(namespace), file, name)

    def record_call(self, function: Callable[..., object], /, *args: object) -> object:
        self.go_to(RECORDING)
        try:
            return function(*args)
        finally:
            if function is exec and self.steps.thread == get_ident():
                self.steps.halt()  # the program's own code is over

    def disable(self) -> None:
        self.function.stop()
        self.steps.halt()
        super().disable()

    def end(self) -> bool:
        is_ended = super().end()
        if is_ended:
            remark = self.remark_on_steps()
            if remark:
                self.output.say(remark)
        return is_ended

    def remark_on_steps(self) -> str:
        """Why the profile is empty, or not whole; else empty."""
        name, steps = self.function.name, self.steps
        if steps.problem:
            return f"not all steps could be recorded: {steps.problem}"
        if steps.recorded:
            return ""
        if steps.thread:
            return (
                f"the profile is empty: --steps chose none of the {steps.step_number:,} steps of "
                f"the program, which are the calls of {name!r}"
            )
        if self.function.was_found:
            return f"the profile is empty: {name!r} was never called"
        if self.function.problem:
            return f"the profile is empty: {name!r} {self.function.problem}"
        return (
            f"the profile is empty: no function {name!r} was found; name it as MODULE.FUNCTION or "
            "MODULE.CLASS.METHOD, by the module that defines it"
        )
