"""Random programs of allocations, beside a model of what each function holds."""

import array
import collections
import ctypes
import random
import threading

import pytest

import tracer
from allocations import HEAD, assert_adds_up, shares

FUNCTIONS, SLOTS, STEPS, THREADS = 5, 40, 2000, 4
OF_THE_INTERPRETER = 1000
SIZES = [1, 16, 100, 300, 479, 480, 2000, 70_000]


@pytest.fixture(autouse=True)
def tuples_are_at_hand(no_collections):
    """Calls find the tuples of their arguments in the interpreter's free list, which a collection
    empties: else those would be allocated, and stay there."""
    tuples = [(number,) for number in range(100)]
    del tuples


def new_functions():
    """Functions that do one step each: they make a block in a slot, where another one may be."""
    names = {}
    source = "def put{0}(slots, slot, size): slots[slot] = bytes(size)\n"
    exec("".join(source.format(number) for number in range(FUNCTIONS)), names)
    return [names[f"put{number}"] for number in range(FUNCTIONS)]


def new_plan(chance):
    """(number of the function, slot, size) of each step; size None: the slot becomes empty."""
    return [
        (
            chance.randrange(FUNCTIONS),
            chance.randrange(SLOTS),
            chance.choice(SIZES) if chance.random() < 0.7 else None,
        )
        for _ in range(STEPS)
    ]


def drop(slots, slot):
    slots[slot] = None


def run(functions, plan, slots):
    for function, slot, size in plan:
        if size is None:
            drop(slots, slot)
        else:
            functions[function](slots, slot, size)


def told(live):
    return {name: tuple(share) for name, share in live.items() if share[1]}


def expected(plan):
    """({function: (bytes, blocks)} at the end, the same at each moment when about the most was
    live) of a thread: the interpreter's own few blocks decide which of these was the peak."""
    held = [None] * SLOTS
    live = collections.defaultdict(lambda: [0, 0])
    total = 0
    moments = []

    def add(function, size, sign):
        nonlocal total
        share = live[f"put{function}"]
        share[0] += sign * (size + HEAD)
        share[1] += sign
        total += sign * (size + HEAD)

    for function, slot, size in plan:
        if size is not None:
            add(function, size, 1)  # the new block is there before the old one goes
            moments.append((total, told(live)))
        if held[slot] is not None:
            add(*held[slot], -1)
        held[slot] = None if size is None else (function, size)
        moments.append((total, told(live)))
    most = max(total for total, _ in moments)
    return told(live), [shares for total, shares in moments if total > most - OF_THE_INTERPRETER]


def found(profile, measure):
    return {
        name: share[:2]
        for name, share in shares(profile, measure).items()
        if name.startswith("put")
    }


@pytest.mark.parametrize("seed", range(6))
def test_what_is_live_and_what_was_at_the_peak(seed):
    plan, slots = new_plan(random.Random(seed)), [None] * SLOTS
    functions = new_functions()
    profile = tracer.Profile(memory=True)
    profile.runcall(run, functions, plan, slots)
    live, at_peaks = expected(plan)
    assert found(profile, "live") == live
    assert found(profile, "peak") in at_peaks
    assert_adds_up(profile)


@pytest.mark.parametrize("seed", range(4))
def test_threads_that_free_what_others_made(seed):
    """Each thread has slots and a plan of its own; then each empties the slots of the next one."""
    chance = random.Random(seed)
    plans = [new_plan(chance) for _ in range(THREADS)]
    dropped = [[slot for slot in range(SLOTS) if chance.random() < 0.5] for _ in range(THREADS)]
    slots = [[None] * SLOTS for _ in range(THREADS)]
    functions, all_are_done = new_functions(), threading.Barrier(THREADS)

    def work(number):
        run(functions, plans[number], slots[number])
        all_are_done.wait()
        next_one = (number + 1) % THREADS
        for slot in dropped[next_one]:
            drop(slots[next_one], slot)

    def all_of_them():
        threads = [threading.Thread(target=work, args=[number]) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    profile = tracer.Profile(memory=True)
    profile.runcall(all_of_them)
    wanted = collections.Counter(), collections.Counter()
    for plan, gone in zip(plans, dropped, strict=True):
        emptied = [(0, slot, None) for slot in gone]
        for name, (size, blocks) in expected(plan + emptied)[0].items():
            wanted[0][name] += size
            wanted[1][name] += blocks
    assert found(profile, "live") == {
        name: (size, wanted[1][name]) for name, size in wanted[0].items()
    }
    assert_adds_up(profile)


@pytest.mark.parametrize("domain", ["PyMem_Raw", "PyMem_", "PyObject_"])
def test_blocks_that_are_resized(domain):
    """Each resize is an allocation of the function that resizes, and a free."""
    pointer = ctypes.c_void_p
    realloc = getattr(ctypes.pythonapi, domain + "Realloc")
    realloc.restype, realloc.argtypes = pointer, [pointer, ctypes.c_size_t]
    free = getattr(ctypes.pythonapi, domain + "Free")
    free.restype, free.argtypes = None, [pointer]

    def resize_first(slots, slot, size):
        slots[slot] = realloc(slots[slot], size)

    def resize_again(slots, slot, size):
        slots[slot] = realloc(slots[slot], size)

    chance = random.Random(7)
    plan = [
        (chance.choice([resize_first, resize_again]), chance.randrange(SLOTS), chance.choice(SIZES))
        for _ in range(STEPS)
    ]

    def work(slots):
        for function, slot, size in plan:
            function(slots, slot, size)

    slots = array.array("Q", [0] * SLOTS)
    profile = tracer.Profile(memory=True)
    profile.runcall(work, slots)
    holders = {slot: (function.__name__, size) for function, slot, size in plan}
    wanted = collections.Counter()
    for name, size in holders.values():
        wanted[name] += size
    live = {name: share[2] for name, share in shares(profile, "live").items()}
    assert {name: live[name] for name in wanted} == wanted
    assert_adds_up(profile)
    for block in slots:
        free(block)
