"""tracer.why(): the shortest path of references to an object, with the names on it."""

import asyncio
import collections
import functools
import gc
import sys
import types
import typing
import weakref

import pytest

import tracer

HELD = None


class Thing:
    pass


class Slots:
    __slots__ = ("first", "second")


class Pair(typing.NamedTuple):
    name: str
    value: object


class Odd(tuple):
    _fields = "name"  # no tuple: it names nothing


class Base:
    __slots__ = ("below",)


class Derived(Base):
    pass


@pytest.fixture(autouse=True)
def nothing_is_held():
    yield
    globals()["HELD"] = None


def hold(make, *references):
    """Has HELD hold a new object in this way, and returns why it is alive."""
    global HELD
    thing = Thing()
    HELD = make(thing)
    return tracer.why(thing)


def closure_of(thing):
    unused = 1

    def inner():
        return unused, thing

    return inner


def default_of(thing):
    def inner(value=thing):
        return value

    return inner


def keyword_of(thing):
    def inner(*, value=thing):
        return value

    return inner


def generator_of(thing):
    def inner(value):
        yield 1
        return value

    made = inner(thing)
    next(made)
    return made


async def coroutine_of(thing):
    await asyncio.sleep(0)
    return thing


def error_of(thing):
    error = ValueError("text", thing)
    return error


def cache_of(most, thing):
    made = functools.lru_cache(most)(lambda key: key)
    made(thing)
    return made


def future_of(**outcome):
    loop = asyncio.new_event_loop()
    loop.close()
    future = asyncio.Future(loop=loop)
    for name, value in outcome.items():
        getattr(future, f"set_{name}")(value)
    future.exception()  # retrieved: else asyncio complains at the end
    return future


def with_slots(thing):
    made = Slots()
    made.second = thing
    return made


def with_base(thing):
    made = Derived()
    made.below = thing
    return made


def with_attribute(thing):
    made = Thing()
    made.other = 1
    made.name = thing
    return made


def with_odd_attribute(thing):
    made = Thing()
    setattr(made, "a name", thing)
    return made


def module_of(thing):
    made = types.ModuleType("made")
    made.thing = thing
    return made


CASES = {
    "itself": (lambda it: it, ""),
    "list": (lambda it: [0, it], "[1]"),
    "tuple": (lambda it: (0, 1, it), "[2]"),
    "field": (lambda it: Pair("a", it), ".value"),
    "field of a subclass": (lambda it: type("More", (Pair,), {})("a", it), ".value"),
    "no field": (lambda it: Odd((it,)), "[0]"),
    "more items than fields": (lambda it: tuple.__new__(Pair, (0, 1, it)), "[2]"),
    "nested": (lambda it: [0, {"a": (it,)}], "[1]['a'][0]"),
    "deque": (lambda it: collections.deque([0, 1, it]), "[2]"),
    "dict": (lambda it: {"a": 1, "b": it}, "['b']"),
    "int key": (lambda it: {7: it}, "[7]"),
    "tuple key": (lambda it: {(1, "a", None): it}, "[(1, 'a', None)]"),
    "key of one": (lambda it: {(1,): it}, "[(1,)]"),
    "long key": (lambda it: {"x" * 100: it}, "['" + "x" * 60 + "'...]"),
    "own key": (lambda it: {frozenset(): it}, "[<frozenset>]"),
    "a key itself": (lambda it: {it: 1}, f".<key <{__name__}.Thing>>"),
    "set": (lambda it: {it}, ".<element>"),
    "attribute": (with_attribute, ".name"),
    "odd attribute": (with_odd_attribute, ".__dict__['a name']"),
    "slot": (with_slots, ".second"),
    "slot of a base": (with_base, ".below"),
    "closure": (closure_of, ".<closure variable thing>"),
    "default": (default_of, ".__defaults__[0]"),
    "keyword default": (keyword_of, ".__kwdefaults__['value']"),
    "partial": (lambda it: functools.partial(print, it), ".args[0]"),
    "method": (lambda it: types.MethodType(print, it), ".__self__"),
    "builtin method": (lambda it: [it].append, ".__self__[0]"),
    "property": (lambda it: property(it), ".fget"),
    "class": (lambda it: type("Made", (), {"thing": it}), ".thing"),
    "instance of a class": (lambda it: type("Made", (), {"thing": it})(), ".__class__.thing"),
    "module": (module_of, ".thing"),
    "cell": (lambda it: types.CellType(it), ".cell_contents"),
    "generator": (generator_of, ".<variable value>"),
    "exception": (error_of, ".args[1]"),
    "cache": (lambda it: cache_of(None, it), ".<cache>[<tuple>]"),
    "cache with a limit": (lambda it: cache_of(8, it), ".<cache>"),
    "result": (lambda it: future_of(result=it), "._result"),
    "error": (lambda it: future_of(exception=error_of(it)), "._exception.args[1]"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_path(case):
    make, expected = CASES[case]
    path = hold(make)
    assert path.expression == f"{__name__}.HELD{expected}"
    assert path.kind == path.steps[-1].kind == f"{__name__}.Thing"
    assert path.start == f"module {__name__}"
    assert path.expression == __name__ + "".join(step.text for step in path.steps)


def test_of_a_function_a_step_says_which_it_is():
    step = hold(closure_of).steps[0]
    inner = closure_of(None).__code__
    assert step.kind == f"function closure_of.<locals>.inner, {__file__}:{inner.co_firstlineno}"


def test_of_a_method_a_step_says_which_it_is():
    step = hold(lambda it: types.MethodType(closure_of, it)).steps[0]
    line = closure_of.__code__.co_firstlineno
    assert step.kind == f"method closure_of, {__file__}:{line}"
    assert hold(lambda it: types.MethodType(print, it)).steps[0].kind == "method"


def test_of_a_cache_a_step_says_of_which_function():
    cached = cache_of(None, None).__wrapped__.__code__
    path = hold(lambda it: cache_of(None, it))
    assert [step.kind for step in path.steps] == [
        f"cache of function cache_of.<locals>.<lambda>, {__file__}:{cached.co_firstlineno}",
        "dict",
        f"{__name__}.Thing",
    ]


def test_a_function_attribute():
    def make(thing):
        inner = closure_of(1)
        inner.held = thing
        return inner

    assert hold(make).expression == f"{__name__}.HELD.held"


def test_a_weakref_callback():
    thing = Thing()
    path = hold(lambda it: [thing, weakref.ref(thing, closure_of(it))])
    assert path.expression == f"{__name__}.HELD[1].__callback__.<closure variable thing>"


def test_a_coroutine():
    global HELD
    thing = Thing()
    HELD = coroutine_of(thing)
    HELD.send(None)
    assert tracer.why(thing).expression == f"{__name__}.HELD.<variable thing>"
    HELD.close()


def failed():
    """An error of a function that had a Thing in `inner`."""

    def fail():
        inner = Thing()
        raise ValueError(inner.missing)

    try:
        fail()
    except AttributeError as error:
        return error


def test_an_exception_keeps_a_frame():
    global HELD
    HELD = failed()
    HELD = HELD.with_traceback(HELD.__traceback__.tb_next)
    frame = HELD.__traceback__.tb_frame
    HELD.obj = None  # from 3.12 on, AttributeError has the object, too
    thing = frame.f_locals["inner"]
    del frame
    found = tracer.why(thing).expression
    assert found == f"{__name__}.HELD.__traceback__.tb_frame.<variable inner>"


def test_a_traceback_leads_to_the_next():
    global HELD
    HELD = failed().__traceback__
    thing = HELD.tb_next.tb_frame.f_locals["inner"]
    expression = f"{__name__}.HELD.tb_next.tb_frame.<variable inner>"
    assert tracer.why(thing).expression == expression
    assert tracer.why(HELD.tb_next).expression == f"{__name__}.HELD.tb_next"


def test_a_constant_and_a_text_that_is_a_key():
    global HELD
    HELD = types.SimpleNamespace(work=eval("lambda: 'nowhere else'"))
    constant = HELD.work.__code__.co_consts[-1]
    place = len(HELD.work.__code__.co_consts) - 1
    expression = f"{__name__}.HELD.work.__code__.co_consts[{place}]"
    assert tracer.why(constant).expression == expression
    HELD = {"".join(["made", " here"]): 1}
    (key,) = HELD
    assert tracer.why(key).expression == f"{__name__}.HELD.<key 'made here'>"


def test_the_text():
    path = hold(lambda it: [{"key": it}])
    assert (
        repr(path)
        == str(path)
        == (
            f"{__name__}.Thing: {__name__}.HELD[0]['key']\n"
            f"  module {__name__}\n"
            "  .HELD    list\n"
            "  [0]      dict\n"
            f"  ['key']  {__name__}.Thing"
        )
    )


def test_a_variable_of_a_running_function():
    thing = Thing()

    def inner():
        return tracer.why([thing][0])

    path = inner()
    line = sys._getframe().f_code.co_firstlineno
    assert path.expression == "thing"
    assert path.steps == ()
    name = "test_a_variable_of_a_running_function"
    assert path.start.startswith(f"variable thing of {name}, {__file__}:")
    assert line < int(path.start.rpartition(":")[2]) < line + 10


def test_the_shortest_is_found():
    global HELD
    thing = Thing()
    HELD = [[[thing]], [thing], [[thing]]]
    assert tracer.why(thing).expression == f"{__name__}.HELD[1][0]"


def test_the_callers_variables_come_last():
    global HELD
    things = [Thing()]
    thing = things[0]
    assert tracer.why(thing).expression == "things[0]"
    HELD = {"deep": [[thing]]}
    del things
    assert tracer.why(thing).expression == f"{__name__}.HELD['deep'][0][0]"
    HELD = None
    assert tracer.why(thing).expression == "thing"  # nothing else has it


def test_a_variable_of_the_module_that_asks_comes_last():
    namespace = {"tracer": tracer, "__name__": "asking"}
    module = types.ModuleType("asking")
    vars(module).update(namespace)
    sys.modules["asking"] = module
    try:
        code = "class Thing: pass\nkept = [Thing()]\nit = kept[0]\npath = tracer.why(it)\n"
        code += "del kept\nlast = tracer.why(it)"
        exec(code, vars(module))
        assert module.path.expression == "asking.kept[0]"
        assert module.last.expression == "asking.it"
    finally:
        del sys.modules["asking"]


def test_what_of_found_is_not_why():
    global HELD

    class Own:
        pass

    HELD = [{"deep": [Own()]}]
    found = tracer.heap().of(Own)
    vars(sys.modules[__name__])["FOUND"] = found
    try:
        assert tracer.why(found[0]).expression == f"{__name__}.HELD[0]['deep'][0]"
    finally:
        del vars(sys.modules[__name__])["FOUND"]


def test_garbage_has_no_path():
    gc.disable()
    try:
        thing = Thing()
        thing.itself = thing
        number = id(thing)
        del thing
        (found,) = (it for it in tracer.heap().of(Thing) if id(it) == number)
        holder = [found]
        del found

        def ask():
            return tracer.why(holder.pop())

        path = ask()
    finally:
        gc.enable()
    assert (path.start, path.expression, path.steps, path.is_found) == (None, None, (), False)
    assert repr(path) == (
        f"{__name__}.Thing: no path leads here from a module or a running function; "
        "the object is garbage, or C code holds it"
    )


def test_modules_and_numbers():
    assert tracer.why(sys).expression == "sys"
    assert tracer.why(sys).steps == ()
    assert tracer.why(sys.path).expression == "sys.path"
    with pytest.raises(TypeError):
        tracer.why()


def test_no_code_of_the_program_runs():
    class Loud:
        def fail(self, *args):
            raise AssertionError("code of the program ran")

        __getattribute__ = __eq__ = __repr__ = __iter__ = __getitem__ = __len__ = fail

        def __hash__(self):
            return 1

    class LoudDict(dict):
        items = keys = values = __iter__ = __getitem__ = __len__ = Loud.fail

    global HELD
    thing, loud = Thing(), Loud()
    object.__setattr__(loud, "held", LoudDict(a=thing))
    HELD = {Loud(): loud}
    del loud
    path = tracer.why(thing)
    assert path.expression.endswith("Loud>].held['a']")
    HELD.clear()
