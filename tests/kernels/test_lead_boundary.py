"""Every boundary against the kernel that gives the verdict itself, at every possible count."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import betainc

from tiebreak.kernels import bet_mixture, lead_boundary
from tiebreak.kernels.lead_boundary import LeadBoundary

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
