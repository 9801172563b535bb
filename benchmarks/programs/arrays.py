"""Arrays of NumPy: heat spreads over a plate, and each round keeps its mean temperature.

A round makes several temporary arrays, small ones and large ones in turns.
"""

import argparse

import numpy

SIZES = (20, 60, 180)  # of the plate's side


def plate(size):
    """A cold plate with one hot side."""
    made = numpy.zeros((size, size))
    made[0] = 100.0
    return made


def spread(heat):
    """The plate a moment later."""
    inner = heat[1:-1, 1:-1]
    around = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
    changed = heat.copy()
    changed[1:-1, 1:-1] = inner + 0.2 * (around - 4 * inner)
    return changed


def means(rounds):
    """The mean temperatures of the plates, round by round."""
    plates = [plate(size) for size in SIZES]
    found = []
    for _ in range(rounds):
        plates = [spread(one) for one in plates]
        found.append(numpy.array([one.mean() for one in plates]))
    return found


def main(rounds):
    print(" ".join(f"{mean:.4f}" for mean in means(rounds)[-1]))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("rounds", type=int, nargs="?", default=500)
    main(options.parse_args().rounds)
