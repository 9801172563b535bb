"""How much the processors work: for this process, and for all processes of the machine."""

from __future__ import annotations

import os
import time


def processor_count() -> int:
    return os.cpu_count() or 1


def seconds_of_machine(path: str = "/proc/stat") -> float | None:
    """For how many seconds the processors of this machine have worked since it started, added up;
    None where the system does not tell. Linux tells it in clock ticks: proc_stat(5)."""
    try:
        with open(path, "rb") as file:
            words = file.readline().split()
        user, nice, system, _idle, _waits, irq, softirq = map(int, words[1:8])
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None


class ProcessorUse:
    """What the processors did from where this is made until measured() is called."""

    def __init__(self) -> None:
        self.machine: float | None = seconds_of_machine()
        self.process: float = time.process_time()
        self.real: float = time.perf_counter()

    def measured(self) -> dict[str, float | int | None]:
        """As tracer's section of a file has it. real: seconds that passed. process, machine: CPU
        seconds of this process and of all; None: not known."""
        machine, before = seconds_of_machine(), self.machine
        return {
            "real": time.perf_counter() - self.real,
            "process": time.process_time() - self.process,
            "machine": None if machine is None or before is None else machine - before,
            "processors": processor_count(),
        }
