# function: load_catalogue
# share: 84
# caller: catalogue
# words: \b30\b
# command: -m pytest -q -p no:cacheprovider
"""A fixture that each of thirty tests has made anew."""

import hashlib

import pytest


def load_catalogue():
    keys = [hashlib.pbkdf2_hmac("sha256", b"article", bytes([n]), 40_000) for n in range(5)]
    return {key.hex(): number for number, key in enumerate(keys)}


@pytest.fixture
def catalogue():
    return load_catalogue()
