"""Call graphs worked out by hand: programs, and every figure that a profile must have of them.

A program is a tree: the name of a function, then what it does in order. `("a", 1, ("b", 2), 4)` is
an `a` that lets the clock go on by 1, calls a `b` that takes 2, and takes 4 more. All times in a
tree are different powers of two, so that a sum says what it was made of. Other steps are

    "raise", ("catch", TREE)            raise an exception; call, and catch what comes out
    ("sorted", TREE, TREE)              call a builtin that calls the function of the trees
    ("for", TREE)                       loop over the generator "g"
    ("yield", 4), ("from", TREE)        in "g": the loop takes 4 until it goes on; yield from a "g"

Figures are written as in a profile: calls (with `/primitive calls` where that differs), tottime,
cumtime, and of what was resumed `+resumes` (with `/primitive` likewise). Functions stand on the
left; `a>b` is the `b` that `a` calls.

How they are worked out, for the `c` of "a b c a d c":

    ("a", 1, ("b", 2, ("c", 4, ("a", 8, ("d", 16, ("c", 32), 64), 128), 256), 512), 1024)

`c` runs twice, the second time within the first: 2 calls, 1 of them primitive. Its own time is
4 + 256 and 32, which is the tottime 292. Only the outer one counts for the cumtime: 4 + 8 + 16 + 32
+ 64 + 128 + 256 = 508. Called by `b` it ran once: its own 260, in all 508. Called by `d` it ran
once: 32 and 32. That call is primitive, too: a call of an edge is primitive when it is not within
another activation of the same edge. This `c` is within another `c`, but not within one that `d`
called.
"""

STRAIGHT = {
    "a b c d": (
        ("a", 1, ("b", 2, ("c", 4, ("d", 8), 16), 32), 64),
        """
        a  1  65  127 | a>b  1  34  62
        b  1  34   62 | b>c  1  20  28
        c  1  20   28 | c>d  1   8   8
        d  1   8    8 |
        """,
    ),
    "b three times, one after another": (
        ("a", 1, ("b", 2), 4, ("b", 8), 16, ("b", 32), 64),
        """
        a  1  85  127 | a>b  3  42  42
        b  3  42   42 |
        """,
    ),
    "two callers at different costs": (
        (
            "m",
            1,
            ("a", 2, ("c", 4, ("d", 8), 16), 32),
            64,
            ("b", 128, ("c", 256, ("d", 512), 1024), 2048),
            4096,
        ),
        """
        m  1  4161  8191 | m>a  1    34    62
        a  1    34    62 | m>b  1  2176  3968
        b  1  2176  3968 | a>c  1    20    28
        c  2  1300  1820 | b>c  1  1280  1792
        d  2   520   520 | c>d  2   520   520
        """,
    ),
}

SELF_RECURSION = {
    "a a a a": (
        ("a", 1, ("a", 2, ("a", 4, ("a", 8), 16), 32), 64),
        """
        a  4/1  127  127 | a>a  3/1  62  62
        """,
    ),
    "a with two branches": (
        ("a", 1, ("a", 2, ("a", 4), 8, ("a", 16), 32), 64, ("a", 128), 256),
        """
        a  5/1  511  511 | a>a  4/2  190  190
        """,
    ),
    "a b b": (
        ("a", 1, ("b", 2, ("b", 4), 8), 16),
        """
        a    1  17  31 | a>b  1  10  14
        b  2/1  14  14 | b>b  1   4   4
        """,
    ),
    "a a b": (
        ("a", 1, ("a", 2, ("b", 4), 8), 16),
        """
        a  2/1  27  31 | a>a  1  10  14
        b    1   4   4 | a>b  1   4   4
        """,
    ),
    "a b a a": (
        ("a", 1, ("b", 2, ("a", 4, ("a", 8), 16), 32), 64),
        """
        a  3/1  93  127 | a>b  1  34  62
        b    1  34   62 | b>a  1  20  28
                        | a>a  1   8   8
        """,
    ),
    "called directly and through recursion": (
        ("m", 1, ("c", 2), 4, ("a", 8, ("a", 16, ("c", 32), 64), 128, ("c", 256), 512), 1024),
        """
        m    1  1029  2047 | m>a  1  648  1016
        a  2/1   728  1016 | m>c  1    2     2
        c    3   290   290 | a>a  1   80   112
                           | a>c  2  288   288
        """,
    ),
}

MUTUAL_RECURSION = {
    "a b a": (
        ("a", 1, ("b", 2, ("a", 4), 8), 16),
        """
        a  2/1  21  31 | a>b  1  10  14
        b    1  10  14 | b>a  1   4   4
        """,
    ),
    "a b a b": (
        ("a", 1, ("b", 2, ("a", 4, ("b", 8), 16), 32), 64),
        """
        a  2/1  85  127 | a>b  2/1  42  62
        b  2/1  42   62 | b>a    1  20  28
        """,
    ),
    "a b b a": (
        ("a", 1, ("b", 2, ("b", 4, ("a", 8), 16), 32), 64),
        """
        a  2/1  73  127 | a>b  1  34  62
        b  2/1  54   62 | b>b  1  20  28
                        | b>a  1   8   8
        """,
    ),
    "a b a and again b a": (
        ("a", 1, ("b", 2, ("a", 4), 8), 16, ("b", 32, ("a", 64), 128), 256),
        """
        a  3/1  341  511 | a>b  2  170  238
        b    2  170  238 | b>a  2   68   68
        """,
    ),
    "a b c b": (
        ("a", 1, ("b", 2, ("c", 4, ("b", 8), 16), 32), 64),
        """
        a    1  65  127 | a>b  1  34  62
        b  2/1  42   62 | b>c  1  20  28
        c    1  20   28 | c>b  1   8   8
        """,
    ),
    "a b c a": (
        ("a", 1, ("b", 2, ("c", 4, ("a", 8), 16), 32), 64),
        """
        a  2/1  73  127 | a>b  1  34  62
        b    1  34   62 | b>c  1  20  28
        c    1  20   28 | c>a  1   8   8
        """,
    ),
    "a b c a b c": (
        ("a", 1, ("b", 2, ("c", 4, ("a", 8, ("b", 16, ("c", 32), 64), 128), 256), 512), 1024),
        """
        a  2/1  1161  2047 | a>b  2/1  594  1022
        b  2/1   594  1022 | b>c  2/1  292   508
        c  2/1   292   508 | c>a    1  136   248
        """,
    ),
    "a b c b a": (
        ("a", 1, ("b", 2, ("c", 4, ("b", 8, ("a", 16), 32), 64), 128), 256),
        """
        a  2/1  273  511 | a>b  1  130  254
        b  2/1  170  254 | b>c  1   68  124
        c    1   68  124 | c>b  1   40   56
                         | b>a  1   16   16
        """,
    ),
    "a b c a d c": (
        ("a", 1, ("b", 2, ("c", 4, ("a", 8, ("d", 16, ("c", 32), 64), 128), 256), 512), 1024),
        """
        a  2/1  1161  2047 | a>b  1  514  1022
        b    1   514  1022 | b>c  1  260   508
        c  2/1   292   508 | c>a  1  136   248
        d    1    80   112 | a>d  1   80   112
                           | d>c  1   32    32
        """,
    ),
    "a a b a b": (
        ("a", 1, ("a", 2, ("b", 4, ("a", 8, ("b", 16), 32), 64), 128), 256),
        """
        a  3/1  427  511 | a>a    1  130  254
        b  2/1   84  124 | a>b  2/1   84  124
                         | b>a    1   40   56
        """,
    ),
    "two ways in": (
        (
            "m",
            ("a", 1, ("b", 2, ("a", 4), 8), 16),
            32,
            ("b", 64, ("a", 128, ("b", 256), 512), 1024),
        ),
        """
        m    1    32  2047 | m>a  1    17    31
        a  3/2   661   927 | m>b  1  1088  1984
        b  3/2  1354  1998 | a>b  2   266   270
                           | b>a  2   644   900
        """,
    ),
    "c in a row and within itself": (
        ("a", 1, ("c", 2, ("b", 4, ("c", 8), 16), 32), 64, ("c", 128), 256),
        """
        a    1  321  511 | a>c  2  162  190
        b    1   20   28 | c>b  1   20   28
        c  3/2  170  190 | b>c  1    8    8
        """,
    ),
}

NO_BUILTINS = "sorted, and no builtins"  # recorded with builtins=False
THROUGH_BUILTINS = {
    "sorted": (
        ("a", 1, ("sorted", ("a", 2, ("sorted", ("a", 4), ("a", 8)), 16), ("a", 32)), 64),
        """
        a       5/1  127  127 | a>sorted  2/1   0  62
        sorted  2/1    0   62 | sorted>a  4/2  62  62
        """,
    ),
    "list.sort": (
        ("a", 1, ("sort", ("b", 2, ("a", 4), 8), ("b", 16)), 32),
        """
        a     2/1  37  63 | a>sort  1   0  30
        b       2  26  30 | sort>b  2  26  30
        sort    1   0  30 | b>a     1   4   4
        """,
    ),
    "max": (
        ("a", 1, ("max", ("b", 2, ("max", ("a", 4), ("a", 8)), 16), ("b", 32)), 64),
        """
        a    3/1  77  127 | a>max  1   0  62
        b      2  50   62 | b>max  1   0  12
        max  2/1   0   62 | max>b  2  50  62
                          | max>a  2  12  12
        """,
    ),
    "any": (
        ("a", 1, ("any", ("a", 2), ("a", 4, ("any", ("b", 8)), 16)), 32),
        """
        a    3/1  55  63 | a>any  2/1   0  30
        b      1   8   8 | any>a    2  22  30
        any  2/1   0  30 | any>b    1   8   8
        """,
    ),
    # A for statement asks a map for its items without a call that anybody could see.
    "map": (
        ("a", 1, ("map", ("a", 2), ("a", 4, ("map", ("a", 8)), 16)), 32),
        """
        a  4/1  63  63 | a>a  3/2  30  30
        """,
    ),
    NO_BUILTINS: (
        ("a", 1, ("sorted", ("a", 2), ("a", 4, ("b", 8), 16)), 32),
        """
        a  3/1  55  63 | a>a  2  22  30
        b    1   8   8 | a>b  1   8   8
        """,
    ),
}

THROUGH_GENERATORS = {
    "a g a": (
        ("a", 1, ("for", ("g", 2, ("a", 4), 8, ("yield", 16), 32)), 64),
        """
        a  2/1  85  127     | a>g  1  42  46  +1
        g    1  42   46  +1 | g>a  1   4   4
        """,
    ),
    "a g g": (
        ("a", ("for", ("g", 1, ("for", ("g", 2, ("yield", 4), 8)), ("yield", 16), 32)), 64),
        """
        a    1  80  127       | a>g  1  37  47  +1
        g  2/1  47   47  +2/1 | g>g  1  10  10  +1
        """,
    ),
    "a g yields from g": (
        ("a", ("for", ("g", 1, ("from", ("g", 2, ("yield", 4), 8)), 16)), 32),
        """
        a    1  36  63       | a>g  1  17  27  +1
        g  2/1  27  27  +2/1 | g>g  1  10  10  +1
        """,
    ),
    "a g a g": (
        ("a", 1, ("for", ("g", 2, ("a", 4, ("for", ("g", 8, ("yield", 16), 32)), 64), 128)), 256),
        """
        a  2/1  341  511       | a>g  2/1  170  254  +1/0
        g  2/1  170  254  +1/0 | g>a    1   84  124
        """,
    ),
}

# What would follow a "raise" never runs: its time is in no figure.
EXCEPTIONS = {
    "a a a a, caught by the first": (
        ("a", 1, ("catch", ("a", 2, ("a", 4, ("a", 8, "raise"), 16), 32)), 64),
        """
        a  4/1  79  79 | a>a  3/1  14  14
        """,
    ),
    "a a a a, caught by the second": (
        ("a", 1, ("a", 2, ("catch", ("a", 4, ("a", 8, "raise"), 16)), 32), 64),
        """
        a  4/1  111  111 | a>a  3/1  46  46
        """,
    ),
    "a a a a, caught by the third": (
        ("a", 1, ("a", 2, ("a", 4, ("catch", ("a", 8, "raise")), 16), 32), 64),
        """
        a  4/1  127  127 | a>a  3/1  62  62
        """,
    ),
    "a b a, caught by nobody": (
        ("a", 1, ("b", 2, ("a", 4, "raise"), 8), 16),
        """
        a  2/1  5  7 | a>b  1  2  6
        b    1  2  6 | b>a  1  4  4
        """,
    ),
    "a b a b, caught twice, and b again": (
        (
            "a",
            1,
            ("catch", ("b", 2, ("catch", ("a", 4, ("b", 8, "raise"), 16)), 32, "raise")),
            64,
            ("b", 128),
            256,
        ),
        """
        a  2/1  325  495 | a>b  3/2  170  174
        b  3/2  170  174 | b>a    1    4   12
        """,
    ),
    "through sorted": (
        ("a", 1, ("catch", ("sorted", ("a", 2), ("a", 4, "raise"), ("a", 8))), 16),
        """
        a       3/1  23  23 | a>sorted  1  0  6
        sorted    1   0   6 | sorted>a  2  6  6
        """,
    ),
    "through a generator": (
        ("a", 1, ("catch", ("for", ("g", 2, ("yield", 4), ("a", 8, "raise"), 16))), 32),
        """
        a  2/1  45  47     | a>g  1  2  10  +1
        g    1   2  10  +1 | g>a  1  8   8
        """,
    ),
}

GRAPHS = {
    **STRAIGHT,
    **SELF_RECURSION,
    **MUTUAL_RECURSION,
    **THROUGH_BUILTINS,
    **THROUGH_GENERATORS,
    **EXCEPTIONS,
}

# How long generators are suspended: from each yield to the resume that ended it. Where one waits
# for another that yields, both are suspended.
SUSPENDED = {
    "a g a": {"g": 16},
    "a g g": {"g": 4 + 16},
    "a g yields from g": {"g": 4 + 4},
    "a g a g": {"g": 16},
    "through a generator": {"g": 4},
}
