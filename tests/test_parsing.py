"""JSON and TOML that would be read as something else, or never end, are errors with their place."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.parsing import DEEPEST, ParsingError, json_reader, parse_toml

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_json_is_what_it_says(value: Any) -> None:
    assert json_reader()(json.dumps(value)) == value


def test_numbers_as_they_are_written() -> None:
    read = json_reader(numbers_as_text=True)
    assert read('[1.50, 1e3, NaN, true, "x", 007]'.replace("007", "7")) == ["1.50", "1e3", "NaN", True, "x", "7"]
    assert read("9" * 5_000) == "9" * 5_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"item": "1", "text": {"a": 1, "b": 2, "a": 1}}', "the key 'a' is there twice in one object"),
        ("[NaN]", "NaN is no JSON number"),
        ("9" * 5_000, "a number of 5,000 digits"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "more than 50 lists or objects"),
        ('{"a":' * 900 + "1" + "}" * 900, "more than 50 lists or objects"),
        ("[" * 100_000, "more than 50 lists or objects"),
    ],
)
def test_what_is_refused_of_json(text: str, message: str) -> None:
    with pytest.raises(ParsingError, match=message):
        json_reader()(text)


def test_as_deep_as_is_allowed() -> None:
    text = "[" * DEEPEST + "1" + "]" * DEEPEST
    assert json_reader()(text) == json.loads(text)
    assert parse_toml(f"a = {text[1:-1]}") == tomllib.loads(f"a = {text[1:-1]}")


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("price = = 3", r"Invalid value$", 1),
        ("[a", r"declaration$", 1),
        ("[a.b c]", r'stands in quotes: \[a\."b c"\]$', 1),
        ("é = 1", r'stands in quotes: "é" =$', 1),
        ("title = 'x'\nprice = " + "9" * 5_000, "a number of 5,000 digits", 2),
        ("price = 0x" + "f" * 5_000, "a number of 5,002 digits", 1),
        ("price = " + "9" * 4_000, "a number of 4,000 digits", 1),
        ("a = " + "[" * 51 + "]" * 51, "more than 50 lists or objects", None),
        ("a = " + "[" * 5_000 + "]" * 5_000, "more than 50 lists or objects", None),
        ("a = 1\na = 2", "Cannot overwrite a value", 2),
        ("a = 'x", "Expected", 1),
    ],
)
def test_what_is_refused_of_toml(text: str, message: str, line: int | None) -> None:
    with pytest.raises(ParsingError, match=message) as refused:
        parse_toml(text)
    assert refused.value.line == line
