"""The programs of benchmarks/programs/first that need no package: whether their first screen names
the answer, with its caller and what else must be said.

How near shares are is tested by exact figures in tests/python/analysis: a busy machine moves these.
"""

import pytest

from benching import load

PACKAGES = {
    *("black_run", "click_package", "django_template", "fastapi_blocking", "flask_lazy"),
    *("grid_search", "np_append", "pandas_lambda", "pytest_fixture", "slow_imports"),
    *("sphinx_handler",),
}
NEAR, FAR = 12.0, 40.0  # points


def alone():
    return sorted({*load("harness.truths").names()} - PACKAGES)


@pytest.mark.parametrize("name", alone())
def test_the_first_screen_names_the_answer(name, monkeypatch):
    first_screen, screens = load("first_screen"), load("harness.screens")
    monkeypatch.setattr(screens, "NEAR", NEAR)
    monkeypatch.setattr(screens, "FAR", FAR)
    truth = load("harness.truths").truth_of(name)
    shot = first_screen.shown_by(truth, first_screen.tracer_screen)
    screen = screens.of_tracer(shot.text)
    screen.shares = shot.shares
    found = screens.score(screen, truth)
    told = [one for one in screen.findings if screens.is_told(screen, one, truth)]
    assert found == 2 or (found and told), shot.text  # two alike may change places


def test_there_are_as_many_answers():
    assert len(alone()) == 26
