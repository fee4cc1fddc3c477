"""Every boundary against the kernel that gives the verdict itself, at every possible count."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betainc, logsumexp

from tiebreak.kernels import bet_mixture, lead_boundary
from tiebreak.kernels.lead_boundary import LeadBoundary
from tiebreak.kernels.reproduced import first_crossing

HORIZON = 60
PRIOR = bet_mixture.default_prior()


def anytime(wins: int, losses: int) -> bool:
    counts = [np.array([float(n)]) for n in (losses, 0, wins)]
    return bool(bet_mixture.log_e_from_counts(*counts, PRIOR)[0] >= math.log(40))


def posterior(wins: int, losses: int) -> bool:
    return bool(betainc(losses + 1.0, wins + 1.0, 0.5) > 1 - 0.05 / 2)


@pytest.mark.parametrize(
    ("boundary", "decides"),
    [
        (lead_boundary.anytime_boundary(PRIOR, math.log(40), HORIZON), anytime),
        (lead_boundary.posterior_boundary(0.05, HORIZON), posterior),
    ],
)
def test_boundaries_of_untied_counts(boundary: LeadBoundary, decides: Callable[[int, int], bool]) -> None:
    assert boundary.by_untied
    assert boundary.horizon == HORIZON
    for count in range(HORIZON + 1):
        for wins in range(count + 1):
            lead = 2 * wins - count
            assert (lead >= boundary.for_a[count]) == decides(wins, count - wins), (count, wins)
            assert (lead <= boundary.for_b[count]) == decides(count - wins, wins), (count, wins)


@pytest.mark.parametrize("d", [0.3, 0.05, 0.001])
def test_the_hoeffding_boundary_with_ties(d: float) -> None:
    boundary = lead_boundary.hoeffding_boundary(d, HORIZON)
    assert not boundary.by_untied
    for count in range(1, HORIZON + 1):
        for lead in range(-count, count + 1):
            # A constant sequence of this mean crosses at its own n if it does at all; look at n alone.
            mean = (count + lead) / 2 / count
            bound = math.sqrt(-math.log(d) / (2 * count))
            assert (lead >= boundary.for_a[count]) == (mean - bound > 0.5), (count, lead)
            assert (lead <= boundary.for_b[count]) == (mean + bound < 0.5), (count, lead)


def test_the_hoeffding_boundary_by_hand() -> None:
    # d = .05: t = sqrt(2.9957/(2 n)). Only wins: 1 - t > 1/2 needs n > 2 * 2.9957 = 5.99, so at the sixth.
    boundary = lead_boundary.hoeffding_boundary(0.05, 10)
    assert boundary.for_a[5] > 5
    assert boundary.for_a[6] == 6
    assert first_crossing([1.0] * 10, 0.05).stopped_at == 6


def needed_wins(budget: int, prior: bet_mixture.BetPrior, log_threshold: float) -> NDArray[np.int64]:
    """For each number n = 0..H of non-ties the fewest wins at which E reaches the threshold (n + 1: none does).

    E increases with the wins at a fixed n, and with one more non-tie at most one more win is needed, so the
    boundary is found by one pass.
    """
    gain_win = np.log1p(prior.bets)
    gain_loss = np.log1p(-prior.bets)
    boundary = np.empty(budget + 1, dtype=np.int64)
    wins = 0
    for count in range(budget + 1):
        while wins <= count:
            log_e = logsumexp(prior.log_weights + wins * gain_win + (count - wins) * gain_loss)
            if log_e >= log_threshold:
                break
            wins += 1
        boundary[count] = wins
    return boundary


def test_the_anytime_boundary_is_that_of_one_pass_over_the_counts() -> None:
    # Another way to the same numbers: one pass over the counts instead of bisection.
    found = lead_boundary.anytime_boundary(PRIOR, math.log(2 / 0.001), 400)
    wins = needed_wins(400, PRIOR, math.log(2 / 0.001))
    count = np.arange(401)
    possible = wins <= count
    assert (found.for_a[possible] == (2 * wins - count)[possible]).all()
    assert (found.for_a[~possible] > count[~possible]).all()
