"""The verb `view`: serve the page of saved profiles, and open it in the browser.

cli/page_profiles.py reads the files; tracer/page makes the page; tracer/server/page_server.py
serves it.
"""

from __future__ import annotations

import signal
import sys
from _thread import start_new_thread
from contextlib import suppress

from tracer.cli.inputs import files_asked_for
from tracer.cli.options.option import ALLOW_HOST, option
from tracer.cli.options.page import PageOptions, port_of
from tracer.cli.page_profiles import profiles_of
from tracer.cli.usage import Usage, rows_of, usage_of
from tracer.launch.errors import UsageError
from tracer.launch.output import put_text, say
from tracer.server.address import LOOPBACK, AddressError, listen
from tracer.server.browser import has_screen, open_browser, remarks
from tracer.server.page_server import Server
from tracer.server.viewer import routes_of


class ViewOptions(PageOptions):
    address: str | None = option("-a, --address HOST", "serve at this address (default: 127.0.0.1)")
    port: int | None = option(
        "-p, --port PORT", "serve on this port (default: a free one)", read=port_of
    )
    allow_host: tuple[str, ...] = ALLOW_HOST
    no_browser: bool = option("--no-browser", "open no browser, only print the address")
    PAGE = PageOptions.OPTIONS


def usage(prog: str) -> Usage:
    return usage_of(
        f"{prog} view [OPTIONS] FILE...",
        "Show profiles, added up, in the browser, until Ctrl-C. A FILE is what tracer -o, "
        "cProfile, kernprof or line_profiler wrote.",
        rows_of(ViewOptions),
    )


def command(argv: list[str], prog: str) -> int:
    asked = files_asked_for(argv, ViewOptions, usage, prog)
    if asked is None:
        return 0
    options, files = asked
    try:
        host, port = options.address or LOOPBACK, options.port or 0
        listener = listen(host, port, "give another after -a or -p")
    except AddressError as error:
        raise UsageError(str(error)) from None
    lines = remarks(listener)
    profiles = profiles_of(files, options, prog)
    with (
        suppress(KeyboardInterrupt),  # Ctrl-C ends the server
        Server(listener, routes_of(profiles.sides, profiles.title), options.allow_host) as server,
    ):
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, server.interrupt)
        if sys.stdout is not None:
            put_text(f"{server.url}\n")
        for line in profiles.remarks + profiles.problems + lines:
            say(line)
        if not options.no_browser:
            # In a thread: a browser in the terminal comes back only when it ends.
            start_new_thread(show, (server.url,))
        server.serve_forever()
    return 2 if profiles.problems else 0


def show(url: str) -> None:
    """Open the page in the browser."""
    if not open_browser(url) and has_screen():
        say("no browser could be opened: open the address yourself")
