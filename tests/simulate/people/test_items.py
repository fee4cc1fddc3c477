from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.simulate.people.metrics import IDEAL_MIXTURE, correlated_scores, mixed_outcomes
from tiebreak.simulate.people.workers import cluster_numbers, difficulties, output_qualities


def test_difficulties_are_the_papers() -> None:
    found = difficulties(0.25, 200_000, np.random.default_rng(1))
    # N(.25, variance .1): P(d > 1) = P(Z > .75 / .3162 = 2.372) = .00885, all of which sits at 1.
    assert np.mean(found == 1.0) == pytest.approx(0.00885, abs=0.001)
    assert np.mean(found) == pytest.approx(0.25, abs=0.004)
    assert found[np.abs(found) < 1].std() == pytest.approx(0.31, abs=0.01)
    with pytest.raises(UsageError, match="variance"):
        difficulties(0.0, 10, np.random.default_rng(1), variance=-1)


def test_many_systems_with_clusters() -> None:
    clusters = cluster_numbers(60_000, 3)
    assert list(cluster_numbers(7, 3)) == [0, 0, 0, 1, 1, 1, 2]
    quality = output_qualities([0.0, 0.5], 0.2, clusters, np.random.default_rng(2), intraclass=0.4)
    assert quality.shape == (60_000, 2)
    assert quality.mean(axis=0) == pytest.approx([0.0, 0.5], abs=0.01)
    assert quality.std(axis=0) == pytest.approx([0.2, 0.2], rel=0.02)
    within = quality[:, 0].reshape(-1, 3)
    assert np.corrcoef(within[:, 0], within[:, 1])[0, 1] == pytest.approx(0.4, abs=0.03)
    assert np.corrcoef(quality.T)[0, 1] == pytest.approx(0.0, abs=0.03)
    for wrong in ({"spread": -1.0}, {"spread": 0.1, "intraclass": 2.0}):
        with pytest.raises(UsageError, match="spread must be"):
            output_qualities([0.0], clusters=clusters, rng=np.random.default_rng(2), **wrong)


def test_mixtures_confuse_as_told() -> None:
    human = np.repeat(np.array([1, 0, -1], dtype=np.int8), 40_000)
    judge = mixed_outcomes(human, IDEAL_MIXTURE, np.random.default_rng(3))
    for column, code in enumerate((1, 0, -1)):
        for row, said in enumerate((1, 0, -1)):
            assert np.mean(judge[human == code] == said) == pytest.approx(IDEAL_MIXTURE[row][column], abs=0.01)
    assert (mixed_outcomes(human, np.eye(3), np.random.default_rng(3)) == human).all()
    with pytest.raises(UsageError, match="columns"):
        mixed_outcomes(human, np.array(IDEAL_MIXTURE).T, np.random.default_rng(3))


def test_scores_correlate_as_told() -> None:
    signal = np.random.default_rng(4).choice([-1.0, 0.0, 1.0], size=(3, 50_000), p=[0.2, 0.3, 0.5])
    for correlation in (-0.3, 0.0, 0.7):
        scores = correlated_scores(signal, correlation, np.random.default_rng(5))
        for row in range(3):
            assert np.corrcoef(scores[row], signal[row])[0, 1] == pytest.approx(correlation, abs=0.02)
        assert scores.std() == pytest.approx(1.0, rel=0.02)
    constant = correlated_scores(np.ones(1000), 0.5, np.random.default_rng(6))
    assert constant.std() == pytest.approx(np.sqrt(0.75), rel=0.1)
    with pytest.raises(UsageError, match=r"\[-1, 1\], not 1.5"):
        correlated_scores(signal, 1.5, np.random.default_rng(6))
