"""Under the label rule `first`: a fast person is named, also among few items, and chance is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from tests.small_studies import study_of, vote

from tiebreak.checks.people import _upper_tail
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study

PEOPLE = ("ann", "bob", "cy", "fast")


def timed(items: int, rng: np.random.Generator, always_first: str | None = None) -> Study:
    """Four people on every item, in an order drawn at random, unless one is always the first."""
    rows = []
    for k in range(items):
        order = [PEOPLE[place] for place in rng.permutation(4)]
        if always_first is not None:
            order = [always_first, *(name for name in order if name != always_first)]
        for minute, name in enumerate(order):
            outcome = "a" if name == always_first else str(rng.choice(["a", "b"]))
            rows.append(vote(f"i{k}", "ant", "bee", name, outcome, f"2024-01-02T10:{k:02}:{minute:02}Z"))
    return study_of(rows)


def who_is_first(study: Study) -> list[object]:
    found = compare(study, several="first").warnings
    return [notice.details["annotator"] for notice in found if notice.code == "one-person-first"]


def test_twelve_items_are_enough_where_one_person_is_always_first() -> None:
    rng = np.random.default_rng(1)
    assert who_is_first(timed(12, rng, "fast")) == ["fast"]
    assert who_is_first(timed(4, rng, "fast")) == []  # 4^-4: as good as chance among four people


def test_chance_is_no_fast_person() -> None:
    rng = np.random.default_rng(2)
    assert [who_is_first(timed(12, rng)) for _ in range(100)] == [[]] * 100


@pytest.mark.parametrize("n", [3, 12, 40])
@pytest.mark.parametrize("chance", [0.2, 0.5])
def test_the_bound_is_never_below_the_exact_tail(n: int, chance: float) -> None:
    for first in range(n + 1):
        bound = _upper_tail(np.repeat([1.0, 0.0], [first, n - first]), np.full(n, chance))
        assert bound >= binom.sf(first - 1, n, chance) * (1 - 1e-12)
    assert _upper_tail(np.ones(n), np.full(n, chance)) == pytest.approx(chance**n)
