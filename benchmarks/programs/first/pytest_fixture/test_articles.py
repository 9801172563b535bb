"""Tests that only read what the fixture makes."""

import pytest


@pytest.mark.parametrize("number", range(15))
def test_an_article_has_a_number(catalogue, number):
    assert number % 5 in catalogue.values()


@pytest.mark.parametrize("number", range(15))
def test_a_key_is_long(catalogue, number):
    assert len(list(catalogue)[number % 5]) == 64
