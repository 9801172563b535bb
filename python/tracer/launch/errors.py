"""UsageError: what was typed cannot be done. main() prints its text, and the exit status is 2."""


class UsageError(Exception):
    """Its text is one line that names the thing and the remedy."""


class UnknownOption(UsageError):
    """An option that the verb does not have."""

    def __init__(self, flag: str) -> None:
        super().__init__(f"unknown option {flag!r}; --help lists them")
        self.flag = flag
