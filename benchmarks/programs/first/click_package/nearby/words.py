"""The words, and which of them are alike."""

from difflib import SequenceMatcher

BASES = ("customer", "invoice", "shipment", "article", "voucher", "delivery")
WORDS = [f"{BASES[number % 6][number % 5 :]}{number:03}" for number in range(24_000)]


def similar(word, other):
    return SequenceMatcher(None, word, other).ratio()


def search(word):
    return sorted(WORDS, key=lambda other: -similar(word, other))
