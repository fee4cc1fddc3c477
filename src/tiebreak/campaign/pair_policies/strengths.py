"""What the answers so far say of the systems' strengths, for policies that choose pairs by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.plan import Plan
from tiebreak.campaign.state import State
from tiebreak.kernels.davidson import DavidsonFit, davidson, outcome_probabilities

Integers = NDArray[np.intp]


def system_pairs(plan: Plan) -> Integers:
    """(K, 2): the numbers of the two systems of each pair, in the order of the plan's systems."""
    number = {name: k for k, name in enumerate(plan.systems)}
    return np.array([(number[pair.system_a], number[pair.system_b]) for pair in plan.tracks], dtype=np.intp)


def strengths(state: State) -> DavidsonFit:
    """Davidson's model of all done items, with the items under way as if they came out as expected.

    (Without the latter, everybody who asks at the same time would be sent to the same pair.)
    """
    pairs = system_pairs(state.plan)
    counts = np.array([(pair.wins, pair.ties, pair.losses) for pair in state.tracks], dtype=np.float64)
    fit = davidson(len(state.plan.systems), pairs, counts)
    under_way = np.array([len(pair.open) for pair in state.tracks], dtype=np.float64)
    if not under_way.any():
        return fit
    expected = outcome_probabilities(fit.beta[pairs[:, 0]] - fit.beta[pairs[:, 1]], fit.log_nu)
    return davidson(len(state.plan.systems), pairs, counts + under_way[:, None] * expected, start=fit)
