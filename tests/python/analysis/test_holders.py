"""Who holds objects of a type: how the paths to a sample become groups."""

from tracer.analysis.memory.holders import groups_of


def path(module, *references):
    return ("module", module), [("namespace", None, "dict"), *references]


def attribute(name, kind="shop.Thing"):
    return "key", repr(name), kind


def index(number, kind="dict"):
    return "index", number, kind


def key(name, kind="dict"):
    return "key", repr(name), kind


def held(*paths):
    return [(group.kind, group.holder, group.members) for group in groups_of(paths)]


def test_objects_in_one_container_are_a_group():
    runs = attribute("runs", "list")
    rows = [path("shop", runs, index(number), key("a"), index(0, "Row")) for number in range(3)]
    assert held(*rows) == [("path", "shop.runs[…]", (0, 1, 2))]


def test_the_largest_is_first_and_the_first_among_equals():
    assert held(
        path("one", attribute("seen"), index(1)),
        path("two", attribute("seen"), index(1)),
        path("two", attribute("seen"), index(2)),
        path("three", attribute("it")),
    ) == [
        ("path", "two.seen[…]", (1, 2)),
        ("path", "one.seen[1]", (0,)),
        ("path", "three.it", (3,)),
    ]


def test_a_place_that_nearly_all_have_is_named():
    def cached(name, number):
        return path("shop", attribute("caches"), key(name), ("index", number, "Order"))

    ninety = [cached("prices", number) for number in range(9)]
    assert held(*ninety, cached("names", 0)) == [
        ("path", "shop.caches['prices'][…]", tuple(range(9))),
        ("path", "shop.caches[…]", (9,)),
    ]
    assert held(*ninety[:8], cached("names", 0), cached("names", 1)) == [
        ("path", "shop.caches[…]", tuple(range(10)))
    ]


def test_what_has_no_place_is_not_named_as_if_it_had():
    element = "element", None, "Order"
    assert held(*[path("shop", attribute("seen", "set"), element)] * 2) == [
        ("path", "shop.seen.<element>", (0, 1))
    ]
    somewhere = "index", None, "Order"
    assert held(*[path("shop", attribute("seen", "list"), somewhere)] * 2) == [
        ("path", "shop.seen[…]", (0, 1))
    ]
    keys = [("dict key", f"'{letter}'", "str") for letter in "ab"]
    assert held(*(path("shop", attribute("seen"), it) for it in keys)) == [
        ("path", "shop.seen.<key>", (0, 1))
    ]


def test_keys_of_which_only_the_class_is_known_are_any_keys():
    thing = "dict key", "<tuple>", "tuple"
    ways = ["scope", "scope", "tree", "tree"]
    rows = [path("shop", attribute("seen"), thing, index(0), attribute(way)) for way in ways]
    assert held(*rows) == [("path", "shop.seen.<key>", (0, 1, 2, 3))]
    tuples = "key", "<tuple>", "dict"
    rows = [path("shop", attribute("seen"), tuples, key(way)) for way in ways]
    assert held(*rows) == [("path", "shop.seen[…]", (0, 1, 2, 3))]


def test_a_chain_is_one_holder():
    def chain(*ways):
        return path("shop", attribute("head", "Node"), *(("attribute", it, "Node") for it in ways))

    assert held(chain(), chain("next"), chain("next", "next"), chain("left", "next")) == [
        ("path", "shop.head…", (1, 2, 3)),
        ("path", "shop.head", (0,)),
    ]


def test_fields_of_different_names_are_different_holders():
    one = path("shop", attribute("a"), index(0), attribute("x"))
    other = path("shop", attribute("b"), index(0), attribute("x"))
    assert [holder for _, holder, _ in held(one, other)] == ["shop.a[0]['x']", "shop.b[0]['x']"]


def test_variables_of_running_functions_hold_too():
    start = "variable", "main.py", 3, "serve", "pending"
    assert held((start, [index(1)]), (start, [index(2)])) == [("path", "serve: pending[…]", (0, 1))]


def test_tracers_own_and_those_without_a_path_come_last():
    recorder = path("builtins", ("key", "'profile'", "tracer.api.profiler.Profile"))
    assert held(
        None,
        path("tracer.launch.output", attribute("said")),
        path("tracer", attribute("it")),
        None,
        recorder,
        path("tracers", attribute("it")),
    ) == [("path", "tracers.it", (5,)), ("tracer", None, (1, 2, 4)), ("none", None, (0, 3))]
    assert held() == []
