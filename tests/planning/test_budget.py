from __future__ import annotations

import math

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.planning.budget import assisted_campaigns, check_correlation
from tiebreak.planning.population import calibrated

HALF = math.log(2 / 0.05)


def test_a_good_metric_saves_answers() -> None:
    population = calibrated(0.2, 0.1, 0.6)
    none, good = (
        assisted_campaigns(population, correlation, "items", 1000, HALF, 1000, 100, np.random.default_rng(1))
        for correlation in (0.01, 0.75)
    )
    assert (none.verdict == 1).mean() > 0.95
    assert (good.verdict == 1).mean() > 0.95
    # 1 - .75^2 = .44 of the variance is left.
    assert good.items.mean() < 0.75 * none.items.mean()
    assert (good.labels == good.items).all()


def test_equal_systems_are_rarely_decided() -> None:
    population = calibrated(0.0, 0.3, 0.3)
    rng = np.random.default_rng(2)
    wrong = [
        assisted_campaigns(population, 0.5, target, 900, HALF, 300, 100, rng).decided.mean()
        for target in ("items", "inputs")
    ]
    # A fresh pool each time, so also an items claim is about a mean that is near 0 but not 0.
    assert max(wrong) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100) + 0.03


def test_inputs_keep_unlabelled_items() -> None:
    population = calibrated(0.05, 0.3, 0.3)
    runs = assisted_campaigns(population, 0.3, "inputs", 700, HALF, 700, 60, np.random.default_rng(3))
    assert runs.items.max() == 300  # (700 - 100 set aside) / 2


def test_people_who_disagree_limit_every_metric() -> None:
    population = calibrated(0.1, 0.0, 0.25)
    check_correlation(population, 0.5)
    with pytest.raises(UsageError, match=r"at most 0\.50, because two people's labels correlate by 0\.25"):
        check_correlation(population, 0.6)
