"""The memory of processes, as the system tells it: of this one and of others, and their children.

Linux tells it in /proc. Elsewhere psutil does, if that is installed, or else the command ps.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

IN_PROC = os.path.exists("/proc/self/statm")
PAGE: int = os.sysconf("SC_PAGE_SIZE")


def resident(pid: int) -> int:
    """The bytes of a process that are in real memory; 0 when it has ended and nobody has waited
    for it. Raises ProcessLookupError when there is no such process."""
    if IN_PROC:
        return int(text_of(pid, "statm").split()[1]) * PAGE
    return elsewhere(pid)


def proportional(pid: int) -> int:
    """The same, but a page that several processes share counts as a part: Pss. Raises
    ProcessLookupError, and OSError for a process of another user's or where there is no /proc."""
    return rollup(pid, "Pss:")


def unshared(pid: int) -> int:
    """The bytes of a process that no other has: Uss. Raises as proportional() does."""
    return rollup(pid, "Private_Clean:", "Private_Dirty:")


def peak(pid: int) -> int:
    """The most bytes that the process ever had in real memory; 0 where the system does not tell."""
    if not IN_PROC:
        return 0
    for line in text_of(pid, "status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def require_parts() -> None:
    """Raise OSError where proportional() and unshared() have nothing to read."""
    if not IN_PROC:
        raise OSError("what processes share is known on Linux alone: give the backend psutil")


def require_children() -> None:
    """Raise OSError where descendants() has nothing to ask."""
    if not IN_PROC and installed_psutil() is None:
        raise OSError(
            "the children of a process are not known here: pip install psutil, or leave out "
            "include_children and multiprocess (-C and -M of mprof)"
        )


def descendants(pid: int) -> list[int]:
    """The children of a process, their children, and so on, as far as they run. Raises OSError as
    require_children() does."""
    if not IN_PROC:
        require_children()
        psutil = installed_psutil()
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    parents = dict(each_process())
    found = {pid}
    order: list[int] = []
    grows = True
    while grows:
        more = [one for one, parent in parents.items() if parent in found and one not in found]
        order += more
        found.update(more)
        grows = bool(more)
    return order


def each_process() -> Iterator[tuple[int, int]]:
    """(process, parent) of all that run."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                text = text_of(int(name), "stat")
            except OSError:
                continue  # it has ended meanwhile
            state, parent = text[text.rindex(")") + 1 :].split()[:2]
            if state != "Z":
                yield int(name), int(parent)


def command_of(pid: int) -> list[str]:
    """The words that a process was started with; empty where the system does not tell."""
    try:
        text = text_of(pid, "cmdline")
    except OSError:
        return []
    return text.rstrip("\0").split("\0") if text else []


def named(name: str) -> int | None:
    """A process whose program has this text in its name; None: there is none."""
    for pid, _ in sorted(each_process()) if IN_PROC else ():
        try:
            if pid != os.getpid() and name in text_of(pid, "comm"):
                return pid
        except OSError:
            continue
    return None


def rollup(pid: int, *names: str) -> int:
    lines = text_of(pid, "smaps_rollup").splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(names))


def text_of(pid: int, name: str) -> str:
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        if IN_PROC and not os.path.exists(f"/proc/{pid}"):
            raise no_process(pid) from None
        raise


def elsewhere(pid: int) -> int:
    psutil = installed_psutil()
    if psutil is not None:
        try:
            return int(psutil.Process(pid).memory_info().rss)
        except psutil.NoSuchProcess:
            raise no_process(pid) from None
    import subprocess

    command = ["ps", "-o", "rss=", "-p", str(pid)]
    found = subprocess.run(command, capture_output=True, text=True).stdout.split()
    if not found:
        raise no_process(pid)
    return int(found[0]) * 1024


def no_process(pid: int) -> ProcessLookupError:
    return ProcessLookupError(f"there is no process {pid}")


def installed_psutil() -> Any:
    """The package psutil, or None where it is not installed."""
    try:
        return import_module("psutil")
    except ImportError:
        return None
