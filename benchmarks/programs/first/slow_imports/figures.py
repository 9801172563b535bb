"""Figures of a list."""

import pandas


def mean(numbers):
    return pandas.Series(numbers).mean()


def middle(numbers):
    return pandas.Series(numbers).median()
