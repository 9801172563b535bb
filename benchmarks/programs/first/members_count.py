# function: wrap
# share: 98
# caller: page
# clock: textwrap:wrap
# words: (?s)\A(?!.*9,300 calls)
"""Pages whose text is wrapped once, which takes long, and indented thirty times, which does not."""

import textwrap


def page(text):
    lines = textwrap.wrap(text)
    for _ in range(30):
        textwrap.indent("", "  ")
    return lines


print(sum(len(page("some words of a text " * 600)) for _ in range(300)))
