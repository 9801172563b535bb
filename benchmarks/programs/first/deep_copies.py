# function: deepcopy
# share: 95
# caller: snapshot
# clock: snapshot
"""A document, and a whole copy of it for each change, so that the change can be undone."""

import copy


def snapshot(document):
    return copy.deepcopy(document)


def change(document, number):
    line = document["lines"][number % len(document["lines"])]
    line["text"] = f"changed {number}"
    line["words"] = line["text"].split()


def edit(document, times):
    undo = []
    for number in range(times):
        undo.append(snapshot(document))
        change(document, number)
    return undo


lines = [{"number": n, "text": f"line {n}", "words": ["line", str(n)]} for n in range(300)]
print(len(edit({"title": "document", "lines": lines}, 600)))
