"""Stats.view() and Stats.to_html(): the page of a Stats in the browser, in a notebook, in a file.

page/ makes the page; page_server.py serves it.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tracer.data.profile_set import command_of
from tracer.page.document import Shown, data_of, html_of, page_of, parts_of, shown
from tracer.runtime.streamed_file import whole_file
from tracer.server.address import LOOPBACK, listen
from tracer.server.browser import open_browser, remarks
from tracer.server.page_server import HTML, PAGE_POLICY, Answer, Routes, Server

if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet
    from tracer.runtime.atomic_files import AnyPath

FRAME_HEIGHT = 640  # pixels, of the page in a notebook


class Viewing:
    """A page that is served until close(), or until the process ends. `url` is its address."""

    def __init__(self, profiles: Sequence[Shown], title: str) -> None:
        listener = listen(LOOPBACK, 0)
        self.remarks: list[str] = remarks(listener)
        self._server = Server(listener, routes_of(profiles, title))
        self.url: str = self._server.url
        self._server.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __repr__(self) -> str:
        return f"<tracer: the page is at {self.url} until close()>"


class Frame:
    """The page in the cell of a notebook. The page has no access to the notebook."""

    def __init__(self, page: bytes) -> None:
        self.page: str = page.decode()

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" width="100%" height="{FRAME_HEIGHT}" '
            f'style="border: 0" srcdoc="{html.escape(self.page)}"></iframe>'
        )

    def __repr__(self) -> str:
        return "<tracer: the page, for notebooks>"


def routes_of(profiles: Sequence[Shown], title: str) -> Routes:
    """The routes for profiles that no longer change."""
    page = Answer(page_of(title, parts_of(profiles)), HTML, PAGE_POLICY)
    data = Answer(b"".join(data_of(profiles, title)))
    return {("GET", ""): lambda: page, ("GET", "data"): lambda: data}


def view(stats: ProfileSet) -> Viewing | Frame:
    """See Stats.view()."""
    profiles, title = [shown(stats, read_sources=True)], title_of(stats)
    if is_notebook():
        return Frame(b"".join(html_of(profiles, title)))
    viewing = Viewing(profiles, title)
    if not open_browser(viewing.url):
        for line in (f"the page is at {viewing.url}", *viewing.remarks):
            print(line, file=sys.stderr)
    return viewing


def write_html(stats: ProfileSet, path: AnyPath, libraries: bool) -> None:
    """See Stats.to_html()."""
    profiles = [shown(stats, read_sources=True, libraries=libraries)]
    with whole_file(path) as out:
        out.writelines(html_of(profiles, title_of(stats)))


def title_of(stats: ProfileSet) -> str:
    """The command that was profiled, if it is known."""
    return command_of(stats.captures) or "profile"


def is_notebook() -> bool:
    """Whether a browser shows what a cell returns: IPython runs with a kernel."""
    ipython: Any = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")
