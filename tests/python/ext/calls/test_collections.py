"""What a profile refers to goes away: its timer, its module, functions and itself.

The plain cases, which no defect can crash, are in test_lifetime.py.
"""

import pytest

from hooks import HAS_MONITORING
from survival import survives

needs_monitoring = pytest.mark.skipif(not HAS_MONITORING, reason="sys.monitoring is of 3.12 on")


def test_an_enabled_profile_is_collected_with_its_timer():
    """Guards against a call of a timer that the collector has taken apart already."""
    survives("""
        import weakref

        def make():
            def timer():
                return time.perf_counter()

            profile = tracer.Profile(timer)
            one = [profile]
            one.append([profile, one])
            timer.one = one
            profile.enable()
            return weakref.ref(profile)

        gc.disable()
        gone = make()
        gc.collect()
        assert gone() is None
        assert held() == []
    """)


def test_a_collection_while_the_name_of_a_thread_is_learned():
    """Guards against a profile that is collected in the middle of an event of its own."""
    survives(
        """
        import types

        class Thread:
            pass

        def make(allocations):
            profile = tracer.Profile()
            cycle = [profile]
            cycle.append(cycle)
            profile.enable()
            gc.get_count()  # so that leaf() is the first new thing after the name appears
            gc.set_threshold(100000)
            gc.enable()
            del profile, cycle
            keep = [{} for _ in range(200)]
            sys.modules["threading"] = fake  # from here on the thread has a name
            gc.set_threshold(gc.get_count()[0] + allocations)
            leaf()
            gc.disable()
            leaf()

        gc.disable()
        for allocations in range(12):
            del sys.modules["threading"]
            thread = Thread()
            thread._name = "a name"  # before 3.12, only a look-up of the name makes its dict
            fake = types.ModuleType("threading")
            fake._active = {threading.get_ident(): thread}
            make(allocations)
            gc.collect()
        sys.modules["threading"] = threading
        assert held() == []
        """,
        PYTHONMALLOC="debug",
    )


def test_a_builtin_whose_definition_is_gone():
    """Guards against reading a PyMethodDef that went with the function it was made for."""
    survives("""
        import ctypes, mmap

        class Definition(ctypes.Structure):
            _fields_ = [
                ("name", ctypes.c_char_p),
                ("function", ctypes.c_void_p),
                ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p),
            ]

        class Owner:
            pass

        body = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p)(
            lambda owner, nothing: None
        )
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
        name = ctypes.create_string_buffer(b"short_lived")
        memory = mmap.mmap(-1, mmap.PAGESIZE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        definition = Definition.from_address(address)
        definition.name = ctypes.addressof(name)
        definition.function = ctypes.cast(body, ctypes.c_void_p).value
        definition.flags = 0x0004  # METH_NOARGS
        function = make(address, Owner(), None)
        profile = tracer.Profile()
        with profile:
            function()
        del function
        memory.close()
        for _ in range(2):
            rows = {str(entry.code): entry.callcount for entry in profile.getstats()}
            (label,) = (label for label in rows if "short_lived" in label)
            assert rows[label] == 1
            profile.snapshot()
    """)


SWITCH = "import greenlet; greenlet.greenlet(leaf).switch()"
# A program can get hold of what the interpreter calls at an event.
KEEP = "callback = register(4, START, None); type(callback).kept = callback; del callback"


@pytest.mark.parametrize(
    "use",
    [
        "pass",
        "leaf()",
        pytest.param(SWITCH, id="greenlets"),
        pytest.param(KEEP, id="callback", marks=needs_monitoring),
    ],
)
def test_the_module_is_collected(use):
    """Guards against a reference that the module's parts hold to each other, unseen by gc."""
    if use is SWITCH:
        pytest.importorskip("greenlet", reason="the package greenlet is not installed")
    survives(f"""
        import weakref
        import tracer._core

        if hasattr(sys, "monitoring"):
            register, START = sys.monitoring.register_callback, sys.monitoring.events.PY_START
        with tracer._core.Profiler(backend=tracer._core.BACKENDS[0]):
            {use}
        gone = weakref.ref(tracer._core.Profiler)
        del sys.modules["tracer._core"], sys.modules["tracer"], tracer
        del sys.modules["hooks"], held  # they ask tracer which back ends there are
        gc.collect()
        gc.collect()
        assert gone() is None
    """)
