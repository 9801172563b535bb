"""The texts of the files in which a profile's functions are. Nothing is printed here."""

from __future__ import annotations

from tracer.source.texts import LARGEST, decoded, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet


class ProgramTexts:
    """The profile has the texts of the program's files; others are read, unless it was recorded
    without."""

    def __init__(self, profiles: ProfileSet) -> None:
        self.profiles = profiles

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
