# function: link_terms
# share: 38
# command: -m sphinx -q -b html . out
"""The configuration of a small manual, with a slow handler of its own for each page."""

import re

project = "manual"
extensions = []
TERMS = [f"term{number}" for number in range(2_500)]


def link_terms(app, page, source):
    for term in TERMS:
        source[0] = re.sub(rf"(?<!\w){term}(?!\w)", f"*{term}*", source[0])


def setup(app):
    app.connect("source-read", link_terms)
