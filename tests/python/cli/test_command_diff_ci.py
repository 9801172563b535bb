"""`diff` in CI: --fail-above, --json, and the exit status."""

import json
import marshal
import re

import pytest

from diffing import OF_CALLS, diff, write_profiles
from launch import environment, on_terminal, traced

pytestmark = pytest.mark.results


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    write_profiles(folder)
    return folder


def test_it_fails_when_calls_grew(folder):
    words = ["--strip-dirs", "--no-header", "old.out", "new.out"]
    text = diff(
        *("--fail-above", "20", *words),
        folder=folder,
        status=1,
        said="tracer: the total and 1 function grew by more than 20% in calls\n",
    )
    assert text.endswith(
        "   Ordered by: change of calls, of what grew by more than 20% in calls\n"
        "\n"
        f"{OF_CALLS}"
        "        9        +4   +80.0%    9.000   +1.000    9.000   +1.000  (total)\n"
        "        6        +3  +100.0%    6.000   +3.000    6.000   +3.000  work.py:4(leaf)\n"
        "\n"
    )
    said = "tracer: 1 function grew by more than 80% in calls\n"
    diff("--fail-above=80", *words, folder=folder, status=1, said=said)
    text = diff("--fail-above=100", *words, folder=folder)
    assert text.endswith("   Nothing grew by more than 100% in calls.\n\n")


def test_another_metric(folder):
    words = ["--metric", "tottime", "old.out", "new.out", "--fail-above"]
    said = "tracer: the total and 1 function grew by more than 12% in tottime\n"
    diff(*words, "12", folder=folder, status=1, said=said)
    said = "tracer: 1 function grew by more than 12.5% in tottime\n"
    diff(*words, "12.5", folder=folder, status=1, said=said)
    diff(*words, "100", folder=folder)


def test_json(folder):
    said = "tracer: 1 function grew by more than 90% in calls\n"
    words = ["--json", "--fail-above=90", "old.out", "new.out"]
    whole = json.loads(diff(*words, folder=folder, status=1, said=said))
    functions = {entry["name"]: entry for entry in whole.pop("functions")}
    assert list(functions) == ["leaf", "brand_new", "Shop.middle", "top"]
    assert whole == {
        "metric": "calls",
        "fail_above": 90.0,
        "before": "old.out",
        "after": "new.out",
        "total": {
            "module": "",
            "name": "(total)",
            "file": "~",
            "line": 0,
            "state": "changed",
            "before": {"calls": 5, "tottime": 8.0, "cumtime": 8.0, "waited": 0.0, "busy": 8.0},
            "after": {"calls": 9, "tottime": 9.0, "cumtime": 9.0, "waited": 0.0, "busy": 9.0},
            "grown": False,
        },
    }
    assert functions["leaf"]["grown"] is True
    assert functions["brand_new"] == {
        "module": "work",
        "name": "brand_new",
        "file": "/other/app/work.py",
        "line": 21,
        "state": "new",
        "before": None,
        "after": {"calls": 1, "tottime": 0.0, "cumtime": 1.0, "waited": 0.0, "busy": 0.0},
        "grown": False,
    }


def strictly(text):
    """What JSON holds, as RFC 8259 has it: no color, no Infinity, no half of a surrogate pair."""
    text.encode("ascii")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)

    def refuse(constant):
        raise AssertionError(constant)

    found = json.loads(text, parse_constant=refuse)
    json.dumps(found, ensure_ascii=False).encode()
    return found


ODD_NAME = "a\x7f\x1b[1m\udcff\x85 \U0001f600 +12% new "


@pytest.fixture
def odd_names(tmp_path):
    """Paths and names with text that a table colors, and with characters a terminal acts on."""
    (tmp_path / "my new app").mkdir()
    stats = {("/my new app/x.py", 1, ODD_NAME): (1, 1, 1.0, 1.0, {})}
    (tmp_path / "my new app" / "a.out").write_bytes(marshal.dumps(stats, 4))
    return tmp_path


def test_json_is_never_colored(odd_names):
    words = ["diff", "--json", "my new app/a.out", "my new app/a.out"]
    plain = strictly(traced(*words, cwd=odd_names).stdout.decode())
    assert plain["after"] == "my new app/a.out"
    [entry] = plain["functions"]
    assert entry["name"] == ODD_NAME.replace("\udcff", "\\udcff")
    found = traced(*words, "--color=always", cwd=odd_names)
    assert strictly(found.stdout.decode()) == plain
    options = {"cwd": odd_names, "env": environment(TERM="xterm", NO_COLOR="")}
    for more in [], ["--color=always"]:
        shown, status = on_terminal("stdout", "-m", "tracer", *words, *more, **options)
        assert (strictly(shown.decode()), status) == (plain, 0)


def test_json_escapes_what_is_no_utf_8_in_paths(folder, tmp_path):
    name = b"\xff.out".decode(errors="surrogateescape")
    (tmp_path / name).write_bytes((folder / "old.out").read_bytes())
    found = traced("diff", "--json", name, name, cwd=tmp_path)
    assert strictly(found.stdout.decode())["before"] == "\\udcff.out"
