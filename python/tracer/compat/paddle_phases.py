"""Which functions of Paddle are a phase of a step."""

from __future__ import annotations

import re
from fnmatch import translate

RULES = {
    "load": ("paddle.io.dataloader.dataloader_iter._DataLoaderIter*.__next__",),
    "forward": ("paddle.nn.layer.layers.Layer.__call__",),
    "backward": ("paddle.base.dygraph.tensor_patch_methods.monkey_patch_tensor.<locals>.backward",),
    "optimizer": ("paddle.optimizer.*.step",),
}
PATTERNS = [
    (category, re.compile("|".join(map(translate, names)))) for category, names in RULES.items()
]


def phase_of(name: str) -> str | None:
    """The category of a function by its module and qualified name."""
    return next((category for category, pattern in PATTERNS if pattern.match(name)), None)
