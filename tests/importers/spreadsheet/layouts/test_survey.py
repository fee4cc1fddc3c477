"""A survey with a column per item is a row per answer; other tables with several columns of answers are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, imported, proposed

from tiebreak.errors import UsageError

SYSTEMS = ["system_a=:gpt,system_b=:llama"]
ASKED = [f"Frage {number}: Welche Antwort ist besser?" for number in (1, 2, 3)]
FORM: Rows = [
    ["Zeitstempel", "E-Mail-Adresse", *ASKED, "Anmerkungen"],
    ["17.05.2024", "anna@example.org", "Antwort A", "Antwort B", "Beide gleich gut", ""],
    ["18.05.2024", "bo@example.org", "Antwort B", "", "Antwort B", "schwer"],
]


def test_each_cell_is_an_answer(tmp_path: Path) -> None:
    found = imported(tmp_path, FORM, columns=SYSTEMS).preferences
    assert found.select("item", "annotator", "outcome").rows() == [
        ("item0001", "anna@example.org", "a"), ("item0002", "anna@example.org", "b"),
        ("item0003", "anna@example.org", "tie"), ("item0001", "bo@example.org", "b"),
        ("item0003", "bo@example.org", "b"),
    ]  # fmt: skip


def test_without_systems_it_says_how_to_name_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"system_a=:NAME,system_b=:NAME\nElse .* question, system_a and system_b"):
        proposed(tmp_path, FORM)
