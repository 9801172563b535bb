"""The Firefox Profiler on exports to firefox: its profiler-cli, on the Node that playwright has, as
the system's may be too old."""

import json
import os
import time
from collections import Counter

import pytest

from reading import MODULES, PACKAGES, SECONDS, exported, need, run
from tracer.exports.names import shown

NEEDS = "npm:@firefox-devtools/profiler-cli@0.10.0 pip:playwright==1.65.2"
CLI = MODULES / "@firefox-devtools/profiler-cli/dist/profiler-cli.js"
NODE = PACKAGES / "playwright/driver/node"
ALL = "10000000"


@pytest.fixture(scope="module")
def ask(timed, tmp_path_factory):
    """What profiler-cli answers to a command. It is a server, which is stopped at the end."""
    need(CLI.exists() and NODE.exists(), "profiler-cli, or Node")
    env = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    path = exported(timed, "firefox").rename(timed.with_name("firefox.json"))

    def answer(*words):
        return json.loads(run(str(NODE), str(CLI), *words, "--json", env=env))

    try:
        run(str(NODE), str(CLI), "load", str(path), "--session", "tests", env=env)
    except AssertionError as error:
        if "still starting" not in str(error):
            raise
        wait_for(answer)
    yield answer
    run(str(NODE), str(CLI), "stop", "--all", env=env)


def wait_for(answer):
    """Wait until the server answers. profiler-cli gives its server half a second to start; on a
    busy machine the server takes longer, and goes on all the same."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            answer("thread", "list")
        except AssertionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
        else:
            return


@pytest.fixture(scope="module")
def threads(ask):
    """{name: handle}."""
    return {one["name"]: one["threadHandle"] for one in ask("thread", "list")["threads"]}


def nanoseconds(milliseconds):
    return round(milliseconds * 1e6)


def test_threads(threads, log):
    assert set(threads) == set(log.slices)


def test_the_times_of_functions(ask, threads, log):
    own = log.own()
    for thread, handle in threads.items():
        answer = ask("thread", "functions", "--thread", handle, "--include-idle", "--limit", "0")
        assert answer["weightType"] == "tracing-ms"
        found = Counter()
        for one in answer["functions"]:
            found[one["name"]] += nanoseconds(one["selfSamples"])
        found = {name: time for name, time in found.items() if time}
        assert found == {name: time for (of, name), time in own.items() if of == thread}


def test_the_tree(ask, threads, log):
    """Each path has its time, and is as deep as the slices are that took any."""
    for thread, handle in threads.items():
        words = ("--thread", handle, "--include-idle", "--max-lines", ALL)
        tree = ask("thread", "samples-top-down", *words)["regularCallTree"]
        found, wanted = {}, Counter()
        fill(found, tree, ())
        path = []
        for name, start, end, depth in log.slices[thread]:
            path[depth:] = [name]
            wanted[tuple(path)] += end - start
        assert found == {path: time for path, time in wanted.items() if time}


def fill(found, node, path):
    for one in node.get("children", ()):
        inner = (*path, one["name"])
        found[inner] = nanoseconds(one["totalSamples"])
        fill(found, one, inner)


def test_markers(ask, threads, log):
    found = Counter()
    for handle in threads.values():
        answer = ask("thread", "markers", "--thread", handle, "--list", "--limit", "0")
        for one in answer["flatMarkers"]:
            found[one["name"], nanoseconds(one.get("duration") or 0)] += 1
    wanted = Counter()
    for one in (*log.timeline.ranges, *log.timeline.tasks):
        wanted[shown(one.name), log.ns(one.end) - log.ns(one.start)] += 1
    for one in log.timeline.collections:
        wanted["garbage collection", log.ns(one.end) - log.ns(one.start)] += 1
    for one in (*log.timeline.marks, *log.timeline.counters):
        wanted[one.name, 0] += 1
    wanted["flow handed on", 0] += 2
    assert wanted - found == Counter()
    kinds = {name for name, _ in found - wanted}
    assert kinds == {"running", "waited in C", "waited for a lock, the GIL or a CPU"} & kinds
    assert sum(n for (name, _), n in found.items() if name.startswith("waited ")) == log.gaps
