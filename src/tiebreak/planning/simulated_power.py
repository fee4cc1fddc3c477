"""The power of rules that have no formula, by simulation: items get values at random, and the rule itself decides.

All plans and differences share their random numbers, so that longer plans and larger differences find more. With 800
runs chances are right to about .03, and to about .05 where many differences are asked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.planning.assumptions import MOST_ITEMS
from tiebreak.rules.power import CHANCE, Endings, smallest_number
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import EQUIVALENT, Integers
from tiebreak.settings.protocol import DecisionSettings
from tiebreak.simulate.engines.stops import SimulatedRule, stops

Floats = NDArray[np.float64]

_RUNS: Final = 800  # of all differences together
_FEWEST_RUNS: Final = 100
_AT_ONCE: Final = 400  # runs whose values are in memory
_FEW: Final = 5  # differences that are simulated one by one; of more, chances are interpolated
_GRID: Final = np.linspace(0, 1, 24) ** 2  # of the largest difference
_LOOKS: Final = np.linspace(0, 1, 60)  # quantiles of the items until a verdict
_SHORTEST: Final = 64


@dataclass(frozen=True, slots=True)
class SimulatedPower:
    """The power of a rule that treats both systems alike. `decision`: its settings, with the alpha of one pair;
    `square`, `pool`: as of `PlannedPower`.
    """

    decision: DecisionSettings
    square: float
    pool: int | None = None

    def endings(self, planned: int, differences: Floats) -> Endings:
        """How pairs with these `differences` (D,) end under a plan of so many units."""
        sizes = np.minimum(np.abs(differences), self.square)
        simulated = np.unique(sizes)
        if simulated.size > _FEW:
            simulated = self.square * _GRID
        verdict, items = _simulated(self, self._length(planned), tuple(simulated.tolist()))
        ends = np.append(items[(verdict != 0) & (items <= planned)], planned)
        looks = np.union1d(np.quantile(ends, _LOOKS, method="nearest"), planned)
        ended = items[..., None] <= np.stack([looks - 1, looks], axis=1).ravel()  # before each look, and after it

        def chance(code: int) -> Floats:
            chances = ((verdict == code)[..., None] & ended).mean(axis=1)
            return np.stack([np.interp(sizes, simulated, by_look) for by_look in chances.T], axis=1)

        for_better, for_worse, a_better = chance(1), chance(-1), (differences >= 0)[:, None]
        for_a, for_b = (np.where(a_better, *of) for of in ((for_better, for_worse), (for_worse, for_better)))
        units = np.repeat(looks, 2).astype(np.float64)
        return Endings(differences, units, for_a, for_b, chance(EQUIVALENT), self.decision.margin)

    def found(self, planned: int, chance: float = CHANCE) -> float | None:
        """The smallest difference that a plan finds with this chance; None: not even one without a loss."""
        differences = self.square * _GRID
        chances = np.maximum.accumulate(self.endings(planned, differences).for_a[:, -1])
        return float(np.interp(chance, chances, differences)) if chances[-1] >= chance else None

    def smallest_plan(self, differences: Floats, most: int, chance: float = CHANCE) -> int | None:
        """As of `PlannedPower`; longer plans are simulated only where shorter ones do not do."""

        def right(planned: int) -> float:
            return float(self.endings(planned, differences).right.mean())

        enough = _SHORTEST
        while enough < most and right(enough) < chance:
            enough *= 2
        return smallest_number(right, min(enough, most), chance)

    def _length(self, planned: int) -> int:
        """Items of simulated runs: more than planned, for further plans, unless the rule depends on their number."""
        rule = RULES[self.decision.rule]
        if rule.plans_items or rule.needs_items_per_pair:
            return planned
        return min(self.pool or max(1 << (planned - 1).bit_length(), _SHORTEST), MOST_ITEMS)


@lru_cache(maxsize=64)
def _simulated(power: SimulatedPower, items: int, differences: tuple[float, ...]) -> tuple[Integers, Integers]:
    """Codes of verdicts (D, R), and the items until then, in R runs of at most so many items."""
    of = SimulatedRule(power.decision, items, pool=power.pool)
    runs = max(_RUNS // len(differences), _FEWEST_RUNS)
    verdict, ends = np.zeros((2, len(differences), runs), dtype=np.int64)
    for start in range(0, runs, _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        shares = _shares(min(_AT_ONCE, runs - start), items, power.pool, start)
        for place, difference in enumerate(differences):
            for_a, for_b = (power.square + difference) / 2, (power.square - difference) / 2
            found = stops((shares < for_a).astype(np.int8) - (shares >= 1 - for_b), of)
            verdict[place, some], ends[place, some] = found.verdict, found.items
    return verdict, ends


def _shares(runs: int, items: int, pool: int | None, seed: int) -> NDArray[np.float32]:
    """Numbers (runs, items) from 0 to 1: those of a whole pool lie evenly; a pool of very many is like none."""
    rng = np.random.default_rng(seed)
    if pool is None or pool > MOST_ITEMS:
        return rng.random((items, runs), dtype=np.float32).T
    even = (np.arange(pool, dtype=np.float32) + 0.5) / pool
    return rng.permuted(np.tile(even, (runs, 1)), axis=1)[:, :items]
