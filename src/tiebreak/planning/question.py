"""What a plan asks of the power of plans: pairs, their differences, and what an item's value is under a policy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.control_variate import most_with_companions
from tiebreak.planning.assumptions import PLANNED, Assumptions, PlanSettings
from tiebreak.planning.population import Population
from tiebreak.planning.simulated_power import SimulatedPower
from tiebreak.rules.family import Family
from tiebreak.rules.power import CHANCE, Endings, PlannedPower
from tiebreak.simulate.engines.policies import SimulatedLabelling

Floats = NDArray[np.float64]

Power = PlannedPower | SimulatedPower


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Pairs under one labelling policy.

    `differences` (P, D) of the values of items: D of each pair, equally likely; each pair stands for `alike` pairs of
    the question. `people`: labels an item takes on average. `most`: items a pair at most.
    """

    power: Power
    differences: Floats
    alike: int
    people: float
    most: int

    def endings(self, planned: int) -> Endings:
        """How all pairs end under a plan of so many items: (P D) of them, pair by pair."""
        return self.power.endings(planned, self.differences.ravel())

    def chance(self, planned: int) -> float:
        """The mean chance of a right verdict."""
        return float(self.endings(planned).right.mean()) if planned >= 1 else 0.0

    def enough(self, chance: float = CHANCE) -> int | None:
        """The smallest plan with this mean chance of a right verdict; None where there are too few items."""
        return self.power.smallest_plan(self.differences.ravel(), self.most, chance)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """`differences` (P, D) of single labels: D of each pair, equally likely. Either every pair of the question has its
    row, or one row stands for all.
    """

    assumed: Assumptions
    settings: PlanSettings
    population: Population
    differences: Floats

    def asked(self, policy: SimulatedLabelling, correlation: float | None = None, scored: int | None = None) -> Asked:
        """Under a policy; with the help of a metric that correlates so with single labels on `scored` items, those of
        the settings where None.
        """
        settings, pairs = self.settings, self.assumed.number_of_pairs
        pool = settings.number_of_items if settings.target == "items" else None
        for_a, for_b = self.population.value_rates(policy)
        power: Power = SimulatedPower(settings.decision(pairs), for_a + for_b, pool)
        if settings.rule == PLANNED:
            power = PlannedPower.of(self.family, for_a + for_b, settings.margin, pool)
        most = settings.most_items
        if correlation is not None and isinstance(power, PlannedPower):
            scored = scored or settings.number_of_items or 0
            power = replace(power, explained=correlation**2, scored=scored)
            # For inputs like these every label wants an unlabelled item beside it, and some are set aside.
            most = min(most, scored if pool is not None else max(most_with_companions(scored), 1))
        single = self.population.rates().difference
        factors = self.population.capability_factors() if policy.name == "fixed" else np.ones(1)
        ratio = (for_a - for_b) / single if single > 0 else 1.0
        values = np.clip(self.differences[:, :, None] * ratio * factors, -1.0, 1.0)
        alike = pairs // len(self.differences)
        shaped = values.reshape(len(values), -1)
        return Asked(power, shaped, alike, self.population.people_per_item(policy), most)

    @property
    def family(self) -> Family:
        """All pairs."""
        margin = self.settings.margin is not None
        return Family(self.settings.alpha, "holm", self.assumed.number_of_pairs, margin)

    def with_pairs(self, pairs: int) -> Question:
        """The same question about fewer pairs: the first rows, or one that stands for all."""
        assumed = replace(self.assumed, number_of_pairs=pairs)
        return Question(assumed, self.settings, self.population, self.differences[:pairs])
