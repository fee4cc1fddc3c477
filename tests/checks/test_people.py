"""The labels that a warning about people counts are those that the verdict rests on, or it says which others."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import Row, rating, texts, vote
from tests.watching.watched import Watched, label, outputs

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.results.records import CompareResult


def both_on_every_item(items: int = 300, decided_at: str | None = None) -> list[Row]:
    rng = np.random.default_rng(1)
    outcomes = rng.choice(["a", "b", "tie"], (items, 2))
    return [
        vote(f"i{k}", "ant", "bee", name, str(outcomes[k, j]), decided_at and decided_at.format(j))
        for k in range(items)
        for j, name in enumerate(("ann", "bob"))
    ]


def counted(result: CompareResult) -> object:
    """The labels that the warning about few annotators counts."""
    (labels,) = [notice.details["labels"] for notice in result.warnings if notice.code == "few-annotators"]
    return labels


def test_all_labels_are_evidence() -> None:
    result = compare(Study.from_tables(preferences=both_on_every_item()))
    assert result.results[0].labels == 600
    assert counted(result) == 600


def test_labels_beyond_a_budget_are_not_counted() -> None:
    result = compare(Study.from_tables(preferences=both_on_every_item()), rule="anytime", items_per_pair=109)
    (found,) = result.results
    assert found.labels == found.people.total == sum(found.people.labels) == 218
    assert counted(result) == 218


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
    assert counted(result) == found.labels


def test_first_labels_alone_are_counted() -> None:
    rows = both_on_every_item(decided_at="2026-01-1{}T00:00:00Z")
    result = compare(Study.from_tables(preferences=rows), several="first")
    assert result.results[0].labels == 300
    assert counted(result) == 300


def test_ratings_that_nobody_can_compare_are_not_counted() -> None:
    rng = np.random.default_rng(2)
    rows = [
        rating(f"i{k}", system, name, float(rng.integers(5)))
        for k in range(100)
        for system, name in (("ant", "ann"), ("bee", "ann" if k < 40 else "bob"))
    ]
    result = compare(Study.from_tables(ratings=rows))
    assert result.results[0].labels == 80
    assert counted(result) == 80


def test_a_watched_study_says_that_it_counts_all_labels_seen() -> None:
    watched = Watched(tables={"outputs": outputs(60)})
    watched.look([label(f"i{k}", "a", name) for k in range(20) for name in ("ann", "bob")])
    watched.look([label(f"i{k}", "a", "ann") for k in range(20, 60)])
    result = watched.result
    (found,) = result.results
    assert (found.labels, found.people.total) == (40, 80)
    assert counted(result) == 80


@pytest.mark.parametrize("same", [0, 5])
def test_answers_on_identical_outputs_are_evidence_of_a_tie(same: int) -> None:
    study = Study.from_tables(
        preferences=both_on_every_item(40),
        outputs=texts({name: ["one" if k < same else f"{name} {k}" for k in range(40)] for name in ("ant", "bee")}),
    )
    result = compare(study)
    assert counted(result) == result.results[0].labels
