from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, dirichlet

from tiebreak.rules.finished_family import dirichlet_verdict, hoeffding_verdict

COUNTS = [(30, 20, 10), (12, 5, 11), (3, 40, 17), (0, 9, 0), (61, 0, 39), (25, 25, 8)]


def test_hoeffding_by_hand() -> None:
    # d = .05: t(n) = sqrt(2.9957/(2n)). All wins: 1 - 1/2 > t first at n = 6 (t(5) = .547, t(6) = .4997).
    verdict = hoeffding_verdict(np.ones(20), 0.05)
    assert (verdict.verdict, verdict.stopped_at) == ("a", 6)
    # In differences the bound is twice as wide: 2 sqrt(2.9957/40) = .547 around 1.
    assert verdict.low == pytest.approx(1 - 2 * math.sqrt(-math.log(0.05) / 40))
    assert verdict.high == 1.0
    assert hoeffding_verdict(-np.ones(20), 0.05).verdict == "b"
    assert hoeffding_verdict(np.zeros(500), 0.05).verdict == "undecided"


def test_hoeffding_keeps_its_first_crossing() -> None:
    verdict = hoeffding_verdict(np.concatenate([np.ones(8), -np.ones(60)]), 0.05)
    assert (verdict.verdict, verdict.stopped_at) == ("a", 6)
    assert verdict.high < 0  # the rule contradicts its own verdict later: one reason not to use it
    empty = hoeffding_verdict(np.empty(0), 0.05)
    assert (empty.verdict, empty.low, empty.high) == ("undecided", -1.0, 1.0)


@pytest.mark.parametrize("counts", COUNTS)
def test_dirichlet_against_the_beta_and_against_draws(counts: tuple[int, int, int]) -> None:
    wins, ties, losses = counts
    found = dirichlet_verdict(counts, 0.1)
    theta = float(beta.sf(0.5, wins + 1, losses + 1))
    assert found.theta == pytest.approx(theta)
    assert found.verdict == ("a" if theta > 0.95 else "b" if theta < 0.05 else "undecided")
    draws = dirichlet.rvs([wins + 1, ties + 1, losses + 1], size=40_000, random_state=np.random.default_rng(22))
    low, high = np.quantile(draws[:, 0] - draws[:, 2], [0.05, 0.95])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.015)


def test_swapping_the_systems_mirrors_every_rule() -> None:
    mirror = {"a": "b", "b": "a", "undecided": "undecided"}
    for wins, ties, losses in COUNTS:
        values = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
        forward = (
            hoeffding_verdict(values, 0.05),
            dirichlet_verdict((wins, ties, losses), 0.05),
        )
        back = (
            hoeffding_verdict(-values, 0.05),
            dirichlet_verdict((losses, ties, wins), 0.05),
        )
        for one, other in zip(forward, back, strict=True):
            assert other.verdict == mirror[one.verdict]
            assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-3)
