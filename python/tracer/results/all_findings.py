"""All findings about a profile, and about each of its threads: for the page, and for who asks."""

from __future__ import annotations

from tracer.analysis.figure_findings import ESTIMATE_RULES, FIGURE_RULES, hottest_line
from tracer.analysis.findings import EVERY, findings
from tracer.analysis.outline import Outline
from tracer.analysis.program_texts import ProgramTexts
from tracer.analysis.run_findings import GRAVE_RULES, RUN_RULES
from tracer.results.findings import Recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis import finding as found
    from tracer.analysis.call_tree import Paths
    from tracer.data.profile_set import ProfileSet
    from tracer.results.records import Finding

MATTERS = 0.01  # of the time: threads with less have no findings of their own


def findings_of(
    profiles: ProfileSet, paths: Paths, *, is_running: bool = False
) -> tuple[Finding, ...]:
    """All of them: those that say what is wrong with the figures come first, hints last; of each
    rank, those that could save most come first. is_running: the program is, and its page shows its
    objects. Raises ProfileFormatError for impossible figures."""
    outline = Outline(paths, ProgramTexts(profiles).of)
    recorder = Recorder(outline, profiles)
    grave = (rule(profiles) for rule in GRAVE_RULES)
    hints = [rule(profiles) for rule in RUN_RULES]
    if outline.whole > 0:
        hints.append(hottest_line(profiles, outline.whole))
    told = []
    if paths.rule is None:
        told = findings(outline, EVERY, profiles, is_running=is_running)
    return (
        *recorder.ranked(grave, "grave"),
        *map(recorder.of, told),
        *recorder.ranked([*hints, *hints_of_figures(outline, profiles, told)], "hint"),
    )


def findings_of_threads(
    profiles: ProfileSet, paths: Paths
) -> Iterator[tuple[int, tuple[Finding, ...]]]:
    """(number of a thread in paths.trees, its findings) of those that matter, where there are
    several. What is about lines, memory or the whole run is left out."""
    wholes = [sum(tree.time) for tree in paths.trees]
    if paths.rule is not None or len(wholes) < 2:
        return
    texts = ProgramTexts(profiles)
    least = max(1, MATTERS * sum(wholes))
    for number, alone in enumerate(profiles.by_thread()):
        if wholes[number] >= least:
            outline = Outline(paths.of_thread(number), texts.of)
            recorder = Recorder(outline, profiles)
            told = findings(outline, EVERY, alone, has_memory=False)
            hints = recorder.ranked(hints_of_figures(outline, profiles, told), "hint")
            yield number, (*map(recorder.of, told), *hints)


def hints_of_figures(
    outline: Outline, profiles: ProfileSet, told: list[found.Finding]
) -> Iterator[found.Finding]:
    """What the figures of functions say. A function through which most of the time passes is none
    where something is told of it."""
    functions = {it.row for it in told}
    rules = FIGURE_RULES if outline.paths.rule is None else (*ESTIMATE_RULES, *FIGURE_RULES)
    for rule in rules if outline.whole > 0 else ():
        it = rule(outline, profiles)
        if it is not None and not (it.rule == "one_way" and it.row in functions):
            yield it
