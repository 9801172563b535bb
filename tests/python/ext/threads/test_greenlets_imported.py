"""The package greenlet, imported while a profile is enabled, or half imported; and other modules of
that name.
"""

import importlib.util
import sys
import threading
import types
from textwrap import dedent

import pytest

import greenlets
import tracer
from greenlets import greenlet, leaf
from rows import by_name
from survival import survives

clean = greenlets.clean  # a fixture of all tests here


def test_another_module_of_that_name():
    survives("""
        import types
        sys.modules["greenlet"] = types.ModuleType("greenlet")
        profile = tracer.Profile()
        with profile:
            leaf()
        assert calls(profile) == 1
        still_works(profile)
    """)


@pytest.mark.parametrize("builtins", [True, False])
def test_greenlet_is_imported_while_the_profile_is_enabled(builtins):
    survives(f"""
        profile = tracer.Profile(builtins={builtins})
        profile.enable()
        import greenlet
        def inner():
            greenlet.getcurrent().parent.switch()
            leaf()
        def body():
            inner()
        def other():
            leaf()
        first = greenlet.greenlet(body)
        first.switch()
        other()
        first.switch()
        profile.disable()
        assert greenlet.gettrace() is None
        callers = {{}}
        for label, row in tracer.Stats(profile).stats.items():
            callers[label[2]] = sorted(caller[2] for caller in row[4])
        assert callers["leaf"] == ["inner", "other"], callers
        assert callers["inner"] == ["body"], callers
        assert callers["other"] == ["<module>"], callers
        assert callers["body"] == [], callers
    """)


def test_greenlet_is_imported_by_code_that_a_filter_leaves_out(tmp_path):
    """All functions that are in the filter were seen before."""
    program = """
        from textwrap import dedent
        inside = dedent('''
            def leaf(): pass
            def inner(switch):
                switch()
                leaf()
            def body(switch): inner(switch)
            def other(): leaf()
            def run(first, between):
                first()
                between()
                first()
        ''')
        load = dedent('''
            def load():
                import greenlet
                return greenlet
        ''')
        names, outside = {}, {}
        exec(compile(inside, folder + "/inside.py", "exec"), names)
        exec(compile(load, "/out/outside.py", "exec"), outside)
        profile = tracer.Profile(builtins=False, include=[folder])
        profile.enable()
        names["run"](lambda: names["body"](int), names["other"])
        greenlet = outside["load"]()
        first = greenlet.greenlet(lambda: names["body"](greenlet.getcurrent().parent.switch))
        names["run"](first.switch, names["other"])
        profile.disable()
        callers = {}
        for label, row in tracer.Stats(profile).stats.items():
            callers[label[2]] = sorted(caller[2] for caller in row[4])
        assert callers["other"] == ["run"], callers
        assert callers["leaf"] == ["inner", "other"], callers
    """
    survives(f"folder = {str(tmp_path)!r}\n" + dedent(program))


def test_a_module_of_that_name_is_not_asked_in_the_middle_of_an_event(monkeypatch):
    """The functions of such a module are Python: they could change the very profile that asks."""
    asked = []
    module = types.ModuleType("greenlet")
    module.gettrace = module.settrace = lambda *function: asked.append(function)
    monkeypatch.setitem(sys.modules, "greenlet", module)
    with tracer.Profile() as profile:
        leaf()
    assert by_name(profile)["leaf"].calls == 1
    assert asked == []


def test_a_module_of_that_name_that_is_lazy_stays_so(tmp_path, monkeypatch):
    path = tmp_path / "greenlet.py"
    path.write_text("raise AssertionError('imported')")
    spec = importlib.util.spec_from_file_location("greenlet", path)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "greenlet", module)
    spec.loader.exec_module(module)
    with tracer.Profile() as profile:
        leaf()
    assert by_name(profile)["leaf"].calls == 1


def test_a_thread_that_imports_it_is_asked_again_though_another_sees_it_first(monkeypatch):
    """The thread that imports calls nothing new once the import has ended."""

    def work():
        enabled.acquire()
        leaf()
        seen_half.release()
        seen_whole.acquire()
        leaf()
        traced.append(greenlet.gettrace() is not None)

    def other():
        pass

    enabled, seen_half, seen_whole = (threading.Lock() for _ in range(3))
    for lock in (enabled, seen_half, seen_whole):
        lock.acquire()
    traced = []
    half = types.ModuleType("greenlet")
    half.__spec__ = types.SimpleNamespace(_initializing=True)
    monkeypatch.setitem(sys.modules, "greenlet", half)
    thread = threading.Thread(target=work)
    thread.start()
    profile = tracer.Profile(builtins=False)
    profile.enable()
    enabled.release()
    seen_half.acquire()
    sys.modules["greenlet"] = greenlet
    other()  # new here, so that the module is looked at
    seen_whole.release()
    thread.join()
    profile.disable()
    assert traced == [True]


def test_each_thread_that_saw_it_half_imported_is_asked_again(monkeypatch):
    """They are more than there is room for at first, and some have ended meanwhile."""

    def work(number):
        turns[number].acquire()
        leaf()
        done.release()
        if number % 3 != 0:
            turns[number].acquire()
            leaf()
            traced[number] = greenlet.gettrace() is not None
            done.release()

    turns = [threading.Semaphore(0) for _ in range(30)]
    done = threading.Semaphore(0)
    traced = {}
    half = types.ModuleType("greenlet")
    half.__spec__ = types.SimpleNamespace(_initializing=True)
    monkeypatch.setitem(sys.modules, "greenlet", half)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    profile = tracer.Profile(builtins=False)
    profile.enable()
    for number, thread in enumerate(threads):
        turns[number].release()
        done.acquire()
        if number % 3 == 0:
            thread.join()
    sys.modules["greenlet"] = greenlet
    for number in range(30):
        if number % 3 != 0:
            turns[number].release()
            done.acquire()
    profile.disable()
    for thread in threads:
        thread.join()
    assert traced == {number: True for number in range(30) if number % 3 != 0}


@pytest.mark.parametrize("enabled_again", [False, True])
def test_an_import_that_fails_half_way_is_not_asked_for_at_each_call(
    tmp_path, monkeypatch, enabled_again
):
    """As long as a module is half imported, each event looks for what the module lacks."""

    class Counted(str):
        """A key that is equal to no other, and counts how often it is compared with its text."""

        __hash__ = str.__hash__

        def __eq__(self, other):
            asked.append(other)
            return False

    asked = []
    (tmp_path / "greenlet.py").write_text(
        "def early(): pass\nearly()  # at its first call the module is looked at\n1 / 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "greenlet")
    profile = tracer.Profile(builtins=False)
    profile.enable()
    with pytest.raises(ZeroDivisionError):
        importlib.import_module("greenlet")
    leaf()
    if enabled_again:
        profile.disable()
        profile.enable()
    monkeypatch.setitem(sys.modules, Counted("greenlet"), None)
    leaf()
    asked.clear()
    for _ in range(10):
        leaf()
    found = list(asked)
    profile.disable()
    assert found == []
