"""The differences that the reader is told of as found in 80% of studies, beside how often `compare` finds them."""

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


def test_doctor_says_the_same() -> None:
    study = study_with(labels(np.random.default_rng(4), 30, 0.3, 0.0))
    ((pair,),) = (criterion.pairs for criterion in doctor(study).criteria)
    assert pair.detectable_difference == pytest.approx(promised(study), abs=0.005)


def clustered(rng: np.random.Generator, sizes: list[int]) -> Study:
    """One pair of equal systems; items of a cluster correlate at about .2."""
    names = [f"i{cluster}-{k}" for cluster, size in enumerate(sizes) for k in range(size)]
    leans = np.repeat(rng.normal(0, 0.5, len(sizes)), sizes) + rng.normal(0, 1, len(names))
    rows = [
        {"item": name, "system_a": "ant", "system_b": "bee", "annotator": "p", "outcome": "a" if lean > 0 else "b"}
        for name, lean in zip(names, leans, strict=True)
    ]
    return study_of(rows, items=[{"item": name, "cluster": name.split("-")[0]} for name in names])


@pytest.mark.parametrize("sizes", [[10] * 9, [20, 12, 10, 10, 8, 6, 6, 4, 4, 3, 2, 2]])
def test_few_clusters_give_a_range_that_mostly_holds_what_is_found(sizes: list[int]) -> None:
    rng = np.random.default_rng(5)
    pairs = [doctor(clustered(rng, sizes)).criteria[0].pairs[0] for _ in range(30)]
    found = np.median([pair.detectable_difference or 1.0 for pair in pairs])
    ranges = [pair.detectable_range or (1.0, 1.0) for pair in pairs]
    covered = np.mean([low <= found <= high for low, high in ranges])
    assert 0.65 <= covered <= 0.97  # 80% are meant; 30 studies have a standard error of 7%
    assert np.mean([high / low for low, high in ranges]) > 1.4
    assert doctor(clustered(rng, [3] * 40)).criteria[0].pairs[0].detectable_range is None
