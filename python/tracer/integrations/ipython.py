"""%tprun and %tlprun profile the functions, or the lines, that a cell of IPython or Jupyter runs;
%ttime times a statement.

    %load_ext tracer

They take the options of %prun (cProfile's), %lprun (line_profiler's) and `tracer time`, which
ipython_options.py reads. This module picks the lines to time, runs the cell, and prints.
api/stats.py and report/lines.py make the tables; cli/statement_runs.py times statements.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from inspect import CO_COROUTINE
from io import StringIO
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from IPython.core import page
from IPython.core.error import UsageError
from IPython.core.magic import no_var_expand

from tracer._core import LineRecorder, unrecorded
from tracer.api.decorator import profile
from tracer.api.profiler import Profile
from tracer.api.stats import Stats
from tracer.cli.options.time import TimeOptions, check
from tracer.cli.statement_runs import StatementRuns
from tracer.data.lines import Lines
from tracer.data.lprof import bytes_of
from tracer.integrations.ipython_options import (
    files_of,
    parse_line,
    parse_options,
    row_limit,
    sort_keys,
    unit_of,
)
from tracer.launch import errors
from tracer.report.lines import remarks_on, report
from tracer.runtime.atomic_files import write_whole
from tracer.source.code_objects import codes_of, codes_within
from tracer.source.statements import first_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tracer.integrations.ipython_options import Files, Options

ENDS = (SystemExit, KeyboardInterrupt)  # exceptions that end a statement and are no errors
# What statements that await are profiled with.
IN_A_PLAIN_CELL = {"tprun": "tracer.Profile()", "tlprun": "tracer.LineProfiler(FUNCTION)"}
# The packages that start threads: for input and output, the history, the debugger.
PACKAGES_OF_THE_SHELL = ("IPython", "ipykernel", "zmq", "debugpy", "_pydevd_bundle")

__all__ = ["load_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """Register %tprun, %tlprun and %ttime. `%load_ext tracer` calls this."""
    magics = Magics(shell)
    for function in (Magics.tprun, Magics.tlprun, Magics.ttime):
        no_var_expand(function)  # $x and {x} are the statement's own
        name = function.__name__
        shell.register_magic_function(getattr(magics, name), "line_cell", name)


class Magics:
    """The magics, by their names. Most of their length is what `%tprun?` and the like print."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell

    def tprun(self, line: str = "", cell: str | None = None) -> Stats | None:
        """Profile the functions that a statement calls: every call, in every thread but those that
        IPython and Jupyter have for themselves.

            %tprun [OPTIONS] STATEMENT

            %%tprun [OPTIONS] [STATEMENT]
            STATEMENTS...

        -s KEY    sort by KEY, one of those of Stats; default: time. Several: by the first, where
                  that is equal by the second, ...
        -l LIMIT  print only so many rows (5), such a share of them (0.1), or those that match a
                  regular expression. Several are applied in turn.
        -D FILE   save the profile: `tracer show FILE` prints it, pstats reads it
        -T FILE   save the table as text
        -q        print no table
        -r        return the tracer.Stats

        `--` ends the options. The table is printed when an exception leaves the statement, too.
        """
        with unrecorded:
            options, statement = parse_line("tprun", line, "s:l:D:T:qr")
            keys = sort_keys(options)
            limits = [row_limit(text) for text in options.get("l", ())]
            files = files_of(options)
            code = self.compile_statement("tprun", statement, cell)
            others = threads_of_the_shell()
            calls = Profile()
        __tracebackhide__ = True  # IPython leaves such frames out of tracebacks
        ended = None
        try:
            calls.record_call(exec, code, self.shell.user_global_ns, self.shell.user_ns)
        except ENDS as error:
            ended = error
        finally:
            calls.disable()
            with unrecorded:
                capture = calls.capture()
                capture.threads = tuple(it for it in capture.threads if it.ident not in others)
                stats = Stats(capture).strip_dirs().sort_stats(*keys)
                table = print_table(stats, limits)
                if "q" not in options:
                    page.page(table)
                save(files, capture.write, table)
                say_end(ended)
        return stats if "r" in options else None

    def tlprun(self, line: str = "", cell: str | None = None) -> Lines | None:
        """Profile the lines of functions while a statement runs: hits and time of each.

            %tlprun [OPTIONS] STATEMENT

            %%tlprun [OPTIONS] [STATEMENT]
            STATEMENTS...

        -f FUNCTION  time this function or class: any expression without blanks. Of a cell, one
                     that the cell defines, too.
        -m MODULE    time all functions and classes of this module, which is imported
        -D FILE      save the figures as an .lprof file: `tracer show FILE` prints it
        -T FILE      save the table as text
        -s, -z       leave functions that were never called out
        -u UNIT      print times in units of so many seconds; default: 1e-6
        -r           return the tracer.Lines

        -f and -m may be given several times. Without them a cell's own lines are timed, with those
        of the functions it defines; of a statement on the line of %tlprun, the functions that are
        decorated with tracer.profile. `--` ends the options. The table is printed when an exception
        leaves the statement, too.
        """
        with unrecorded:
            options, statement = parse_line("tlprun", line, "f:m:D:T:szu:r")
            unit = unit_of(options)
            files = files_of(options)
            code = self.compile_statement("tlprun", statement, cell)
            recorder = start_recorder(self.targets(options, code, is_cell=cell is not None))
        __tracebackhide__ = True
        ended = None
        try:
            exec(code, self.shell.user_global_ns, self.shell.user_ns)
        except ENDS as error:
            ended = error
        finally:
            recorder.disable()
            with unrecorded:
                lines = Lines([recorder.snapshot()])
                table = table_of(lines, unit, stripzeros="s" in options or "z" in options)
                page.page(table.rstrip())
                save(files, lambda path: write_whole(path, bytes_of(lines)), table)
                say_end(ended)
        return lines if "r" in options else None

    def ttime(self, line: str = "", cell: str | None = None) -> None:
        """Time a statement as timeit does, in your namespace; with --profile, say where the time
        goes, in a run of its own.

            %ttime [OPTIONS] STATEMENT

            %%ttime [OPTIONS] [SETUP]
            STATEMENTS...

        -n N       run the statement N times in a loop; default: as many as take 0.2 seconds
        -r N       time the loop N times; default: 5
        -s SETUP   run SETUP before each loop, untimed; each of several is a line
        -u UNIT    print times in this unit: nsec, usec, msec or sec
        -p         measure the CPU time of this process, not elapsed time
        -v         also print the trials and the times of the loops; -vv: with one more digit
        --profile  then run the loop once more, untimed, and print where the time goes: every call

        The printing options of `tracer time --profile`, such as --sort KEY and --limit N, are
        options here, too. `--` ends the options. Collection of garbage is off in the loops.
        """
        with unrecorded:
            values, statement = parse_options("ttime", line, TimeOptions.OPTIONS)
            options = TimeOptions(values)
            try:
                check(options)
            except errors.UsageError as error:
                raise UsageError(f"%ttime: {error}") from None
            setup = [*options.setup]
            if cell is not None:
                setup, statement = [*setup, statement], cell
            if not statement.strip():
                raise UsageError("%ttime: there is nothing to run: write a statement behind it")
            transform = self.shell.transform_cell
            runs = StatementRuns(options, "%ttime")
            timed = runs.prepare(
                transform(statement), transform("\n".join(setup)), self.shell.user_ns
            )
        __tracebackhide__ = True
        try:
            number = runs.time(timed)
            others = threads_of_the_shell()
            capture = timed.profile(number) if options.profile else None
        except BaseException:
            with unrecorded:
                timed.keep_lines()
            raise
        if capture is not None:
            with unrecorded:
                capture.threads = tuple(it for it in capture.threads if it.ident not in others)
                runs.print_profile(capture, number)

    # -- What is run --------------------------------------------------------------------------

    def compile_statement(self, magic: str, statement: str, cell: str | None) -> CodeType:
        """The code of a statement and the cell below it. IPython keeps the source under its file
        name, for tracebacks and tables. Line numbers are those of the cell. Raises UsageError."""
        written = statement if cell is None else f"{statement}\n{cell}"
        if not written.strip():
            raise UsageError(f"%{magic}: there is nothing to run: write a statement behind it")
        # IPython drops empty lines at the top.
        skipped = written[: len(written) - len(written.lstrip())].count("\n")
        source = "\n" * skipped + self.shell.transform_cell(written)
        compiler = self.shell.compile
        name = compiler.cache(source, self.shell.execution_count, raw_code=written)
        tree = self.shell.transform_ast(compiler.ast_parse(source, filename=name))
        with compiler.extra_flags(PyCF_ALLOW_TOP_LEVEL_AWAIT):
            code: CodeType = compiler(tree, name, "exec")
        if code.co_flags & CO_COROUTINE:
            raise UsageError(
                f"%{magic}: the statements await, and a magic has no event loop: write "
                f"'with {IN_A_PLAIN_CELL[magic]} as found:' in a plain cell, await within it, then "
                "'found.print_stats()'"
            )
        return code

    # -- Whose lines are timed ----------------------------------------------------------------

    def targets(self, options: Options, code: CodeType, is_cell: bool) -> list[CodeType]:
        """The code objects whose lines are asked for. Raises UsageError if there are none."""
        own = list(codes_within(code)) if is_cell else []
        found = []
        for name in options.get("f", ()):
            found += [one for one in own if one.co_qualname == name] or self.codes_named(name)
        for name in options.get("m", ()):
            found += codes_of_module(name)
        if "f" in options or "m" in options:
            return found
        found = own or list(profile.codes.values())
        if not found:
            raise UsageError(
                "%tlprun: no function is named: give -f FUNCTION or -m MODULE, "
                "or decorate functions with tracer.profile"
            )
        return found

    def codes_named(self, expression: str) -> list[CodeType]:
        try:
            target = eval(expression, self.shell.user_global_ns, self.shell.user_ns)
        except Exception as error:
            raise UsageError(f"-f {expression}: {in_words(error)}") from None
        if isinstance(target, ModuleType):
            raise UsageError(f"-f {expression}: it is a module: name it by -m {target.__name__}")
        found = list(codes_of(target))
        if not found:
            raise UsageError(
                f"-f {expression}: its lines cannot be timed: it is not written in Python"
            )
        return found


def start_recorder(codes: Iterable[CodeType]) -> LineRecorder:
    """A recorder that times the lines of `codes` from now on. Raises UsageError."""
    recorder = LineRecorder(first_lines=first_lines)
    for code in codes:
        recorder.add_code(code)
    try:
        recorder.enable()
    except RuntimeError as error:
        raise UsageError(f"lines cannot be timed: {error}") from None
    return recorder


def threads_of_the_shell() -> set[int]:
    """The idents of the threads of IPython and Jupyter, less the current thread."""
    found: set[int] = set()
    for ident, frame in sys._current_frames().items():
        origin = ""
        while frame is not None:
            name = frame.f_globals.get("__name__")
            origin = origin if name == "threading" else str(name)
            frame = frame.f_back  # type: ignore[assignment]
        if origin.partition(".")[0] in PACKAGES_OF_THE_SHELL:
            found.add(ident)
    return found - {get_ident()}


def codes_of_module(name: str) -> list[CodeType]:
    """The code objects of the functions and classes that a module defines. Raises UsageError."""
    try:
        __import__(name)
        module = sys.modules[name]
    except Exception as error:
        raise UsageError(f"-m {name}: {in_words(error)}") from None
    found = [
        code
        for value in list(vars(module).values())
        if is_defined_in(name, value)
        for code in codes_of(value)
    ]
    if not found:
        raise UsageError(f"-m {name}: it defines no function or class that is written in Python")
    return found


def is_defined_in(module: str, value: object) -> bool:
    try:
        return getattr(value, "__module__", None) == module
    except Exception:  # such as a proxy without its object
        return False


def in_words(error: Exception) -> str:
    first, *_ = f"{type(error).__name__}: {error}".splitlines()
    return first


# -- Output ---------------------------------------------------------------------------------------


def print_table(stats: Stats, limits: list[int | float | str]) -> str:
    usual, stats.stream = stats.stream, StringIO()
    try:
        stats.print_stats(*limits)
        return stats.stream.getvalue().rstrip()
    finally:
        stats.stream = usual


def table_of(lines: Lines, unit: float | None, stripzeros: bool) -> str:
    if lines:
        return report(lines, unit, stripzeros=stripzeros)
    nothing = "No line was reached."
    return " ".join([nothing, *remarks_on(lines)])


def save(files: Files, write: Callable[[str], None], table: str) -> None:
    """Write the profile by `write`, and the table, to the files named for them; print which."""

    def write_table(path: str) -> None:
        write_whole(path, f"{table.rstrip()}\n".encode("utf-8", "backslashreplace"))

    for path, what, put in zip(files, ("Profile", "Table"), (write, write_table), strict=True):
        if path is None:
            continue
        try:
            put(path)
        except OSError as error:
            print(f"*** {what} not saved to file {path!r}: {error.strerror}.", file=sys.stderr)
        else:
            print(f"*** {what} saved to file {path!r}.")


def say_end(ended: BaseException | None) -> None:
    if ended is not None:
        print(f"*** {type(ended).__name__} exception caught in code being profiled.")
