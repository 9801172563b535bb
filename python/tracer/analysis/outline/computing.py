"""Builtins that only compute: all that these wait for is their turn, for the GIL or a processor.

What takes any iterable is none of them, as sum() or list.extend(): it may read a file, line by
line.
"""

from tracer.analysis.tree.called_names import plain_name

# Modules and types: each of their functions computes, but for those of ITERATE.
OWNERS = {
    *("_bisect", "_hashlib", "_heapq", "_json", "_operator", "_random", "_sre", "_struct"),
    *("binascii", "cmath", "itertools", "marshal", "math", "unicodedata", "zlib"),
    *("BZ2Compressor", "BZ2Decompressor", "LZMACompressor", "LZMADecompressor"),
    *("Compress", "Decompress", "HASH", "HMAC", "_blake2", "blake2b", "blake2s"),
    *("Match", "Pattern", "Random", "Struct"),
    *("bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list"),
    *("memoryview", "object", "range", "set", "slice", "str", "tuple", "type"),
    *("Decimal", "deque", "datetime", "timedelta"),
}
ITERATE = {"extend", "fromkeys", "join", "update"}
CONTAINERS = {"bytearray", "bytes", "deque", "dict", "frozenset", "list", "set", "str"}
FUNCTIONS = {
    *("__build_class__", "abs", "callable", "chr", "compile", "divmod", "hash", "hex", "id"),
    *("isinstance", "issubclass", "iter", "len", "oct", "ord", "pow", "repr", "round"),
}
# Whoever releases a lock waits for nobody, but those whom it wakes take its processor.
RELEASES = {"lock.__exit__", "lock.release", "RLock.__exit__", "RLock.release"}


def only_computes(name: str) -> bool:
    """Whether a builtin only computes. name: in any of its forms."""
    plain = plain_name(name)
    owner, _, function = plain.rpartition(".")
    if plain.removeprefix("_thread.") in RELEASES:
        return True
    if not owner:
        return function in FUNCTIONS
    return owner in OWNERS and not (owner in CONTAINERS and function in ITERATE)
