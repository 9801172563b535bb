"""The rules by which the phases of a step are found: which functions make which category.

A rule is the name of a function with its module, `mypkg.io.Reader.read`; `*` stands for any
characters. The user's rules come first: those that a profile has, then those of the nearest
pyproject.toml. What the well-known frameworks do is built in, by names alone: none is imported.
"""

from __future__ import annotations

import os
import re
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from tracer.data.phases import checked
from tracer.runtime.folders import current_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tracer.data.profile_set import ProfileSet

# A method written in C, as a table prints it; of its class, without the module.
METHOD = re.compile(r"method '(.*)' of '(?:.*\.)?(.*)' objects")
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
    """A pyproject.toml whose phases cannot be used. The text is one line, with the remedy."""


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


def rules_with(phases: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """The names of a user's phases, of pyproject.toml and of those built in, by category. Raises
    ConfigError."""
    return merged(phases, configured(), BUILT_IN)


def rules_of(profiles: ProfileSet) -> Rules:
    """The rules for these profiles. Raises ConfigError."""
    saved = [part.capture.phases for part in profiles.parts]
    return Rules(merged(*saved, configured()), BUILT_IN, BARE)


def configured() -> dict[str, tuple[str, ...]]:
    """The table `tool.tracer.phases` of the pyproject.toml that is nearest, from the current folder
    upwards. Raises ConfigError."""
    path = _nearest()
    return {} if path is None else _read(path)


def _nearest() -> str | None:
    folder, last = current_folder(), None
    while folder is not None and folder != last:
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            return path
        folder, last = os.path.dirname(folder), folder
    return None


def _read(path: str) -> dict[str, tuple[str, ...]]:
    import tomllib

    try:
        with open(path, "rb") as file:
            table = tomllib.load(file).get("tool", {}).get("tracer", {}).get("phases", {})
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}  # another tool's, or damaged: what it says of phases is not known
    try:
        return checked(table)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{path}: tool.tracer.{error}") from None
