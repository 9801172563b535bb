"""The tool id of sys.monitoring that tracer takes, the events it asks for, and giving all back.

An id that is taken again and again is in test_tool_ids_again.py. Which back end is picked is in
test_backends.py, other tools beside it are in test_orders.py.
"""

import sys
import warnings

import pytest

import tracer
from hooks import EVENTS, HAS_MONITORING, HOLDERS, OURS, forget_marks, held
from rows import by_name, calls, calls_of, record
from survival import survives

pytestmark = pytest.mark.skipif(not HAS_MONITORING, reason="sys.monitoring came with Python 3.12")


def leaf():
    len("")


# -- Taking ------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", range(len(OURS)))
def test_the_order_of_tool_ids(take, count):
    take(*OURS[:count])
    profile = tracer.Profile(backend="monitoring")
    for _ in range(2):
        with profile:
            leaf()
            assert held() == [f"tool id {OURS[count]}"]
        assert held() == []
    assert calls_of(profile, leaf) == [2]


def test_any_number_of_profiles_hold_one_tool_id():
    profiles = [tracer.Profile(backend="monitoring") for _ in range(5)]
    for profile in profiles:
        profile.enable()
        assert held() == ["tool id 4"]
    for profile in profiles:
        assert held() == ["tool id 4"]
        profile.disable()
    assert held() == []


@pytest.mark.parametrize("variable", ["", "monitoring"])
def test_where_all_are_taken_the_other_back_end_is_used(take, variable, monkeypatch):
    """The ids of debuggers and of coverage, 0 and 1, are free, and stay so."""
    monkeypatch.setenv("TRACER_BACKEND", variable)
    take(*OURS)
    profile = tracer.Profile()
    assert profile.backend == "monitoring"
    with pytest.warns(RuntimeWarning, match=HOLDERS) as caught:
        profile.enable()
    leaf()
    hook = sys.getprofile()
    profile.disable()
    assert hook is not None
    assert [warning.filename for warning in caught] == [__file__]
    assert profile.backend == "setprofile"
    assert "4: other 4" in profile.backend.reason
    assert calls_of(profile, leaf) == [1]
    assert held() == []
    with warnings.catch_warnings(action="error"):  # the warning has been given
        profile.runcall(leaf)


def test_where_all_are_taken_what_was_asked_for_is_refused(take):
    profile = tracer.Profile(backend="monitoring")
    profile.runcall(leaf)
    take(*OURS)
    with pytest.raises(RuntimeError, match=f"^{HOLDERS}$"):
        profile.enable()
    assert not profile.enabled
    assert held() == []
    leaf()
    sys.monitoring.free_tool_id(5)
    profile.runcall(leaf)
    assert calls(profile)["leaf"] == 2
    take(5)


@pytest.mark.usefixtures("unasked")
def test_where_all_are_taken_not_all_callables_can_be_recorded(take):
    take(*OURS)
    profile = tracer.Profile(builtins="all")
    with pytest.raises(RuntimeError, match=f"^builtins='all' cannot be recorded: {HOLDERS}$"):
        profile.enable()
    assert not profile.enabled
    assert held() == []


@pytest.mark.usefixtures("unasked")
def test_a_warning_that_is_an_error_leaves_the_profile_disabled(take):
    take(*OURS)
    profile = tracer.Profile()
    with warnings.catch_warnings(action="error"), pytest.raises(RuntimeWarning, match=HOLDERS):
        profile.enable()
    assert not profile.enabled
    assert held() == []
    leaf()
    assert calls(profile) == {}


def test_what_the_holder_before_has_switched_off_is_on():
    """A tool that returns DISABLE has no more events of that place, whoever holds its id then."""

    def program():
        leaf()

    monitoring, events = sys.monitoring, sys.monitoring.events
    monitoring.use_tool_id(4, "other")
    for event in (events.PY_START, events.CALL):
        monitoring.register_callback(4, event, lambda *_: monitoring.DISABLE)
    monitoring.set_events(4, events.PY_START | events.CALL)
    program()
    monitoring.set_events(4, 0)
    for event in (events.PY_START, events.CALL):
        monitoring.register_callback(4, event, None)
    monitoring.free_tool_id(4)
    found = calls(record(program, backend="monitoring"))
    assert found == {"program": 1, "leaf": 1, "<built-in method builtins.len>": 1}


# -- Giving back -------------------------------------------------------------------------------


@pytest.mark.parametrize("fails", range(1, 10))
def test_an_enable_that_fails_half_way(fails):
    """An audit hook refuses one of the nine callbacks."""
    survives(f"""
        from hooks import refused

        profile = tracer.Profile(backend="monitoring")
        assert refused(profile.enable, {fails})
        assert not profile.enabled
        assert held() == []
        leaf()
        assert calls(profile) == 0
        still_works(profile)
    """)


def test_an_audit_hook_that_refuses_to_let_go():
    """tracer gives back what it can, whatever the hook refuses."""
    survives("""
        def hook(event, arguments):
            if armed and event == "sys.monitoring.register_callback":
                asked.append(event)
                raise RuntimeError

        armed, asked = False, []
        sys.addaudithook(hook)
        profile = tracer.Profile(backend="monitoring")
        profile.enable()
        leaf()
        armed = True
        profile.disable()
        armed = False
        assert asked
        assert sys.monitoring.get_tool(4) is None
        assert calls(profile) == 1
        held()  # puts the callbacks in order
        still_works(profile)
    """)


def test_a_tool_id_that_the_program_took_from_us_stays_where_it_is(take):
    """A profile that is enabled after that has calls reported to both profiles again."""
    one, two = tracer.Profile(backend="monitoring"), tracer.Profile(backend="monitoring")
    one.enable()
    sys.monitoring.free_tool_id(4)
    take(4)
    leaf()
    two.enable()
    leaf()
    two.disable()
    leaf()
    one.disable()
    assert [calls_of(profile, leaf) for profile in (one, two)] == [[2], [1]]


# -- Events ------------------------------------------------------------------------------------


def events():
    """The names of the events that tracer has asked for."""
    if sys.monitoring.get_tool(4) != "tracer":
        return set()
    asked = sys.monitoring.get_events(4)
    return {name for name, bit in vars(sys.monitoring.events).items() if bit and asked & bit}


FRAMES = {"PY_START", "PY_RESUME", "PY_THROW", "PY_RETURN", "PY_YIELD", "PY_UNWIND"}


@pytest.mark.parametrize("builtins, more", [(False, set()), (True, {"CALL"}), ("all", {"CALL"})])
def test_the_events_of_a_profile(builtins, more):
    profile = tracer.Profile(builtins=builtins, backend="monitoring")
    with profile:
        asked = events()
    assert asked - {"C_RETURN", "C_RAISE"} == FRAMES | more
    assert events() == set()


def test_events_come_and_go_with_those_who_want_them():
    def calls_are_events():
        return "CALL" in events()

    few, many = (tracer.Profile(builtins=b, backend="monitoring") for b in (False, True))
    for first, second in ((few, many), (many, few)):
        first.enable()
        assert calls_are_events() == (first is many)
        second.enable()
        assert calls_are_events()
        first.disable()
        assert calls_are_events() == (second is many)
        second.disable()
        assert events() == set()
    few.enable(builtins=True)
    assert calls_are_events()
    few.disable()
    few.enable(builtins=False)
    assert not calls_are_events()
    few.enable(builtins=True)  # again: it is enabled already
    assert calls_are_events()
    few.disable()


def test_more_events_than_a_profile_wants_change_nothing_in_it():
    few, many = (tracer.Profile(builtins=b, backend="monitoring") for b in (False, True))
    few.enable()
    leaf()
    many.enable()
    leaf()
    many.disable()
    leaf()
    few.disable()
    assert calls(few) == {"leaf": 3}
    assert calls(many) == {"leaf": 1, "<built-in method builtins.len>": 1}
    assert by_name(many)["<built-in method builtins.len>"].callers == {"leaf": (1, 1)}


def test_the_callbacks_say_who_calls_them():
    """A program can get hold of them."""
    monitoring, event = sys.monitoring, sys.monitoring.events.PY_START
    with tracer.Profile(backend="monitoring") as profile:
        callback = monitoring.register_callback(4, event, None)
        with pytest.raises(TypeError, match="called by the interpreter only"):
            callback()
        with pytest.raises(TypeError, match="called by the interpreter only"):
            callback("code", 0)
        monitoring.register_callback(4, event, callback)
        leaf()
    assert calls(profile)["leaf"] == 1
    with pytest.raises(TypeError):
        type(callback)()
    callback(leaf.__code__, 0)  # nobody is enabled
    assert calls(profile)["leaf"] == 1


def test_a_callback_of_a_profile_that_is_gone_does_nothing():
    survives(
        """
        with tracer.Profile(backend="monitoring"):
            callback = sys.monitoring.register_callback(4, sys.monitoring.events.PY_START, None)
        gc.collect()
        callback(leaf.__code__, 0)
        """,
        PYTHONMALLOC="debug",  # what is freed is overwritten
    )


def test_callbacks_that_look_at_code_take_nothing_else():
    forget_marks()  # those of a line recorder take anything
    with tracer.Profile(backend="monitoring", include=__file__):
        for event in EVENTS:
            callback = sys.monitoring.register_callback(4, event, None)
            if callback is not None:
                for arguments in [(), ("code", 0), (None, 0, len, None), (1, 2, 3, 4)]:
                    with pytest.raises(TypeError, match="called by the interpreter only"):
                        callback(*arguments)
            sys.monitoring.register_callback(4, event, callback)


def test_code_that_is_left_out_is_reported_no_more():
    """Where nobody wants it, the interpreter is told so; where somebody does, it is not."""
    monitoring, event = sys.monitoring, sys.monitoring.events.PY_START
    with tracer.Profile(backend="monitoring", include=__file__) as profile:
        callback = monitoring.register_callback(4, event, None)
        answers = [callback(function.__code__, 0) for function in (leaf, pytest.raises)]
        monitoring.register_callback(4, event, callback)
    assert answers == [None, monitoring.DISABLE]
    assert calls_of(profile, leaf) == [1]
