from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.simulate.replay.labels import votes_of


def study(*labels: tuple[str, str, str, str]) -> Study:
    rows = [
        {"item": item, "system_a": a, "system_b": "y" if a == "x" else "x", "annotator": person, "outcome": outcome}
        for item, a, person, outcome in labels
    ]
    return Study.from_tables(preferences=rows, name="small")


SMALL = study(
    ("10", "x", "p", "a"),
    ("10", "x", "q", "b"),
    ("2", "x", "p", "tie"),
    ("2", "y", "q", "a"),  # for y
    ("2", "x", "r", "a"),
)


def test_votes_are_in_natural_order_and_seen_from_one_side() -> None:
    votes = votes_of(SMALL, "x", "y")
    assert votes.items == ("2", "10")
    assert votes.counts.tolist() == [3, 2]
    assert sorted(votes.outcomes[0].tolist()) == [-1, 0, 1]
    assert sorted(votes.outcomes[1, :2].tolist()) == [-1, 1]
    turned = votes_of(SMALL, "y", "x")
    assert (turned.system_a, turned.outcomes.tolist()) == ("y", (-votes.outcomes).tolist())


def test_every_choice_of_annotators_is_as_likely_as_any_other() -> None:
    drawn = votes_of(SMALL, "x", "y").draw(12_000, 2, np.random.default_rng(1))
    assert drawn.shape == (12_000, 2, 2)
    orders = Counter(map(tuple, drawn[:, 0].tolist()))
    assert set(orders) == {(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a != b}
    assert all(abs(count / 12_000 - 1 / 6) < 0.016 for count in orders.values())
    second = Counter(map(tuple, drawn[:, 1].tolist()))
    assert set(second) == {(1, -1), (-1, 1)}  # never the cell that holds no label


def test_too_few_annotators_are_named() -> None:
    with pytest.raises(UsageError, match="3 people an item cannot be replayed: item '10' has 2 labels, and 1 items"):
        votes_of(SMALL, "x", "y").draw(5, 3, np.random.default_rng(1))
    with pytest.raises(UsageError, match="no preferences between x and z"):
        votes_of(SMALL, "x", "z")
