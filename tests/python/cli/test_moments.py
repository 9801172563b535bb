"""--from and --to-time: how a time since the start is written."""

import pytest

from tracer.cli.options.show import moment
from tracer.launch.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1.5", 1.5), ("1.5s", 1.5), ("200ms", 0.2), ("3us", 3e-6), ("40ns", 4e-8), ("0", 0.0)],
)
def test_a_moment(text, seconds):
    assert moment("--from")(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "s", "1.5m", "-1", "nan", "inf", "1 s", " 1", "1.5 ms", "soon"]
)
def test_what_is_no_moment(text):
    with pytest.raises(UsageError) as raised:
        moment("--to-time")(text)
    assert str(raised.value) == (
        f"--to-time {text!r}: give a time since the start, such as 1.5, 1.5s or 200ms"
    )
