"""The phases of a run that is written as text, by the built-in rules and those of a user."""

from timelines import run_of
from tracer.analysis.steps.phase_rules import BARE, BUILT_IN, Rules
from tracer.analysis.steps.phases import phases_in
from tracer.data.phases import checked


def rules(**own):
    return Rules(checked(own), BUILT_IN, BARE)


def found(text, *more, own=(), **options):
    """(category, start, end, thread) of each phase of a run that is written as text."""
    run = run_of(text, *more, **options)
    return [(it.category, it.start, it.end, it.thread) for it in phases_in(run, rules(**dict(own)))]
