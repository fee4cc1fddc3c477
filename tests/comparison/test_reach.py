"""What the reader is told of differences that would usually have been found, beside how often `compare` finds them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.small_studies import study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.diagnosis.doctor import doctor
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
    found = re.search(r"a difference of about (0\.\d+) would usually", result.advice[0])
    assert found or "could have been found" in result.advice[0]
    return float(found[1]) if found else None


@pytest.mark.parametrize(("items", "ties"), [(8, 0.0), (22, 0.0), (30, 0.6), (60, 0.3), (200, 0.3)])
def test_what_is_promised_of_means_is_found_usually(items: int, ties: float) -> None:
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


def test_nothing_is_promised_where_nothing_could_be_found() -> None:
    first, *_ = compare(study_with(labels(np.random.default_rng(1), 7, 0.0, 0.0))).results[0].advice
    assert first.endswith(
        "no difference, however large, could have been found: all labels must agree on at least 8 items for a verdict."
    )


def test_doctor_says_the_same() -> None:
    study = study_with(labels(np.random.default_rng(4), 30, 0.3, 0.0))
    ((pair,),) = (criterion.pairs for criterion in doctor(study).criteria)
    assert pair.detectable_difference == pytest.approx(promised(study), abs=0.005)


def test_of_many_pairs_some_stand_for_the_others() -> None:
    rng = np.random.default_rng(2)
    rows = []
    for pair in range(30):
        size = 30 + 3 * pair
        for k, row in enumerate(labels(rng, size, 0.3, 0.0).tolist()):
            for person, label in enumerate(row):
                rows.append(
                    {
                        "item": f"i{k}",
                        "system_a": "ant",
                        "system_b": f"s{pair:02}",
                        "annotator": f"p{person}",
                        "outcome": OUTCOMES[label],
                    }
                )
    (criterion,) = doctor(study_of(rows)).criteria
    found = [pair.detectable_difference or 2.0 for pair in criterion.pairs]
    sizes = [pair.items for pair in criterion.pairs]
    assert len(found) == 30
    assert np.corrcoef(np.array(found), 1 / np.sqrt(sizes))[0, 1] > 0.9
