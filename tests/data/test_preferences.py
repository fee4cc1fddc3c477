"""Ratings as matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tiebreak.data.preferences import rating_matrix
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.errors import UsageError

RATINGS = [
    {"item": item, "system": system, "annotator": annotator, "criterion": criterion, "value": value}
    for item, system, annotator, criterion, value in (
        ("2", "B", "v", "c", 1),
        ("2", "B", "w", "c", 4),
        ("10", "A", "w", "c", 3),
        ("10", "B", "w", "c", -1.5),
        ("3", "A", "w", "other", 5),
    )
]


def test_means_and_counts_by_hand() -> None:
    items, systems, mean, count = rating_matrix(Study.from_tables(ratings=RATINGS), "c")
    assert items == ["10", "2"]  # text order
    assert systems == ["A", "B"]
    # Item 2, system B: (1 + 4) / 2; item 2 has no rating of A, and item 3 none on this criterion.
    np.testing.assert_array_equal(mean, [[3.0, -1.5], [np.nan, 2.5]])
    np.testing.assert_array_equal(count, [[1, 1], [0, 2]])
    assert (mean.dtype, count.dtype) == (np.float64, np.int32)


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"item": "1", "system": "A", "annotator": f"w{n}", "criterion": "c", "value": float(value)}
        for n, value in enumerate(rng.normal(size=101))
    ]
    mean = rating_matrix(Study.from_tables(ratings=rows), "c").mean
    again = rating_matrix(Study.from_tables(ratings=rows[::-1]), "c").mean
    assert mean.tobytes() == again.tobytes()


def test_an_unknown_criterion_and_no_ratings_are_refused() -> None:
    study = Study.from_tables(ratings=RATINGS)
    with pytest.raises(UsageError, match="did you mean other"):
        rating_matrix(study, "othr")
    with pytest.raises(UsageError, match="no ratings"):
        rating_matrix(Study.from_tables(outputs=[{"item": 1, "system": "A", "text": ""}]), "c")


def test_against_a_plain_loop_on_real_ratings(real_studies: Path) -> None:
    study = read_study(real_studies / "summeval")
    found = rating_matrix(study, "relevance")
    assert study.ratings is not None
    cells: dict[tuple[str, str], list[float]] = {}
    for row in study.ratings.iter_rows(named=True):
        if row["criterion"] == "relevance":
            cells.setdefault((row["item"], row["system"]), []).append(row["value"])
    assert int(found.count.sum()) == sum(map(len, cells.values()))  # type: ignore[attr-defined]
    for (item, system), values in cells.items():
        place = found.items.index(item), found.systems.index(system)
        assert found.mean[place] == pytest.approx(sum(values) / len(values), abs=1e-12)
        assert found.count[place] == len(values)  # type: ignore[index]
