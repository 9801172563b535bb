"""All findings about a profile, and about each of its threads: for the page, and for who asks."""

from __future__ import annotations

from tracer.analysis.findings.figures import ESTIMATE_RULES, FIGURE_RULES, one_line
from tracer.analysis.findings.findings import findings
from tracer.analysis.findings.run import GRAVE_RULES, RUN_RULES
from tracer.analysis.outline.finding import found_by
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.program_texts import ProgramTexts
from tracer.results.findings import Recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline import finding as found
    from tracer.analysis.tree.call_tree import Paths
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
    told = []
    if paths.rule is None:
        told = findings(outline, None, profiles, is_running=is_running)
    hints = [*found_by(RUN_RULES, profiles), *hints_of_figures(outline, profiles, told, one_line)]
    return (
        *recorder.ranked(found_by(GRAVE_RULES, profiles), "grave"),
        *map(recorder.of, told),
        *recorder.ranked(hints, "hint"),
    )


def findings_of_threads(
    profiles: ProfileSet, paths: Paths
) -> Iterator[tuple[int, tuple[Finding, ...]]]:
    """(number of a thread in paths.trees, its findings) of those that matter, where there are
    several. What is about lines, memory or the whole run is left out."""
    wholes = [tree.whole for tree in paths.trees]
    if paths.rule is not None or len(wholes) < 2:
        return
    texts = ProgramTexts(profiles)
    least = max(1, MATTERS * sum(wholes))
    for number, alone in enumerate(profiles.by_thread()):
        if wholes[number] >= least:
            outline = Outline(paths.of_thread(number), texts.of)
            recorder = Recorder(outline, profiles)
            told = findings(outline, None, alone, has_memory=False)
            hints = recorder.ranked(hints_of_figures(outline, profiles, told), "hint")
            yield number, (*map(recorder.of, told), *hints)


def hints_of_figures(
    outline: Outline, profiles: ProfileSet, told: list[found.Finding], *more: found.Rule
) -> list[found.Finding]:
    """What the figures of functions say, and what `more` rules find in them. A function through
    which most of the time passes is no finding where something is told of it."""
    if outline.whole <= 0:
        return []
    functions = {it.row for it in told}
    rules = *more, *(() if outline.paths.rule is None else ESTIMATE_RULES), *FIGURE_RULES
    hints = found_by(rules, outline, profiles)
    return [it for it in hints if it.rule != "one_way" or it.row not in functions]
