from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from tiebreak.kernels.paired_outcomes import paired_outcomes, paired_pool
from tiebreak.planning.campaigns import Answers, PlannedOutcomes, fixed_size, grow_campaigns
from tiebreak.planning.population import calibrated
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.engines.stopping import SimulatedRule, stops

ONE = SimulatedLabelling("one")


@dataclass(frozen=True)
class Drawn:
    """A source that hands out a matrix drawn beforehand."""

    values: NDArray[np.int8]
    costs: NDArray[np.uint8]
    given: dict[int, int]

    @property
    def runs(self) -> int:
        return len(self.values)

    def draw(self, rows, items, rng):  # type: ignore[no-untyped-def]  # noqa: ARG002
        found = [(self.given.get(row, 0), row) for row in rows.tolist()]
        for start, row in found:
            self.given[row] = start + items
        return (
            np.array([self.values[row, start : start + items] for start, row in found]),
            np.array([self.costs[row, start : start + items] for start, row in found]),
        )


def test_growing_is_the_same_as_deciding_the_whole() -> None:
    rng = np.random.default_rng(1)
    values = rng.choice(np.array([1, 0, -1], dtype=np.int8), size=(60, 1000), p=[0.45, 0.25, 0.3])
    costs = rng.integers(2, 4, size=values.shape).astype(np.uint8)
    rules = [
        SimulatedRule(alpha=0.01),
        SimulatedRule("posterior"),
        SimulatedRule("hoeffding"),
        SimulatedRule(margin=0.3),
    ]
    found = grow_campaigns(Drawn(values, costs, {}), rules, 1000, rng)
    for rule in rules:
        whole = stops(values, rule)
        assert (found[rule].verdict == whole.verdict).all()
        assert (found[rule].items == whole.items).all()
        expected = [int(costs[row, :items].sum()) for row, items in enumerate(whole.items)]
        assert found[rule].labels.tolist() == expected
    assert len(set(found[rules[0]].items.tolist())) > 20


def test_outcomes_have_their_rates() -> None:
    source = PlannedOutcomes(0.2, 0.4, 100)
    values, costs = source.draw(np.arange(100), 2000, np.random.default_rng(2))
    assert values.mean() == pytest.approx(0.2, abs=0.008)
    assert np.mean(values == 0) == pytest.approx(0.4, abs=0.005)
    assert (costs == 1).all()


def test_people_and_bare_outcomes_cost_the_same() -> None:
    # One answer an item: whatever people and items are, the outcomes are independent with the population's rates.
    population = calibrated(0.2, 0.3, 0.4)
    rng = np.random.default_rng(3)
    rule = SimulatedRule()
    people = grow_campaigns(Answers.of(population, ONE, 600, rng), [rule], 5000, rng)[rule].labels
    bare = grow_campaigns(PlannedOutcomes(0.2, 0.3, 600), [rule], 5000, rng)[rule].labels
    error = np.hypot(people.std(), bare.std()) / np.sqrt(600)
    assert abs(people.mean() - bare.mean()) < 4 * error


def test_a_fixed_worker_stays_the_same() -> None:
    population = calibrated(0.3, 0.0, 0.3)
    rng = np.random.default_rng(4)
    source = Answers.of(population, SimulatedLabelling("fixed"), 300, rng)
    # Means over many items differ by the capability of the one who answers: .8 to 1 times the latent mean.
    first, second = (source.draw(np.arange(300), 4000, rng)[0].mean(axis=1) for _ in range(2))
    assert np.corrcoef(first, second)[0, 1] > 0.4


def test_the_fixed_size_by_enumeration() -> None:
    population = calibrated(0.5, 0.2, 0.3)
    for_a, for_b = population.value_rates(ONE)

    def power(count: int) -> float:
        total = 0.0
        won, lost = (of.ravel() for of in np.indices((count + 1, count + 1)))
        won, lost = won[won + lost <= count], lost[won + lost <= count]
        rejected = np.zeros((count + 1, count + 1), dtype=bool)
        rejected[won, lost] = paired_outcomes(won, count - won - lost, lost).p_a <= 0.025
        for wins in range(count + 1):
            for losses in range(count - wins + 1):
                if rejected[wins, losses]:
                    ways = comb(count, wins) * comb(count - wins, losses)
                    total += ways * for_a**wins * for_b**losses * (1 - for_a - for_b) ** (count - wins - losses)
        return total

    found = fixed_size(population, ONE, SimulatedRule("fixed", alpha=0.05, items=500), 0.8)
    assert found is not None
    assert power(found) >= 0.8
    assert power(found - 1) < 0.8
    assert fixed_size(population, ONE, SimulatedRule("fixed", alpha=0.05, items=found - 5), 0.8) is None
    assert fixed_size(calibrated(0.0, 0.2), ONE, SimulatedRule("fixed", items=500), 0.8) is None


def test_the_fixed_size_in_a_pool_is_no_larger() -> None:
    """Of 120 items 80 tell more than 80 of many, and all 120 tell everything."""
    population = calibrated(0.35, 0.2, 0.3)
    rule = SimulatedRule("fixed", alpha=0.05, items=120)
    many, pool = (fixed_size(population, ONE, of, 0.8) for of in (rule, replace(rule, pool=120)))
    assert many is not None
    assert pool is not None
    assert pool < many
    # At that size, by simulation: 2,000 pools, sd .009.
    win, loss = population.value_rates(ONE)
    counts = np.random.default_rng(5).multinomial(pool, [win, 1 - win - loss, loss], size=2_000)
    found = paired_pool(*counts.T, 120).p_a <= 0.025
    assert found.mean() == pytest.approx(0.8, abs=0.03)
