"""What the header and the page's overview say of a profile that is made of samples: what it cost
the program, and how far its shares and counts can be trusted."""

from __future__ import annotations

from tracer.analysis.outline.finding import counted
from tracer.analysis.tree.waiting import Waits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.data.profile_set import ProfileSet
    from tracer.data.sampled import Sampled
    from tracer.data.sampled_set import SampledSet

MOST_OF_RATE = 0.8
A_WHILE = 0.5  # seconds of CPU: in less, a rate says little
MISSING, MISSING_SECONDS = 0.1, 0.1  # of the CPU time, and seconds: less in no sample is not told
SHOWS_WAITS = "; --waited tells where"
POINTS, SHARE = 0.02, 0.2  # so small an error, at such a share, is what most ask for


def sampling_lines(profiles: ProfileSet) -> Iterable[tuple[str, str]]:
    """(label, text) of each line; none where each call was recorded."""
    sampled = profiles.sampled
    if sampled is None:
        return
    if len(sampled.facts) == 1:
        [facts] = sampled.facts
        yield "slow-down", f"{cost_of(facts)}; {samples_of(facts)}{in_part(facts)}"
    else:
        signals = sum(facts.signals for facts in sampled.facts)
        runs = counted(len(sampled.facts), "run")
        yield "slow-down", f"{counted(signals, 'sample')} in {runs}"
    yield "sampled", error_told(sampled)
    if Waits(sampled.real, sampled.waited).are_worth_telling:
        told = f"{sampled.waited:.3f} s of {sampled.real:.3f} s"
        threads = sum(len(part.threads) for part in profiles.parts)
        yield "waited", f"{told} in {counted(threads, 'thread')}{SHOWS_WAITS}"
    if profiles.is_whole and (told := missing(profiles)):
        yield "missing", told
    broken, lost = (sum(getattr(it, name) for it in sampled.facts) for name in ("broken", "lost"))
    if broken:
        yield (
            "dropped",
            f"{counted(broken, 'sample')}: they came in the middle of a call's beginning",
        )
    if lost:
        yield (
            "lost",
            f"{counted(lost, 'sample')}: more came than tracer's thread could keep up with",
        )


def error_told(sampled: SampledSet) -> str:
    """How large the error of a share is, and for how long to run where it is too large."""
    needed = sampled.facts[0].needed(POINTS, SHARE) if len(sampled.facts) == 1 else 0.0
    if not sampled.time:
        return f"no sample fell into the program; run it for {needed:.0f} s of CPU or more"
    error = 100 * sampled.error(SHARE * sampled.time) / sampled.time
    told = f"CPU time: a share of {100 * SHARE:.0f}% is within {error:.1f} points"
    if error > 100 * POINTS and needed:
        told += f"; run for {needed:.0f} s of CPU to have it within {100 * POINTS:.0f}"
    return told


def missing(profiles: ProfileSet) -> str:
    """How much of the runs' CPU time is in no sample, where that is worth telling; else ""."""
    whole = unseen = 0.0
    for capture in profiles.captures:
        facts, run = capture.sampled, capture.run
        if facts is not None and run is not None:
            weight = facts.weight + facts.in_events + facts.lost + facts.broken
            whole += run.user + run.system
            unseen += run.user + run.system - weight * facts.period - facts.spent
    if unseen < max(MISSING * whole, MISSING_SECONDS):
        return ""
    told = f"{unseen:.3f} s of {whole:.3f} s of CPU are in no sample"
    return f"{told}, as of threads that end soon, above all on a busy machine"


def cost_of(facts: Sampled) -> str:
    """What tracer cost, in percent of the CPU time that was sampled."""
    cpu = facts.weight * facts.period or 1.0
    samples = 100 * facts.spent / cpu
    if not facts.limit:
        return f"about {samples:.1f}%, by samples alone"
    if not facts.has_counts:
        return f"about {samples:.1f}%: no counts, as this Python cannot switch events off"
    events = 100 * (facts.events * facts.event_cost + facts.at_lines * facts.period) / cpu
    parts = f"{events:.1f} events, {samples:.1f} samples"
    return f"about {events + samples:.1f}% of at most {100 * facts.limit:g}% ({parts})"


def samples_of(facts: Sampled) -> str:
    """How many samples there were; and how many a second, where that is less than was asked for: a
    kernel's timers run out at its ticks, deep stacks would cost more than is allowed, or other
    programs had the processors."""
    told = counted(facts.signals, "sample")
    seconds = facts.weight * facts.period
    a_second = facts.signals / seconds if seconds else 0.0
    if seconds < A_WHILE or a_second > MOST_OF_RATE * facts.rate:
        return told
    return f"{told}, {a_second:,.0f} of {facts.rate:,} a second"


def in_part(facts: Sampled) -> str:
    number = facts.in_part
    return f"; {counted(number, 'function')} counted in part" if number else ""


def or_more(profiles: ProfileSet) -> str:
    """What is said of a number of calls of which some were counted in part."""
    sampled = profiles.sampled
    in_part = sampled is not None and any(not it.is_exact for it in sampled.counts.values())
    return " or more" if in_part else ""
