"""Options: the class Option, the parser, and what it gives: an object of a verb's own class; and
the options, and the readers of values, that several verbs have.

There is one parser. compat and integrations have kinds of options of their own, and pass their
rules to take_options(). A short option means the same in every verb. argparse is not used: it would
import a dozen modules before the user's program, and so would dataclasses. A reader is a function
of a value's text, which raises UsageError.
"""

from __future__ import annotations

from tracer.launch.errors import UnknownOption, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from typing import Any, Self, TypeVar

    AnyOption = TypeVar("AnyOption", bound="Option")
    Given = TypeVar("Given", bound="Options")


INFINITY, NOT_A_NUMBER = float("inf"), float("nan")


def any_text(text: str) -> str:
    return text


class Option:
    """One option. `told` says its flags and its value as the usage text does: "-o, --outfile FILE",
    "--live[=PORT]" where the value stands in the flag's own word, or is absent. The class that
    declares the option gives it its name. Other kinds of options override take()."""

    name: str
    has_default = True
    ends_options: bool = False  # no word behind it is an option, as behind --help and -c CODE

    def __init__(
        self,
        told: str,
        meaning: str,
        *,
        read: Callable[[str], object] = any_text,
        words: tuple[str, ...] = (),
        default: object = None,
        many: bool = False,
        once: bool = False,
        ends: bool = False,
    ) -> None:
        flags, optional, value = told.partition("[=")
        *others, last = flags.split(", ")
        if not optional:
            last, _, value = last.partition(" ")
        self.told = told
        self.meaning = meaning
        self.flags: tuple[str, ...] = (*others, last)
        self.value: str = value.removesuffix("]") if optional else value  # empty for a flag
        self.optional: bool = bool(optional)
        self.read = read
        self.words = words  # from which the value is chosen; () for any
        self.many = many  # the option may be given several times: its value is a tuple
        self.once = once  # the last value does not stand for those before it: they are refused
        if ends:
            self.ends_options = True
        self.default = () if many else default if value else False

    def __get__(self, options: object, kind: type) -> object:
        """The usual value, where an object of the class has no other."""
        return self.default

    def forms(self) -> tuple[str, ...]:
        """All flags that mean this option."""
        return self.flags

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        """Set the value. `text` is the value in the flag's own word, or None; then the value is
        taken from `rest`, the words behind. Raises UsageError."""
        if not self.value:
            if text is not None:
                raise UsageError(f"{flag} takes no value, {text!r} was given")
            values[self.name] = True
            return
        value = self.read(self.text_given(flag, text, rest))
        if self.words and value not in self.words:
            raise UsageError(f"{self.flags[0]} {value!r}: choose from {', '.join(self.words)}")
        if self.once and values[self.name] is not None:
            raise UsageError(f"{flag} is given twice; a regular expression names several: 'a|b'")
        values[self.name] = (*values[self.name], value) if self.many else value

    def text_given(self, flag: str, text: str | None, rest: list[str]) -> str:
        if text is not None or self.optional:
            return text or ""
        if not rest:
            raise UsageError(f"{flag} needs a value: {flag} {self.value}")
        return rest.pop(0)


def declared(kind: type[Option]) -> Callable[..., Any]:
    """What makes an option in the body of a class, where its name has the type of its values."""
    return kind


option: Callable[..., Any] = declared(Option)


class Options:
    """The values of a verb's options. Each verb has a class of its own, which declares its options
    in the order of the usage text. A tuple among them stands for options that other classes
    declare. A class has usual values also for the options of its bases that it does not list.
    Slots would need a metaclass, which costs half a million instructions at start: in their place
    nothing can be assigned."""

    OPTIONS: tuple[Option, ...]

    def __init_subclass__(cls) -> None:
        found: list[Option] = []
        for name, value in vars(cls).items():
            if isinstance(value, Option):
                value.name = name
                found.append(value)
            elif isinstance(value, tuple):
                found += value
        cls.OPTIONS = tuple(found)

    def __init__(self, values: Mapping[str, object]) -> None:
        vars(self).update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"options do not change: but({name}=...) makes others")

    def but(self, **changes: object) -> Self:
        """The same, with other values of some options. Raises AttributeError for another name."""
        for name in changes:
            getattr(type(self), name)
        return type(self)(vars(self) | changes)

    @classmethod
    def names(cls) -> set[str]:
        return {option.name for option in cls.OPTIONS}

    def has(self, name: str) -> bool:
        """Whether an option of this name was given, or has a value."""
        value = getattr(self, name, None)
        return value is not None and value is not False and value != ()

    def given(self, names: Container[str]) -> list[Option]:
        """The options of these names that were given."""
        return [
            it for it in self.OPTIONS if it.name in names and getattr(self, it.name) != it.default
        ]

    def first_given(self, names: Container[str]) -> str | None:
        """The flag of the first of them, or None."""
        given = self.given(names)
        return given[0].flags[0] if given else None


RAW = option("--raw", "show the times as they were measured, also after --compensate")
HELP = option("-h, --help", "print this text", ends=True)
PHASES = option(
    "--phases FILE",
    "steps: find phases by the table [tool.tracer.phases] of FILE, a TOML file, in place of the "
    "rules that the profile keeps",
)
ALLOW_HOST = option(
    "--allow-host NAME",
    "also answer browsers that know this machine by NAME; may be repeated",
    many=True,
)


def parse(
    argv: Sequence[str], into: type[Given], *, stop_at_program: bool, flags_join: bool = False
) -> tuple[Given, list[str]]:
    """The options' values, and the other words. Raises UsageError.

    With `stop_at_program`, the first word that is no option begins the program's own words.
    """
    rest = list(argv)
    values, words = take_options(
        rest, into.OPTIONS, stop_at_program=stop_at_program, flags_join=flags_join
    )
    return into(values), words + rest


def take_options(
    rest: list[str],
    options: Sequence[AnyOption],
    *,
    stop_at_program: bool,
    flags_join: bool = False,
    full_flag: Callable[[str, Mapping[str, AnyOption]], str] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """The options' values by name, and the other words up to the program. The words behind them
    stay in `rest`. Raises UsageError.

    `flags_join`: -lv means -l -v. `full_flag` completes an abbreviated flag, given all options by
    flag.
    """
    by_flag = {flag: option for option in options for flag in option.forms()}
    values: dict[str, Any] = {o.name: o.default for o in options if o.has_default}
    words: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--":
            break
        if word == "-" or not word.startswith("-"):
            words.append(word)
            if stop_at_program:
                break
            continue
        flag, text = split(word)
        if full_flag is not None:
            flag = full_flag(flag, by_flag)
        option = by_flag.get(flag)
        is_short_flag = option is not None and not (option.value or flag.startswith("--"))
        if flags_join and is_short_flag and text is not None:
            if text.startswith("-"):  # no flag has the name `-`
                flag, option = "--", None
            rest.insert(0, f"-{text}")
            text = None
        if option is None:
            raise UnknownOption(f"unknown option {flag!r}; --help lists them", flag)
        option.take(flag, text, rest, values)
        if option.ends_options:
            break
    return values, words


def split(word: str) -> tuple[str, str | None]:
    """The flag in a word, and the value in the same word, or None. A value follows a long flag
    behind `=`, and a short one at once."""
    if not word.startswith("--"):
        return word[:2], word[2:] or None
    flag, equals, text = word.partition("=")
    return flag, text if equals else None


def number_in(
    flag: str,
    what: str,
    kind: type[int | float] = float,
    *,
    least: float = 0,
    above: float = -INFINITY,
    most: float = INFINITY,
) -> Callable[[str], Any]:
    """A reader of a finite number from `least` to `most` that is greater than `above`. `what` tells
    the user what to give."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = NOT_A_NUMBER
        if not least <= value <= most or value <= above or value == INFINITY:
            raise UsageError(f"{flag} {text!r}: give {what}")
        return value

    return read


# What excludes samples, and why.
BESIDE_SAMPLES = {
    "l": "--slowdown takes samples, and -l times each line",
    "timeline": "--slowdown takes samples, and --timeline records each call",
    "timeline_last": "--slowdown takes samples, and --timeline-last records each call",
    "steps": "--slowdown takes samples, and --steps records each call",
    "step_function": "--slowdown takes samples, and --step-function records each call",
    "keeps_memory": "--slowdown takes samples, and --memory records each allocation",
    "compensate": "--slowdown takes samples, and --compensate corrects the times of calls",
    "timer": "--slowdown takes samples, and --timer chooses what calls are timed by",
    "no_builtins": "--slowdown takes samples, and --no-builtins leaves out calls of C",
    "all_builtins": "--slowdown takes samples, and --all-builtins records calls of C",
    "longest": "--slowdown takes samples, and --longest tells of single calls",
    "resumes": "--slowdown takes samples, and --resumes tells of single calls",
    "suspended": "--slowdown takes samples, and --suspended tells of single calls",
}
# Options that exclude each other, and why. Of each verb those are looked at that it has.
PAIRS = {
    ("all_builtins", "no_builtins"): "--all-builtins and --no-builtins exclude each other",
    ("m", "c"): "-m and -c each name a program",
    ("threads", "thread"): "--threads lists all threads, and --thread picks one",
    ("threads", "only"): "--threads lists threads, and --only functions",
    ("native", "memory"): "--native prints CPU time, and --memory memory",
    ("tree", "callers"): "--callers prints a table of its own, and does not choose from --tree",
    ("tree", "callees"): "--callees prints a table of its own, and does not choose from --tree",
    ("only", "callers"): "--callers names the functions that are listed, and so does --only",
    ("only", "callees"): "--callees names the functions that are listed, and so does --only",
    ("summary", "timeline"): "--summary prints tables of its own, and so does --timeline",
    ("summary", "ranges"): "--summary prints tables of its own, and so does --ranges",
    ("summary", "slowest"): "--summary prints tables of its own, and so does --slowest",
    **{("slowdown", name): why for name, why in BESIDE_SAMPLES.items()},
}


def refuse_pairs(options: Options) -> None:
    """Raise UsageError where two options were given that exclude each other."""
    for (one, other), why in PAIRS.items():
        if options.has(one) and options.has(other):
            raise UsageError(f"{why}; give one of them")
