# function: is_address
# share: 98
# words: (1|one) of (the )?40,001
"""Addresses, matched by an expression that takes long for one of them alone."""

import re

ADDRESS = re.compile(r"^([a-z0-9]+[._-]?)+@[a-z]+\.[a-z]{2,}$")


def is_address(text):
    return ADDRESS.match(text) is not None


mails = [f"user{number}@shop.example" for number in range(40_000)] + ["abcdefghijklmnopqrstuvwx"]
print(sum(is_address(mail) for mail in mails))
