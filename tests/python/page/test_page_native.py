"""What the page has of native samples: functions and contexts of their own, by CPU time."""

import natives
import pages
from natives import Natives, recorded, trained
from tracer import Stats
from tracer.page import document as page


def packed(capture):
    """The page's data of a capture: of the profile, and the blocks."""
    header, blocks = pages.opened(b"".join(page.data_of([page.shown(Stats(capture))], "title")))
    return header["profiles"][0], blocks


def test_a_profile_without_samples_has_none():
    profile, _ = packed(recorded())
    assert "native" not in profile


def test_no_sample_at_all_is_none():
    profile, _ = packed(Natives().made())
    assert "native" not in profile


def test_native_functions_are_functions_of_their_library():
    profile, blocks = packed(trained().made())
    native = profile["native"]
    names, files = native["rows"]["name"], native["files"]
    places = pages.column(native["rows"]["file"], blocks)
    kernel = files[places[names.index("kernel")]]
    assert kernel == {
        "path": "/lib/blas.so",
        "module": "blas.so",
        "package": "blas.so",
        "kind": "native",
    }
    assert files[places[names.index("step")]]["kind"] == "own"
    assert "kernel" not in profile["rows"]["name"]


def test_code_in_no_file_has_a_library_that_can_be_chosen():
    profile, _ = packed(Natives().at("main", "jit", 3).made())
    assert {"path": "", "module": "(no file)", "package": "(no file)", "kind": "native"} in profile[
        "native"
    ]["files"]


def test_times_are_cpu_times_and_calls_are_samples():
    profile, blocks = packed(trained().made())
    native = profile["native"]
    assert (native["hz"], native["samples"], native["unit"]) == (100, 230, 11_086_957)
    assert native["parts"] == {"native": 2.11e9, "Python": 0.39e9, "overhead": 0.05e9}
    names = native["rows"]["name"]
    [main, worker] = native["threads"]
    assert (main["name"], worker["name"]) == ("MainThread", "native thread worker")

    def figures(thread, name):
        columns = {
            key: pages.column(thread["figures"][key], blocks)
            for key in ("row", "ncalls", "tottime", "cumtime")
        }
        at = columns["row"].index(names.index(name))
        return tuple(columns[key][at] for key in ("ncalls", "tottime", "cumtime"))

    assert figures(main, "kernel") == (150, 1.5e9, 1.5e9)
    assert figures(main, "dgemm") == (20, 0.2e9, 1.7e9)
    assert figures(main, "step") == (13, 0.13e9, 1.93e9)
    assert figures(worker, "kernel") == (25, 0.25e9, 0.25e9)


def test_a_page_is_made_of_a_file_with_samples(tmp_path):
    natives.save(tmp_path / "out", trained())
    text = b"".join(page.html_of([page.shown(Stats(str(tmp_path / "out")))], "title")).decode()
    header, _ = pages.opened(pages.data_in(text))
    assert header["profiles"][0]["native"]["samples"] == 230
