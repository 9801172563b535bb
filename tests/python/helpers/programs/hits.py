"""Short programs that go through modules of the standard library, and how often each line of those
was hit, as JSON: `hits.py settrace|tracer PROGRAM`."""

import contextlib
import json
import os
import sys
from io import StringIO
from pathlib import Path

PROGRAMS = {}


def program(*modules):
    """A program that goes through these modules; they are imported before anything is counted."""

    def keep(function):
        PROGRAMS[function.__name__] = modules, function
        return function

    return keep


@program("json.decoder", "json.encoder", "json.scanner")
def json_texts():
    import json.decoder as decoder
    import json.encoder as encoder
    import json.scanner as scanner

    encoder.c_make_encoder = None
    encoder.encode_basestring_ascii = encoder.py_encode_basestring_ascii
    data = {"list": [1, -2.5e3, None, True, [], {}], "text": 'ä"\n\\' * 3, "deep": [[{"a": [1]}]]}
    texts = [json.JSONEncoder(indent=indent, sort_keys=True).encode(data) for indent in (None, 2)]
    reader = decoder.JSONDecoder(parse_float=str)
    reader.parse_object, reader.parse_array = decoder.JSONObject, decoder.JSONArray
    reader.parse_string = decoder.py_scanstring
    reader.scan_once = scanner.py_make_scanner(reader)
    for text in (*texts, "[1, 2", '{"a" 1}', '"\\ud834\\udd20"', '"\\x"', "nul"):
        with contextlib.suppress(ValueError):
            reader.decode(text)


@program("ast", "_ast_unparse")
def ast_unparse():
    import ast
    import textwrap

    tree = ast.parse(Path(textwrap.__file__).read_text())
    ast.unparse(tree)
    ast.dump(tree, indent=1)
    ast.literal_eval("{'a': [1, -2, (3+4j)]}")
    ast.get_docstring(tree)


@program("textwrap")
def textwrap_paragraphs():
    import textwrap

    text = " ".join(f"word{n} hyphen-ated-{n} {'x' * (n % 40)}." for n in range(120))
    for width in (11, 40, 70):
        lines = textwrap.wrap(text, width, max_lines=width, fix_sentence_endings=True)
        textwrap.dedent(textwrap.indent("\n".join(lines), "   "))
    textwrap.shorten(text, 50)
    textwrap.fill(text, 20, break_long_words=False, drop_whitespace=False)


@program("difflib")
def difflib_lines():
    import difflib

    a = [f"line {n * n % 7} of {n}\n" for n in range(40)]
    b = [line.replace("3", "three") for line in a[5:]] + ["new\n"] + a[:3]
    list(difflib.unified_diff(a, b))
    list(difflib.context_diff(a, b))
    list(difflib.ndiff(a[:15], b[:12]))
    difflib.get_close_matches("line 3 of 4", a)
    difflib.HtmlDiff().make_table(a[:8], b[:8], context=True)


@program("configparser")
def configparser_files():
    import configparser

    text = (
        "[DEFAULT]\na = 1\n[one]\nb: %(a)s2\n# remark\nc =\n  several\n\n  lines\n[two]\nd\ne=;x\n"
    )
    parser = configparser.ConfigParser(allow_no_value=True)
    parser.read_string(text)
    {name: dict(parser[name]) for name in parser}
    parser.getint("one", "b")
    other = configparser.RawConfigParser(interpolation=configparser.ExtendedInterpolation())
    for wrong in ("a = 1", "[a]\n[a]", "[a]\nb = 1\nb = 2", "[a\n", text):
        with contextlib.suppress(configparser.Error):
            other.read_string(wrong)
    other.write(StringIO())


@program("argparse")
def argparse_options():
    import argparse

    parser = argparse.ArgumentParser(prog="p", description="of many " * 20, exit_on_error=False)
    parser.add_argument("name", nargs="+", help="a %(type)s", type=int)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("-v", "--verbose", action="count", default=0)
    group.add_argument("--quiet", choices=["a", "b"])
    verbs = argparse.ArgumentParser(prog="q", formatter_class=argparse.RawTextHelpFormatter)
    verb = verbs.add_subparsers(dest="verb").add_parser("go", aliases=["g"])
    verb.add_argument("--far", action=argparse.BooleanOptionalAction)
    for words in (["1", "2", "-vv"], ["--quiet=a", "3"], ["x"], ["1", "--quiet", "c"]):
        with contextlib.suppress(argparse.ArgumentError):
            parser.parse_known_args(words)
    verbs.parse_args(["g", "--no-far"])
    parser.format_help() + verbs.format_help() + verb.format_usage()


@program("fractions", "statistics")
def fractions_and_statistics():
    import fractions
    import statistics

    numbers = [fractions.Fraction(n * n, n + 1) for n in range(1, 40)]
    total = sum(numbers) / 7 - fractions.Fraction("3.25") ** 2
    total.limit_denominator(1000), round(total, 3), -total // 1, f"{float(total):.3f}"
    for of in ("mean", "median", "pvariance", "stdev", "multimode", "quantiles"):
        getattr(statistics, of)(numbers)
    floats = [float(number) for number in numbers]
    statistics.linear_regression(floats, floats[::-1])
    statistics.NormalDist.from_samples(floats).overlap(statistics.NormalDist(3, 2))


@program("_pydecimal")
def decimals():
    import _pydecimal as decimal

    with decimal.localcontext() as context:
        context.prec = 30
        found = decimal.Decimal(2).sqrt() + decimal.Decimal("1e-5").exp() / 7
        for number in ("1.50", "-0", "NaN", "Infinity", "12345.678e-4"):
            value = decimal.Decimal(number)
            try:
                format(value * found, ",.3f"), value.quantize(decimal.Decimal("0.01"))
                value.ln(), value.as_tuple(), value.compare(found)
            except decimal.DecimalException:
                pass


@program("tokenize")
def tokens():
    import tokenize

    text = "def f(a,\n  *b):\n  '''doc\n  '''\n  return (a + 1, # word\n    f'{a!r}')\n\nx = 0x1F\n"
    found = list(tokenize.generate_tokens(StringIO(text).readline))
    tokenize.untokenize(found)
    tokenize.untokenize([token[:2] for token in found])
    tokenize.detect_encoding(iter([b"# coding: latin-1\n"]).__next__)


@program("html.parser", "_markupbase")
def html_pages():
    from html.parser import HTMLParser

    page = (
        "<!DOCTYPE html><html><!-- remark --><p class='a' id=b>text &amp; &#65; <br/><script>"
        'if (a < b) {}</script></p><?pi?><![CDATA[x]]><a href="x">y</a><p <b></html>'
    )
    for convert in (True, False):
        parser = HTMLParser(convert_charrefs=convert)
        for start in range(0, len(page), 17):
            parser.feed(page[start : start + 17])
        parser.close()


@program("string", "string.templatelib", "shlex", "calendar")
def small_things():
    import calendar
    import shlex
    import string

    string.Template("$a ${b} $$ $c").safe_substitute({"a": 1}, b=2)
    string.Formatter().vformat("{0:>{1}} {a[0]!r}", (1, 5), {"a": "xy"})
    string.capwords("several words here")
    shlex.split('a \'b c\' "d \\" e" # f', comments=True)
    list(shlex.shlex("x = y;z", punctuation_chars=True))
    calendar.TextCalendar().formatyear(2024)
    calendar.HTMLCalendar(6).formatmonth(2023, 2)


@program("heapq", "bisect", "contextlib", "dataclasses", "enum", "functools")
def makers_of_classes():
    import dataclasses
    import enum
    import functools
    import heapq

    @dataclasses.dataclass(order=True, frozen=True)
    class Point:
        x: int
        y: int = dataclasses.field(default=0, compare=False)

    enum.Flag("Colour", "RED GREEN BLUE")(5)
    list(heapq.merge([Point(1), Point(4)], [Point(2), Point(3)], key=lambda p: (p.x,)))
    heapq.nsmallest(3, range(20), key=lambda n: n * 7 % 5)
    with contextlib.suppress(ZeroDivisionError), contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(contextlib.closing(StringIO()))
        stack.callback(lambda: 1 / 0)

    @functools.singledispatch
    def kind(value):
        return dataclasses.asdict(Point(1))

    @kind.register
    def _(value: int):
        return functools.reduce(lambda a, b: a + b, range(value))

    kind("a"), kind(5), sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: a - b))


@program("shapes")
def shapes_of_statements():
    import shapes

    shapes.go()


def main(how, name):
    modules, function = PROGRAMS[name]
    files = []
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            continue  # only some versions have the module
        files.append(os.path.realpath(sys.modules[module].__file__))
    if how == "settrace":
        from linetruth import Truth

        with Truth(files) as truth:
            function()
        found = truth.hits()
    else:
        found = recorded(files, function)
    print(json.dumps(sorted([*label, sorted(lines.items())] for label, lines in found.items())))


def recorded(files, function):
    import struct

    from tracer._core import LineRecorder
    from tracer.source.statements import first_lines

    recorder = LineRecorder(whole=True, include=tuple(files), first_lines=first_lines)
    recorder.enable()
    try:
        function()
    finally:
        recorder.disable()
    snapshot = recorder.snapshot()
    found = {}
    for thread in snapshot["threads"]:
        for position, line, hits, *_ in struct.iter_unpack("=IIQqqqqq", thread["lines"]):
            lines = found.setdefault(snapshot["codes"][position][:3], {})
            lines[line] = lines.get(line, 0) + hits
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
