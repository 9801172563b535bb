# function: append
# share: 58
# caller: grow
# clock: numpy:append
# words: 179,?700
# words: (?s)\A(?!.*359,?400)
"""Arrays that grow by one figure at a time, each time as a copy."""

import numpy as np


def grow(count):
    series = np.array([], dtype=float)
    for number in range(count):
        series = np.append(series, number % 17)
    return series


def smoothed(series):
    return [float(series[at : at + 8].mean()) for at in range(0, len(series), 6)]


print(sum(len(smoothed(grow(2_995))) for _ in range(60)))
