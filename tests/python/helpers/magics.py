"""For the tests of %tprun and %tlprun: a shell of IPython, and what it makes of a cell. Where the
package ipython is not installed, they are skipped.
"""

import sys
import types

import pytest

pytest.importorskip("IPython", reason="the package ipython is not installed")

from IPython.core import page
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

WORK = """\
def work(n):
    total = 0
    for i in range(n):
        total += i
    return total

def idle():
    return 1
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """A shell that takes nothing from the user's own settings, and leaves nothing there."""
    patch = pytest.MonkeyPatch()
    patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
    hooks = sys.excepthook, sys.displayhook
    config = Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "nocolor"})
    user = types.ModuleType("user_of_magics")  # a shell with none of these takes __main__'s place
    shell = InteractiveShell.instance(config=config, user_module=user, user_ns=vars(user))
    shell.run_line_magic("load_ext", "tracer")
    yield shell
    shell.reset(new_session=False)  # a profiler of the last test may hold a tool id
    InteractiveShell.clear_instance()
    shell.restore_sys_module_state()
    sys.excepthook, sys.displayhook = hooks
    sys.modules.pop(user.__name__, None)
    patch.undo()


@pytest.fixture
def shell(session, monkeypatch):
    """The shell, with nothing of other tests in it; `pages` is what went to the pager."""
    session.reset(new_session=False)
    session.pages = []
    monkeypatch.setattr(page, "page", session.pages.append)
    session.run_cell(WORK)
    return session


def told(shell, capsys, cell):
    """The one line that says why a cell was refused."""
    capsys.readouterr()
    ran = shell.run_cell(cell)
    assert type(ran.error_in_exec) is UsageError
    assert shell.pages == []
    (line,) = capsys.readouterr().err.splitlines()
    return line.removeprefix("UsageError: ")


def result(shell, cell):
    ran = shell.run_cell(cell)
    ran.raise_error()
    return ran.result


def hits(lines):
    return {
        function.qualname: {line.line: line.hits for line in function.lines}
        for function in lines.functions
    }
