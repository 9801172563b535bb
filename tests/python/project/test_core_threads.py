"""Suites of the core whose tests have threads have the tag by which `make tsan` runs them.

The tag `places` is of those that it leaves out, for the reason in tests/tools/tsan.sh.
"""

import re

import pytest

from places import ROOT

STARTS_A_THREAD = re.compile(
    r"\b(pthread_create|trc_periodic_thread_start|trc_sampling_begin|begin_here)\("
)
HAS_TAG = re.compile(r'tcase_set_tags\(\w+, "(threads|places)"\)')

SUITES = sorted((ROOT / "tests/core").glob("test_*.c"))


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.stem)
def test_a_suite_with_threads_has_their_tag(suite):
    text = suite.read_text()
    assert bool(STARTS_A_THREAD.search(text)) == bool(HAS_TAG.search(text))


def test_some_suites_have_threads():
    assert sum(bool(HAS_TAG.search(suite.read_text())) for suite in SUITES) >= 8
