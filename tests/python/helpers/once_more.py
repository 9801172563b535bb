"""--once-more: which tests fail now and then. And a signal that the run of the tests ignores is not
ignored by the programs that they start.
"""

import os
import platform
import signal
import subprocess
import sys

import pytest

MOST = 10  # more failures than this are no matter of chance


def pytest_addoption(parser):
    parser.addoption(
        "--once-more",
        action="store_true",
        help="after all others, run each test that failed once more, alone: "
        "one that passes then is told as FLAKY, and the run does not fail for it",
    )


def pytest_configure(config):
    """`nohup make test &` in a script ignores SIGHUP and SIGINT. What is ignored here is ignored in
    each program started from here, too; what has a handler here ends such a program.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    if config.getoption("once_more"):
        config.pluginmanager.register(OnceMore(config))


class OnceMore:
    def __init__(self, config):
        self.config = config
        self.reports = []  # of the failures that did not come again
        self.reporter = None

    @pytest.hookimpl(trylast=True)  # the workers have ended
    def pytest_sessionfinish(self, session):
        self.reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        stats = self.reporter.stats
        failed = [*stats.get("failed", []), *stats.get("error", [])]
        names = dict.fromkeys(report.nodeid for report in failed)
        if session.exitstatus != pytest.ExitCode.TESTS_FAILED or len(names) > MOST:
            return
        flaky = {name for name in names if self.passes_alone(name)}
        self.reports = [report for report in failed if report.nodeid in flaky]
        for outcome in ("failed", "error"):
            rest = [report for report in stats.pop(outcome, []) if report.nodeid not in flaky]
            if rest:
                stats[outcome] = rest
        if self.reports:
            stats["flaky"] = self.reports
        if flaky == set(names):
            session.exitstatus = pytest.ExitCode.OK

    def passes_alone(self, name):
        environment = {k: v for k, v in os.environ.items() if k != "PYTEST_ADDOPTS"}
        words = [sys.executable, "-m", "pytest", "-q", name]
        done = subprocess.run(
            words, cwd=self.config.rootpath, env=environment, capture_output=True, text=True
        )
        return done.returncode == 0 and " passed" in done.stdout

    def pytest_terminal_summary(self):
        for report in self.reports:
            self.reporter.write_sep("_", f"FLAKY {report.nodeid}")
            self.reporter.write_line(report.longreprtext)
            for title, text in report.sections:
                self.reporter.write_sep("-", title)
                self.reporter.write_line(text)

    def pytest_unconfigure(self):
        """The last lines of the run, which .ci/run repeats in its own."""
        run = f"{platform.python_version()} {os.environ.get('TRACER_BACKEND', '')}".strip()
        for name in dict.fromkeys(report.nodeid for report in self.reports):
            self.reporter.write_line(f"FLAKY {name} ({run}): it failed, and passed alone")
