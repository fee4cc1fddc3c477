"""The labels that a result counts are those that its verdict rests on."""

from __future__ import annotations

import numpy as np
from tests.small_studies import Row, rating, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study


def both_on_every_item(items: int = 300, decided_at: str | None = None) -> list[Row]:
    rng = np.random.default_rng(1)
    outcomes = rng.choice(["a", "b", "tie"], (items, 2))
    return [
        vote(f"i{k}", "ant", "bee", name, str(outcomes[k, j]), decided_at and decided_at.format(j))
        for k in range(items)
        for j, name in enumerate(("ann", "bob"))
    ]


def test_all_labels_are_evidence() -> None:
    result = compare(Study.from_tables(preferences=both_on_every_item()))
    assert result.results[0].labels == 600


def test_labels_beyond_a_budget_are_not_counted() -> None:
    result = compare(Study.from_tables(preferences=both_on_every_item()), rule="anytime", items_per_pair=109)
    (found,) = result.results
    assert found.labels == found.people.total == sum(found.people.labels) == 218


def test_ratings_beyond_a_budget_are_not_counted() -> None:
    rng = np.random.default_rng(2)
    rows = [
        rating(f"i{k}", system, "ann", float(rng.integers(5)))
        for k in range(100)
        for system in ("ant", "bee", "cat")
        if system != "cat" or k < 60
    ]
    result = compare(Study.from_tables(ratings=rows), rule="anytime", items_per_pair=60)
    (found,) = result.results
    assert found.labels == found.people.total < 260


def test_first_labels_alone_are_counted() -> None:
    rows = both_on_every_item(decided_at="2026-01-1{}T00:00:00Z")
    result = compare(Study.from_tables(preferences=rows), several="first")
    assert result.results[0].labels == 300


def test_ratings_that_nobody_can_compare_are_not_counted() -> None:
    rng = np.random.default_rng(2)
    rows = [
        rating(f"i{k}", system, name, float(rng.integers(5)))
        for k in range(100)
        for system, name in (("ant", "ann"), ("bee", "ann" if k < 40 else "bob"))
    ]
    result = compare(Study.from_tables(ratings=rows))
    assert result.results[0].labels == 80
