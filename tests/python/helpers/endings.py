"""Small programs, each a different way to end, and what of it could differ under a profiler: when
objects are freed, what is printed of that, what hooks and exit functions see, the streams.
"""

from freeings import FREEING, calls, module

EXITS = {
    "0": calls("sys.exit(0)"),
    "3, beside a global": calls(
        "sys.exit(3)", "g = Held('global')\natexit.register(print, 1)\nf()"
    ),
    "None": calls("sys.exit()"),
    "words": calls("sys.exit('words')"),
    "a float": calls("sys.exit(1.5)"),
    "a large number": calls("sys.exit(2**70)"),
    "a surrogate": calls("sys.exit('\\udc80')"),
    "what is held": calls("sys.exit(held)"),
    "a list with what is held": calls("raise SystemExit([1, Held('code')])"),
    "two arguments": calls("raise SystemExit(1, Held('code'))"),
    "text that fails": calls("class O:\n        def __str__(self): 1 / 0\n    sys.exit(O())"),
    "own class": calls("class E(SystemExit, Speaks): pass\n    raise E(5)"),
    "own class, own code": calls("class E(SystemExit): code = 6\n    raise E(5)"),
    "code is computed": calls(
        "class E(SystemExit): code = property(lambda self: print('asked') or 3)\n    raise E(5)"
    ),
    "code fails": calls(
        "class E(SystemExit): code = property(lambda self: 1 / 0)\n    raise E('text')"
    ),
    "nested calls": calls("f(1) if not arguments else sys.exit(2)"),
    "kept": calls("global kept\n    try: sys.exit(3)\n    except SystemExit as e: kept = e; raise"),
    "a traceback kept": calls(
        "global tb\n    try: 1 / 0\n    except Exception as e: tb = e.__traceback__\n"
        "    (lambda inner: sys.exit(2))(Held('inner'))"
    ),
    "a frame kept": calls(
        "global frame\n    frame = sys._getframe(1)\n    (lambda inner: sys.exit(2))(Held('inner'))"
    ),
    "in a handler": calls("try: 1 / 0\n    except ZeroDivisionError: sys.exit(5)"),
    "in a finalizer": module("class D:\n    def __del__(self): sys.exit(3)\nD()\nprint('on')"),
    "in an import": module("import exits"),
    "in a metaclass": module(
        "class M(type):\n    def __init__(c, *a): sys.exit(6)\nclass C(metaclass=M): h = Held()"
    ),
    "in a context manager": calls(
        "with cm(): sys.exit(2)",
        "import contextlib\n@contextlib.contextmanager\ndef cm():\n    try: yield Held('cm')\n"
        "    finally: print('left', flush=True)\nf()",
    ),
    "swallowed": calls("try: sys.exit(2)\n    finally: return 5"),
    "replaced by an error": calls("try: sys.exit(2)\n    finally: 1 / 0"),
    "exit()": calls("exit(4)"),
    "argparse": calls("import argparse; argparse.ArgumentParser(prog='x').parse_args(['--no'])"),
    "sys.last_exc": calls(
        "sys.exit(3)", "atexit.register(lambda: print([n for n in dir(sys) if 'last_' in n]))\nf()"
    ),
    "excepthook seen": calls(
        "sys.exit(3)", "atexit.register(lambda: print(sys.excepthook is sys.__excepthook__))\nf()"
    ),
    "low recursion limit": module("sys.setrecursionlimit(60)\nsys.exit(3)"),
}

ERRORS = {
    "plain": calls("1 / 0"),
    "beside a global": calls("1 / 0", "g = Held('global')\nf()"),
    "own class": calls("class E(Exception, Speaks): pass\n    raise E(5)"),
    "kept": calls("global kept\n    try: 1 / 0\n    except Exception as e: kept = e"),
    "kept and raised": calls(
        "global kept\n    try: 1 / 0\n    except Exception as e: kept = e; raise"
    ),
    "text fails": calls("class E(Exception):\n        def __str__(self): 1 / 0\n    raise E"),
    "cause": calls("try: 1 / 0\n    except ZeroDivisionError as e: raise KeyError(2) from e"),
    "context": calls("try: 1 / 0\n    except ZeroDivisionError: [][1]"),
    "circle of contexts": calls(
        "a, b = ValueError(1), ValueError(2); a.__context__ = b; b.__context__ = a\n    raise a"
    ),
    "group": calls("raise ExceptionGroup('g', [ValueError(1), KeyError(2)])"),
    "group with an exit": calls("raise BaseExceptionGroup('g', [SystemExit(3)])"),
    "no memory": calls("[0] * 2**62"),
    "interrupt": calls("raise KeyboardInterrupt"),
    "interrupt by signal": calls("import signal; signal.raise_signal(2)"),
    "traceback limit": calls("sys.tracebacklimit = 1; 1 / 0"),
    "sys.last_traceback": calls(
        "1 / 0",
        "import traceback\natexit.register(lambda: traceback.print_tb(sys.last_traceback))\nf()",
    ),
    "excepthook seen": calls(
        "1 / 0", "atexit.register(lambda: print(sys.excepthook is sys.__excepthook__))\nf()"
    ),
    "excepthook": calls("1 / 0", "sys.excepthook = lambda *a: print(a[:2], flush=True)\nf()"),
    "excepthook keeps": calls(
        "1 / 0", "kept = []\nsys.excepthook = lambda *a: kept.append(a)\nf()"
    ),
    "excepthook fails": calls(
        "1 / 0", "def hook(*a): h = Held('hook'); [][1]\nsys.excepthook = hook\nf()"
    ),
    "excepthook fails, no stderr": calls(
        "1 / 0", "def hook(*a): [][1]\nsys.excepthook = hook\nsys.stderr = None\nf()"
    ),
    "excepthook exits": calls(
        "1 / 0", "def hook(*a): h = Held('hook'); sys.exit(4)\nsys.excepthook = hook\nf()"
    ),
    "excepthook deleted": calls("1 / 0", "del sys.excepthook\nf()"),
    "excepthook freed": calls(
        "1 / 0",
        "class Hook(Speaks):\n    def __call__(self, *a): print('called', flush=True)\n"
        "sys.excepthook = Hook()\natexit.register(setattr, sys, 'excepthook', None)\nf()",
    ),
    "excepthook sees __file__": calls(
        "1 / 0", "sys.excepthook = lambda *a: print('__file__' in globals())\nf()"
    ),
    "PYTHONINSPECT": calls("os.environ['PYTHONINSPECT'] = '1'; 1 / 0"),
}

EXIT_FUNCTIONS = {
    "fails": calls("sys.exit(1)", "@atexit.register\ndef g():\n    k = Held('k'); 1 / 0\nf()"),
    "exits": calls(
        "sys.exit(1)", "@atexit.register\ndef g():\n    k = Held('k'); sys.exit(7)\nf()"
    ),
    "interrupted": module("@atexit.register\ndef g(): raise KeyboardInterrupt"),
    "registers more": module(
        "@atexit.register\ndef g():\n    atexit.register(print, 'more')\n    atexit.register(f)"
    ),
    "run early": module("atexit.register(print, 1)\natexit._run_exitfuncs()\nprint(2)"),
    "names of __main__": module(
        "atexit.register(lambda: print(sorted(n for n in globals() if n[:2] == '__')))"
    ),
    "names of __main__, exit": module(
        "atexit.register(lambda: print(sorted(n for n in globals() if n[:2] == '__')))\nsys.exit()"
    ),
    "names of __main__, error": module(
        "atexit.register(lambda: print(sorted(n for n in globals() if n[:2] == '__')))\n1 / 0"
    ),
    "modules": module("atexit.register(lambda: print({'json', 're'} & {*sys.modules}))"),
    "os._exit after unflushed output": module("print(1)\natexit.register(os._exit, 3)"),
    "os._exit after unflushed output, error": module(
        "print(1)\natexit.register(os._exit, 3)\n1 / 0"
    ),
    "logging": module(
        "import logging.handlers as h, logging\n"
        "logging.getLogger().addHandler(h.MemoryHandler(9, target=logging.StreamHandler()))\n"
        "logging.warning('x')\nsys.exit(1)"
    ),
}

THREADS = {
    "error": calls(
        "1 / 0", "import threading\nt = threading.Thread(target=f, name='T')\nt.start()\nt.join()"
    ),
    "exit": calls(
        "sys.exit(3)", "import threading\nt = threading.Thread(target=f)\nt.start()\nt.join()"
    ),
    "excepthook": calls(
        "1 / 0",
        "import threading\nthreading.excepthook = lambda a: print(a.exc_type, a.thread.name)\n"
        "t = threading.Thread(target=f, name='T')\nt.start()\nt.join()",
    ),
    "arguments and locals": calls(
        "local.x = Held('of the thread')",
        "import threading\nlocal = threading.local()\n"
        "t = threading.Thread(target=f, args=[Held('argument')])\nt.start()\nt.join()\nprint(1)",
    ),
    "daemon": module(
        "import threading\nready = threading.Event()\n"
        "def g():\n    held = Held('of the thread'); ready.set(); threading.Event().wait()\n"
        "threading.Thread(target=g, daemon=True).start()\nready.wait()\nsys.exit(2)"
    ),
    "outlives an exit": calls(
        "sys.exit(2)",
        "import threading\nmain = threading.main_thread()\n"
        "def g():\n    main.join(); print('__file__' in globals(), flush=True)\n"
        "threading.Thread(target=g).start()\nf()",
    ),
    "outlives the end": module(
        "import threading\nmain = threading.main_thread()\n"
        "def g():\n    main.join(); print('__file__' in globals(), flush=True)\n"
        "threading.Thread(target=g).start()"
    ),
    "executor": calls(
        "print(1)",
        "from concurrent.futures import ThreadPoolExecutor\ne = ThreadPoolExecutor(1)\n"
        "for i in range(3): e.submit(f)\nsys.exit(1)",
    ),
    "tasks": module(
        "import asyncio\nasync def g(): 1 / 0\nasync def main():\n    held = Held('in main')\n"
        "    k = asyncio.create_task(g()); await asyncio.sleep(0); await asyncio.sleep(0)\n"
        "asyncio.run(main())"
    ),
    "task cancelled": module(
        "import asyncio\nasync def main():\n    held = Held('in main')\n"
        "    asyncio.current_task().cancel(); await asyncio.sleep(0)\nasyncio.run(main())"
    ),
    "exit in asyncio": module(
        "import asyncio\nasync def main():\n    held = Held('in main'); sys.exit(4)\n"
        "asyncio.run(main())"
    ),
    "interrupt in asyncio": module(
        "import asyncio, signal\nasync def main():\n    held = Held('in main')\n"
        "    signal.raise_signal(2); await asyncio.sleep(10)\nasyncio.run(main())"
    ),
}

PROCESSES = {
    "SIGTERM": calls("os.kill(os.getpid(), 15)", "g = Held('global')\nf()"),
    "handler exits": calls(
        "os.kill(os.getpid(), 15)",
        "import signal\nsignal.signal(15, lambda n, f: sys.exit(n))\nf()",
    ),
    "SIGABRT": calls("os.abort()"),
    "os._exit": calls("os._exit(4)", "g = Held('global')\nf()"),
    "exec": calls("os.execv(sys.executable, ['python', '-c', 'print(5)'])"),
    "child exits": calls(
        "if os.fork() == 0:\n"
        "        atexit.register(lambda: print(sys.excepthook is sys.__excepthook__, flush=True))\n"
        "        sys.exit(3)\n    print(os.wait()[1], flush=True)",
        "g = Held('global')\nf()",
    ),
    "child fails": calls("if os.fork() == 0: 1 / 0\n    print(os.wait()[1], flush=True)"),
    "child's os._exit": calls(
        "if os.fork() == 0: os._exit(3)\n    print(os.wait()[1], flush=True)"
    ),
    "multiprocessing": calls(
        "sys.exit(3)",
        "import multiprocessing as m\np = m.get_context('fork').Process(target=f)\np.start()\n"
        "p.join()\nprint(p.exitcode)",
    ),
    "interpreter": module(
        "try: import _interpreters as i\nexcept ImportError: import _xxsubinterpreters as i\n"
        "i.run_string(i.create(), 'print(1)')"
    ),
}

STREAMS = {
    "stdout closed by number": module("print('x')\nos.close(1)"),
    "stdout is None": module("print('x')\nsys.stdout = None"),
    "stdout deleted": module("print('x')\ndel sys.stdout"),
    "stderr deleted": calls("del sys.stderr; 1 / 0"),
    "stdout replaced": module(
        "class O:\n    def write(self, s): os.write(1, s.upper().encode())\n"
        "    def flush(self): os.write(2, b'flush\\n')\nsys.stdout = O()\nprint('x')"
    ),
    "stdout fails": module(
        "class O:\n    def write(self, s): os.write(1, s.encode())\n"
        "    def flush(self): 1 / 0\nsys.stdout = O()\nprint('x')"
    ),
    "stderr replaced": module(
        "class O:\n    def write(self, s): os.write(2, s.upper().encode())\n"
        "    def flush(self): os.write(2, b'flush\\n')\nsys.stderr = O()\n1 / 0"
    ),
    "stdin closed": module("sys.stdin.close()\nsys.exit(3)"),
    "broken pipe": module("r, w = os.pipe()\nos.close(r)\nos.dup2(w, 1)\nprint('x')"),
    "full": module("os.dup2(os.open('/dev/full', os.O_WRONLY), 1)\nprint('x')"),
    "unwritten": calls("k = open('text', 'w'); k.write('x'); sys.exit(3)")
    + "atexit.register(lambda: os.write(1, open('text', 'rb').read()))\n",
}

TOOLS = {
    "sys.settrace": module("sys.settrace(lambda f, e, a: print(e, f.f_code.co_name))"),
    "sys.settrace, exit": module(
        "sys.settrace(lambda f, e, a: print(e, f.f_code.co_name))\nexit()"
    ),
    "threading.setprofile": module(
        "import threading\nthreading.setprofile(lambda f, e, a: None)\n"
        "t = threading.Thread(target=int)\nt.start()\nt.join()"
    ),
    "sys.monitoring": module(
        "m = getattr(sys, 'monitoring', None)\nif m:\n    m.use_tool_id(1, 'x')\n"
        "    m.register_callback(1, m.events.PY_START, lambda c, i: print(c.co_name))\n"
        "    m.set_events(1, m.events.PY_START)"
    ),
    "faulthandler": calls("import faulthandler; faulthandler.enable(); sys.exit(1)"),
    "audit": calls(
        "sys.exit(1)", "sys.addaudithook(lambda e, a: e[:7] == 'cpython' and print(e))\nf()"
    ),
}

PROGRAMS = {
    f"{kind}: {name}": text
    for kind, programs in {
        "exit": EXITS,
        "error": ERRORS,
        "freeing": FREEING,
        "exit function": EXIT_FUNCTIONS,
        "thread": THREADS,
        "process": PROCESSES,
        "stream": STREAMS,
        "tool": TOOLS,
    }.items()
    for name, text in programs.items()
}

# With options of the interpreter: the options, and the program.
WITH_FLAGS = {
    "file": ("-Wd", calls("k = open(os.devnull); sys.exit(3)")),
    "file, error": ("-Wd", calls("k = open(os.devnull); 1 / 0")),
    "file, global": ("-Wd", calls("global k\n    k = open(os.devnull)")),
    "file in a circle": ("-Wd", calls("gc.collect(); held.me, held.k = held, open(os.devnull)")),
    "socket": ("-Wd", calls("import socket; k = socket.socket(); sys.exit(3)")),
    "database": (  # which is garbage, so no collection must be near
        "-Wd",
        calls("import sqlite3, string; gc.collect(); k = sqlite3.connect(':memory:'); sys.exit(2)"),
    ),
    "temporary folder": (
        "-Wignore",
        calls("import tempfile; k = tempfile.TemporaryDirectory(); print(1); sys.exit(2)"),
    ),
    "development mode": ("-Xdev", calls("k = open(os.devnull); sys.exit(3)")),
    "warning as error": ("-We", calls("import warnings; warnings.warn('w'); sys.exit(1)")),
    "warning of a finalizer": (
        "-Wd",
        module("import warnings\nclass D:\n    def __del__(self): warnings.warn('w')\nd = D()"),
    ),
    "interactive, exit": ("-iq", calls("sys.exit(3)")),
    "interactive, computed code": (
        "-iq",
        calls("class E(SystemExit): code = property(lambda self: 1 / 0)\n    raise E('text')"),
    ),
    "interactive, error": ("-iq", calls("1 / 0")),
    "interactive, end": ("-iq", module("g = Held('global')")),
}

# Modules that the programs import.
BESIDE = {
    "mine.py": "x = 1\ndef f(): pass\n",
    "exits.py": "import sys\nclass D:\n    def __del__(self): print('D', flush=True)\n"
    "d = D()\nsys.exit(8)\n",
}
