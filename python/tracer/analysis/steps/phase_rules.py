"""The rules by which the phases of a step are found: which functions make which category.

A rule is the name of a function with its module, `mypkg.io.Reader.read`; `*` stands for any
characters. The user's rules come first: those that StepProfiler was given, then those of the
project's pyproject.toml. A profile keeps both as they were when it was recorded. What the
well-known frameworks do is built in, by names alone: none is imported.
"""

from __future__ import annotations

import re
import sys
import warnings
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from tracer.data.phases import checked
from tracer.runtime.folders import PROJECT, current_folder, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from tracer.data.profile_set import ProfileSet

# A method written in C, as a table prints it; of its class, without the module.
METHOD = re.compile(r"method '(.*)' of '(?:.*\.)?(.*)' objects")
INNER = ("tracer.", "pstats")  # modules whose lines no warning names
TABLE = ("tool", "tracer", "phases")  # of a TOML file
LOAD, FORWARD, BACKWARD, OPTIMIZER = "load", "forward", "backward", "optimizer"

# Paddle, PyTorch, Keras. Of several functions around each other the outermost call is the phase.
BUILT_IN: dict[str, tuple[str, ...]] = {
    LOAD: (
        "paddle.io.dataloader.dataloader_iter._DataLoaderIterSingleProcess.__next__",
        "paddle.io.dataloader.dataloader_iter._DataLoaderIterMultiProcess.__next__",
        "torch.utils.data.dataloader._BaseDataLoaderIter.__next__",
        "keras.src.trainers.epoch_iterator.EpochIterator.__next__",
    ),
    FORWARD: (
        "paddle.nn.layer.layers.Layer.__call__",
        "torch.nn.modules.module.Module._wrapped_call_impl",
        "torch.nn.modules.module.Module._call_impl",
        "keras.src.layers.layer.Layer.__call__",
    ),
    BACKWARD: (
        "paddle.base.dygraph.tensor_patch_methods.monkey_patch_tensor.<locals>.backward",
        "paddle.autograd.backward_mode.backward",
        "torch._tensor.Tensor.backward",
        "torch.autograd.backward",
        "torch.autograd.grad",
    ),
    OPTIMIZER: (
        # Not paddle.optimizer.lr, which has learning rates: its step() is none of an optimizer.
        "paddle.optimizer.[!l]*.step",
        "paddle.optimizer.l[!r]*.step",
        "paddle.optimizer.*.minimize",
        # PyTorch wraps step() of each class of optimizers so, also of those outside of torch.
        "torch.optim.optimizer.Optimizer.*profile_hook_step.<locals>.wrapper",
        "keras.src.optimizers.base_optimizer.BaseOptimizer.apply",
    ),
}
# Of the program's own code, by the last part of the name alone: for loops without a framework.
BARE: dict[str, tuple[str, ...]] = {
    LOAD: ("load_batch", "next_batch", "get_batch", "read_batch", "fetch_batch", "make_batch"),
    FORWARD: ("forward", "forward_pass"),
    BACKWARD: ("backward", "backward_pass", "backprop", "compute_gradients"),
    OPTIMIZER: ("optimizer_step", "apply_gradients", "update_weights", "update_parameters"),
}


class ConfigError(ValueError):
    """A file whose phases cannot be used. The text is one line, with the remedy."""


class Rules(NamedTuple):
    """own: the user's, which find functions of all code. built_in: found in libraries, too. bare:
    found in the program's own code alone, by the function's bare name."""

    own: dict[str, tuple[str, ...]]
    built_in: dict[str, tuple[str, ...]]
    bare: dict[str, tuple[str, ...]]

    @property
    def categories(self) -> list[str]:
        """In the order in which phases are told: the usual order of a step, then the user's."""
        return list(dict.fromkeys((*self.built_in, *self.own)))

    def category(self, *names: str, is_own: bool) -> str | None:
        """The category of the function that has these names, with its module; None: of none."""
        for table in (self.own, self.built_in):
            for category, rules in table.items():
                if any(is_named(name, rule) for rule in rules for name in names):
                    return category
        if is_own:
            bare = names[0].rpartition(".")[2]
            for category, rules in self.bare.items():
                if bare in rules:
                    return category
        return None

    def unmatched(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """(category, rule) of the user's that mean none of these functions."""
        known = list(names)
        return [
            (category, rule)
            for category, rules in self.own.items()
            for rule in rules
            if not any(is_named(name, rule) for name in known)
        ]


@lru_cache(1024)
def _meaning(rule: str) -> tuple[str, re.Pattern[str] | None]:
    """The name that a rule is, with a dot before it, as it may end a longer one; and its pattern,
    where it has a `*`. A builtin may stand as in a table: {method 'read' of '_io.FileIO' objects}.
    """
    rule = rule.strip("{}").removeprefix("built-in method ")
    if found := METHOD.fullmatch(rule):
        rule = f"{found[2]}.{found[1]}"
    return f".{rule}", re.compile(translate(f"*.{rule}")) if "*" in rule else None


def is_named(name: str, rule: str) -> bool:
    """Whether a rule means the function of this name. The rule may leave out the first parts: a
    profile does not always know where the name of the program's own package begins."""
    end, pattern = _meaning(rule)
    name = f".{name}"
    return name.endswith(end) if pattern is None else pattern.match(name) is not None


def merged(*tables: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """One table of several; of one category, the rules of all."""
    found: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for category, rules in table.items():
            found[category] = tuple(dict.fromkeys((*found.get(category, ()), *rules)))
    return found


def rules_of(profiles: ProfileSet) -> Rules:
    """The rules for these profiles. A profile that keeps none of a project, as older ones and those
    of killed programs, has those of the folder where one stands. Raises ConfigError."""
    captures = [part.capture for part in profiles.parts if part.capture.timeline_data is not None]
    here = configured() if any(it.project_phases is None for it in captures) else {}
    projects = [here if it.project_phases is None else it.project_phases for it in captures]
    return Rules(merged(*(it.phases for it in captures), *projects), BUILT_IN, BARE)


def rules_to_keep(folder: str | None = None) -> tuple[dict[str, tuple[str, ...]], str]:
    """The project's rules, for a profile to keep, as configured() finds them; and what is wrong
    with a file that cannot be used, else ""."""
    try:
        return configured(folder), ""
    except ConfigError as error:
        return {}, str(error)


def kept_rules() -> dict[str, tuple[str, ...]]:
    """The project's rules, for a profile of this process to keep. Of a file that cannot be used the
    program is warned: what was recorded is kept."""
    rules, problem = rules_to_keep()
    if problem:
        level, frame = 1, sys._getframe()
        while frame.f_back and frame.f_globals.get("__name__", "").startswith(INNER):
            level, frame = level + 1, frame.f_back
        message = f"{problem}; the profile is kept without its phases"
        warnings.warn(message, RuntimeWarning, stacklevel=level)
    return rules


def use_rules_in(path: str, profiles: ProfileSet) -> None:
    """Give profiles the rules of a file in the place of those that they keep. Raises ConfigError,
    also for a file without a table of phases."""
    table = _phases_in(path)
    if table is None:
        raise ConfigError(f"{path} has no table [tool.tracer.phases]; name a file that has one")
    rules = _checked(path, table)
    for part in profiles.parts:
        part.capture.phases, part.capture.project_phases = rules, {}


def configured(folder: str | None = None) -> dict[str, tuple[str, ...]]:
    """The table `tool.tracer.phases` of the pyproject.toml that is nearest, from a folder upwards,
    by default from the current one. Raises ConfigError."""
    path = nearest(PROJECT, folder or current_folder())
    table = None if path is None else _phases_in(path)
    return {} if path is None or table is None else _checked(path, table)


def _phases_in(path: str) -> Any:
    """The value of `tool.tracer.phases` in a TOML file; None where there is none."""
    import tomllib

    try:
        with open(path, "rb") as file:
            value: Any = tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"cannot read {path!r}: {error.strerror}; name a TOML file") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no TOML file: {error}; correct it") from None
    for place, key in enumerate(TABLE):
        if not isinstance(value, dict):
            raise ConfigError(f"{path}: {'.'.join(TABLE[:place])} is no table; correct the file")
        if key not in value:
            return None
        value = value[key]
    return value


def _checked(path: str, table: Any) -> dict[str, tuple[str, ...]]:
    try:
        return checked(table)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{path}: tool.tracer.{error}") from None
