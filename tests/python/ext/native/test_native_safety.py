"""Native sampling beside what programs do: forks, threads that end, signals, libraries that come
and go, code that is in no file. Each works as without it."""

import ctypes
import faulthandler
import mmap
import os
import platform
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import zlib

import pytest

import tracer
from places import HELPERS
from sampled import DATA, ENOUGH, NEEDS_SAMPLES, at, compress, places, record, spin
from tracer.data.samples import NOWHERE, samples_of

pytestmark = NEEDS_SAMPLES
COMPRESS = "<built-in method zlib.compress>"
X86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the code is of x86-64")


def run(source, *, check=True, **options):
    """Runs a program in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True, text=True, timeout=120, **options,
    )  # fmt: skip
    assert not check or done.returncode == 0, done.stderr
    return done


def test_a_fork_has_samples_of_its_own():
    done = run(
        """
        import os, time, tracer
        def signals():
            return profile.capture().native.signals
        def spin_until(count):
            while signals() < count:
                until = time.thread_time() + 0.1
                while time.thread_time() < until:
                    pass
        profile = tracer.Profile(native=200)
        profile.enable()
        spin_until(50)
        child = os.fork()
        before = signals()
        spin_until(before + 10)
        profile.disable()
        if child == 0:
            (thread,) = profile.capture().threads
            own = signals() <= thread.native_cpu * 200 + 2
            os._exit(0 if own and before < 50 else 1)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        assert before >= 50, before
        """
    )
    # 3.13 counts the threads when the fork is over, and tracer's own has begun again.
    assert done.stderr == "" or sys.version_info[:2] == (3, 13)


def test_a_program_that_is_executed_gets_no_signal():
    for _ in range(5):
        done = run(
            """
            import os, sys, time, tracer
            profile = tracer.Profile(native=1000)
            profile.enable()
            until = time.thread_time() + 0.05
            while time.thread_time() < until:
                pass
            os.execv(sys.executable, [sys.executable, "-c", "print(sum(range(3000000)))"])
            """
        )
        assert done.stdout == "4499998500000\n"


def test_children_get_no_signal():
    def start():
        for _ in range(5):
            words = [sys.executable, "-c", "print(sum(range(3000000)))"]
            assert subprocess.check_output(words) == b"4499998500000\n"
            spin(0.02)

    assert record(start, signals=5).native.signals >= 5


def test_threads_that_come_and_go():
    def come_and_go():
        for _ in range(50):
            threads = [threading.Thread(target=compress, args=(0.002,)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    native = record(come_and_go, signals=20).native
    assert native.signals >= 20
    assert native.lost == 0


def test_threads_with_small_stacks():
    before = threading.stack_size(64 << 10)
    try:
        capture = record(lambda: [spin_in_thread() for _ in range(3)])
    finally:
        threading.stack_size(before)
    assert sum(at(capture, "compress").values()) + sum(at(capture, COMPRESS).values()) >= 20


def spin_in_thread():
    thread = threading.Thread(target=compress, args=(0.1,))
    thread.start()
    thread.join()


def test_a_handler_of_the_programs_for_sigprof_is_called_as_often_as_without():
    calls = []
    before = signal.signal(signal.SIGPROF, lambda *_: calls.append(1))

    def spin_with_timer():
        until = len(calls) + 8
        signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
        while len(calls) < until:  # on a busy machine several come together
            spin(0.05)
        signal.setitimer(signal.ITIMER_PROF, 0)

    begin = time.process_time()
    try:
        capture = record(spin_with_timer, signals=20)
    finally:
        signal.signal(signal.SIGPROF, before)
    # The kernel's timer counts CPU time in its ticks. The samples would be twenty calls more.
    assert len(calls) <= (time.process_time() - begin) / 0.01 + 6
    assert capture.native.signals >= 20


def test_a_thread_that_blocks_signals_is_told():
    def blocked():
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        compress()

    def both():
        thread = threading.Thread(target=blocked, name="deaf")
        thread.start()
        thread.join()

    native = record(both, signals=0).native
    assert native.refused == (("deaf", "it blocks signals"),)


def test_system_calls_are_not_cut_short():
    """poll() of the C library, which does not try again as Python's own functions do."""
    poll = ctypes.CDLL(None, use_errno=True).poll

    def wait():
        for _ in range(60):
            spin(0.006)
            ctypes.set_errno(0)
            assert poll(None, 0, 1) == 0
            assert ctypes.get_errno() == 0

    assert record(wait, signals=20).native.signals >= 20


def test_the_stack_of_a_signal_handler():
    faulthandler.enable()  # has a stack of its own for its handlers
    capture = record(compress)
    assert sum(at(capture, COMPRESS).values()) >= 40


@X86_64
def test_code_that_is_in_no_file():
    # mov ecx, edi; 1: dec rcx; jnz 1b; ret
    code = bytes.fromhex("89f948ffc975fbc3")
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    loop = ctypes.CFUNCTYPE(None, ctypes.c_uint32)(place)

    def call():
        until = time.thread_time() + ENOUGH
        while time.thread_time() < until:
            loop(20_000_000)

    capture = record(call)
    assert sum(at(capture, "call").values()) >= 40
    frames = {
        f for s in samples_of(capture.threads[0].native) for f in capture.native.frames_of(s.stack)
    }
    assert any(frame.module == NOWHERE for frame in frames)


def test_a_library_that_is_unloaded_keeps_its_names(tmp_path):
    compiler = os.environ.get("CC") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    for name in ("first", "second"):
        source = tmp_path / f"{name}.c"
        source.write_text(
            f"void run_{name}(void) {{ for (volatile long i = 0; i < 300000000; i++) {{ }} }}"
        )
        words = [compiler, "-O1", "-shared", "-fPIC", source, "-o", tmp_path / f"{name}.so"]
        subprocess.run(words, check=True)
    closing = ctypes.CDLL(None).dlclose
    closing.argtypes = [ctypes.c_void_p]

    def load_both():
        for name in ("first", "second"):  # the second gets the place of the first
            library = ctypes.CDLL(str(tmp_path / f"{name}.so"))
            getattr(library, f"run_{name}")()
            closing(library._handle)

    found = places(record(load_both, signals=20))
    for name in ("first", "second"):
        there = [p for p in found if f"run_{name}" in p.functions]
        assert sum(found[p] for p in there) >= 5
        assert all(p.libraries[-1] == str(tmp_path / f"{name}.so") for p in there)


def test_where_timers_are_forbidden_that_is_told():
    """By a seccomp filter, which answers timer_create() with EPERM, as containers have them."""
    number = {"x86_64": 222, "aarch64": 107}[platform.machine()]
    done = run(
        f"""
        import ctypes, struct, threading, tracer
        libc = ctypes.CDLL(None)
        def filtered(*rules):
            code = b"".join(struct.pack("HBBI", *rule) for rule in rules)
            place = ctypes.create_string_buffer(code)
            header = struct.pack("HxxxxxxP", len(rules), ctypes.addressof(place))
            program = ctypes.create_string_buffer(header)
            assert libc.prctl(38, 1, 0, 0, 0) == 0
            assert libc.prctl(22, 2, program) == 0
        # Load the number of the system call; if it is this one, answer EPERM, else allow it.
        load, unless, answer = 0x20, 0x15, 0x06
        eperm = answer, 0, 0, 0x00050001
        allowed = answer, 0, 0, 0x7FFF0000
        filtered((load, 0, 0, 0), (unless, 0, 1, {number}), eperm, allowed)
        profile = tracer.Profile(native=True)
        profile.runcall(sum, range(3000000))
        native = profile.capture().native
        assert native.signals == 0
        assert native.refused == (("MainThread", "Operation not permitted"),), native.refused
        """
    )
    assert done.stderr == ""


def test_without_a_free_signal_it_is_refused():
    done = run(
        """
        import signal, tracer
        for number in range(signal.SIGRTMIN, signal.SIGRTMAX + 1):
            signal.signal(number, lambda *_: None)
        profile = tracer.Profile(native=True)
        try:
            profile.enable()
        except RuntimeError as error:
            print(error)
        profile.disable()
        """
    )
    assert done.stdout == (
        "native code cannot be sampled: the program has handlers for all real-time signals\n"
    )


WITHOUT_SIGNALS = """
    import os, signal, sys, time, tracer
    def spin():
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            pass
    profile = tracer.Profile(native=True)
    profile.enable()
    spin()
    for number in range(signal.SIGRTMIN, signal.SIGRTMAX + 1):
        signal.signal(number, lambda *_: None)
"""


def test_clear_without_a_free_signal_is_refused():
    done = run(
        WITHOUT_SIGNALS
        + """
    before = profile.capture()
    try:
        profile.clear()
    except RuntimeError as error:
        print(error)
    after = profile.capture()
    print(profile.enabled, before.native.signals == after.native.signals)
    print({f.name for f in before.functions} <= {f.name for f in after.functions})
    profile.disable()
    profile.clear()
    print(profile.capture().functions)
"""
    )
    assert done.stdout == (
        "native code cannot be sampled: the program has handlers for all real-time signals\n"
        "True True\nTrue\n()\n"
    )


def test_a_child_without_a_free_signal_is_told_and_has_its_own_calls():
    done = run(
        WITHOUT_SIGNALS
        + """
    def called():
        pass
    called()
    sys.unraisablehook = lambda what: print(what.exc_value)
    child = os.fork()
    if child == 0:
        called()
        profile.disable()
        print([e.callcount for e in profile.getstats() if e.code is called.__code__])
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    profile.disable()
"""
    )
    assert done.stdout == (
        "native code cannot be sampled: the program has handlers for all real-time signals\n[1]\n"
    )


def test_a_stripped_interpreter(tmp_path):
    """Where the code that runs Python code has no name, and was taken apart by the compiler."""
    strip = shutil.which("strip")
    if strip is None:
        pytest.skip("there is no strip")
    real = os.path.realpath(sys.executable)
    libraries = subprocess.run(["ldd", real], capture_output=True, text=True).stdout.split()
    for file in [real, *(word for word in libraries if "/libpython" in word)]:
        shutil.copy(file, tmp_path)
        subprocess.run([strip, tmp_path / os.path.basename(file)], check=True)
    stripped = tmp_path / os.path.basename(real)
    source = """
        import os, sys, time, zlib, tracer
        sys.path.insert(0, os.environ["TESTS"])
        from sampled import at, compress, record
        capture = record(compress)
        assert not any("evalframe" in f.function.name.lower() for f in capture.native.frames)
        found = at(capture, "<built-in method zlib.compress>")
        assert sum(found.values()) >= 40
        assert max(len(place.functions) for place in found) < 15
        assert capture.native.cut <= 0.03 * capture.native.signals + 2
    """
    folder = os.path.dirname(tracer.__file__)
    paths = os.pathsep.join(
        [os.path.dirname(folder), *(p for p in sys.path if "site-packages" in p)]
    )
    environment = {
        **os.environ, "PYTHONHOME": sys.base_prefix, "PYTHONPATH": paths,
        "TESTS": str(HELPERS), "LD_LIBRARY_PATH": str(tmp_path),
    }  # fmt: skip
    done = subprocess.run(
        [stripped, "-c", textwrap.dedent(source)],
        capture_output=True, text=True, env=environment, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_profile_that_is_dropped_while_it_samples():
    for _ in range(30):
        profile = tracer.Profile(native=1000)
        profile.enable()
        zlib.compress(DATA)
        del profile
    assert sum(places(record(spin)).values()) >= 20
