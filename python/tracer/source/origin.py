"""What kind of file code is from, told by its path alone: profiles are read elsewhere, too.

The command has this loaded before the program starts, so it needs nothing that is slow to import.
"""

from __future__ import annotations

OWN, LIBRARY, SITE, BUILTIN = KINDS = ("own", "library", "site", "builtin")
SITE_FOLDERS = ("site-packages", "dist-packages")
LIBRARY_FOLDERS = ("lib", "lib64")


def place_of(file: str) -> tuple[str, list[str]]:
    """Its kind, and the folders and the file below the place where such things are installed; of
    the program's own, all of them."""
    if file in ("~", ""):
        return BUILTIN, []
    if file.startswith("<"):  # what exec() made, or what is frozen into the interpreter
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


def is_of_python(folder: str) -> bool:
    """Whether a folder in `lib` has the name of one of Python's: `python3`, `python3.14` or, of a
    free-threaded build, `python3.14t`. Any other is a program's."""
    name, dot, minor = folder.partition(".")
    digits = minor.removesuffix("t")
    return name == "python3" and (not dot or (digits.isascii() and digits.isdigit()))


def prefix_of(file: str) -> str | None:
    """The folder of the installation or environment that a file of a library is of: what holds
    `lib/python3.N` and, beside it, `bin`. None where that is not to be seen."""
    folders = file.replace("\\", "/").split("/")
    for position in range(len(folders) - 2):
        if folders[position] in LIBRARY_FOLDERS and is_of_python(folders[position + 1]):
            return "/".join(folders[:position])
    return None
