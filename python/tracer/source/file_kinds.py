"""The kind of file that code is from, told by the path alone: profiles are read elsewhere, too.

The command loads this module before the program starts, so it imports nothing. modules.py makes
the names of modules.
"""

from __future__ import annotations

OWN, LIBRARY, SITE, BUILTIN = KINDS = ("own", "library", "site", "builtin")
SITE_FOLDERS = ("site-packages", "dist-packages")
LIBRARY_FOLDERS = ("lib", "lib64")
# The files of code that the user typed, as in a notebook's cell. All other code without a file is
# made of a text by some library.
TYPED = ("<stdin>", "<console>", "<ipython", "<python-input", "<doctest", "<cell", "<timeit")


def place_of(file: str) -> tuple[str, list[str]]:
    """(kind of a file, parts of its path): a library's parts start below its place of installation,
    an own file's at the root."""
    if file in ("~", ""):
        return BUILTIN, []
    if file.startswith("<"):  # made by exec(), or frozen into the interpreter
        if file.startswith("<frozen ") and file.endswith(">"):
            return LIBRARY, file[len("<frozen ") : -1].split(".")
        return OWN, [file]
    parts = [part for part in file.replace("\\", "/").split("/") if part not in ("", ".")]
    for position in range(len(parts) - 2, -1, -1):
        if parts[position] in SITE_FOLDERS:
            return SITE, parts[position + 1 :]
    for position, folder in enumerate(parts[:-2]):
        if folder in LIBRARY_FOLDERS and is_of_python(parts[position + 1]):
            return LIBRARY, [part for part in parts[position + 2 :] if part != "lib-dynload"]
    return OWN, parts


def is_made_of_text(file: str) -> bool:
    """Whether code without a file was made by exec() of a text that nobody typed, as dataclasses
    and templates make it."""
    return file.startswith("<") and place_of(file)[0] == OWN and not file.startswith(TYPED)


def is_of_python(folder: str) -> bool:
    """Whether a folder in `lib` is Python's by its name: `python3`, `python3.14` or, of a
    free-threaded build, `python3.14t`. Any other is a program's."""
    name, dot, minor = folder.partition(".")
    digits = minor.removesuffix("t")
    return name == "python3" and (not dot or (digits.isascii() and digits.isdigit()))


def prefix_of(file: str) -> str | None:
    """The folder of the installation or environment that a library's file is in: it holds
    `lib/python3.N` and `bin`. None where the path does not show it."""
    folders = file.replace("\\", "/").split("/")
    for position in range(len(folders) - 2):
        if folders[position] in LIBRARY_FOLDERS and is_of_python(folders[position + 1]):
            return "/".join(folders[:position])
    return None
