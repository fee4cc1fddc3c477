"""An owner who knows every answer and withdraws what they like cannot make a campaign about equal systems err more
often than alpha; to leave the labels out, or to ask again, would do it nearly always or twice too often.

Evidence is compared with that of the same answers without a withdrawal in each campaign, which is exact; the shares of
wrong verdicts are what that is for. The normal run is small; `full` is what counts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.worlds.simulation import largest_rate
from benchmarks.worlds.small_campaigns import protocol_of, study_of
from tests.campaign.owned_campaigns import STRATEGIES, Outcomes, Owned, owned_campaign

from tiebreak.campaign import CampaignPlan, make_plan
from tiebreak.settings.protocol import Budget, DecisionSettings, OrderSettings

SMALL_RUNS, FULL_RUNS = 8, 1_000
ITEMS = 60

Draw = Callable[[np.random.Generator], Outcomes]


def fair(rng: np.random.Generator) -> Outcomes:
    return rng.choice([-1, 0, 1], ITEMS, p=[0.4, 0.2, 0.4])


def fair_pool(rng: np.random.Generator) -> Outcomes:
    """The difference of the pool is exactly zero."""
    return rng.permutation(np.repeat([1, 0, -1], [24, 12, 24]))


def alike(rng: np.random.Generator) -> Outcomes:
    """Clusters of three, most of whose items lean alike."""
    lean = np.repeat(rng.choice([-1, 1], ITEMS // 3), 3)
    return np.where(rng.random(ITEMS) < 0.8, lean, rng.choice([-1, 0, 1], ITEMS))


def plan_of(world: str, alpha: float) -> CampaignPlan:
    decision = DecisionSettings(alpha=alpha, target="items" if world == "a pool" else "inputs")
    budget = Budget(max_labels=40) if world == "a budget" else Budget()
    protocol = protocol_of(decision=decision, budget=budget, order=OrderSettings(seed=7))
    return make_plan(protocol, study_of(items=ITEMS, cluster_size=3 if world == "clusters" else 1))


WORLDS: dict[str, Draw] = {"inputs": fair, "a budget": fair, "a pool": fair_pool, "clusters": alike}


def campaigns(world: str, strategy: str, alpha: float, runs: int) -> list[Owned]:
    rng = np.random.default_rng([40, list(WORLDS).index(world), list(STRATEGIES).index(strategy)])
    plan, draw = plan_of(world, alpha), WORLDS[world]
    return [owned_campaign(plan, draw(rng), STRATEGIES[strategy], rng) for _ in range(runs)]


def share(largest: list[float], alpha: float) -> float:
    """Of campaigns with a verdict."""
    return float(np.mean(np.array(largest) >= np.log(2 / alpha)))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("world", WORLDS)
def test_no_owner_raises_evidence(world: str, strategy: str) -> None:
    found = campaigns(world, strategy, 0.2, SMALL_RUNS)
    assert max(of.above for of in found) <= 1e-9
    assert sum(of.withdrawn for of in found) > SMALL_RUNS
    assert share([of.largest for of in found], 0.2) <= largest_rate(0.2, SMALL_RUNS)
    if strategy == "every unwelcome label":
        assert share([of.dropped for of in found], 0.2) > 0.5


@pytest.mark.full
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("world", WORLDS)
def test_no_owner_bends_the_error_full(world: str, strategy: str) -> None:
    """The campaigns go on to alpha = 0.01; one at 0.05 would have ended on the way."""
    found = campaigns(world, strategy, 0.01, FULL_RUNS)
    assert max(of.above for of in found) <= 1e-9
    for alpha in (0.05, 0.01):
        assert share([of.largest for of in found], alpha) <= largest_rate(alpha, FULL_RUNS)
        if strategy == "every unwelcome label":
            assert share([of.dropped for of in found], alpha) > (0.7 if world == "a budget" else 0.9)
            assert share([of.again for of in found], alpha) > 3 * alpha
