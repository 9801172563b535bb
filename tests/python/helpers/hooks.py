"""What a profiler can hold of the interpreter: a profile function in each thread, and tool ids."""

import contextlib
import sys

from tracer import _core

HAS_MONITORING = sys.version_info >= (3, 12)
BACKENDS = list(_core.BACKENDS)
TOOL_IDS = range(6)
OURS = [4, 3, 5, 2]  # in the order in which they are taken
# A pattern of what is said when the fixture `take` has taken those.
HOLDERS = r"no tool id of sys.monitoring is free \(4: other 4, 3: other 3, 5: other 5, 2: other 2\)"

# The events that are there to be asked for; the numbers of branches and of lines among them.
EVENTS = (
    [
        number
        for name, number in vars(sys.monitoring.events).items()
        if name.isupper() and number and number.bit_count() == 1
    ]
    if HAS_MONITORING
    else []
)


def held():
    """What tracer has of the interpreter, or has left behind there: [] when there is none."""
    found = [] if sys.getprofile() is None else ["the profile function of this thread"]
    traced = type(sys.gettrace()).__module__ == "tracer._core"
    found += ["the trace function of this thread"] if traced else []
    for tool in TOOL_IDS if HAS_MONITORING else ():
        name = sys.monitoring.get_tool(tool)
        if name == "tracer":
            found.append(f"tool id {tool}")
        elif name is None:
            found += left_behind(tool)
    return found


def left_behind(tool):
    """What the last holder of a tool id left behind with it. Puts that in order."""
    monitoring = sys.monitoring
    monitoring.use_tool_id(tool, "held()")
    found = [f"events of tool id {tool}"] if monitoring.get_events(tool) else []
    monitoring.set_events(tool, 0)
    marks = {}
    for event in EVENTS:
        callback = monitoring.register_callback(tool, event, None)
        if is_mark(callback):
            marks[event] = callback
        elif callback is not None:
            found.append(f"a callback of tool id {tool} for event {event}")
    monitoring.free_tool_id(tool)
    for event, mark in marks.items():
        monitoring.register_callback(tool, event, mark)
    return found


def is_mark(callback):
    """Whether it is tracer's mark, left with a tool id to see whether others use the id."""
    return type(callback) is type(len) and callback.__name__ == "nothing_is_off"


def refused(enable, number):
    """Whether enable() fails when an audit hook refuses the callback of that number, from 1 on,
    that it registers. For a process of its own: an audit hook stays."""

    class Refused(Exception):
        pass

    def hook(event, arguments):
        nonlocal asked
        if armed and event == "sys.monitoring.register_callback":
            asked += 1
            if asked == number:
                raise Refused

    armed, asked = False, 0
    sys.addaudithook(hook)
    armed = True
    try:
        enable()
    except Refused:
        return True
    finally:
        armed = False
    return False


def forget_marks():
    """Take tracer's marks away, as if no tool id had ever been used."""
    for tool in TOOL_IDS:
        for event in EVENTS if sys.monitoring.get_tool(tool) is None else ():
            sys.monitoring.register_callback(tool, event, None)


@contextlib.contextmanager
def asked():
    """A list of the functions of sys.monitoring that are called to change what is reported."""
    names = ("set_events", "restart_events", "free_tool_id")
    functions = {name: getattr(sys.monitoring, name) for name in names}
    calls = []

    def noting(name):
        def call(*arguments):
            calls.append(name)
            return functions[name](*arguments)

        return call

    try:
        for name in names:
            setattr(sys.monitoring, name, noting(name))
        yield calls
    finally:
        for name, function in functions.items():
            setattr(sys.monitoring, name, function)


class Disabler:
    """Another tool, which switches an event off at each place where the event comes. `told`: the
    names of the tests' functions in which it came."""

    def __init__(self, tool, event):
        self.tool, self.event, self.told = tool, event, []

    def callback(self, code, *_):
        if code.co_name in ("leaf", "program"):
            self.told.append(code.co_name)
        return sys.monitoring.DISABLE

    def __enter__(self):
        sys.monitoring.use_tool_id(self.tool, f"other {self.tool}")
        sys.monitoring.register_callback(self.tool, self.event, self.callback)
        sys.monitoring.set_events(self.tool, self.event)
        sys.monitoring.restart_events()  # where another Disabler has switched the event off
        return self

    def __exit__(self, *_):
        sys.monitoring.set_events(self.tool, 0)
        sys.monitoring.register_callback(self.tool, self.event, None)
        sys.monitoring.free_tool_id(self.tool)
