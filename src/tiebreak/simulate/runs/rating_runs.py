"""Many campaigns of ratings by simulated people: how they end, what they cost, and whether their intervals hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign import Protocol, make_plan
from tiebreak.campaign.estimates import estimates
from tiebreak.campaign.make_plan import plan_again
from tiebreak.data.study import Study
from tiebreak.records import document
from tiebreak.results.measured import Measured
from tiebreak.simulate.engines.parallel import in_chunks
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.people.crowd import Habits
from tiebreak.simulate.people.metrics import Raters, RatingWorld

Floats = NDArray[np.float64]
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class RatingRun:
    """One campaign. By measure: `truths` (of a claim about these items others in each campaign), `found`, what it came
    to, `covers`, whether its interval holds the truth, `wrong`, whether a direction is the wrong one, its `items`.
    """

    ended: str
    labels: int
    seconds: float
    cost: float
    truths: tuple[float, ...]
    found: tuple[str, ...]
    covers: tuple[bool, ...]
    wrong: tuple[bool, ...]
    items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MeasureSummary:
    """A mean or a difference over all runs: the mean `truth`, how often it was `known`, its mean `items`, and how often
    its interval held the truth.
    """

    criterion: str
    systems: tuple[str, ...]
    truth: float
    known: float
    covers: float
    wrong: float
    items: float


@dataclass(frozen=True, slots=True)
class RatingSummary:
    """All runs. `known`: share in which all was known that was asked; `covers`: share in which all intervals held at
    once; `wrong`: share with any wrong direction; `labels`: their mean, and the 10th and 90th percentile; `ended`: how
    many ended why.
    """

    runs: int
    known: float
    covers: float
    wrong: float
    labels: float
    labels_low: float
    labels_high: float
    cost: float
    seconds: float
    ended: dict[str, int]
    measures: tuple[MeasureSummary, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(self)


def repeat_ratings(
    protocol: Protocol,
    world: RatingWorld,
    runs: int,
    seed: int,
    *,
    habits: Habits | None = None,
    workers: int = 1,
    on_done: Callable[[int], None] | None = None,
) -> list[RatingRun]:
    """So many campaigns; results do not depend on `workers`."""
    truth, study = world.true_means(protocol), world.study()

    def some(size: int, rng: np.random.Generator) -> list[RatingRun]:
        return [_one(protocol, world, study, truth, rng, habits or Habits()) for _ in range(size)]

    parts = in_chunks(some, runs, seed, chunk=1, workers=workers, prefer="processes", on_done=on_done)
    return [run for part in parts for run in part]


def _one(
    protocol: Protocol, world: RatingWorld, study: Study, truth: Floats, rng: np.random.Generator, habits: Habits
) -> RatingRun:
    sealed = replace(protocol, order=replace(protocol.order, seed=int(rng.integers(2**31))))
    criteria = [of.name for of in protocol.rated_criteria]
    worth = world.worth(len(criteria), rng)
    if protocol.decision.metrics:
        study = world.study(world.scores(worth, criteria, rng))
    plan = plan_again(sealed, study)
    raters = Raters(world, plan, rng, worth)
    finished = run_campaign(plan, raters, rng, habits)
    result = estimates(finished.state)
    if protocol.decision.target == "items":
        truth = raters.means_of_items(finished.state.tracks)
    pairs = [
        (of, _truth(truth, world, criterion, of))
        for criterion, found in enumerate(result.results)
        for of in found.measures
    ]
    return RatingRun(
        finished.ended,
        finished.state.labels,
        finished.seconds,
        finished.cost,
        tuple(value for _, value in pairs),
        tuple(of.found for of, _ in pairs),
        tuple(_covers(of, value) for of, value in pairs),
        tuple((of.found == "a" and value <= 0) or (of.found == "b" and value >= 0) for of, value in pairs),
        tuple(of.items for of, _ in pairs),
    )


def _truth(truth: Floats, world: RatingWorld, criterion: int, of: Measured) -> float:
    rows = [world.systems.index(name) for name in of.systems]
    means = [float(truth[row, criterion]) for row in rows]
    return means[0] if len(means) == 1 else means[0] - means[1]


def _covers(of: Measured, value: float) -> bool:
    low, high = of.mean.low, of.mean.high
    return low is None or high is None or low - _SLACK <= value <= high + _SLACK


def summarise_ratings(protocol: Protocol, world: RatingWorld, runs: list[RatingRun]) -> RatingSummary:
    """Shares and means over all runs."""
    plan = make_plan(replace(protocol, decision=replace(protocol.decision, metrics=())), world.study())
    names = [of.name for of in protocol.rated_criteria]
    labels = np.array([run.labels for run in runs])
    measures = []
    for number, measure in enumerate(plan.measures):
        measures.append(
            MeasureSummary(
                names[measure.part],
                measure.systems,
                float(np.mean([run.truths[number] for run in runs])),
                float(np.mean([run.found[number] != "undecided" for run in runs])),
                float(np.mean([run.covers[number] for run in runs])),
                float(np.mean([run.wrong[number] for run in runs])),
                float(np.mean([run.items[number] for run in runs])),
            )
        )
    ended = {why: sum(run.ended == why for run in runs) for why in sorted({run.ended for run in runs})}
    return RatingSummary(
        len(runs),
        float(np.mean(["undecided" not in run.found for run in runs])),
        float(np.mean([all(run.covers) for run in runs])),
        float(np.mean([any(run.wrong) for run in runs])),
        float(labels.mean()),
        float(np.percentile(labels, 10)),
        float(np.percentile(labels, 90)),
        float(np.mean([run.cost for run in runs])),
        float(np.mean([run.seconds for run in runs])),
        ended,
        tuple(measures),
    )
