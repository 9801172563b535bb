"""What holds for all tests: the back end they run with is named at the head of a run and in its
closing line; no collection of garbage calls a function of the tools that test."""

import gc

import pytest

import tracer


def pytest_report_header(config):
    backend = tracer.Profile().backend
    return f"tracer: back end {backend}, {backend.reason}"


def pytest_runtest_setup(item):
    """hypothesis has a function called at each collection, a row wherever that comes."""
    gc.callbacks.clear()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    counts, _ = reporter.build_summary_stats_line()
    counted = ", ".join(text for text, _ in counts)
    reporter.write_sep("=", f"back end {tracer.Profile().backend}: {counted}")
    return result
