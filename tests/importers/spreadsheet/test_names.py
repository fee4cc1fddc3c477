"""What cannot be a name is found, and what can is left alone."""

from __future__ import annotations

import pytest

from tiebreak.importers.spreadsheet.names import why_no_system


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("12", "number"), ("3,5", "number"), ("-5.000000", "number"), ("93%", "number"), ("Submitted", "status"),
        ("nan", "nothing"), ("Mon May 17 08:49:33 PDT 2021", "time"), ("2024-05-17", "time"),
        ("17.05.2024 08:49", "time"), ("08:49", "time"),
        ("This is a review of a place that I visited last year with friends.", "a text"),
    ],
)  # fmt: skip
def test_no_system(name: str, why: str) -> None:
    assert why in str(why_no_system(name))


@pytest.mark.parametrize(
    "name", ["gpt-4", "A", "2021-Apr-30-09:22:17_6000_1", "v1.2", "o1", "Online-W", "human", "ref", "7B", "baseline 2"]
)
def test_systems(name: str) -> None:
    assert why_no_system(name) is None
    assert why_no_system(name, from_header=True) is None
