"""Prints what a program can see of how it was started, for comparison with a plain run."""

import gc
import inspect
import os
import pickle
import sys
import threading
import warnings


class Point:
    """A class of __main__, for pickling."""

    def __init__(self, x):
        self.x = x


def show(name, value):
    print(f"{name}: {value!r}")


def describe_main():
    main = sys.modules["__main__"]
    show("module", main)
    show("names", [name for name in vars(main) if name.startswith("__")])
    for name in ("__name__", "__file__", "__package__", "__spec__", "__doc__"):
        show(name, getattr(main, name))
    show("cached", getattr(main, "__cached__", "none"))
    show("annotations", vars(main).get("__annotations__", "none"))
    show("loader", type(main.__loader__))
    show("builtins", main.__builtins__)
    show("own globals", vars(main) is globals())
    show("code", describe_main.__code__.co_filename)


def describe_sys():
    show("argv", sys.argv)
    show("orig_argv", sys.orig_argv)
    show("path", sys.path)
    show("flags", sys.flags)
    show("warnoptions", sys.warnoptions)
    show("xoptions", sys._xoptions)
    show("recursion limit", sys.getrecursionlimit())
    show("switch interval", sys.getswitchinterval())
    show("hooks", sys.excepthook is sys.__excepthook__)
    show("trace", sys.gettrace())
    show("streams", (sys.stdin.name, sys.stdout.name, sys.stderr.name))
    show("cached path", sys.path_importer_cache.get(sys.modules["__main__"].__file__, "none"))


def describe_rest():
    show("point", pickle.loads(pickle.dumps(Point(3))).x)
    show("point's module", Point.__module__)
    show(
        "thread", (threading.main_thread() is threading.current_thread(), threading.active_count())
    )
    show("warnings", warnings.filters)
    show("collector", (gc.get_threshold(), gc.isenabled()))
    show("folder", os.getcwd())
    try:
        show("source", inspect.getsource(show))
    except OSError as error:
        show("source", error)


if __name__ == "__main__":
    describe_main()
    describe_sys()
    describe_rest()
    sys.stderr.write("and on stderr\n")
