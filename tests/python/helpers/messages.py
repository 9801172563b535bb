"""The messages that tracer prints or raises, collected from its sources: what is raised, what is
said on standard error, what a warning says, and the notes that some functions hand to those who
print.

A message is a pattern: ANY stands for text that is known only when it is printed. A message that is
nothing but another's text (`str(error)`) is none of its own.
"""

import ast
import itertools
import re

from docblocks import ROOT

PACKAGE = ROOT / "python" / "tracer"
ANY = "\0"
# Functions that print, raise or note what they are called with.
SAYING = {"say", "warn", "rescue", "_refusal", "_error", "UsageError", "files_asked_for"}
SAYING |= {"_warn_program", "say_once", "write_error"}
# Functions that return what is to be said.
NOTING = {
    "differences",
    "hint_at_rest",
    "losses",
    "mixtures",
    "no_line_recorded",
    "doubt",
    "dropped_by",
    "no_range",
    "none_later",
    "not_within",
    "no_lines_of",
    "none_recorded",
    "notes_on",
    "nothing_recorded",
    "print_line_memory",
    "print_lines",
    "reason_of_none",
    "refusal",
    "remarks",
    "remark_on_generators",
    "remark_on_rest",
    "remark_on_steps",
    "remarks_on",
    "unknown_option",
    "unmatched",
    "untimed_lines",
}
# Names of lists of what is to be said.
NOTES = {"chosen", "losses", "notes", "problems"}
# Names of a message that a table has among its own lines, or that stands in its place.
CONSTANTS = {
    "AT_ONCE",
    "BY_PATHS",
    "ESTIMATE",
    "FOLD_CALLERS",
    "FOLD_IMPORTS",
    "GROUPED",
    "INCLUDE_FILE",
    "MOSTLY_WAITS",
    "NOT_COLORED",
    "NO_ATTACHING",
    "NO_CALL",
    "NO_RANGES",
    "NO_RENDERERS",
    "NO_THREAD",
    "BESIDE_SAMPLES",
    "PAIRS",
    "SHARES",
    "WAITED",
    "nothing",
}
# Errors that no user sees: the page's modules are bundled in tests; attributes and imports are the
# interpreter's.
NOT_TOLD = {"JoiningError", "AttributeError", "ImportError", "StopIteration", "AssertionError"}
LEAST = 4  # letters of its own that a message has

WARNING = re.compile(r"PyErr_Warn(?:Format|Ex)\((.*?)\);", re.DOTALL)


def collected():
    """{pattern: the places where it stands} of all messages."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE))
        for line, text in messages_in(ast.parse(path.read_text())):
            found.setdefault(text, []).append(f"{name}:{line}")
    for path in sorted((ROOT / "ext").rglob("*.c")):
        for call in WARNING.findall(path.read_text()):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call))
            found.setdefault(re.sub(r"%\w+", ANY, text), []).append(path.name)
    return {text: places for text, places in found.items() if own_letters(text) >= LEAST}


def own_letters(text):
    return len(re.findall(r"[a-z]", text))


def messages_in(tree):
    """(line, text) of each message of a module."""
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for scope in [tree, *scopes]:
        known = assigned_in(scope)
        noting = getattr(scope, "name", "") in NOTING
        for node in within(scope):
            for expression in told_by(node, noting):
                for text in texts_of(expression, known):
                    yield node.lineno, text


def within(scope):
    """The nodes of a scope that are in no function within it."""
    todo = list(ast.iter_child_nodes(scope))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef):
            todo += ast.iter_child_nodes(node)


def assigned_in(scope):
    """{name: the expressions that it stands for}, parameters with their defaults among them. An
    empty default means that a caller gives the text, which is not known here."""
    known = {}
    for node in within(scope):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            known.setdefault(node.targets[0].id, []).append(node.value)
    if isinstance(scope, ast.FunctionDef):
        names = scope.args.args[len(scope.args.args) - len(scope.args.defaults) :]
        for name, value in zip(names, scope.args.defaults, strict=True):
            if isinstance(value, ast.Constant) and value.value == "":
                continue
            known.setdefault(name.arg, []).append(value)
    return known


def told_by(node, noting):
    """The expressions whose text is a message."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        if name_of(node.exc.func) not in {*NOT_TOLD, "ProfileFormatError"}:
            yield from node.exc.args
    elif isinstance(node, ast.Call) and name_of(node.func) == "ProfileFormatError":
        yield text_of_error(node)
    elif isinstance(node, ast.Call):
        name = name_of(node.func)
        says = name in SAYING or (name == "print" and "stderr" in ast.unparse(node))
        notes = name == "append" and (noting or name_of(node.func.value) in NOTES)
        if says or notes:
            yield from node.args
        elif name == "naming":  # an option, before the text of another error
            yield ast.JoinedStr([*node.args, ast.Constant(f": {ANY}")])
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        name = name_of(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
        if noting or name in NOTES:
            yield from in_lists(node.value)
        elif name in CONSTANTS:
            is_table = isinstance(node.value, ast.Dict)
            yield from node.value.values if is_table else [node.value]
    elif noting and isinstance(node, ast.Return | ast.Yield) and node.value is not None:
        yield from in_lists(node.value) or [node.value]


def text_of_error(call):
    """The text that ProfileFormatError makes of its parts."""
    parts = {"": call.args[0], **{keyword.arg: keyword.value for keyword in call.keywords}}
    texts = {name: ast.FormattedValue(value, -1) for name, value in parts.items()}
    start = [texts["path"], ast.Constant(": ")] if "path" in texts else []
    end = [ast.Constant("; "), texts["remedy"]] if "remedy" in texts else []
    return ast.JoinedStr([*start, texts[""], *end])


def name_of(function):
    return getattr(function, "attr", getattr(function, "id", ""))


def in_lists(expression):
    if isinstance(expression, ast.List):
        return expression.elts
    if isinstance(expression, ast.IfExp):
        return [*in_lists(expression.body), *in_lists(expression.orelse)]
    return [expression.elt] if isinstance(expression, ast.ListComp) else []


def texts_of(expression, known, depth=3):
    """The texts that an expression may have, ANY for what is not known."""
    match expression:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            choices = [texts_of(part, known, depth) for part in parts]
            return ["".join(chosen) for chosen in itertools.product(*choices)]
        case ast.FormattedValue(value=value, conversion=-1):
            return texts_of(value, known, depth)
        case ast.IfExp(body=one, orelse=other):
            return texts_of(one, known, depth) + texts_of(other, known, depth)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            pairs = itertools.product(texts_of(left, known, depth), texts_of(right, known, depth))
            return ["".join(pair) for pair in pairs]
        case ast.BoolOp(values=values):
            return [text for value in values for text in texts_of(value, known, depth)]
        case ast.Name(id=name) if depth and name in known:
            return [text for value in known[name] for text in texts_of(value, known, depth - 1)]
    return [ANY]


def is_told_as(text, told):
    """Whether a page that has `told`, with words in capitals for what is filled in, has this
    message; a remedy may stand behind it."""
    parts = [re.escape(part) for part in re.split(f"{ANY}+", plain(text))]
    filled = re.sub(r"\b[A-Z]+\b", ".*", re.escape(told))
    return re.fullmatch(".*".join(parts) + "(; .*)?", told) or re.fullmatch(filled, plain(text))


def plain(text):
    """The text as a page can have it: in one line, without backticks."""
    return " ".join(text.replace("`", "").split())
