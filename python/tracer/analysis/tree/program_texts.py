"""The texts of the files in which a profile's functions are. Nothing is printed here."""

from __future__ import annotations

from io import StringIO

from tracer.source.texts import LARGEST, decoded, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet


class ProgramTexts:
    """The profile has the texts of the program's files; others are read, unless it was recorded
    without."""

    def __init__(self, profiles: ProfileSet) -> None:
        self.profiles = profiles
        self.known: dict[str, list[str]] = {}  # by file: its lines

    def of(self, file: str) -> str | None:
        """The text of a file; None where it is not known."""
        captures = self.profiles.captures
        kept = [capture.sources[file].data for capture in captures if file in capture.sources]
        if kept:
            return decoded(kept[0])
        if not file.endswith(".py") or not all(capture.keeps_source for capture in captures):
            return None
        found = text_of(file, LARGEST)
        return found and decoded(found[0])

    def lines(self, file: str) -> list[str]:
        """The lines of a file as an editor counts them; none where it is not known."""
        if file not in self.known:
            self.known[file] = lines_of(self.of(file))
        return self.known[file]


def lines_of(text: str | None) -> list[str]:
    return StringIO(text or "", newline=None).readlines()  # splitlines() splits at \f
