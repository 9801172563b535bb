"""What there is of the interpreter for profilers to hold: a profile function a thread, tool ids."""

import sys

HAS_MONITORING = sys.version_info >= (3, 12)
BACKENDS = ["monitoring", "setprofile"] if HAS_MONITORING else ["setprofile"]
TOOL_IDS = range(6)

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
    for tool in TOOL_IDS if HAS_MONITORING else ():
        name = sys.monitoring.get_tool(tool)
        if name == "tracer":
            found.append(f"tool id {tool}")
        elif name is None:
            found += left_behind(tool)
    return found


def left_behind(tool):
    """What whoever held a tool id had not put in order when it was given back; does so."""
    monitoring = sys.monitoring
    monitoring.use_tool_id(tool, "held()")
    found = [f"events of tool id {tool}"] if monitoring.get_events(tool) else []
    monitoring.set_events(tool, 0)
    found += [
        f"a callback of tool id {tool} for event {event}"
        for event in EVENTS
        if monitoring.register_callback(tool, event, None) is not None
    ]
    monitoring.free_tool_id(tool)
    return found
