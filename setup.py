"""Builds tracer._core: the core on its own, as a static library, then the extension on top of it.
And, for Linux with glibc, the library that is preloaded for the memory of C code.

The core is compiled without any Python include path and its symbols are checked, so that it stays
free of Python. What is no matter of building C (metadata, tools) is in pyproject.toml.
"""

import glob
import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_clib import build_clib
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

CORE = sorted(glob.glob("ext/core/*/*.c"))
PRELOAD = "ext/preload/preload.c"
REST = sorted(set(glob.glob("ext/*/*.c")) - {PRELOAD})
CORE_HEADERS = sorted(glob.glob("ext/core/*/*.h"))
PRELOADED = "tracer.libtracer_preload"
HEADERS = sorted([*glob.glob("ext/*/*.h"), *CORE_HEADERS])

UTHASH_PREFIXES = ["/opt/homebrew/include", "/usr/local/include", "/opt/local/include"]

# What the sdist holds beyond what setuptools finds by itself: enough to run the tests from it.
SDIST_RULES = [
    "include CHANGELOG.md CONTRIBUTING.md Makefile .clang-format",
    "recursive-include ext *.h *.md",
    "recursive-include python/tracer *.md",
    "recursive-include python/tracer/page *.json",
    "graft docs",
    "graft tests",
    "graft benchmarks",
    "global-exclude __pycache__/* *.py[cod] *.so",
]


def refuse(sentence):
    """Ends the build with one sentence and no traceback."""
    raise SystemExit(f"tracer: {sentence}")


def check_interpreter():
    if sys.platform == "win32":
        refuse("Windows is not supported: use Linux or macOS (WSL is fine).")
    if sys.implementation.name != "cpython" or sys.version_info < (3, 11):
        version = ".".join(map(str, sys.version_info[:3]))
        refuse(f"needs CPython 3.11 or newer; this is {sys.implementation.name} {version}.")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        refuse("free-threaded builds of CPython are not supported: use a build with the GIL.")


def check_python_headers(include_dirs):
    if not any(os.path.exists(os.path.join(path, "Python.h")) for path in include_dirs):
        version = "{}.{}".format(*sys.version_info)
        refuse(
            f"Python.h of Python {version} is missing: install it with 'apt install "
            f"python{version}-dev' (Debian), 'dnf install python3-devel' (Fedora) or "
            f"'brew install python@{version}' (macOS)."
        )


def compiles(compiler, source, *flags):
    command = [*compiler.compiler_so, "-x", "c", "-fsyntax-only", *flags, "-"]
    try:
        return subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0
    except FileNotFoundError:
        refuse(
            f"the C compiler {command[0]} is missing: install one with 'apt install gcc' "
            "(Debian), 'dnf install gcc' (Fedora) or 'xcode-select --install' (macOS)."
        )


def uthash_include_dirs(compiler):
    """The include path that uthash.h needs: none where the compiler finds it by itself."""
    source = "#include <uthash.h>\n"
    chosen = os.environ.get("UTHASH_INCLUDE")
    if chosen:
        if compiles(compiler, source, "-I", chosen):
            return [chosen]
        refuse(f"UTHASH_INCLUDE is {chosen}, which holds no usable uthash.h.")
    if compiles(compiler, source):
        return []
    for path in UTHASH_PREFIXES:
        if compiles(compiler, source, "-I", path):
            return [path]
    refuse(
        "uthash.h is missing: install it with 'apt install uthash-dev' (Debian), 'dnf install "
        "uthash-devel' (Fedora) or 'brew install uthash' (macOS), or set UTHASH_INCLUDE to its "
        "folder."
    )


def has_glibc():
    """Whether the C library is glibc, for which alone the preloaded library is made."""
    try:
        return sys.platform == "linux" and bool(os.confstr("CS_GNU_LIBC_VERSION"))
    except (OSError, ValueError):
        return False


def c_flags():
    flags = ["-std=c11", "-Wall", "-Wextra", "-fvisibility=hidden"]
    if sys.platform == "linux":
        flags.append("-fno-plt")  # saves a jump for each call of the interpreter
    # An optimization level asked for by the user stands behind the interpreter's own, so it wins.
    if "-O" not in os.environ.get("CFLAGS", ""):
        flags.append("-O2")
    # Not for users: the warnings of a compiler newer than this release must not break their build.
    if os.environ.get("TRACER_WERROR") == "1":
        flags.append("-Werror")
    return flags


def spread(compiler):
    """Has it compile as many files at once as there are cores; by itself it takes one at a time."""
    compile_all = compiler.compile

    def compile_each(sources, *args, **kwargs):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda source: compile_all([source], *args, **kwargs), sources)
            return [name for names in found for name in names]

    compiler.compile = compile_each


def drop_what_is_gone(archive, sources):
    """Removes an archive that holds the object of a source which is gone, or has another name now:
    ar only adds, so it would stay, and define the same twice."""
    if not os.path.exists(archive):
        return
    listing = subprocess.run([os.environ.get("AR", "ar"), "t", archive], capture_output=True)
    held = {os.path.splitext(name)[0] for name in os.fsdecode(listing.stdout).split()}
    now = {os.path.splitext(os.path.basename(source))[0] for source in sources}
    if {name for name in held if not name.startswith("__")} - now:  # macOS has a table in there
        os.remove(archive)


def check_symbols(archive):
    """The layer rule at link level: nothing of Python is defined in, or wanted by, the core."""
    nm = os.environ.get("NM", "nm")
    if shutil.which(nm) is None:
        print(f"tracer: {nm} is missing, so the core's symbols were NOT checked", file=sys.stderr)
        return
    listing = subprocess.run([nm, archive], text=True, capture_output=True, check=True).stdout
    names = {line.split()[-1] for line in listing.splitlines() if line.strip()}
    python = sorted(name for name in names if "Py" in name)
    if python:
        refuse(f"the core must know nothing of Python, but {archive} names {', '.join(python)}.")


class Build(build):
    """Builds the C first, so that what it lacks is said before a screenful of copied files."""

    sub_commands = sorted(build.sub_commands, key=lambda command: command[0] == "build_py")


class BuildCore(build_clib):
    """Builds libtracercore.a."""

    def build_libraries(self, libraries):
        spread(self.compiler)
        for name, build_info in libraries:
            archive = self.compiler.library_filename(name, output_dir=self.build_clib)
            drop_what_is_gone(archive, build_info["sources"])
            build_info["include_dirs"] = ["ext", *uthash_include_dirs(self.compiler)]
            build_info["macros"] = [("_POSIX_C_SOURCE", "200809L")]
            build_info["cflags"] = c_flags()
        super().build_libraries(libraries)
        for name, _ in libraries:
            archive = self.compiler.library_filename(name, output_dir=self.build_clib)
            check_symbols(archive)


class BuildExtension(build_ext):
    """Builds tracer._core and links it with the core; and the preloaded library, which is no module
    of Python's."""

    def run(self):
        check_python_headers(self.include_dirs)
        self.run_command("build_clib")
        super().run()

    def finalize_options(self):
        super().finalize_options()
        if not has_glibc():
            self.extensions = [ext for ext in self.extensions if ext.name != PRELOADED]

    def get_ext_filename(self, fullname):
        if fullname in (PRELOADED, PRELOADED.rpartition(".")[2]):
            return f"{fullname.replace('.', os.sep)}.so"
        return super().get_ext_filename(fullname)

    def build_extension(self, ext):
        if ext.name == PRELOADED:
            ext.include_dirs.append("ext")
            ext.extra_compile_args += [flag for flag in c_flags() if flag != "-fno-plt"]
            super().build_extension(ext)
            return
        ext.include_dirs += ["ext", *uthash_include_dirs(self.compiler)]
        ext.extra_compile_args += c_flags()
        spread(self.compiler)
        super().build_extension(ext)


class SourceDistribution(sdist):
    def make_distribution(self):
        for rule in SDIST_RULES:
            self.filelist.process_template_line(rule)
        super().make_distribution()


check_interpreter()
setup(
    libraries=[
        ("tracercore", {"sources": CORE, "obj_deps": {"": ["setup.py", *CORE_HEADERS]}}),
    ],
    ext_modules=[
        Extension("tracer._core", REST, depends=["setup.py", *CORE, *HEADERS]),
        Extension(PRELOADED, [PRELOAD], depends=["setup.py", "ext/preload/preload.h"]),
    ],
    cmdclass={
        "build": Build,
        "build_clib": BuildCore,
        "build_ext": BuildExtension,
        "sdist": SourceDistribution,
    },
)
