"""memory_profiler's memory_usage(): the memory of a process, or of a function while it runs.

The memory of this process is sampled by a thread of it; where the system tells the most that the
process ever had, a maximum that the thread did not see counts, too.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, TextIO

from tracer.launch.output import say
from tracer.runtime import process_memory

MIB = 1024.0**2
READERS: Mapping[str, Callable[[int], int]] = {
    "psutil": process_memory.resident,
    "psutil_pss": process_memory.proportional,
    "psutil_uss": process_memory.unshared,
    "posix": process_memory.resident,
    "tracemalloc": process_memory.resident,
}
ENOUGH = 4  # so many measurements are too few: the function runs again, and is measured more often
SHORTEST = 1e-6  # seconds between two of them
FLUSHED = 50  # so many lines of a stream may wait


class Meter:
    """Measures the memory of processes. backend: a name of READERS; None: resident memory.
    include_children: add that of all descendants. multiprocess: they are measured, too. Raises
    ValueError for another backend, and OSError for what this system does not tell."""

    def __init__(
        self, backend: str | None = None, include_children: bool = False, multiprocess: bool = False
    ) -> None:
        self.backend: str = checked(backend)
        self.read: Callable[[int], int] = READERS[self.backend]
        if self.read is not process_memory.resident:
            process_memory.require_parts()
        if include_children or multiprocess:
            process_memory.require_children()
        self.include_children = include_children

    def mib(self, pid: int) -> float:
        """The MiB of a process. Raises ProcessLookupError when there is none."""
        size = self.read(pid)
        if self.include_children:
            size += sum(size for _, size in self.children(pid))
        return size / MIB

    def children(self, pid: int) -> list[tuple[int, int]]:
        """(process, bytes) of each descendant."""
        found = []
        for child in process_memory.descendants(pid):
            try:
                found.append((child, self.read(child)))
            except ProcessLookupError:
                continue
        return found


def checked(backend: str | None) -> str:
    """The name of the backend. Raises ValueError for one that memory_profiler does not have."""
    if backend is None:
        return "psutil"
    if backend not in READERS:
        raise ValueError(f"backend must be one of {', '.join(READERS)}, not {backend!r}")
    if backend == "tracemalloc":
        say(
            "backend='tracemalloc': tracer's lines are exact without it, and memory_usage() "
            "tells resident memory"
        )
    return backend


class Sampler:
    """Measures this process at intervals, in a thread. samples: a measurement each, or with
    `max_usage` the largest alone; with `timestamps` with its time, in seconds since the epoch."""

    def __init__(self, meter: Meter, interval: float, *, timestamps: bool, max_usage: bool) -> None:
        self.meter = meter
        self.interval = interval
        self.timestamps = timestamps
        self.max_usage = max_usage
        self.count: int = 0
        self.samples: list[Any] = []
        self.highest: int = self._highest()
        self.over: threading.Event = threading.Event()
        self.measure(self.meter.mib(os.getpid()))
        self.thread: threading.Thread = threading.Thread(
            target=self._run, name="memory_usage", daemon=True
        )
        self.thread.start()

    def measure(self, mib: float) -> None:
        self.count += 1
        sample = (mib, time.time()) if self.timestamps else mib
        if self.max_usage and self.samples:
            self.samples[0] = max(self.samples[0], sample)
        else:
            self.samples.append(sample)

    def _run(self) -> None:
        is_over = False
        while True:
            self.measure(self.meter.mib(os.getpid()))
            if is_over:
                return
            is_over = self.over.wait(self.interval)

    def _highest(self) -> int:
        """The most bytes that the process ever had, if it is these that are measured."""
        is_all = self.meter.read is process_memory.resident and not self.meter.include_children
        return process_memory.peak(os.getpid()) if is_all else 0

    def stop(self) -> None:
        """Measure once more, and no longer."""
        self.over.set()
        self.thread.join()
        highest = self._highest()
        if self.max_usage and highest > self.highest:
            self.measure(highest / MIB)


def memory_usage(
    proc: Any = -1,
    interval: float = 0.1,
    timeout: float | None = None,
    timestamps: bool = False,
    include_children: bool = False,
    multiprocess: bool = False,
    max_usage: bool = False,
    retval: bool = False,
    stream: TextIO | None = None,
    backend: str | None = None,
    max_iterations: int | None = None,
) -> Any:
    """Measure the memory of a process, or of this one while a function runs.

    proc: a process id, a subprocess.Popen, a function, or a tuple of a function, its arguments and
    its keywords; -1: this process. A function runs again, and is measured ten times as often, until
    there are more than four measurements; `max_iterations` or `timeout` / `interval` says how often
    at most. interval: seconds between two measurements. timeout: seconds after which a process is
    no longer measured; None: a process id is measured once, a Popen until it ends.
    include_children: add the memory of all child processes. multiprocess: tell it beside. backend:
    "psutil_pss" and "psutil_uss" tell shared pages as a part, or not at all.

    Returns a list of MiB; with `timestamps` of pairs of MiB and seconds since the epoch; with
    `multiprocess` of lists, whose others are the children's; with `max_usage` the largest alone;
    and with `retval` a pair of that and what the function returned. With `stream` the lines of an
    mprof file are written there, and there is no list.

    Raises ValueError for another backend, OSError for what this system does not tell,
    ProcessLookupError for a process that is not there, and what the function raises."""
    meter = Meter(backend, include_children, multiprocess)
    if not interval > 0:
        raise ValueError(f"interval must be a positive number of seconds, not {interval!r}")
    times = None if timeout is None else round(timeout / interval)
    if callable(proc) or isinstance(proc, (list, tuple)):
        function, arguments, keywords = call_of(proc)
        most = times or max_iterations or inf
        runs = 0
        while True:
            runs += 1
            with_times = timestamps or stream is not None
            sampler = Sampler(meter, interval, timestamps=with_times, max_usage=max_usage)
            try:
                returned = function(*arguments, **keywords)
            finally:
                sampler.stop()
            if sampler.count > ENOUGH or runs >= most or interval < SHORTEST:
                break
            interval /= 10
        found: Any = sampler.samples[0] if max_usage else sampler.samples
        if stream is not None:
            stream.writelines(mem_line(*sample) for sample in sampler.samples)
            found = None
        return (found, returned) if retval else found
    process = Process(proc, meter, multiprocess)
    return process.follow(interval, times, timestamps, max_usage, stream)


def call_of(proc: Any) -> tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]:
    """The function, arguments and keywords that `proc` means."""
    parts = (proc,) if callable(proc) else tuple(proc)
    if not 1 <= len(parts) <= 3 or not callable(parts[0]):
        raise ValueError(
            "proc must be a process, a function, or a tuple (function, arguments, keywords), "
            f"not {proc!r}"
        )
    arguments = parts[1] if len(parts) > 1 else ()
    keywords = parts[2] if len(parts) > 2 else {}
    return parts[0], arguments, keywords


class Process:
    """Another process, or this one, that is measured from outside."""

    def __init__(self, proc: Any, meter: Meter, multiprocess: bool) -> None:
        self.popen: subprocess.Popen[Any] | None = (
            proc if isinstance(proc, subprocess.Popen) else None
        )
        pid = proc.pid if self.popen is not None else int(proc)
        self.pid: int = os.getpid() if pid == -1 else pid
        self.meter = meter
        self.multiprocess = multiprocess

    def follow(
        self,
        interval: float,
        times: int | None,
        timestamps: bool,
        max_usage: bool,
        stream: TextIO | None,
    ) -> Any:
        """Measure so many times; None: once, or until the process ends if it is a child of ours."""
        found: list[Any] = []
        largest = -1.0
        left = (inf if self.popen is not None else 1) if times is None else max(times, 1)
        count = 0
        while True:
            try:
                mib = self.meter.mib(self.pid)
            except ProcessLookupError:
                if self.popen is None and count == 0:
                    raise
                break
            count += 1
            largest = max(largest, mib)
            if stream is not None and mib > 0:
                self.tell(stream, mib)
                if count % FLUSHED == 0:
                    stream.flush()
            elif stream is None and not max_usage:
                sample = (mib, time.time()) if timestamps else mib
                found.append([sample, *self.children()] if self.multiprocess else sample)
            if count >= left or self.has_ended(interval):
                break
        if stream is not None:
            return None
        return largest if max_usage else found

    def has_ended(self, interval: float) -> bool:
        """Wait until the next measurement. Whether there is none, for the process has ended."""
        if self.popen is None:
            time.sleep(interval)
            return False
        try:
            self.popen.wait(interval)
        except subprocess.TimeoutExpired:
            return False
        return True

    def children(self) -> list[float]:
        return [size / MIB for _, size in self.meter.children(self.pid)]

    def tell(self, stream: TextIO, mib: float) -> None:
        stream.write(mem_line(mib, time.time()))
        if self.multiprocess:
            for pid, size in self.meter.children(self.pid):
                stream.write(f"CHLD {pid} {size / MIB:.6f} {time.time():.4f}\n")


def mem_line(mib: float, at: float) -> str:
    """A line of an mprof file."""
    return f"MEM {mib:.6f} {at:.4f}\n"
