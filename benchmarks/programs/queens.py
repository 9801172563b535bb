"""The n queens problem, solved twice by recursion: with sets, and with generators.

It has deep call trees and recursion through a generator, and almost no time in any one function.
"""

import argparse

# Known number of solutions for boards of 1, 2, 3... rows.
SOLUTIONS = (1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680)


class Board:
    """A board on which queens stand in the first rows, one a row."""

    def __init__(self, size):
        self.size = size
        self.columns = []
        self.taken = set()
        self.rising = set()
        self.falling = set()

    @property
    def full(self):
        return len(self.columns) == self.size

    def is_free(self, column):
        row = len(self.columns)
        return (
            column not in self.taken
            and row + column not in self.rising
            and row - column not in self.falling
        )

    def put(self, column):
        row = len(self.columns)
        self.columns.append(column)
        self.taken.add(column)
        self.rising.add(row + column)
        self.falling.add(row - column)

    def take_back(self):
        column = self.columns.pop()
        row = len(self.columns)
        self.taken.remove(column)
        self.rising.remove(row + column)
        self.falling.remove(row - column)


def count_solutions(board):
    """How many ways there are to fill the rest of the board."""
    if board.full:
        return 1
    total = 0
    for column in range(board.size):
        if board.is_free(column):
            board.put(column)
            total += count_solutions(board)
            board.take_back()
    return total


def solutions(size, columns=()):
    """All solutions that begin with `columns`, each as the tuple of its columns."""
    if len(columns) == size:
        yield columns
        return
    for column in range(size):
        if not is_attacked(columns, column):
            yield from solutions(size, (*columns, column))


def is_attacked(columns, column):
    row = len(columns)
    return any(
        other == column or abs(other - column) == row - other_row
        for other_row, other in enumerate(columns)
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Count the solutions of the n queens problem.")
    parser.add_argument("size", type=int, nargs="?", default=9, help="rows of the board")
    options = parser.parse_args(arguments)

    counted = count_solutions(Board(options.size))
    listed = sum(1 for _ in solutions(options.size))
    assert counted == listed, f"{counted} and {listed}"
    if 1 <= options.size <= len(SOLUTIONS):
        assert counted == SOLUTIONS[options.size - 1], counted
    print(f"{options.size} queens: {counted} solutions")


if __name__ == "__main__":
    main()
