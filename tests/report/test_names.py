"""Names in pictures: one line, not too long, both ends kept."""

from __future__ import annotations

from tiebreak.report.names import LONGEST, shortened, width


def test_short_names_stay() -> None:
    assert shortened("gpt-4") == "gpt-4"
    assert shortened("two\nlines") == r"two\nlines"
    assert shortened("  ") == "(no name)"


def test_long_names_keep_both_ends() -> None:
    name = "organisation/" + "very-" * 20 + "instruct-v2"
    short = shortened(name)
    assert len(short) == LONGEST
    assert short.startswith("organisation/")
    assert short.endswith("instruct-v2")
    assert len(shortened(name, 24)) == 24


def test_wide_characters_need_more_room() -> None:
    assert width("日本", 10) == 20
    assert width("ab", 10) < width("MM", 10)
    assert width("", 10) == 0
