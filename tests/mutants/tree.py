"""A private copy of the sources, built: mutants are made and tested in it.

The commands that make the extension and the Check program are read off one run of setup.py. After
that, only what a change touches is compiled. changes.py has the changes, reach.py the tests.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

CFLAGS = "-O1 -UNDEBUG -MMD"  # asserts are among what notices, as in `make san`
CHECK_FLAGS = "-std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -MMD"


def copy_of(sources: Path, place: Path) -> Tree:
    """Copies the files that git sees, as they are now, and builds them, unless that is done."""
    if not (place / "made").exists():
        shutil.rmtree(place, ignore_errors=True)
        listed = ["git", "-C", str(sources), "ls-files", "-z", "--cached", "--others"]
        names = subprocess.run([*listed, "--exclude-standard"], stdout=subprocess.PIPE, check=True)
        for name in filter(None, os.fsdecode(names.stdout).split("\0")):
            if (sources / name).is_file():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(sources / name, place / name)
        asked = ["git", "-C", str(sources), "rev-parse", "--short", "HEAD"]
        commit = subprocess.run(asked, stdout=subprocess.PIPE, check=True).stdout
        build_first(place, commit)
    return Tree(place)


def twin_of(tree: Tree, place: Path) -> Tree:
    """The same sources in a second place, built there, if that is not done."""
    if not (place / "made").exists():
        shutil.rmtree(place, ignore_errors=True)
        built = shutil.ignore_patterns("build", ".venv", "__pycache__", "*.so", "made")
        shutil.copytree(tree.place, place, ignore=built)
        build_first(place, (tree.place / "made").read_bytes())
    return Tree(place)


def build_first(place: Path, commit: bytes) -> None:
    environment = {**os.environ, "MAKEFLAGS": "", "VENV": ".venv"}
    make = ["make", "-s", "build", f"PYTHON={sys.executable}"]
    subprocess.run(make, cwd=place, env=environment, check=True)
    Tree(place).make()
    (place / "made").write_bytes(commit)


class Tree:
    """The copy at `place`. Methods take paths relative to that."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.python = str(place / ".venv/bin/python")
        self.log = place / "build/commands"
        self.check = place / "build/check/check"
        self.spare = place / "build/spare"
        self.package = place / "python/tracer"

    def make(self) -> None:
        """Builds all as it is to be tested, and keeps that for put_back()."""
        self.build(CFLAGS)
        self.check.parent.mkdir(parents=True, exist_ok=True)
        for command in [*self.check_commands(), self.check_link({})]:
            self.run(command, check=True)
        # A process takes such a .pyc file only if its source is still the same.
        compiling = ["-m", "compileall", "-q", "-f", "--invalidation-mode", "checked-hash"]
        self.run([self.python, *compiling, str(self.package)], check=True)
        self.keep()

    def build(self, cflags: str, link_with: str = "") -> None:
        """Builds the extension, and keeps the commands that it took."""
        environment = {**os.environ, "CFLAGS": cflags, "LDFLAGS": link_with, "TRACER_WERROR": "1"}
        for old in (self.place / "build").glob("temp.*"):
            shutil.rmtree(old)  # --force does not reach the core
        setup = [self.python, "setup.py", "build_ext", "--force"]
        said = self.run([*setup, "--inplace"], env=environment, check=True, stdout=subprocess.PIPE)
        lines = [line for line in said.stdout.splitlines() if " -o " in line]
        self.log.write_text("\n".join(lines) + "\n")

    def run(self, command, **options) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.place, text=True, **options)

    def backends(self) -> list[str]:
        """The back ends that the extension has, the best first."""
        asked = [self.python, "-c", "from tracer._core import BACKENDS; print(*BACKENDS)"]
        return self.run(asked, check=True, stdout=subprocess.PIPE).stdout.split()

    # -- The commands ----------------------------------------------------------------------------

    def extension_commands(self) -> list[list[str]]:
        """The commands that compile each source of the extension; the last one links it. Not those
        of the preloaded library, which is no part of it."""
        lines = self.log.read_text().splitlines()
        return [shlex.split(line) for line in lines if "preload" not in line]

    def check_commands(self) -> list[list[str]]:
        """The commands that compile each suite of the core."""
        compiler = self.extension_commands()[0]
        paths = [word for word in compiler if word.startswith("-I")]
        start = [compiler[0], *shlex.split(CHECK_FLAGS), *paths, "-Iext", "-UNDEBUG", "-c"]
        sources = sorted((self.place / "tests/core").glob("*.c"))
        return [[*start, str(path), "-o", f"build/check/{path.stem}.o"] for path in sources]

    def check_link(self, replaced: dict[str, str]) -> list[str]:
        """The command that links the Check program, with some objects replaced by others."""
        suites = [after(command, "-o") for command in self.check_commands()]
        objects = [replaced.get(path, path) for path in [*suites, *self.core_objects()]]
        return ["cc", *objects, "-o", str(self.check), *check_libraries(), "-pthread"]

    def core_objects(self) -> list[str]:
        objects = (after(command, "-o") for command in self.extension_commands()[:-1])
        return [path for path in objects if "/core/" in path]

    def extension_link(self, replaced: dict[str, str]) -> list[str]:
        words = self.extension_commands()[-1]
        replaced = {**replaced, after(words, "-o"): str(self.extension)}
        objects = [replaced.get(word, word) for word in words if word != "-ltracercore"]
        return [*objects, *(replaced.get(path, path) for path in self.core_objects())]

    @property
    def extension(self) -> Path:
        return self.package / Path(after(self.extension_commands()[-1], "-o")).name

    # -- One change ------------------------------------------------------------------------------

    def compiled_lines(self, path: str) -> set[int]:
        """The lines of a C file of which the preprocessor leaves something on this machine."""
        seen: set[int] = set()
        for command in self.commands_of(path)[:1]:
            cut = command.index("-o")
            words = [word for word in [*command[:cut], *command[cut + 2 :]] if word != "-MMD"]
            words[words.index("-c")] = "-E"
            said = self.run(words, check=True, stdout=subprocess.PIPE).stdout
            here, number = "", 0
            for line in said.splitlines():
                if line.startswith("# "):
                    number, here = int(line.split()[1]), line.split('"')[1]
                    continue
                if line.strip() and here == path:
                    seen.add(number)
                number += 1
        return seen

    def commands_of(self, path: str) -> list[list[str]]:
        """The commands that compile what a C file is part of."""
        return [
            command
            for command in [*self.extension_commands()[:-1], *self.check_commands()]
            if path in (self.place / after(command, "-o")).with_suffix(".d").read_text().split()
        ]

    def remake(self, path: str) -> str:
        """Builds what a changed C file is part of: "built", or "refused" by the compiler, or "same"
        as before to the last byte."""
        self.spare.mkdir(exist_ok=True)
        replaced, same = {}, True
        for command in self.commands_of(path):
            old = after(command, "-o")
            new = str(self.spare / old.replace("/", "-"))
            words = [new if word == old else word for word in command if word != "-MMD"]
            if self.run(words, stderr=subprocess.DEVNULL).returncode != 0:
                return "refused"
            same = same and Path(new).read_bytes() == (self.place / old).read_bytes()
            replaced[old] = new
        if same:
            return "same"
        self.run(self.extension_link(replaced), check=True)
        if path.startswith("ext/core/"):
            self.run(self.check_link(replaced), check=True)
        return "built"

    def keep(self) -> None:
        """Keeps the files as they are now, for put_back()."""
        original = self.place / "build/original"
        shutil.rmtree(original, ignore_errors=True)
        for path in self.kept():
            (original / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.place / path, original / path)

    def kept(self) -> list[str]:
        sources = [*(self.place / "ext").rglob("*.[ch]"), *self.package.rglob("*.py")]
        built = [self.extension, self.check]
        return [str(path.relative_to(self.place)) for path in [*sources, *built]]

    def take_tests(self, sources: Path) -> list[str]:
        """Takes the tests of these sources. Returns the files of Python tests that have changed."""
        changed = []
        for path in sorted((sources / "tests").rglob("*.*")):
            name = str(path.relative_to(sources))
            mine = self.place / name
            if path.suffix in (".py", ".c", ".h") and not (mine.exists() and same(path, mine)):
                mine.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, mine)
                changed.append(name)
        if any(name.startswith("tests/core/") for name in changed):
            self.make()
        return [name for name in changed if re.fullmatch("tests/python/.*/test_[^/]*[.]py", name)]

    def put_back(self, path: str = "") -> None:
        """Undoes the change of a file, or whatever was changed."""
        built = [str(one.relative_to(self.place)) for one in (self.extension, self.check)]
        for name in self.kept() if not path else [path, *([] if path.endswith(".py") else built)]:
            (self.place / name).unlink(
                missing_ok=True
            )  # a program that still runs keeps the old file
            shutil.copy2(self.place / "build/original" / name, self.place / name)


def same(one: Path, other: Path) -> bool:
    return one.read_bytes() == other.read_bytes()


def after(words: list[str], option: str) -> str:
    return words[words.index(option) + 1]


def check_libraries() -> list[str]:
    asked = ["pkg-config", "--libs", "check"]
    try:
        return subprocess.run(asked, text=True, stdout=subprocess.PIPE, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return ["-lcheck"]
