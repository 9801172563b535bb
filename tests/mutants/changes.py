"""Which one-token changes a C or Python source allows: operators, constants, returned values,
removed calls. Which of them compile, and which the tests notice, is not here.

Left alone are comments, strings, preprocessor lines, asserts and, in Python, annotations and what
is for type checkers alone.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A change of a source: the text at an offset, and the text to put there."""

    offset: int
    old: str
    new: str

    def applied(self, text: str) -> str:
        end = self.offset + len(self.old)
        assert text[self.offset : end] == self.old
        return text[: self.offset] + self.new + text[end:]


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    change: Change


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    offset: int

    @property
    def end(self) -> int:
        return self.offset + len(self.text)


# What an operator may become, in both languages.
BINARY = {
    "+": ["-"],
    "-": ["+"],
    "*": ["/", "+"],
    "/": ["*"],
    "//": ["*"],
    "%": ["*"],
    "<<": [">>"],
    ">>": ["<<"],
    "&": ["|"],
    "|": ["&"],
    "^": ["|"],
    "+=": ["-="],
    "-=": ["+="],
    "*=": ["/="],
    "|=": ["&="],
    "&=": ["|="],
    "<<=": [">>="],
    ">>=": ["<<="],
    "==": ["!="],
    "!=": ["=="],
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "&&": ["||"],
    "||": ["&&"],
}
WORDS = {"break": ["continue"], "continue": ["break"]}
C_WORDS = {**WORDS, "true": ["false"], "false": ["true"]}
PYTHON_WORDS = {**WORDS, "True": ["False"], "False": ["True"], "and": ["or"], "or": ["and"]}
STEPS = {"++": "--", "--": "++"}


def of_number(text: str) -> list[str]:
    """What a number may become: one more, one less or zero; if it is no whole number, one more."""
    found = re.fullmatch(r"(0[xX][0-9a-fA-F_]+|[0-9][0-9_]*)([uUlL]*)", text)
    if found is None:
        return [f"({text} + 1)"] if re.fullmatch(r"[0-9_.]+([eE][+-]?[0-9]+)?", text) else []
    value, suffix = int(found[1], 0) if found[1].strip("0_") else 0, found[2]
    return [f"{new}{suffix}" for new in sorted({value + 1, abs(value - 1), 0} - {value})]


# -- C -------------------------------------------------------------------------------------------

C_TOKEN = re.compile(
    r"""(?P<gap>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*|\n|[^\S\n]+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>->|\+\+|--|<<=|>>=|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
ASSERTS = {"assert", "static_assert", "_Static_assert"}
CLOSING = {")": "(", "]": "[", "}": "{"}


def c_tokens(text: str) -> list[Token]:
    found = (
        Token(match.lastgroup or "", match[0], match.start()) for match in C_TOKEN.finditer(text)
    )
    return [token for token in found if token.kind != "gap"]


def past(tokens: list[Token], at: int) -> int:
    """The place after the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += tokens[i].text in "([{"
        depth -= tokens[i].text in ")]}"
        if depth == 0:
            return i + 1
    return len(tokens)


def c_changes(text: str) -> Iterator[Change]:
    tokens = c_tokens(text)
    at = 0
    while at < len(tokens):
        if tokens[at].text in ASSERTS:
            at = past(tokens, at + 1)
            continue
        yield from at_c_token(text, tokens, at)
        at += 1


def at_c_token(text: str, tokens: list[Token], at: int) -> Iterator[Change]:
    token = tokens[at]
    before = tokens[at - 1] if at else Token("sign", ";", 0)
    an_operand = before.kind in ("name", "number", "string") or before.text in ")]"
    becomes: list[str] = []
    if token.kind == "number":
        becomes = of_number(token.text)
    elif token.kind == "name":
        becomes = C_WORDS.get(token.text, [])
    elif token.text in BINARY and an_operand and before.text not in ("return", "case"):
        # clang-format puts a blank after a binary operator; a `*` without one declares a pointer.
        becomes = BINARY[token.text] if text[token.end].isspace() else []
    elif token.text in STEPS:
        becomes = [STEPS[token.text]]
    elif token.text in ("!", "-", "~"):
        becomes = [""]
    for new in becomes:
        yield Change(token.offset, token.text, new)
    if token.text == "return" and tokens[at + 1].text != ";":
        last = next(i for i in range(at, len(tokens)) if tokens[i].text == ";")
        value = text[tokens[at + 1].offset : tokens[last - 1].end]
        if value not in ("true", "false", "NULL") and not value.lstrip("-").isdigit():
            yield Change(tokens[at + 1].offset, value, "0")
    if begins_statement(tokens, at) and token.kind == "name":
        yield from without_c_call(text, tokens, at)


def begins_statement(tokens: list[Token], at: int) -> bool:
    before = tokens[at - 1].text if at else ""
    if before == ")":
        return heads(tokens, at - 1)
    return before in (";", "{", "}", "else")


def heads(tokens: list[Token], closing: int) -> bool:
    """Whether a closing bracket ends the head of an if, a for or a while, or a cast to void."""
    depth, at = 1, closing
    while depth:
        at -= 1
        depth += tokens[at].text == ")"
        depth -= tokens[at].text == "("
    return tokens[at - 1].text in ("if", "for", "while") or tokens[at + 1].text == "void"


def without_c_call(text: str, tokens: list[Token], at: int) -> Iterator[Change]:
    """The statement that begins at `at` without its call, if it is nothing but one."""
    after = at + 1
    while tokens[after].text in ("->", "."):
        after += 2
    if tokens[after].text != "(" or tokens[at].text in ("if", "for", "while", "switch", "return"):
        return
    after = past(tokens, after)
    if tokens[after].text == ";":
        old = text[tokens[at].offset : tokens[after - 1].end]
        yield Change(tokens[at].offset, old, "(void)0")


# -- Python --------------------------------------------------------------------------------------


def python_changes(text: str) -> Iterator[Change]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    module = ast.parse(text)
    columns = Columns(text, starts)
    alone = [columns.span(node) for node in left_alone(module)]
    found = [*token_changes(text, starts), *tree_changes(text, module, columns)]
    for change in sorted(found, key=lambda change: (change.offset, change.old, change.new)):
        if not any(start <= change.offset < end for start, end in alone):
            yield change


class Columns:
    """Where the nodes of a tree stand in its text: ast counts columns in bytes."""

    def __init__(self, text: str, starts: list[int]) -> None:
        self.lines = text.splitlines(keepends=True)
        self.starts = starts

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())


def left_alone(module: ast.Module) -> Iterator[ast.AST]:
    """Asserts, annotations, and what is for type checkers alone."""
    for node in ast.walk(module):
        match node:
            case ast.Assert():
                yield node
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield node
            case ast.Assign(targets=[ast.Name(id="TYPE_CHECKING")]):
                yield node
            case ast.arg(annotation=ast.AST() as annotation) | ast.AnnAssign(annotation=annotation):
                yield annotation
            case ast.FunctionDef(returns=ast.AST() as annotation):
                yield annotation
            case ast.Call(func=ast.Name(id="cast"), args=[annotation, *_]):
                yield annotation


def token_changes(text: str, starts: list[int]) -> Iterator[Change]:
    """Operators and constants."""
    skipped = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
    reader = tokenize.generate_tokens(io.StringIO(text).readline)
    tokens = [token for token in reader if token.type not in skipped]
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], tokens[-1]], strict=False):
        offset = starts[token.start[0] - 1] + token.start[1]
        a_word = keyword_like(before.string)
        an_operand = before.string in (")", "]", "}") or (
            before.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING) and not a_word
        )
        becomes: list[str] = []
        if token.type == tokenize.NUMBER:
            becomes = of_number(token.string)
        elif token.type == tokenize.NAME:
            becomes = PYTHON_WORDS.get(token.string, [])
            if token.string == "is" and after.string != "not":
                becomes = ["is not"]
            elif token.string == "not" and before.string == "is":
                becomes = [""]
            elif token.string == "not":
                becomes = [""] if after.string != "in" else []
            elif token.string == "in" and before.string == "not":
                yield Change(starts[before.start[0] - 1] + before.start[1], "not", "")
        elif token.string in BINARY and an_operand:
            becomes = BINARY[token.string]
        elif token.string == "-" and after.type == tokenize.NUMBER:
            becomes = [""]
        for new in becomes:
            yield Change(offset, token.string, new)


def keyword_like(word: str) -> bool:
    """Whether an operand follows this word, so that an operator after it has one side only."""
    return word in (
        "return",
        "yield",
        "in",
        "is",
        "not",
        "and",
        "or",
        "if",
        "else",
        "lambda",
        "await",
    )


def tree_changes(text: str, module: ast.Module, columns: Columns) -> Iterator[Change]:
    """Returned values, and statements that are a call."""
    for node in ast.walk(module):
        match node:
            case ast.Return(value=ast.AST() as value) if not is_none(value):
                start, end = columns.span(value)
                yield Change(start, text[start:end], "None")
            case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
                start, end = columns.span(node)
                yield Change(start, text[start:end], "pass")
            case ast.Compare(ops=[ast.In()], left=left):
                start = columns.span(left)[1]
                found = re.compile(r"\bin\b").search(text, start)
                assert found is not None
                yield Change(found.start(), "in", "not in")


def is_none(value: ast.AST) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
