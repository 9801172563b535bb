"""The names of torch.profiler: a program that imports them from here is profiled by tracer.

    from tracer.compat.torch import ProfilerActivity, profile, record_function, schedule

PyTorch is not imported. What records is tracer.StepProfiler; the tables, the traces and their names
are PyTorch's. The manual's page `migrate/torch` says what differs.
"""

from __future__ import annotations

from tracer.compat.torch_parts.events import EventList, FunctionEvent, FunctionEventAvg
from tracer.compat.torch_parts.names import (
    DeviceType,
    ProfilerAction,
    ProfilerActivity,
    supported_activities,
)
from tracer.compat.torch_parts.profiler import profile, record_function, tensorboard_trace_handler
from tracer.compat.torch_parts.schedules import schedule

__all__ = [
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
