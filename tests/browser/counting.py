"""Which code of the page's script ran in Chromium, for `make coverage`: V8's own counts."""

import json
from pathlib import Path

ALL = "m_app"  # a name in the one script that has all modules


class Counter:
    def __init__(self, page):
        self.session = page.context.new_cdp_session(page)
        self.session.send("Debugger.enable")
        self.session.send("Profiler.enable")
        self.session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})

    def keep(self, folder, name):
        """Write V8's counts, and the script that they count. Counts from before the page left for
        another address are lost."""
        found = self.session.send("Profiler.takePreciseCoverage")["result"]
        for number, script in enumerate(found):
            asked = {"scriptId": script["scriptId"]}
            source = self.session.send("Debugger.getScriptSource", asked)["scriptSource"]
            if ALL in source:
                kept = {"source": source, "functions": script["functions"]}
                Path(folder, f"{name}-{number}.json").write_text(json.dumps(kept))
