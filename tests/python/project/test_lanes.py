"""tests/tools/lanes.sh: jobs side by side, what each printed, and which failed."""

import subprocess

from places import ROOT

JOBS = """\
waits while [ ! -e made ]; do sleep 0.01; done; echo "====== back end b: 1 passed ======"
makes touch made
fails echo "FLAKY a test"; exit 3
last echo "100%: Checks: 4, Failures: 0, Errors: 0"; echo more
"""


def lanes(folder, jobs):
    tool = ROOT / "tests" / "tools" / "lanes.sh"
    return subprocess.run([tool, "logs"], cwd=folder, input=jobs, text=True, capture_output=True)


def test_a_job_that_fails_stops_no_other(tmp_path):
    """The first ends only when the second has run beside it."""
    ended = lanes(tmp_path, JOBS)
    assert ended.returncode != 0
    assert [line.rpartition(",")[0] for line in ended.stdout.splitlines()[-5:-1]] == [
        "fails: FAILED (status 3, logs/fails.log) FLAKY a test",
        "last: 100%: Checks: 4, Failures: 0, Errors: 0",
        "makes: ",
        "waits: back end b: 1 passed",
    ]
    assert ended.stdout.endswith("FLAKY a test\n")
    assert "\n=== last ===\n100%: Checks: 4, Failures: 0, Errors: 0\nmore\n" in ended.stdout
    assert (tmp_path / "logs" / "last.log").read_text().endswith("\nmore\n")


def test_all_passed(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "old.end").write_text("old: FAILED")
    ended = lanes(tmp_path, "one true\n")
    assert (ended.returncode, ended.stdout.splitlines()[-1].rpartition(",")[0]) == (0, "one: ")


def test_a_job_that_dies_with_all_around_it(tmp_path):
    """The others are run, and it has not passed."""
    jobs = "dies kill -9 $PPID; kill -9 $(ps -o ppid= -p $PPID)\nlast true\n"
    ended = lanes(tmp_path, jobs)
    assert ended.returncode != 0
    assert "dies: FAILED" in ended.stdout and "\nlast: ," in ended.stdout
