"""Opens files in viewers that are web pages, in Chromium without a window, and asks what they hold.

    viewers.py perfetto FOLDER CHROMIUM QUERIES FILE...
    viewers.py speedscope FOLDER CHROMIUM "" FILE...

FOLDER has the page. QUERIES: a JSON list of SQL, for Perfetto's trace_processor. Prints a JSON
list, for each file: Perfetto: the rows of each query. speedscope: {thread: [[name, start, end,
depth]]}.
"""

import functools
import http.server
import json
import os
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

SECONDS = 120
FILE = "/file/"

OPEN_TRACE = """
async ([address, title]) => {
  const buffer = await (await fetch(address)).arrayBuffer();
  window.postMessage({perfetto: {buffer, title, keepApiOpen: false}}, "*");
}
"""
TRACE_IS_OPEN = "title => window.app?.trace?.traceInfo?.traceTitle?.includes(title)"
QUERY = """
async sql => {
  const found = await window.app.trace.engine.query(sql);
  const columns = found.columns(), rows = [];
  for (const row = found.iter({}); row.valid(); row.next()) {
    rows.push(columns.map(column => {
      const value = row.get(column);
      return typeof value === "bigint" ? Number(value) : value;
    }));
  }
  return rows;
}
"""
# What its importer made of the file is a property of one of the page's components.
PROFILES = """
() => {
  const found = node => {
    if (!node) return null;
    if (Array.isArray(node)) return node.map(found).find(group => group) ?? null;
    return node.props?.profileGroup ?? found(node.__k);
  };
  const roots = [document.body, ...document.body.children];
  return roots.map(root => found(root.__k)).find(group => group)?.profiles ?? null;
}
"""
CALLS = """
() => Object.fromEntries(PROFILES().map(({profile}) => {
  const calls = [], open = [];
  profile.forEachCall(
    (node, at) => {
      calls.push([node.frame.name, at, 0, open.length]);
      open.push(calls.length - 1);
    },
    (node, at) => { calls[open.pop()][2] = at; },
  );
  return [profile.getName(), calls];
}))
"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the page, and each file under FILE."""

    files = ()

    def do_GET(self):
        if not self.path.startswith(FILE):
            super().do_GET()
            return
        data = self.files[int(self.path.removeprefix(FILE))].read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def perfetto(page, address, number, queries):
    page.goto(address)
    page.wait_for_function("window.app !== undefined")
    title = f"file {number} of the tests"
    page.evaluate(OPEN_TRACE, [f"{FILE}{number}", title])
    page.wait_for_function(TRACE_IS_OPEN, arg=title)
    return [page.evaluate(QUERY, query) for query in queries]


def speedscope(page, address, number, queries):
    page.goto(f"{address}#profileURL={FILE}{number}")
    page.wait_for_function(PROFILES)
    return page.evaluate(CALLS.replace("PROFILES", f"({PROFILES})"))


def main(viewer, folder, chromium, queries, *files):
    Handler.files = list(map(Path, files))
    handler = functools.partial(Handler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []  # for root Chromium has no sandbox
    asked = json.loads(queries or "[]")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=flags, timeout=1000 * SECONDS
        )
        found = []
        for number in range(len(files)):
            page = browser.new_page()
            page.set_default_timeout(1000 * SECONDS)
            found.append(
                {"perfetto": perfetto, "speedscope": speedscope}[viewer](
                    page, address, number, asked
                )
            )
            page.close()
        browser.close()
    server.shutdown()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
