"""What a function's qualified name tells of a wrapper: the function that a decorator returns in the
place of another. outline/wrappers.py says which functions are wrappers."""

from __future__ import annotations

from tracer.source.wrapper_syntax import LOCALS

CALL = ".__call__"  # the method of a class that is a decorator
# How wrappers are named by those who write them.
USUAL = frozenset(
    (
        *("wrapper", "_wrapper", "__wrapper", "wrapped", "_wrapped", "wrap", "_wrap", "inner"),
        *("_inner", "decorated", "_decorated", "wrapped_function", "wrapped_func", "wrapped_f"),
        *("wrapped_method", "wrapped_view", "_wrapped_view", "wrapper_func", "wrapper_function"),
        *("func_wrapper", "function_wrapper", "inner_wrapper", "inner_func", "inner_function"),
        *("async_wrapper", "sync_wrapper", "async_inner", "sync_inner", "new_func", "new_function"),
        *("newfunc", "wrapped_fn", "wrapper_fn", "inner_f", "wrapping"),
    )
)


def may_wrap(name: str) -> bool:
    """Whether a function of this qualified name may be a wrapper."""
    return name.endswith(CALL) or (LOCALS in name and not name.endswith(">"))


def decorator_of(name: str) -> str:
    """The decorator that returned a wrapper of this qualified name."""
    return name.partition(LOCALS)[0].removesuffix(CALL).rpartition(".")[2]
