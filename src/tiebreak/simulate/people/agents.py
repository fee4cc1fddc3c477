"""Simulated people in a whole campaign: many systems of known quality, a crowd, and metrics with known faults."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.campaign import CampaignPlan, TaskAssigned
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.kinds.kind import SimulatedPerson
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.simulate.people.crowd import Crowd, draw_labels, draw_people
from tiebreak.simulate.people.metrics import SimulatedJudge, SimulatedMetric, correlated_scores, mixed_outcomes
from tiebreak.simulate.people.workers import (
    SimulatedAnswer,
    Worker,
    attentive_share,
    cluster_numbers,
    draw_outcomes,
    draw_seconds,
    expected_outcome,
    output_qualities,
    quality_difference,
)

Floats = NDArray[np.float64]

_MOST_OUTPUTS: Final = 5_000_000  # a gigabyte in every process
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_OUTCOME_NAMES: Final = np.array(["a", "tie", "b"])


@dataclass(frozen=True, slots=True)
class World:
    """What is simulated. `qualities` (S,) of the systems: the difference of two outputs, clipped to [-1, 1], is what a
    perfect worker's P(a) - P(b) is. `spread`: standard deviation of a system's outputs around it; `cluster_size`,
    `intraclass`: neighbouring items whose outputs resemble each other. `names` of the systems; none: a, b, c, ..., or
    s01, s02, ... where letters do not suffice. `metrics` and `judges` see every output.

    Items as in dynamic-human-evaluation, of difficulty N(mu, v) for a pair, are qualities mu and 0 with a spread of
    sqrt(v / 2) (0.2236 for its v = 0.1).

    Raises `UsageError` for values that cannot be.
    """

    qualities: tuple[float, ...]
    items: int
    spread: float = 0.2
    cluster_size: int = 1
    intraclass: float = 0.0
    names: tuple[str, ...] = ()
    metrics: tuple[SimulatedMetric, ...] = ()
    judges: tuple[SimulatedJudge, ...] = ()

    def __post_init__(self) -> None:
        if len(self.qualities) < 2:
            raise UsageError(f"a world has at least 2 systems, not {len(self.qualities)}")
        if self.names and len(set(self.names)) != len(self.qualities):
            raise UsageError(f"{len(self.qualities)} systems need as many different names, not {self.names!r}")
        if self.items < 1:
            raise UsageError(f"a world has at least 1 item, not {self.items}")
        if self.items * len(self.qualities) > _MOST_OUTPUTS:
            raise UsageError(
                f"{len(self.qualities):,} systems with {self.items:,} items have more than {_MOST_OUTPUTS:,} outputs: "
                f"simulate at most {_MOST_OUTPUTS // len(self.qualities):,} items, or fewer systems"
            )
        helpers = [metric.name for metric in self.metrics] + [judge.name for judge in self.judges]
        if len(set(helpers)) < len(helpers):
            raise UsageError(f"metrics and judges need different names, not {', '.join(helpers)}")
        self.draw(np.random.default_rng(0), few=True)

    @property
    def systems(self) -> tuple[str, ...]:
        """Their names."""
        count = len(self.qualities)
        if self.names:
            return self.names
        if count <= len(_LETTERS):
            return tuple(_LETTERS[:count])
        return tuple(f"s{number:0{len(str(count))}d}" for number in range(1, count + 1))

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names of the items, sorted."""
        return tuple(f"i{k:06d}" for k in range(self.items))

    def draw(self, rng: np.random.Generator, *, few: bool = False) -> Floats:
        """Latent quality of every output, (items, systems); `few`: of one item, to check the settings."""
        clusters = cluster_numbers(1 if few else self.items, self.cluster_size)
        return output_qualities(self.qualities, self.spread, clusters, rng, self.intraclass)

    def study(self, quality: Floats, rng: np.random.Generator, workers: tuple[Worker, ...] = ()) -> Study:
        """Texts that differ, clusters, what metrics and judges say: what a plan is made from.

        `workers`: whom the judges resemble; only needed where there are judges.
        """
        items = np.repeat(self.item_names, len(self.systems))
        systems = np.tile(self.systems, self.items)
        texts = [f"{system} on {item}" for item, system in zip(items, systems, strict=True)]
        outputs = pl.DataFrame({"item": items, "system": systems, "text": texts})
        clusters = [f"c{number}" for number in cluster_numbers(self.items, self.cluster_size)]
        listed = pl.DataFrame({"item": self.item_names, "cluster": clusters})
        scores = [
            pl.DataFrame({"item": items, "system": systems, "metric": metric.name}).with_columns(
                value=pl.Series(correlated_scores(quality.ravel(), metric.correlation, rng))
            )
            for metric in self.metrics
        ]
        judged = [self._judged(quality, judge, rng, workers) for judge in self.judges]
        return Study.from_tables(
            outputs=outputs,
            items=listed,
            scores=pl.concat(scores) if scores else None,
            judge_preferences=pl.concat(judged) if judged else None,
            name="simulated",
        )

    def _judged(
        self, quality: Floats, judge: SimulatedJudge, rng: np.random.Generator, workers: tuple[Worker, ...]
    ) -> pl.DataFrame:
        """The judge's preferences in all pairs, items in their order."""
        parts = []
        for (a, system_a), (b, system_b) in combinations(enumerate(self.systems), 2):
            person = draw_people(len(workers), 1, self.items, 1, rng)
            crowd = Crowd.of(workers, system_a, system_b)
            heard = draw_labels(crowd, person, quality_difference(quality[:, a], quality[:, b]), rng)[0, :, 0]
            said = _OUTCOME_NAMES[1 - mixed_outcomes(heard, judge.mixture, rng)]
            parts.append(
                pl.DataFrame({"item": self.item_names, "outcome": said}).with_columns(
                    system_a=pl.lit(system_a), system_b=pl.lit(system_b), judge=pl.lit(judge.name)
                )
            )
        return pl.concat(parts)

    def true_differences(self, workers: tuple[Worker, ...], pairs: tuple[tuple[str, str], ...], draws: int) -> Floats:
        """P(a preferred) - P(b preferred) (K,) of a label and an item at random, from `draws` items of a fixed seed.

        Whoever is twice as fast gives twice as many labels: workers are weighted by 1 / `seconds_median`. Every draw
        is used with its mirror image, so that equal systems come out as exactly equal.
        """
        noise = math.sqrt(2) * self.spread * np.random.default_rng(20260101).normal(size=draws)
        weights = 1 / np.array([worker.seconds_median for worker in workers])
        number = {name: k for k, name in enumerate(self.systems)}
        found = []
        for system_a, system_b in pairs:
            centre = self.qualities[number[system_a]] - self.qualities[number[system_b]]
            difference = np.clip(centre + np.stack([noise, -noise]), -1.0, 1.0)
            # What a worker sees depends on lean and tie threshold only; the rest is a factor.
            seen: dict[tuple[float, float], float] = {}
            for worker in workers:
                eyes = (worker.lean(system_a, system_b), worker.tie_threshold)
                if eyes not in seen:
                    perfect = Worker(1.0, worker.tie_threshold, 0.0, 0.0, 1.0)
                    seen[eyes] = float(expected_outcome(perfect, np.clip(difference + eyes[0], -1.0, 1.0)).mean())
            answers = [
                attentive_share(worker) * seen[worker.lean(system_a, system_b), worker.tie_threshold]
                for worker in workers
            ]
            found.append(round(float(np.average(answers, weights=weights)), 12))
        return np.array(found)


class Agents:
    """Workers who judge the outputs of one run of a world. Somebody's answers follow `workers.draw_outcomes`."""

    def __init__(
        self,
        plan: CampaignPlan,
        quality: Floats,
        workers: tuple[Worker, ...],
        rng: np.random.Generator,
        price: float = 0.0,
    ) -> None:
        self._plan, self._quality, self._workers, self._rng, self._price = plan, quality, workers, rng, price
        self._number = {name: k for k, name in enumerate(plan.systems)}
        self.people = len(workers)

    def answer(self, person: int, task: TaskAssigned) -> SimulatedAnswer:
        """By the kind of label."""
        protocol, worker = self._plan.protocol, self._workers[person]
        quality = self._quality[self._plan.item_numbers[task.item]]
        eyes = _Eyes(worker, {name: float(quality[self._number[name]]) for name in task.systems}, self._rng)
        response = kind_of(protocol).simulated(protocol, task, eyes)
        return SimulatedAnswer(response, float(draw_seconds(worker, 1, self._rng)[0]), worker.price or self._price)


@dataclass(frozen=True, slots=True)
class _Eyes(SimulatedPerson):
    """What a worker sees in the outputs of an item, whose `quality` by system is known."""

    worker: Worker
    quality: Mapping[str, float]
    rng: np.random.Generator

    def prefers(self, system_a: str, system_b: str, *, a_first: bool) -> int:
        """The worker sees the difference as it is, plus what they lean to."""
        difference = quality_difference(self.quality[system_a], self.quality[system_b])
        seen = np.clip(difference + self.worker.lean(system_a, system_b), -1.0, 1.0)
        return int(draw_outcomes(self.worker, seen, a_first, self.rng))
