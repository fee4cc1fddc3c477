"""The levels that evidence faces where many pairs are tested together, by hand and against another package."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from tiebreak.records import Multiplicity
from tiebreak.rules.family import Family

RUNS, PAIRS = 120, 5


def test_levels_of_families_by_hand() -> None:
    """Four pairs at .08: Holm .08/8, ... .08/5; with a margin, and by Bonferroni, .08/8; none .04."""
    expected = [0.08 / 5, 0.08 / 6, 0.08 / 7, 0.08 / 8]
    assert Family(0.08, "holm", 4, margin=False).levels() == pytest.approx(expected)
    for family in (Family(0.08, "holm", 4, margin=True), Family(0.08, "bonferroni", 4, margin=False)):
        assert family.levels() == pytest.approx([0.01])
    assert Family(0.08, "none", 4, margin=True).levels() == pytest.approx([0.04])
    harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
    by_rate = Family(0.08, "fdr", 2, margin=False)
    assert by_rate.levels() == pytest.approx([0.08 * k / (4 * harmonic) for k in (4, 3, 2, 1)])
    assert by_rate.first_level == pytest.approx(0.08 / (4 * harmonic))
    assert Family(0.05, "holm", 40, margin=False).levels().size == 16


def test_the_thresholds_of_a_false_discovery_rate_by_hand() -> None:
    """Four nulls at .05: with one, two found 4 (25/12)/.05, half of it; the second passes only with the first."""
    family, first = Family(0.05, "fdr", 2, margin=False), 4 * (25 / 12) / 0.05
    none, one, two = np.log([[[first / 2, 1], [1, 1]], [[first, 1], [1, 1]], [[first / 2, 1], [first / 2, 1]]])
    assert np.exp(family.faced(np.stack([none, one, two]))) == pytest.approx([first, first, first / 2])


@pytest.mark.parametrize(
    ("multiplicity", "theirs"), [("holm", "holm"), ("fdr", "fdr_by"), ("bonferroni", "bonferroni")]
)
def test_what_is_rejected_in_many_runs_is_what_statsmodels_rejects(multiplicity: Multiplicity, theirs: str) -> None:
    """Of p-values, as evidence on the scale of -log p."""
    rng = np.random.default_rng(5)
    p = rng.random((RUNS, PAIRS, 2)) ** rng.choice([1, 3, 8], size=(RUNS, 1, 1))
    reached = -np.log(p) >= Family(0.2, multiplicity, PAIRS, margin=False).faced(-np.log(p))[:, None, None]
    expected = [multipletests(of.ravel(), 0.2, method=theirs)[0] for of in p]
    np.testing.assert_array_equal(reached.reshape(RUNS, -1), expected)
    assert 0.05 < reached.mean() < 0.6


@pytest.mark.parametrize("multiplicity", ["holm", "fdr", "none"])
def test_one_run_faces_what_it_does_among_many(multiplicity: Multiplicity) -> None:
    evidence = np.random.default_rng(6).exponential(2.0, (RUNS, PAIRS, 2))
    family = Family(0.2, multiplicity, PAIRS, margin=False)
    faced = family.faced(evidence)
    for run, common in zip(evidence, faced, strict=True):
        thresholds = family.thresholds(run)
        found = (run >= thresholds[:, None]).any(axis=1)
        np.testing.assert_array_equal(found, (run >= common).any(axis=1))
        assert (thresholds[~found] == common).all()
