"""source/wrapper_syntax.py: which functions pass their calls on, told from the text of a file."""

from textwrap import dedent

import pytest

from tracer.source.wrapper_syntax import definition_at, passes_on


def passes(text, name, defined="def wrapper"):
    """Whether the function passes on whose definition or first decorator has `defined`."""
    lines = dedent(text).splitlines(keepends=True)
    line = next(number for number, it in enumerate(lines, 1) if defined in it)
    return passes_on(lines, line, name)


WRAPPED = """
import functools

def timed(function):
    @functools.wraps(
        function)
    def wrapper(first):
        return function(first)
    return wrapper
"""


def test_one_whose_decorator_says_so():
    assert passes(WRAPPED, "timed.<locals>.wrapper", "@functools") is True
    two = WRAPPED.replace("    @functools", "    @quiet\n    @functools")
    assert passes(two, "timed.<locals>.wrapper", "@quiet") is True


CLOSURE = """
def retry(times):
    def decorator(function):
        text = '''
no indentation'''
        {head}
            {body}
        return wrapper
    return decorator
"""
NAME = "retry.<locals>.decorator.<locals>.wrapper"


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("def wrapper(*args, **kwargs):", "return function(*args, **kwargs)", True),
        ("def wrapper(self, *rest):", "return function(self, *rest)", True),
        ("async def wrapper(*a, **k):", "return await function(*a, **k)", True),
        ("def wrapper(*a, **k):", "yield from function(*a, **k)", True),
        ("def wrapper(*a, **k):", "return run(function, *a, **k)", True),
        ("def wrapper(*a, **k):", "return times.by(function(*a, **k))", True),
        ("def wrapper(\n    *a,\n    **k,\n):", "return function(*a, **k)", True),
        ("def wrapper(*a, **k):", "return other(*a, **k)", False),  # no name of the outer one
        ("def wrapper(*a, **k):", "return function(a, k)", False),
        ("def wrapper(*function):", "return function(*function)", False),
        ("def wrapper(a):", "return function(*a)", False),
        ("def wrapper(*a):", "return function(*a) or wrapper(*a[1:])", False),  # recurses
        ("def other(*a, **k):", "return function(*a, **k)", None),
    ],
)
def test_one_that_hands_on_what_it_takes(head, body, expected):
    text = CLOSURE.format(head=head, body=body)
    defined = head.partition("(")[0]
    assert passes(text, NAME, defined) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("return update_wrapper(wrapper, function)", True),
        ("return wrapper(1)(wrapper)", True),
        ("run(wrapper)", False),
    ],
)
def test_one_that_the_outer_function_returns(said, expected):
    text = CLOSURE.replace("return wrapper", said)
    head, body = "def wrapper(*a):", "return function(*a)"
    assert passes(text.format(head=head, body=body), NAME) is expected


METHOD = """
class Timed:
    def __init__(self, function):
        self.function = function

    @quiet
    def __call__(self, *args, **kwargs):
        {}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return self.function(*args, **kwargs)", True),
        ("return function(*args, **kwargs)", False),
        ("return self.function(args)", False),
    ],
)
def test_a_class_whose_calls_are_passed_on(body, expected):
    assert passes(METHOD.format(body), "Timed.__call__", "@quiet") is expected


def test_a_text_that_is_not_that_of_the_function():
    assert passes_on([], 3, NAME) is None
    lines = ["def wrapper(*a):\n", "    return f(*a)\n"]
    assert passes_on(lines, 1, "timed.<locals>.wrapper") is None  # in no function
    assert passes_on(["  def wrapper(*a): ((\n"], 1, "timed.<locals>.wrapper") is None
    broken = ["def timed(f):\n", "    def wrapper(*a):\n", "        return f(*a\n"]
    assert passes_on(broken, 2, "timed.<locals>.wrapper") is None


def test_where_a_function_is_defined():
    lines = ["@one\n", "@two(\n", "    1)\n", "async def work():\n"]
    assert definition_at(lines, 1) == ("@one\n@two(\n    1)\n", 3, "work")
    assert definition_at(lines, 4) == ("", 3, "work")
    assert definition_at(lines, 3) is None
