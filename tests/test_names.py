"""Names of the data in one line."""

from __future__ import annotations

import pytest

from tiebreak.numbers import printable


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("gpt-4 (größer) 日本 🙂", "gpt-4 (größer) 日本 🙂"),
        ("two\nlines", r"two\nlines"),
        ("a\tb\rc", r"a\tb\rc"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("narrow\u202fand\xa0fixed", "narrow and fixed"),
        ("turned\u202eround", r"turned\u202eround"),
        ("line\u2028separator", r"line\u2028separator"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_a_name_is_one_line_without_control_characters(name: str, shown: str) -> None:
    assert printable(name) == shown


def test_names_that_differ_look_different() -> None:
    names = ["a b", "a\nb", "a\tb", "a\rb", "a\x00b"]
    assert len({printable(name) for name in names}) == len(names)
