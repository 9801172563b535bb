"""The live objects of a program that runs, in the process that shows it: what is kept of the
censuses, and what the page is told."""

import gc
import json
import socket
import sys
import threading
from http import HTTPStatus
from itertools import pairwise
from types import SimpleNamespace

import pytest

import tracer
from asking import ask, port_of, serving
from tracer._core import Profiler
from tracer.launch import live_feed, live_objects
from tracer.launch.live_feed import Live
from tracer.server import live_objects as server_objects
from tracer.server.live_objects import MOST_HOLDERS, holders_json, places_json
from tracer.server.live_protocol import LONGEST_NAME
from tracer.server.live_viewer import Pages, Program
from tracer.server.object_history import MOST, ROWS, History


class Thing:
    pass


HELD = []
ENDED = set()  # threads


@pytest.fixture(autouse=True)
def nothing_is_held():
    yield
    HELD.clear()


def test_what_grew_most_comes_first_then_the_largest():
    history = History()
    history.add(5.0, {"str": (10, 900), "Order": (1, 48), "list": (4, 400), "gone": (3, 700)})
    history.add(6.5, {"str": (9, 950), "Order": (5, 240), "list": (4, 400), "new": (2, 100)})
    assert history.as_json("size") == {
        "at": [0.0, 1.5],
        "types": 5,
        "count": 20,
        "size": 1690,
        "kinds": [
            {"name": "Order", "counts": [1, 5], "sizes": [48, 240]},
            {"name": "new", "counts": [0, 2], "sizes": [0, 100]},
            {"name": "str", "counts": [10, 9], "sizes": [900, 950]},
            {"name": "list", "counts": [4, 4], "sizes": [400, 400]},
            {"name": "gone", "counts": [3, 0], "sizes": [700, 0]},
        ],
    }
    names = [kind["name"] for kind in history.as_json("count")["kinds"]]
    assert names == ["Order", "new", "str", "list", "gone"]
    found = history.as_json("size", "O")
    assert [kind["name"] for kind in found["kinds"]] == ["Order", "gone"]
    assert found["types"] == 2


def test_a_page_has_so_many_types():
    history = History()
    history.add(0.0, {f"type{number}": (1, number) for number in range(ROWS + 50)})
    answer = history.as_json("size")
    assert answer["types"] == ROWS + 50
    assert len(answer["kinds"]) == ROWS
    assert answer["kinds"][0]["name"] == f"type{ROWS + 49}"
    assert History().as_json("size")["kinds"] == []


def test_old_censuses_are_merged():
    history = History()
    lengths = set()
    for number in range(1000):
        peak = 50 if number == 7 else 0
        history.add(float(number), {"Order": (number + 1, 10), "burst": (number == 7, peak)})
        lengths.add(len(history.samples))
    assert max(lengths) == MOST == 120
    answer = history.as_json("count")
    at = answer["at"]
    assert at[0] == 0 and at[-1] == 999
    assert at == sorted(set(at))
    gaps = [after - before for before, after in pairwise(at)]
    assert gaps == sorted(gaps, reverse=True)  # what is long ago is coarse
    kinds = {kind["name"]: kind for kind in answer["kinds"]}
    assert kinds["Order"]["counts"] == [moment + 1 for moment in at]
    assert max(kinds["burst"]["counts"]) == 1  # a peak stays
    assert max(kinds["burst"]["sizes"]) == 50


@pytest.fixture
def live(monkeypatch):
    """The thread of a program of ours, and the pages of its viewer, at the ends of a socket."""
    ours, theirs = socket.socketpair()
    monkeypatch.setattr(live_feed, "start_viewer", lambda *_: ours.detach())
    monkeypatch.setattr(live_feed, "PAUSE", 0.01)
    shown = Live(Profiler(), dict, ("127.0.0.1", 0), ("token", (), "title", True))
    shown.start()
    shown.listener.close()
    program = Program(theirs)
    pages = Pages(program, "title", texts=False)
    yield SimpleNamespace(shown=shown, program=program, pages=pages, token="token")
    shown.finish(None)
    theirs.close()


def asked(port, path, method="GET"):
    origin = {"Origin": f"http://127.0.0.1:{port}"} if method == "POST" else {}
    status, headers, body = ask(port, f"/token/{path}", method, **origin)
    return status, json.loads(body) if headers["Content-Type"] == "application/json" else body


def test_the_page_asks_for_censuses_and_paths(live, monkeypatch):
    monkeypatch.setattr(live_objects, "REST", 0)
    monkeypatch.setattr(live_objects, "SHORTEST_REST", 0)
    name = f"{__name__}.Thing"
    HELD.append(Thing())
    with serving(live.pages.routes(), token="token", named=live.pages.named_routes()) as server:
        port = port_of(server)
        status, answer = asked(port, "objects/count/live_objects.THING")
        assert status == HTTPStatus.OK and answer["running"]
        assert [kind["name"] for kind in answer["kinds"]] == [name]
        assert answer["kinds"][0]["counts"] == [1]
        HELD.extend([Thing(), Thing()])
        _, answer = asked(port, "objects/count/live_objects.thing")
        assert answer["kinds"][0]["counts"] == [1, 3]
        assert len(answer["at"]) == 2
        assert asked(port, "objects/anew", "POST") == (HTTPStatus.OK, {})
        _, answer = asked(port, "objects/size/")
        assert len(answer["at"]) == 2
        assert all(len(kind["sizes"]) == 2 for kind in answer["kinds"])
        _, found = asked(port, f"alive/{name}")
        (holder,) = found["holders"]
        assert (found["objects"], holder["count"], holder["kind"]) == (3, 3, "path")
        assert holder["holder"] == f"{__name__}.HELD[…]"
        ends = {hex(id(thing)): f"HELD[{place}]" for place, thing in enumerate(HELD)}
        assert holder["example"]["expression"].endswith(ends[holder["example"]["address"]])
        assert (found["others"], found["origins"], found["rest"] >= 0) == ([0, 0], None, True)
        nothing = {"objects": 0, "holders": [], "others": [0, 0], "origins": None, "rest": 0}
        status, none = asked(port, "alive/no%20such")
        assert (status, {**none, "rest": 0}) == (HTTPStatus.OK, nothing)
        assert asked(port, f"alive/{'x' * LONGEST_NAME}") == (HTTPStatus.OK, nothing)
        live.shown.objects.paths_due = live.shown.objects.clock() + 1000
        _, found = asked(port, f"alive/{name}")
        assert found["objects"] is None and 900 < found["wait"] <= 1000
        assert asked(port, "objects/weight/")[0] == HTTPStatus.NOT_FOUND
        assert asked(port, "objects")[0] == HTTPStatus.NOT_FOUND
        assert asked(port, f"alive/{name}", "POST")[0] == HTTPStatus.NOT_FOUND
        live.shown.finish(None)
        _, answer = asked(port, "objects/size/")
        assert not answer["running"] and answer["kinds"]
        assert asked(port, f"alive/{name}")[0] == HTTPStatus.NO_CONTENT


class Ending:
    """Tells in which thread it ends."""

    def __del__(self):
        ENDED.add(threading.get_ident())


def test_no_object_of_the_program_ends_in_the_thread_that_looks(live, monkeypatch):
    """A search holds what it finds, and the program may give that up meanwhile."""
    monkeypatch.setattr(live_objects, "REST", 0)
    monkeypatch.setattr(live_objects, "SHORTEST_REST", 0)
    ENDED.clear()
    over = threading.Event()
    found = []

    def make_and_drop():
        while not over.is_set():
            kept = [Ending() for _ in range(50)]
            del kept

    worker = threading.Thread(target=make_and_drop)
    gc.collect()
    gc.disable()  # which thread collects garbage is the interpreter's choice
    try:
        worker.start()
        for _ in range(5):
            live.program.objects.answer("count")
            answer = json.loads(live.program.objects.found(f"{__name__}.Ending").body)
            found += answer["holders"]
    finally:
        over.set()
        worker.join()
        gc.enable()
    assert found
    assert list(ENDED) == [worker.ident]


def test_a_late_answer_is_none_to_the_next_question(live, monkeypatch):
    """The program answers what nobody waits for any more while somebody waits for the next."""
    objects, gate = live.program.objects, threading.Event()

    def find_paths(name, limit):
        gate.wait(300)
        return [(16, name, None)]

    def send(request):
        live.program.channel.sendall(request)
        gate.set()

    monkeypatch.setattr(live_objects, "REST", 0)
    monkeypatch.setattr(live_objects, "find_paths", find_paths)
    monkeypatch.setattr(server_objects, "PATIENCE", 0)
    assert objects.found("dict").status == HTTPStatus.NO_CONTENT
    monkeypatch.setattr(server_objects, "PATIENCE", 300)
    monkeypatch.setattr(objects, "send", send)
    (holder,) = json.loads(objects.found("list").body)["holders"]
    assert holder["example"]["text"] == "list"


def make(count):
    while count:
        HELD.append(Thing())
        count -= 1


def test_while_memory_is_recorded_the_page_says_who_allocated(live):
    HELD.append(Thing())
    name = f"{__name__}.Thing"
    pages = serving(live.pages.routes(), token="token", named=live.pages.named_routes())
    with pages as server, tracer.Profile(memory=True):
        make(3)
        _, found = asked(port_of(server), f"alive/{name}")
    size = sys.getsizeof(HELD[0])
    first = make.__code__.co_firstlineno
    place = {"function": "make", "file": __file__, "first": first, "line": 0}
    assert found["origins"] == {
        "places": [
            {"count": 3, "size": 3 * size, "place": place},
            {"count": 1, "size": size, "place": None},
        ],
        "others": 0,
    }


def test_the_places_with_the_most_bytes_are_told():
    places = [(("a.py", number, "f", "f", 0), 1, 100 + number) for number in range(12)]
    answer = places_json([*places, places[3], (None, 1, 1)])
    assert [row["size"] for row in answer["places"]] == [206, *range(111, 103, -1), 102]
    assert answer["places"][0]["count"] == 2
    assert answer["others"] == 3
    assert places_json(None) is None


def test_of_places_with_as_many_bytes_the_one_with_more_objects_comes_first():
    answer = places_json([((f"{n}.py", 1, "f", "f", 0), n, 96) for n in (1, 3, 2)])
    assert [row["count"] for row in answer["places"]] == [3, 2, 1]


def test_the_largest_holders_are_told_and_who_has_no_path():
    def path(name, place):
        return ("module", name), [("namespace", None, "dict"), ("key", "'seen'", "list"), place]

    def row(*it):
        return 16, None, path(*it) if it else None

    index = [("index", number, "Order") for number in range(5)]
    small = [row(f"shop{n:02}", it) for n in range(MOST_HOLDERS + 2) for it in index[:2]]
    answer = holders_json([row(), *small, *(row("main", it) for it in index), row()])
    assert answer["objects"] == 2 * (MOST_HOLDERS + 2) + 7
    assert answer["others"] == [3, 6]
    kinds = [(it["kind"], it["holder"], it["count"]) for it in answer["holders"]]
    assert kinds[:2] == [("path", "main.seen[…]", 5), ("path", "shop00.seen[…]", 2)]
    assert len(kinds) == MOST_HOLDERS + 1
    assert kinds[-1] == ("none", None, 2)
    assert answer["holders"][0]["example"]["expression"] == "main.seen[0]"
    assert answer["holders"][-1]["example"]["expression"] is None


def test_who_asks_before_the_next_census_has_the_last_one(live, monkeypatch):
    monkeypatch.setattr(live_objects, "SHORTEST_REST", 1000)
    objects = live.program.objects
    for _ in range(3):
        answer = json.loads(objects.answer("size").body)
        assert len(answer["at"]) == 1
        assert 500 < answer["wait"] <= 1000
    assert objects.answers == 1


def test_nobody_looks_and_nothing_is_counted(live, monkeypatch):
    counted = []
    monkeypatch.setattr(live_objects, "count_objects", lambda: counted.append(1) or ([], []))
    assert live.program.snapshot(60).number == 1  # the thread answers
    assert counted == []
    live.program.objects.answer("size")
    assert counted == [1]
