"""Ratings compared within a person, and across people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.evidence.ratings import CriterionRatings

RATINGS = [
    {"item": item, "system": system, "annotator": annotator, "criterion": criterion, "value": value}
    for item, system, annotator, criterion, value in (
        ("2", "B", "v", "c", 1),  # v rated both outputs of item 2, w and u one each
        ("2", "B", "w", "c", 4),
        ("2", "A", "v", "c", 3),
        ("2", "A", "u", "c", 2),
        ("10", "A", "w", "c", 3),  # the same person both outputs of item 10
        ("10", "B", "w", "c", -1.5),
        ("3", "A", "w", "c", 5),  # nobody both outputs of item 3
        ("3", "B", "v", "c", 5),
        ("4", "A", "v", "c", 1),  # only one output of item 4
        ("5", "A", "v", "other", 5),
    )
]


def ratings_of(rows: list[dict[str, object]], criterion: str = "c") -> CriterionRatings:
    found = CriterionRatings.of(Study.from_tables(ratings=rows), criterion)
    assert found is not None
    return found


def test_within_a_person_by_hand() -> None:
    ratings = ratings_of(RATINGS)
    assert (ratings.items, ratings.people, ratings.systems) == (("10", "2", "3", "4"), ("u", "v", "w"), ("A", "B"))
    pair = ratings.same_person(0, 1)
    assert [(ratings.items[ratings.item_of[key]], ratings.people[ratings.person_of[key]]) for key in pair.keys] == [
        ("10", "w"),
        ("2", "v"),
    ]
    assert pair.differences.tolist() == [4.5, 2.0]
    assert (pair.apart, pair.partly) == (1, 1)
    assert ratings.same_person(1, 0).differences.tolist() == [-4.5, -2.0]


def test_across_people_by_hand() -> None:
    ratings = ratings_of(RATINGS)
    items, differences, labels = ratings.means(0, 1)
    # Item 2: (3 + 2)/2 against (1 + 4)/2; item 3: 5 against 5.
    assert [ratings.items[item] for item in items] == ["10", "2", "3"]
    assert differences.tolist() == [4.5, 0.0, 0.0]
    assert labels.tolist() == [2, 4, 2]


def test_no_ratings_on_the_criterion() -> None:
    study = Study.from_tables(ratings=RATINGS)
    assert CriterionRatings.of(study, "style") is None
    assert CriterionRatings.of(study, None) is None
    assert CriterionRatings.of(Study.from_tables(outputs=[{"item": 1, "system": "A", "text": ""}]), "c") is None


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    rows: list[dict[str, object]] = [
        {"item": "1", "system": system, "annotator": f"w{n}", "criterion": "c", "value": float(rng.normal())}
        for system in "AB"
        for n in range(101)
    ]
    one, other = (ratings_of(some) for some in (rows, rows[::-1]))
    assert one.means(0, 1)[1].tobytes() == other.means(0, 1)[1].tobytes()
    assert one.same_person(0, 1).differences.tobytes() == other.same_person(0, 1).differences.tobytes()


def test_against_a_plain_loop_on_real_ratings(real_studies: Path) -> None:
    study = read_study(real_studies / "summeval")
    ratings = CriterionRatings.of(study, "relevance")
    assert ratings is not None
    assert study.ratings is not None
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for row in study.ratings.iter_rows(named=True):
        if row["criterion"] == "relevance":
            cells.setdefault((row["item"], row["system"]), {})[row["annotator"]] = row["value"]
    counts = set()
    for a, b in (("M11", "M0"), ("M11", "M12"), ("M9", "M17")):  # M9 and others: experts only
        if a not in ratings.systems or b not in ratings.systems:
            continue
        pair = ratings.same_person(ratings.systems.index(a), ratings.systems.index(b))
        found = {
            (ratings.items[ratings.item_of[key]], ratings.people[ratings.person_of[key]]): value
            for key, value in zip(pair.keys, pair.differences, strict=True)
        }
        expected = {
            (item, person): value - cells[item, b][person]
            for (item, system), own in cells.items()
            if system == a and (item, b) in cells
            for person, value in own.items()
            if person in cells[item, b]
        }
        assert found == pytest.approx(expected)
        counts.add(len(found))
    assert counts == {300, 800}  # three experts, and with five crowd workers
