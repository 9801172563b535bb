"""Threads that C code makes, in which each call of a Python function has a thread state of its own.

They are started by the fixture `foreign`, which has foreign.c compiled.
"""

import ctypes

FUNCTION = ctypes.CFUNCTYPE(None)


class Calls(ctypes.Structure):
    _fields_ = (("function", FUNCTION), ("times", ctypes.c_long))


pthread = ctypes.CDLL(None)
pthread.pthread_create.argtypes = [ctypes.c_void_p] * 4
pthread.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]


class ForeignThread:
    """Calls a Python function some times, and is over; it has been started."""

    def __init__(self, library, function, times):
        self.calls = Calls(FUNCTION(function), times)
        self.handle = ctypes.c_ulong()
        where, calls = ctypes.byref(self.handle), ctypes.byref(self.calls)
        assert pthread.pthread_create(where, None, library.foreign_run, calls) == 0

    def join(self):
        pthread.pthread_join(self.handle, None)
