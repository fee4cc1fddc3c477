"""Simulated people in a whole campaign: many systems of known quality, a crowd, and metrics with known faults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.campaign import Plan
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.simulate.answers import Answer
from tiebreak.simulate.items import cluster_numbers, output_qualities
from tiebreak.simulate.metrics import correlated_scores
from tiebreak.simulate.workers import Worker, draw_outcomes, draw_seconds, expected_outcome, quality_difference

Floats = NDArray[np.float64]

METRIC: Final = "metric"
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class World:
    """What is simulated. `qualities` (S,) of the systems: the difference of two outputs, clipped to [-1, 1], is what a
    perfect worker's P(a) - P(b) is. `spread`: standard deviation of a system's outputs around it; `cluster_size`,
    `intraclass`: neighbouring items whose outputs resemble each other. `correlation` of a metric with the quality of
    outputs; None: no metric. Systems are called a, b, c, ...

    Raises `UsageError` for values that cannot be.
    """

    qualities: tuple[float, ...]
    items: int
    spread: float = 0.2
    cluster_size: int = 1
    intraclass: float = 0.0
    correlation: float | None = None

    def __post_init__(self) -> None:
        if not 2 <= len(self.qualities) <= len(_LETTERS):
            raise UsageError(f"a world has 2 to {len(_LETTERS)} systems, not {len(self.qualities)}")
        if self.items < 1:
            raise UsageError(f"a world has at least 1 item, not {self.items}")
        if self.correlation is not None and not -1 <= self.correlation <= 1:
            raise UsageError(f"a correlation must be in [-1, 1], not {self.correlation}")
        self.draw(np.random.default_rng(0), few=True)

    @property
    def systems(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(_LETTERS[: len(self.qualities)])

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names of the items, sorted."""
        return tuple(f"i{k:06d}" for k in range(self.items))

    def draw(self, rng: np.random.Generator, *, few: bool = False) -> Floats:
        """Latent quality of every output, (items, systems); `few`: of one item, to check the settings."""
        clusters = cluster_numbers(1 if few else self.items, self.cluster_size)
        return output_qualities(self.qualities, self.spread, clusters, rng, self.intraclass)

    def study(self, quality: Floats, rng: np.random.Generator) -> Study:
        """Texts that differ, clusters, and the metric's scores: what a plan is made from."""
        items = np.repeat(self.item_names, len(self.systems))
        systems = np.tile(self.systems, self.items)
        texts = [f"{system} on {item}" for item, system in zip(items, systems, strict=True)]
        outputs = pl.DataFrame({"item": items, "system": systems, "text": texts})
        clusters = [f"c{number}" for number in cluster_numbers(self.items, self.cluster_size)]
        listed = pl.DataFrame({"item": self.item_names, "cluster": clusters})
        scores = None
        if self.correlation is not None:
            values = correlated_scores(quality.ravel(), self.correlation, rng)
            scores = pl.DataFrame({"item": items, "system": systems, "metric": METRIC, "value": values})
        return Study.from_tables(outputs=outputs, items=listed, scores=scores, name="simulated")

    def true_differences(self, workers: tuple[Worker, ...], pairs: tuple[tuple[str, str], ...], draws: int) -> Floats:
        """P(a preferred) - P(b preferred) (K,) of a worker and an item at random, from `draws` items of a fixed seed.

        Every draw is used with its mirror image, so that equal systems come out as exactly equal.
        """
        noise = math.sqrt(2) * self.spread * np.random.default_rng(20260101).normal(size=draws)
        number = {name: k for k, name in enumerate(self.systems)}
        found = []
        for system_a, system_b in pairs:
            centre = self.qualities[number[system_a]] - self.qualities[number[system_b]]
            difference = np.clip(centre + np.stack([noise, -noise]), -1.0, 1.0)
            seen = [
                expected_outcome(worker, np.clip(difference + worker.lean(system_a, system_b), -1.0, 1.0)).mean()
                for worker in workers
            ]
            found.append(round(float(np.mean(seen)), 12))
        return np.array(found)


class Agents:
    """Workers who judge the outputs of one run of a world. Somebody's answers follow `workers.draw_outcomes`."""

    def __init__(
        self, plan: Plan, quality: Floats, workers: tuple[Worker, ...], rng: np.random.Generator, price: float = 0.0
    ) -> None:
        self._plan, self._quality, self._workers, self._rng, self._price = plan, quality, workers, rng, price
        number = {name: k for k, name in enumerate(plan.systems)}
        self._columns = [(number[pair.system_a], number[pair.system_b]) for pair in plan.pairs]
        self.people = len(workers)

    def answer(self, person: int, pair: int, item: int, a_on_left: bool) -> Answer:
        """The worker sees the difference as it is, plus what they lean to."""
        worker, (a, b) = self._workers[person], self._columns[pair]
        of = self._plan.pairs[pair]
        difference = quality_difference(self._quality[item, a], self._quality[item, b])
        seen = np.clip(difference + worker.lean(of.system_a, of.system_b), -1.0, 1.0)
        outcome = draw_outcomes(worker, seen, a_on_left, self._rng)
        seconds = float(draw_seconds(worker, 1, self._rng)[0])
        return Answer(int(outcome), seconds, worker.price or self._price)
