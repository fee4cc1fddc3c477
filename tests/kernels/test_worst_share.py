"""Shares are left out only where they provably cannot matter, and that changes no p-value."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from tiebreak.kernels.metric_means import fair_tails
from tiebreak.kernels.worst_share import BESIDE, BLOCK, FAR, SMALL, Floats, WorstShare


def everything(share: WorstShare, tails: Floats) -> Floats:
    return np.ones((len(share._blocks), tails.shape[1]))


def test_no_binomial_probability_exceeds_herzogs_bound() -> None:
    shares = np.linspace(0, 1, 401)[1:-1]
    for n in (1, 2, 3, 5, 12, 60, 400):
        highest = binom.pmf(np.arange(n + 1)[:, None], n, shares).max(axis=0)
        assert (highest <= 1 / np.sqrt(2 * np.e * n * shares * (1 - shares)) * (1 + 1e-12)).all()


@pytest.mark.parametrize("n", [40, 700, 6_000])
def test_no_share_of_a_block_exceeds_its_bound(n: int) -> None:
    # Also between the shares of the grid, and those next to the block.
    scores = np.array([0.1, 0.5, 1.0, 1.7, 2.4, 3.3, 5.0])
    worst = WorstShare(n)
    tails = fair_tails(n, scores, worst._log_factorial)
    bounds = worst._bounds(tails)
    rng = np.random.default_rng(n)
    m = np.arange(n + 1)
    for block, bound in list(zip(worst._blocks, bounds, strict=True))[:: max(1, len(worst._blocks) // 12)]:
        grid = worst._shares[max(block.first - BESIDE, 0) : block.first + BLOCK + BESIDE]
        for share in [grid[0], grid[-1], *rng.uniform(grid[0], grid[-1], 6)]:
            weights = binom.pmf(m, n, share)
            assert weights[: block.start].sum() + weights[block.stop :].sum() < 1e-14
            assert (weights @ tails <= bound * (1 + 1e-9)).all()


@pytest.mark.parametrize("n", [SMALL + 1, 3_333, 9_000])
def test_what_is_left_out_changes_no_p_value(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(n).uniform(0.02, FAR, 12)
    found = np.concatenate([WorstShare(n).p_values(scores[k : k + 1]) for k in range(scores.size)])
    together = WorstShare(n).p_values(scores)
    monkeypatch.setattr(WorstShare, "_bounds", everything)
    wanted = WorstShare(n).p_values(scores)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_allclose(together, wanted, rtol=1e-12)


def test_beyond_the_farthest_score_nothing_is_searched_that_cannot_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    # Up to 8.3 or so p at 8 is smaller than the bound, beyond 8.5 it is not.
    scores = np.array([8.0, 8.2, 8.4, 8.6, 9.0, 20.0])
    worst = WorstShare(5_000)
    at_far = worst._searched(np.array([FAR]))[0]
    np.testing.assert_allclose(worst.p_values(scores), np.minimum(np.exp(-(scores**2) / 2), at_far), rtol=1e-12)
    monkeypatch.setattr(WorstShare, "_highest", lambda *_: pytest.fail("searched"))
    np.testing.assert_allclose(WorstShare(5_000).p_values(scores[3:]), np.exp(-(scores[3:] ** 2) / 2), rtol=1e-12)
