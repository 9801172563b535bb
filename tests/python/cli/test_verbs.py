"""The verbs that the other tests run in a fork of their own process (forked.py), each beside a
process of its own: what it prints, what it writes, its status.
"""

import pytest

from launch import READING, plain, traced, write

PROGRAM = "def leaf(): pass\nfor _ in range(9): leaf()\n"
# By verb: what is wanted of it, and what it refuses.
WORDS = {
    "show": (["profile.out", "-s", "calls"], ["profile.out", "--limit", "none"]),
    "diff": (["profile.out", "other.out"], ["profile.out"]),
    "merge": (["-o", "all.out", "profile.out", "other.out"], ["-o", "all.out", "missing.out"]),
    "export": (["profile.out", "--to", "callgrind", "-o", "all.out"], ["profile.out", "--to", "x"]),
    "html": (["-o", "all.out", "profile.out"], ["--no-such-option", "profile.out"]),
}


def done(run, folder, *words):
    """What a run printed, its status, and the file that it wrote."""
    found = run(*words, cwd=folder)
    written = folder / "all.out"
    data = written.read_bytes() if written.exists() else None
    written.unlink(missing_ok=True)
    return found.returncode, found.stdout, found.stderr, data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("profiles")
    write(place / "program.py", PROGRAM)
    for name in ("profile.out", "other.out"):
        assert plain("-m", "tracer", "-o", name, "program.py", cwd=place).returncode == 0
    return place


@pytest.mark.parametrize("words", [(verb, *words) for verb in WORDS for words in WORDS[verb]])
def test_a_verb_in_a_fork_does_what_it_does_in_a_process_of_its_own(folder, words):
    assert done(traced, folder, *words) == done(process, folder, *words)


def process(*words, **options):
    return plain("-m", "tracer", *words, **options)


def test_each_verb_that_is_forked_is_held_so():
    assert set(WORDS) == set(READING)
