"""Programs whose objects are freed in different ways, and at different times, for endings.py.

`Held` says on standard error when it is freed, after an import: so the text tells whether modules
could still be had. `f` holds one in a variable. Garbage is made right after a collection, so that
the next one is the interpreter's at its end.
"""

HELD = """
import atexit, gc, os, sys

class Held:
    def __init__(self, name="held"):
        self.name = name

    def __del__(self):
        import string
        print("freed", self.name, file=sys.stderr, flush=True)

class Speaks:
    def __del__(self):
        print("freed", type(self).__name__, flush=True)

def f(*arguments):
    held = Held("local")
    {body}

"""


def calls(body, end="f()"):
    """A program whose f() does `body`, and which ends by `end`."""
    return f"{HELD.replace('{body}', body)}{end}\n"


def module(end):
    """A program with a Held, which does `end`."""
    return calls("return", end)


FREEING = {
    "globals": module("a, _b, c = Held('a'), Held('_b'), [Held('c')]"),
    "globals in a circle": module("a = Held('a')\na.me = a"),
    "globals use modules": "import logging, os\nclass D:\n"
    "    def __del__(self): print(os.getpid() > 1, logging.INFO, D.__name__)\na = D()\n",
    "garbage": module(
        "gc.collect()\na = Held('garbage')\na.me = a\ndel a\natexit.register(print, 1, flush=True)"
    ),
    "garbage, no collector": module(
        "gc.disable()\na = Held('garbage')\na.me = a\ndel a\n"
        "atexit.register(lambda: print(gc.isenabled(), flush=True))"
    ),
    "garbage, DEBUG_SAVEALL": module(
        "gc.collect()\ngc.set_debug(gc.DEBUG_SAVEALL)\na = Held('garbage')\na.me = a\ndel a"
    ),
    "garbage of a module of one's own": module(
        "class D:\n    def __del__(self):\n        import mine\n        print(mine.x, flush=True)\n"
        "gc.collect()\nd = D()\nd.me = d\ndel d"
    ),
    "garbage that is deep": module(
        "class D:\n    def __del__(self): print(deep(150), flush=True)\n"
        "def deep(n): return deep(n - 1) if n else sys.getrecursionlimit()\n"
        "gc.collect()\nd = D()\nd.me = d\ndel d\nsys.setrecursionlimit(200)"
    ),
    "exit, garbage": calls("gc.collect(); held.me = held; sys.exit(2)"),
    "exit function": calls("sys.exit(1)", "atexit.register(Held('bound').__init__)\nf()"),
    "finalize": calls("import weakref; weakref.finalize(held, print, 'final'); sys.exit(1)"),
    "finalize a global": module(
        "import weakref\ng = Held('g')\nweakref.finalize(g, print, 'final')\n"
        "atexit.register(print, 'at exit')"
    ),
    "callback of a weak reference": calls(
        "import weakref; global r\n"
        "    r = weakref.ref(held, lambda r: print('freed', flush=True)); sys.exit(1)",
        "atexit.register(print, 'at exit', flush=True)\nf()",
    ),
    "callbacks of a function and its code": module(
        "import weakref\ndef g(): pass\ng()\n"
        "r = weakref.ref(g, lambda r: print('function', flush=True))\n"
        "s = weakref.ref(g.__code__, lambda r: print('code', flush=True))\n"
        "del g\nprint('deleted', flush=True)"
    ),
    "callback of a class": module(
        "import gc, weakref\nclass C:\n    def m(self): pass\nC().m()\n"
        "r = weakref.ref(C, lambda r: print('class', flush=True))\ndel C\ngc.collect()\nprint(1)"
    ),
    "callback of a module": module(
        "import gc, weakref, mine\nmine.f()\nr = weakref.ref(mine, lambda r: print('module'))\n"
        "del mine, sys.modules['mine']\ngc.collect()\nprint(1)"
    ),
    "argv and path": module(
        "class Word(str, Speaks): pass\nsys.argv.append(Word('x'))\nsys.argv = []\n"
        "sys.path.append(Word('y'))\nsys.path = []\natexit.register(print, 1, flush=True)"
    ),
    "generator": calls(
        "try: yield\n    finally: print('closed', flush=True)",
        "def g():\n    suspended = f(); next(suspended); sys.exit(2)\ng()",
    ),
    "generator that goes on": calls(
        "while True:\n        try: yield 1\n        except GeneratorExit: print('no', flush=True)",
        "g = f(); next(g); del g",
    ),
    "asynchronous generator": module(
        "import asyncio\nasync def g():\n    try: yield Held('yielded')\n"
        "    finally: print('closed', flush=True)\n"
        "async def main():\n    async for i in g(): break\nasyncio.run(main())"
    ),
    "coroutine, exit": calls("k = c(); sys.exit(1)", "async def c(): pass\nf()"),
    "coroutine, error": calls("k = c(); 1 / 0", "async def c(): pass\nf()"),
    "coroutine, global": module("async def c(): pass\nk = c()"),
    "class": calls("gc.collect()\n    class C:\n        h = Held('attribute')\n    sys.exit(2)"),
    "list's method": calls("k = [Held('in list')]; a = k.append; a(1); sys.exit(2)"),
    "iterator": calls("k = map(Held, 'ab'); next(k); sys.exit(2)"),
    "context variable": calls(
        "import contextvars; contextvars.ContextVar('v').set(Held('in context')); sys.exit(2)"
    ),
    "resurrection": module(
        "kept = []\nclass D:\n    def __del__(self): kept.append(self); print('del')\nD()"
    ),
    "finalizer fails": module("class D:\n    def __del__(self): 1 / 0\ng = D()"),
    "finalizer interrupted": module(
        "import signal\nclass D:\n    def __del__(self): signal.raise_signal(2)\ng = D()"
    ),
    "unraisable": module(
        "sys.unraisablehook = lambda u: print(u.exc_type, u.err_msg)\n"
        "class D:\n    def __del__(self): 1 / 0\nD()\ng = D()"
    ),
    "__main__ deleted": module("del sys.modules['__main__']\ng = Held('global')\ndel f"),
    "__main__ replaced": module("sys.modules['__main__'] = os\ng = Held('global')"),
    "PYTHONINSPECT": calls("pass", "os.environ['PYTHONINSPECT'] = '1'\ng = Held('global')\nf()"),
}
