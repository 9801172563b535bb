"""A small program, on which call_overhead.py tries the costs that it has measured in loops.

It does what programs do: it parses and evaluates expressions, by methods, functions, builtins and a
generator. Its calls follow no simple pattern, so the processor foresees them as badly as in
programs. SOURCE defines body(), which takes about 0.1 ms.
"""

from __future__ import annotations

SOURCE = """
class Node:
    def __init__(self, sign, left, right):
        self.sign, self.left, self.right = sign, left, right

    def value(self, names):
        left, right = value_of(self.left, names), value_of(self.right, names)
        if self.sign == "+":
            return left + right
        if self.sign == "-":
            return abs(left - right)
        return left * right % 97


def value_of(part, names):
    if isinstance(part, Node):
        return part.value(names)
    return len(part) if part.isdigit() else names.get(part, 0)


class Parser:
    def __init__(self, text):
        self.tokens, self.place = list_of(text), 0

    def peek(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self):
        token = self.peek()
        self.place += 1
        return token

    def sum(self):
        left = self.product()
        while self.peek() in ("+", "-"):
            left = Node(self.take(), left, self.product())
        return left

    def product(self):
        left = self.atom()
        while self.peek() == "*":
            left = Node(self.take(), left, self.atom())
        return left

    def atom(self):
        token = self.take()
        if token != "(":
            return token
        inner = self.sum()
        self.take()
        return inner


def list_of(text):
    found = []
    for token in tokens(text):
        found.append(token)
    return found


def tokens(text):
    word = ""
    for character in text:
        if is_part(character):
            word += character
        else:
            if word:
                yield word
                word = ""
            if not character.isspace():
                yield character
    if word:
        yield word


def is_part(character):
    return character.isalnum()


TEXTS = (
    "a + b * (c - 12) * d",
    "(x - y) * (x + y) - 7 * z",
    "one + (two * (three - four) + 5) * six",
    "1 * 2 * 3 * 4 - 5 - 6 - 7",
    "w * (w - (w + (w * 2)))",
)


def body():
    names = {"a": 1, "b": 2, "c": 30, "d": 4, "x": 5, "y": 6, "z": 7, "w": 8, "one": 1, "two": 2}
    for text in TEXTS * 2:
        tree = Parser(text).sum()
        for number in (1, 2, 3):
            names["a"] = number
            tree.value(names)
"""
