"""Marked errors become ratings, and texts without marks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.test_plan import imported, rows, save

from tiebreak.errors import InputError

HEAD = ["system", "doc", "seg_id", "rater", "source", "target", "category", "severity"]
MARKED = [
    HEAD,
    ["x", "d", "1", "r1", "Es regnet.", "It <v>rain</v>.", "Fluency/Grammar", "Major"],
    ["x", "d", "1", "r1", "Es regnet.", "It rain<v>.</v>", "Fluency/Punctuation", "Minor"],
    ["y", "d", "1", "r1", "Es regnet.", "It is raining.", "No-error", "No-error"],
    ["x", "d", "2", "r2", "Guten Tag!", "<v>Goo goo</v>", "Non-translation!", "Major"],
    ["y", "d", "2", "r2", "Guten Tag!", "Good <v>Day</v>!", "Style/Awkward", "Minor"],
]


def test_the_weights_of_all_errors_are_added(tmp_path: Path) -> None:
    result = imported(save(tmp_path / "m.tsv", MARKED))
    found = rows(result, "ratings", "item", "system", "annotator", "criterion", "value")
    assert found == [
        ("1", "x", "r1", "mqm", -5.1),
        ("1", "y", "r1", "mqm", 0.0),
        ("2", "x", "r2", "mqm", -25.0),
        ("2", "y", "r2", "mqm", -1.0),
    ]
    assert ("1", "x", "It rain.") in rows(result, "outputs", "item", "system", "text")


def test_an_unknown_severity(tmp_path: Path) -> None:
    table = [*MARKED[:3], ["y", "d", "1", "r1", "Es regnet.", "It rains.", "", "horrible"]]
    with pytest.raises(InputError, match="row 4, column severity: 'horrible': not a severity"):
        imported(save(tmp_path / "m.tsv", table), map_="severity=severity")


def test_the_cluster_is_the_document_and_not_the_place_in_it(tmp_path: Path) -> None:
    """As in MQM of WMT, where doc_id counts the segments of a document."""
    cells = [(doc, place, f"{2 * d + place}") for d, doc in enumerate(("news", "talk")) for place in (1, 2)]
    table = [["system", "doc", "doc_id", *HEAD[2:]]]
    for system in ("x", "y"):
        table += [
            [system, doc, str(place), seg, "r1", f"Satz {seg}.", f"Line {seg}.", "Style/Awkward", "Minor"]
            for doc, place, seg in cells
        ]
    result = imported(save(tmp_path / "m.tsv", table))
    assert rows(result, "items", "item", "cluster") == [("1", "news"), ("2", "news"), ("3", "talk"), ("4", "talk")]
