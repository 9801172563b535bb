"""Says which back end the tests ran with: at the head of a run, and in its closing line."""

import pytest

import tracer


def pytest_report_header(config):
    backend = tracer.Profile().backend
    return f"tracer: back end {backend}, {backend.reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    counts, _ = reporter.build_summary_stats_line()
    counted = ", ".join(text for text, _ in counts)
    reporter.write_sep("=", f"back end {tracer.Profile().backend}: {counted}")
    return result
