"""How many ratings a mean, or a difference of means, needs: for one look, and for a campaign that stops by itself.

An output's value is the mean of k ratings, whose variance is sigma_f^2 + sigma_a^2/k (price-of-debiasing, section 3). A
metric that correlates by rho with what people mean leaves sigma_f^2 (1 - rho^2) of the first part in one look at a set
that is finished (`estimate --metric`); campaigns do not use metrics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from scipy.special import ndtri, stdtrit

from tiebreak.errors import UsageError
from tiebreak.kernels.confidence_sequence import values_to_width
from tiebreak.kernels.rating_mean import MeanRatings, rating_mean
from tiebreak.planning.assumptions import Prompt, RatingAssumptions, parse_prompts
from tiebreak.records import TARGETS, Target, document
from tiebreak.settings.protocol import RatedCriterion

_MOST_PEOPLE: Final = 5
"""People per output that are tried."""
_FEWEST: Final = 8
_ALIKE_MADE: Final = 1_000
_PILOT_ERROR: Final = 0.3
_PILOT_SURE: Final = 0.8


@dataclass(frozen=True, slots=True)
class RatingRow:
    """With `people` per output: outputs of each system for one look, alone and with the metric, and for a campaign that
    looks after every rating; None where there are not that many. `ratings`, `money`: of the campaign, over all systems.
    """

    people: int
    one_look: int | None
    with_metric: int | None
    every_look: int | None
    ratings: int | None
    money: float | None


@dataclass(frozen=True, slots=True)
class RatingPlan:
    """The plan of one criterion. `measures`: means or differences that are to be known at once, over all criteria that
    are asked together; `systems` behind them. `confidence`: of each interval in one look.

    `cheapest`: the number of people per output that a campaign is cheapest with, None where none reaches the width;
    `pilot`: outputs that two people rate each, of all systems together, to know `one_look` and `every_look` to within
    30% in eight of ten pilots. `source`: the study that the variances come from, None: they are assumed; `outputs`:
    how many rated ones it has.
    """

    criterion: RatedCriterion
    assumed: RatingAssumptions
    sigma_f2: float
    sigma_a2: float
    measures: int
    systems: int
    rows: tuple[RatingRow, ...]
    confidence: float
    cheapest: int | None
    pilot: int
    prompts: tuple[Prompt, ...]
    source: str | None = None
    outputs: int | None = None

    @property
    def gamma(self) -> float:
        """sigma_a^2 / sigma_f^2."""
        return self.sigma_a2 / self.sigma_f2

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(
            self, "rows", "assumed",
            criterion=self.criterion.name,
            scale=[self.criterion.low, self.criterion.high],
            half_width=self.assumed.half_width,
            until=self.assumed.until,
            gamma=self.gamma,
            people=self.rows,
            prompts=[document(one, cost=one.cost) for one in self.prompts],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RatingTerms:
    """How it will be decided: `alpha` over all measures, what it is about, and what there is."""

    alpha: float = 0.05
    target: Target = TARGETS[0]
    items: int | None = None
    price: float | None = None


def plan_ratings(
    criterion: RatedCriterion,
    assumed: RatingAssumptions,
    terms: RatingTerms,
    systems: int,
    *,
    sigma_f2: float | None = None,
    sigma_a2: float | None = None,
    source: str | None = None,
    outputs: int | None = None,
    criteria: int = 1,
) -> RatingPlan:
    """The plan of ratings on one criterion; `sigma_f2`, `sigma_a2`: as a pilot has them, else as assumed. `criteria`:
    how many are asked together, which share alpha.

    Raises:
        UsageError: no half-width, or one that the scale gives by itself; assumed variances that it does not allow.
    """
    of_outputs = assumed.sigma_f**2 if sigma_f2 is None else sigma_f2
    of_people = assumed.sigma_a**2 if sigma_a2 is None else sigma_a2
    length = (criterion.high - criterion.low) * (1 if assumed.until == "means" else 2)
    if assumed.half_width is None or assumed.half_width >= length / 2:
        raise UsageError(f"say --half-width, below {length / 2:g}, which needs no ratings on this scale")
    if source is None:
        _check_spread(criterion, of_outputs + of_people)
    measures = criteria * (systems if assumed.until == "means" else systems * (systems - 1) // 2)
    rows = tuple(
        _row(criterion, assumed, terms, systems, measures, people, of_outputs, of_people)
        for people in range(1, _MOST_PEOPLE + 1)
    )
    reached = [row for row in rows if row.ratings is not None]
    cheapest = min(reached, key=lambda row: (row.ratings or 0, row.people)).people if reached else None
    return RatingPlan(
        criterion, assumed, of_outputs, of_people, measures, systems, rows, 1 - terms.alpha / measures, cheapest,
        pilot_size(), parse_prompts(assumed.prompts), source, outputs,
    )  # fmt: skip


def _check_spread(criterion: RatedCriterion, variance: float) -> None:
    """Ratings vary most where half of them are the lowest and half the highest."""
    most = (criterion.high - criterion.low) ** 2 / 4
    if variance > most * (1 + 1e-9):
        raise UsageError(
            f"ratings from {criterion.low:g} to {criterion.high:g} vary by {most:g} at most, which is less than the "
            f"{variance:.4g} of --sigma-f and --sigma-a together (the sum of their squares): give smaller ones"
        )


def _row(
    criterion: RatedCriterion,
    assumed: RatingAssumptions,
    terms: RatingTerms,
    systems: int,
    measures: int,
    people: int,
    sigma_f2: float,
    sigma_a2: float,
) -> RatingRow:
    many = 1 if assumed.until == "means" else 2
    of_outputs = sigma_f2 * (1 if assumed.until == "means" else 2 * (1 - assumed.common))
    of_people = many * sigma_a2 / people
    half_width, level = assumed.half_width or 0.0, terms.alpha / (2 * measures)
    length = (criterion.high - criterion.low) * many
    asked = (half_width, level, _pool(terms), (-length / 2, length / 2))
    one = one_look_outputs(of_outputs, of_people, *asked)
    helped = None
    if assumed.metric_rho is not None:
        helped = one_look_outputs(of_outputs * (1 - assumed.metric_rho**2), of_people, *asked)
    unit = 2 / length  # from points to [-1, 1]
    every = values_to_width(
        0.0,
        min((of_outputs + of_people) * unit**2, 1.0),
        half_width * unit,
        -math.log(level),
        _pool(terms),
    )
    if every is not None and terms.items is not None and every > terms.items:
        every = None
    ratings = None if every is None else every * people * systems
    money = None if ratings is None or terms.price is None else ratings * terms.price
    return RatingRow(people, _within(one, terms), _within(helped, terms), every, ratings, money)


def _pool(terms: RatingTerms) -> int | None:
    return terms.items if terms.target == "items" else None


def _within(outputs: int | None, terms: RatingTerms) -> int | None:
    """None beyond the items that there are."""
    return None if outputs is None or (terms.items is not None and outputs > terms.items) else outputs


def one_look_outputs(
    of_outputs: float, of_people: float, half_width: float, level: float, pool: int | None, scale: tuple[float, float]
) -> int | None:
    """Outputs whose mean `estimate` knows to the half-width with a declared scale, at a number fixed beforehand.

    Of a pool of N, n outputs leave (1 - n/N) of the variance between outputs, and all of that between people: None
    where not even the whole pool suffices. What ratings vary by is one part of the half-width; the other is what those
    could be that nobody gave yet, which decides where nearly all are alike. Both are added as squares: in the median
    within a fifth of what 9 to 1,000 ratings gave, 0 to 95 % of them fives.
    """

    def reach(count: int) -> float:
        variance = (of_outputs + of_people) / count - (0.0 if pool is None else of_outputs / pool)
        return math.hypot(
            float(stdtrit(count - 1, level)) * math.sqrt(max(variance, 0.0)), _of_alike(count, level, scale)
        )

    fewest, most = 1, _FEWEST
    while reach(most) > half_width:
        if pool is not None and most >= pool:
            return None
        fewest, most = most, 2 * most if pool is None else min(2 * most, pool)
    while most - fewest > 1 and most > _FEWEST:
        middle = (fewest + most) // 2
        fewest, most = (middle, most) if reach(middle) > half_width else (fewest, middle)
    return None if pool is not None and most > pool else most


@lru_cache(maxsize=512)
def _of_alike(count: int, level: float, scale: tuple[float, float]) -> float:
    """The half-width where all outputs have the same mean rating; beyond a thousand in proportion to their number."""
    made = min(count, _ALIKE_MADE)
    ones = np.ones(made, dtype=np.intp)
    found = rating_mean(MeanRatings(np.full(made, scale[1]), ones, np.zeros(made), scale), level)
    return ((found.high or scale[1]) - (found.low or scale[0])) / 2 * made / count


def pilot_size() -> int:
    """Outputs with two ratings each whose variance is known well enough: numbers of ratings are in proportion to it.

    A variance of m normal values is off by a factor of 1 +- z sqrt(2/(m - 1)) in so many cases.
    """
    z = float(ndtri((1 + _PILOT_SURE) / 2))
    return math.ceil(2 * (z / _PILOT_ERROR) ** 2) + 1
