"""How often native code is sampled."""

from __future__ import annotations

USUAL_HZ, MOST_HZ = 200, 10_000  # Linux's CPU timers run out at its ticks, 250 a second as a rule


def rate_of(native: object) -> int:
    """The samples in a second of CPU that `native` asks for: True, False or an int. Raises
    TypeError and ValueError for anything else."""
    if isinstance(native, bool):
        return USUAL_HZ if native else 0
    if not isinstance(native, int):
        raise TypeError(f"native must be True, False or an int of samples a second, not {native!r}")
    if not 1 <= native <= MOST_HZ:
        raise ValueError(
            f"native must be from 1 to {MOST_HZ} samples a second, not {native}: leave it out, or "
            f"give True for {USUAL_HZ}"
        )
    return native
