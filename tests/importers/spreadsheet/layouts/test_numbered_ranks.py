"""Several systems in a row, each with its rank, are one ranking."""

from __future__ import annotations

from pathlib import Path

from tests.importers.spreadsheet.made_files import bound, imported, proposed

Ranking = tuple[str, tuple[str, ...], tuple[object, ...]]
"""Segment, systems, ranks."""


def table(*rankings: Ranking) -> list[list[object]]:
    places = range(1, len(rankings[0][1]) + 1)
    numbers = [f"system{place}{what}" for place in places for what in ("Number", "Id")]
    head = ["srclang", "documentId", "segmentId", "annotator", *numbers, *(f"system{place}rank" for place in places)]
    rows: list[list[object]] = [head]
    for segment, names, ranks in rankings:
        named = [cell for place, name in zip(places, names, strict=True) for cell in (place, name)]
        rows.append(["Czech", "-1", segment, "ann", *named, *ranks])
    return rows


def test_each_row_is_a_ranking_of_its_own(tmp_path: Path) -> None:
    """One that is not ranked has -1, and the same person ranks other systems of the same segment in another row."""
    others: list[Ranking] = [(f"s{n}", ("x", "y", "z"), (1, 2, 3)) for n in range(40)]
    rows = table(("s0", ("z", "w", "x"), (1, -1, 3)), ("s1", ("x", "y", "z"), (1, 2, 2)), *others[2:])
    found = imported(tmp_path, rows).preferences.select("item", "system_a", "system_b", "outcome").rows()
    assert found[:4] == [("s0", "x", "z", "b"), ("s1", "x", "y", "a"), ("s1", "x", "z", "a"), ("s1", "y", "z", "tie")]
    assert "cluster" not in bound(proposed(tmp_path, rows)), "-1 is no document"
