"""How profiles were recorded: the names that two have in common, and what warns against comparing
their figures or adding them up."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet

# Clocks to tell apart, in the words of the page (overview/run.js). All others measure elapsed time.
NOT_WALL = {"cpu": "CPU time of each thread", "custom": "the program's own"}


def names_in_common(*profiles: ProfileSet) -> str:
    """The `names` by which the functions of all these profiles match: qualified names, or those of
    pstats where one is of another profiler, which knows no others."""
    return "qualname" if all(profile.is_whole for profile in profiles) else "label"


def has_builtins(*profiles: ProfileSet) -> bool:
    """Whether all functions stand in these profiles, builtins included. Without them, or with a
    focus, the sleep that a builtin slept is a wait of the Python function that called it."""
    return all(
        profile.knows_calls and all(it.builtins and not it.focus for it in profile.captures)
        for profile in profiles
    )


def differences(before: ProfileSet, after: ProfileSet) -> list[str]:
    """Warnings: the two were recorded differently, or run from different scripts."""

    def ways(stats: ProfileSet) -> dict[str, set[object]]:
        captures = stats.captures
        return {
            "by different profilers": {stats.is_whole},
            "one of them by samples": {it.sampled_data is not None for it in captures},
            "with different timers": {it.clock for it in captures if it.clock in NOT_WALL},
            "with different builtins": {it.builtins for it in captures},
            "with a different focus": {it.focus for it in captures},
            "one of them with --compensate": {bool(it.costs) and not stats.raw for it in captures},
            "one of them with lines, which makes functions heavier": {
                it.timed_lines is not None for it in captures
            },
            "one of them with memory, which makes functions heavier": {
                it.memory_data is not None for it in captures
            },
        }

    then, now = ways(before), ways(after)
    # A damaged file does not say how it was recorded. Lines alone have no functions to compare.
    known = not (before.problems or after.problems) and before.stats and after.stats
    found = [way for way in then if then[way] != now[way] and known]
    sentences = [f"the two were recorded differently: {way}" for way in found[:1]]
    one, other = script(before), script(after)
    if one and other and one != other:
        sentences.append(
            f"{one} and {other} are two modules, so no function of one matches one of the "
            "other; keep a changed script under the same name, in another folder"
        )
    return sentences


def mixtures(stats: ProfileSet) -> list[str]:
    """Warnings: times that were recorded differently are added up."""
    captures = [capture for capture in stats.captures if capture.functions]
    ways: dict[str, set[object]] = {
        "with different timers": {it.clock if it.clock in NOT_WALL else "" for it in captures},
        "some of them with --compensate": {bool(it.costs) and not stats.raw for it in captures},
    }
    found = [way for way, kinds in ways.items() if len(kinds) > 1]
    return [f"the runs were recorded differently: {way}" for way in found[:1]]


def script(stats: ProfileSet) -> str:
    """The name of the script, if all runs are of one script; else ""."""
    commands = [it.run.command for it in stats.captures if it.run is not None]
    names = {os.path.basename(command[0]) for command in commands if command}
    name = names.pop() if len(names) == 1 else ""
    return name if name.endswith(".py") else ""
