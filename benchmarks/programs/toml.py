"""Parse the beginning of a large TOML file, by the parser of the standard library."""

import argparse
import tomllib
from pathlib import Path


def beginning(path, characters):
    """The whole tables among the first characters of a file."""
    text = Path(path).read_text("utf-8")[:characters]
    return text[: text.rindex("\n[")]


def main(path, characters):
    found = tomllib.loads(beginning(path, characters))
    print(f"{len(found):,} keys")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file")
    options.add_argument("characters", type=int, nargs="?", default=200_000)
    given = options.parse_args()
    main(given.file, given.characters)
