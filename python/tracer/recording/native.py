"""How often native code is sampled."""

from __future__ import annotations

from tracer.recording.slowdown import MOST_RATE, USUAL_RATE


def rate_of(native: object) -> int:
    """The samples in a second of CPU that `native` asks for: True, False or an int. Raises
    TypeError and ValueError for anything else."""
    if isinstance(native, bool):
        return USUAL_RATE if native else 0
    if not isinstance(native, int):
        raise TypeError(f"native must be True, False or an int of samples a second, not {native!r}")
    if not 1 <= native <= MOST_RATE:
        raise ValueError(
            f"native must be from 1 to {MOST_RATE} samples a second, not {native}: leave it "
            f"out, or give True for {USUAL_RATE}"
        )
    return native
