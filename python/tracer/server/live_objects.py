"""The page's view of live objects: what the program counted, and why some objects are alive."""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable
from http import HTTPStatus
from threading import Condition, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from tracer.analysis.memory.holders import groups_of
from tracer.analysis.memory.object_path import start_of, steps_of
from tracer.data.heap import added, census_of, kinds_of
from tracer.server.live_protocol import CENSUS, CENSUS_WANTED, LONGEST_NAME, request_of
from tracer.server.object_history import MEASURES, History
from tracer.server.page_server import Answer

if TYPE_CHECKING:
    from tracer._core import _Alive, _Origin

    Found = tuple[list[_Alive], list[_Origin] | None]

JSON = "application/json"
MOST_PLACES = 10
MOST_HOLDERS = 10
PATIENCE = 20.0  # seconds to wait for an answer; there is none while C code holds the GIL


class Objects:
    """What the program answered about its objects. `changed` is told of each answer; `send` sends
    a request, and raises OSError; `is_over` says whether the program has ended."""

    def __init__(
        self, changed: Condition, send: Callable[[bytes], None], is_over: Callable[[], bool]
    ) -> None:
        self.changed = changed
        self.send = send
        self.is_over = is_over
        self.history: History = History()
        self.due: float = 0.0  # when the program takes another census, as a value of monotonic()
        self.asked: bool = False  # for a census that has not come yet
        self.answers: int = 0
        self.finding: Lock = Lock()  # held while an answer about paths is awaited
        self.number: int = 0  # of the last request for paths: an answer to one before is late
        self.paths: list[Found | float | None] = []  # the answer to it, once it is there

    def take(self, kind: bytes, number: int, rest: float, data: bytes) -> None:
        """Take an answer of the program's to the request of this number; `changed` is held. rest:
        seconds until it takes another census."""
        now = monotonic()
        self.due = now + rest
        answer = marshal.loads(data)
        if kind == CENSUS:
            self.asked = False
            self.answers += 1
            if answer is not None:
                census = census_of(answer, [])
                kinds = {kind.name: (kind.count, kind.size) for kind in kinds_of(census)}
                self.history.add(now, kinds)
        elif number == self.number:
            self.paths.append(answer)

    def answer(self, words: str) -> Answer:
        """The censuses as JSON, after a new one if one is due. words: "size" or "count" and, behind
        a slash, what is sought."""
        measure, _, search = words.partition("/")
        if measure not in MEASURES:
            return Answer(b"", status=HTTPStatus.NOT_FOUND)
        with self.changed:
            before, end = self.answers, monotonic() + PATIENCE
            if monotonic() >= self.due:
                self.ask()
                while self.answers == before and not self.is_over() and monotonic() < end:
                    self.changed.wait(end - monotonic())
            shown = self.history.as_json(measure, search)
            rest = max(0.0, self.due - monotonic())
        return json_of({**shown, "wait": rest, "running": not self.is_over()})

    def ask(self) -> None:
        if not self.asked and not self.is_over():
            try:
                self.send(CENSUS_WANTED)
                self.asked = True
            except OSError:
                return  # the program has just ended

    def begin_anew(self) -> Answer:
        """Forget all censuses but the last: what grows from now on is told."""
        with self.changed:
            del self.history.samples[:-1]
        return json_of({})

    def found(self, name: str) -> Answer:
        """Who holds objects of the type of this name, and where all of them were allocated, null
        where the program records no memory; `rest`: in how many seconds it counts again. Or `wait`:
        in how many it looks again, where it has just looked. No content if it gives no answer."""
        if len(request_of(0, name)) > LONGEST_NAME:
            return json_of({**holders_json([]), "origins": None, "rest": 0})
        with self.finding, self.changed:
            self.number += 1
            self.paths.clear()
            end = monotonic() + PATIENCE
            try:
                self.send(request_of(self.number, name))
            except OSError:
                return Answer(b"", status=HTTPStatus.NO_CONTENT)
            while not self.paths and not self.is_over() and monotonic() < end:
                self.changed.wait(end - monotonic())
            found = self.paths[0] if self.paths else None
            rest = max(0.0, self.due - monotonic())
        if found is None:
            return Answer(b"", status=HTTPStatus.NO_CONTENT)
        if isinstance(found, float):
            return json_of({"objects": None, "wait": found})
        objects, origins = found
        return json_of({**holders_json(objects), "origins": places_json(origins), "rest": rest})


def holders_json(objects: list[_Alive]) -> dict[str, Any]:
    """A sample of objects by who holds them, as JSON. objects: how many they are. holders: the
    groups that groups_of() makes, of those with a holder the largest, each with one object as an
    example. others: how many holders are not told, and how many objects they have."""
    groups = []
    others = [0, 0]
    for place, (kind, holder, members) in enumerate(groups_of([path for _, _, path in objects])):
        if holder is not None and place >= MOST_HOLDERS:
            others = [others[0] + 1, others[1] + len(members)]
            continue
        example = alive(*objects[members[0]])
        groups.append({"kind": kind, "holder": holder, "count": len(members), "example": example})
    return {"objects": len(objects), "holders": groups, "others": others}


def places_json(origins: list[_Origin] | None) -> dict[str, Any] | None:
    """Where objects were allocated, as JSON: the places that have the most bytes, and how many
    others there are. A place that is not known is null."""
    if origins is None:
        return None
    places = sorted(added(origins).items(), key=lambda it: (-it[1][1], -it[1][0], str(it[0])))
    rows = []
    for place, (count, size) in places[:MOST_PLACES]:
        row: dict[str, Any] = {"count": count, "size": size, "place": None}
        if place is not None:
            file, first, _, function, line = place
            row["place"] = {"function": function, "file": file, "first": first, "line": line}
        rows.append(row)
    return {"places": rows, "others": len(places) - len(rows)}


def alive(address: int, text: str | int | None, path: Any) -> dict[str, Any]:
    """An object as JSON: the path as why() tells it; expression and start are null without one."""
    found: dict[str, Any] = {"address": hex(address), "text": text, "expression": None}
    if path is not None:
        expression, start = start_of(path[0])
        steps = steps_of(path[1])
        whole = expression + "".join(step for step, _ in steps)
        found.update(expression=whole, start=start, steps=[list(step) for step in steps])
    return found


def json_of(value: dict[str, Any]) -> Answer:
    return Answer(json.dumps(value, separators=(",", ":")).encode("ascii"), JSON)
