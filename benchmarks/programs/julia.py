"""The Julia set of z*z + c over a square grid: arithmetic, a tight loop, one call a point.

A classic exercise in finding out where a program spends its time. The sum of all escape times is
known for some sizes; it is checked, so that a profiled run is known to have computed the same.
"""

import argparse
import math

C = complex(-0.62772, -0.42193)
EDGE = 1.8  # the grid spans -EDGE to EDGE on both axes

# (width, iterations) -> sum of the escape times of all points
CHECKSUMS = {
    (100, 300): 334236,
    (400, 300): 5320430,
    (1000, 300): 33219980,
}


def axis(width):
    """The coordinates along one side, by repeated addition: the checksums depend on rounding."""
    step = 2 * EDGE / width
    coordinates = []
    position = -EDGE
    while position < EDGE:
        coordinates.append(position)
        position += step
    return coordinates


def grid(width):
    """The points of the plane, row by row, from the top."""
    columns = axis(width)
    return [complex(x, -y) for y in columns for x in columns]


def escape_time(z, c, iterations):
    """How many steps it takes z to leave the circle of radius 2, `iterations` at most."""
    steps = 0
    while steps < iterations and abs(z) < 2:
        z = z * z + c
        steps += 1
    return steps


def escape_times(points, c, iterations):
    return [escape_time(z, c, iterations) for z in points]


def picture(times, iterations, columns=64):
    """A small drawing of the set, a character for every few points."""
    shades = " .:-=+*#%@"
    width = math.isqrt(len(times))
    every = max(1, width // columns)
    lines = []
    for row in range(0, width, 2 * every):
        line = times[row * width : (row + 1) * width : every]
        lines.append("".join(shades[t * (len(shades) - 1) // iterations] for t in line))
    return "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Compute a Julia set.")
    parser.add_argument("width", type=int, nargs="?", default=400, help="points along a side")
    parser.add_argument("iterations", type=int, nargs="?", default=300, help="steps at most")
    parser.add_argument("--draw", action="store_true", help="print the set")
    options = parser.parse_args(arguments)

    points = grid(options.width)
    times = escape_times(points, C, options.iterations)
    total = sum(times)
    expected = CHECKSUMS.get((options.width, options.iterations))
    assert expected is None or total == expected, f"{total} instead of {expected}"
    print(f"{len(points)} points, {total} steps")
    if options.draw:
        print(picture(times, options.iterations))


if __name__ == "__main__":
    main()
