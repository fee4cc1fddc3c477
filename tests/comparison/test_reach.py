"""The differences that the reader is told of as found in 80% of studies, beside how often `compare` finds them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.small_studies import study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.rules.finished import FinishedSet, FinishedSets

OUTCOMES = {1: "a", 0: "tie", -1: "b"}


def labels(rng: np.random.Generator, items: int, ties: float, difference: float) -> np.ndarray:
    """Three labels of every item (items, 3) in -1, 0, 1."""
    shares = [(1 - ties - difference) / 2, ties, (1 - ties + difference) / 2]
    return rng.choice([-1, 0, 1], p=shares, size=(items, 3))


def study_with(values: np.ndarray) -> Study:
    rows = [
        {"item": f"i{k}", "system_a": "ant", "system_b": "bee", "annotator": f"p{person}", "outcome": OUTCOMES[label]}
        for k, row in enumerate(values.tolist())
        for person, label in enumerate(row)
    ]
    return study_of(rows)


def promised(study: Study) -> float | None:
    """From the first sentence of the advice; None where nothing is promised."""
    (result,) = compare(study).results
    if not result.advice:
        return None  # decided
    found = re.search(r"a difference of about (0\.\d+) would have been found", result.advice[0])
    assert found or "could have been found" in result.advice[0]
    return float(found[1]) if found else None


@pytest.mark.parametrize(("items", "ties"), [(8, 0.0), (22, 0.0), (30, 0.6), (60, 0.3), (200, 0.3)])
def test_what_is_promised_of_means_is_found(items: int, ties: float) -> None:
    rng = np.random.default_rng(items)
    powers = []
    for _ in range(4):
        difference = promised(study_with(labels(rng, items, ties, 0.0)))
        if difference is None:
            continue
        others = [labels(rng, items, ties, difference) for _ in range(150)]
        three = np.full(items, 3)
        sets = [FinishedSet(other.mean(axis=1), three, other.var(axis=1, ddof=1)) for other in others]
        powers.append((FinishedSets(sets).p_a <= 0.025).mean())
    assert 0.7 <= np.mean(powers) <= 0.95
