"""How many ratings a mean, or a difference of means, needs: for one look, and for a campaign that stops by itself.

An output's value is the mean of k ratings, whose variance is sigma_f^2 + sigma_a^2/k (price-of-debiasing, section 3). A
metric that correlates by rho with what people mean leaves sigma_f^2 (1 - rho^2) of the first part in one look at a set
that is finished (`estimate --metric`); campaigns do not use metrics.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Final

from scipy.special import ndtri, stdtrit

from tiebreak.errors import UsageError
from tiebreak.kernels.width_projection import values_to_width
from tiebreak.planning.rating_assumptions import Prompt, RatingAssumptions, parse_prompts
from tiebreak.records import TARGETS, Target
from tiebreak.rules.anytime import Priors
from tiebreak.settings.protocol import RatedCriterion

_MOST_PEOPLE: Final = 5
"""People per output that are tried."""
_FEWEST: Final = 8
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
    30% in eight of ten pilots. `source`: the study that the variances come from, None: they are assumed.
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

    @property
    def gamma(self) -> float:
        """sigma_a^2 / sigma_f^2."""
        return self.sigma_a2 / self.sigma_f2

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "criterion": self.criterion.name,
            "scale": [self.criterion.low, self.criterion.high],
            "half_width": self.assumed.half_width,
            "until": self.assumed.until,
            "sigma_f2": self.sigma_f2,
            "sigma_a2": self.sigma_a2,
            "gamma": self.gamma,
            "measures": self.measures,
            "systems": self.systems,
            "people": [asdict(row) for row in self.rows],
            "confidence": self.confidence,
            "cheapest": self.cheapest,
            "pilot": self.pilot,
            "prompts": [asdict(one) | {"cost": one.cost} for one in self.prompts],
            "source": self.source,
        }


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
    criteria: int = 1,
) -> RatingPlan:
    """The plan of ratings on one criterion; `sigma_f2`, `sigma_a2`: as a pilot has them, else as assumed. `criteria`:
    how many are asked together, which share alpha.

    Raises:
        UsageError: no half-width, or one that the scale gives by itself.
    """
    of_outputs = assumed.sigma_f**2 if sigma_f2 is None else sigma_f2
    of_people = assumed.sigma_a**2 if sigma_a2 is None else sigma_a2
    length = (criterion.high - criterion.low) * (1 if assumed.until == "means" else 2)
    if assumed.half_width is None or assumed.half_width >= length / 2:
        raise UsageError(f"say --half-width, below {length / 2:g}, which needs no ratings on this scale")
    measures = criteria * (systems if assumed.until == "means" else systems * (systems - 1) // 2)
    rows = tuple(
        _row(criterion, assumed, terms, systems, measures, people, of_outputs, of_people)
        for people in range(1, _MOST_PEOPLE + 1)
    )
    reached = [row for row in rows if row.ratings is not None]
    cheapest = min(reached, key=lambda row: (row.ratings or 0, row.people)).people if reached else None
    return RatingPlan(
        criterion, assumed, of_outputs, of_people, measures, systems, rows, 1 - terms.alpha / measures, cheapest,
        pilot_size(), parse_prompts(assumed.prompts), source,
    )  # fmt: skip


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
    one = one_look_outputs(of_outputs, of_people, half_width, level, _pool(terms))
    helped = None
    if assumed.metric_rho is not None:
        helped = one_look_outputs(of_outputs * (1 - assumed.metric_rho**2), of_people, half_width, level, _pool(terms))
    unit = 2 / ((criterion.high - criterion.low) * many)  # from points to [-1, 1]
    every = values_to_width(
        0.0,
        min((of_outputs + of_people) * unit**2, 1.0),
        half_width * unit,
        -math.log(level),
        Priors.default().bounded,
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
    of_outputs: float, of_people: float, half_width: float, level: float, pool: int | None
) -> int | None:
    """Outputs whose mean is known to the half-width by a t interval of `level` a side, at a number fixed beforehand.

    Of a pool of N, n outputs leave (1 - n/N) of the variance between outputs, and all of that between people: None
    where not even the whole pool suffices.
    """
    count = _FEWEST
    for _ in range(100):
        reach = (half_width / -float(stdtrit(count - 1, level))) ** 2
        if pool is None:
            wanted = (of_outputs + of_people) / reach
        else:
            wanted = (of_outputs + of_people) / (reach + of_outputs / pool)
        following = max(_FEWEST, math.ceil(wanted - 1e-9))
        if following == count:
            break
        count = following
    return None if pool is not None and count > pool else count


def pilot_size() -> int:
    """Outputs with two ratings each whose variance is known well enough: numbers of ratings are in proportion to it.

    A variance of m normal values is off by a factor of 1 +- z sqrt(2/(m - 1)) in so many cases.
    """
    z = float(ndtri((1 + _PILOT_SURE) / 2))
    return math.ceil(2 * (z / _PILOT_ERROR) ** 2) + 1
