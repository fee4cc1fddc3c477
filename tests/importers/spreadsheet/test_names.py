"""What cannot be a name is found, and what can is left alone."""

from __future__ import annotations

import pytest

from tiebreak.importers.spreadsheet.names import is_time, why_no_item, why_no_person, why_no_system


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


@pytest.mark.parametrize("name", ["AcceptTime", "AssignmentStatus", "Frage", "Gewinner", "Bewerter", "winner", "胜者"])
def test_headers_are_no_systems(name: str) -> None:
    assert why_no_system(name, from_header=True) == "is the name of another kind of column"


def test_people_and_items_may_be_whole_numbers() -> None:
    assert why_no_person("17") is None
    assert why_no_item("17") is None
    assert why_no_person("0.35") == "is a number"
    assert why_no_item("0.35") == "is a measured number"
    assert why_no_item("08:49:33") == "is a time"


@pytest.mark.parametrize("text", ["17", "3.5", "gpt-4", "1.2.3 of it", "v1.2"])
def test_no_times(text: str) -> None:
    assert not is_time(text)
