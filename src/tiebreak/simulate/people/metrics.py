"""Simulated metrics and judges: outcomes with a chosen confusion, or scores with a chosen correlation.

Simulated people who rate outputs: how good outputs are, how people differ, and how tired they get.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from tiebreak.campaign import CampaignPlan, Protocol, TaskAssigned
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.kinds.kind import SimulatedPerson
from tiebreak.campaign.kinds.rating import rated_outputs
from tiebreak.campaign.protocol_parts import EDIT_WORDS
from tiebreak.campaign.state import TrackState
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.settings.protocol import RatedCriterion
from tiebreak.simulate.people.workers import SimulatedAnswer
from tiebreak.simulate.settings import RaterSettings

Codes = NDArray[np.int8]
Floats = NDArray[np.float64]

IDEAL_MIXTURE: Final = ((0.8, 0.25, 0.1), (0.1, 0.5, 0.1), (0.1, 0.25, 0.8))
"""The ideal metric of metric-error-correction (Deriu et al. 2023): P(metric says row | human says column)."""


@dataclass(frozen=True, slots=True)
class SimulatedMetric:
    """A metric `name` whose scores correlate with the latent quality of outputs by `correlation` in [-1, 1].

    Raises `UsageError` for another correlation.
    """

    name: str
    correlation: float

    def __post_init__(self) -> None:
        check_correlation(self.correlation)


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """A judge `name` that hears what one more person says of two outputs, and repeats it with mistakes.

    `mixture` (3, 3): P(judge says row | person says column), in the order a, tie, b; columns sum to 1. Where people
    disagree it agrees with the labels of a campaign less often than the mixture says, as real judges do.
    Raises `UsageError` for another matrix.
    """

    name: str
    mixture: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        checked_mixture(self.mixture)


def checked_mixture(mixture: ArrayLike) -> Floats:
    """The matrix (3, 3), if it is one of chances whose columns sum to 1; else raises `UsageError`."""
    try:
        matrix = np.asarray(mixture, dtype=np.float64)
    except ValueError:  # rows of different lengths
        matrix = np.empty(0)
    if matrix.shape != (3, 3) or not (matrix >= 0).all() or not np.allclose(matrix.sum(axis=0), 1.0):
        raise UsageError("a mixture is a 3 x 3 matrix of chances whose columns (a, tie, b of the humans) sum to 1")
    return matrix


def check_correlation(correlation: float) -> None:
    """Raises `UsageError` outside [-1, 1] (NaN included)."""
    if not -1 <= correlation <= 1:
        raise UsageError(f"a correlation must be in [-1, 1], not {correlation}")


def mixed_outcomes(human: Codes, mixture: ArrayLike, rng: np.random.Generator) -> Codes:
    """A judge's outcomes for human ones, any shape: `mixture` (3, 3) holds P(judge says k | human says c).

    Rows and columns in the order a, tie, b; columns sum to 1. Raises `UsageError` for another matrix.
    """
    matrix = checked_mixture(mixture)
    column = 1 - human.astype(np.intp)
    uniform = rng.random(human.shape)
    is_a = uniform < matrix[0][column]
    is_b = uniform >= (matrix[0] + matrix[1])[column]
    return np.asarray(is_a.astype(np.int8) - is_b.astype(np.int8))


def correlated_scores(signal: Floats, correlation: float, rng: np.random.Generator) -> Floats:
    """Scores (..., n) that correlate with the signal (..., n) by `correlation` in [-1, 1], up to chance.

    The signal is standardised along its last axis (a constant one gives pure noise); the rest is normal noise, so that
    the scores have mean 0 and variance 1. Raises `UsageError` for a correlation outside [-1, 1].
    """
    check_correlation(correlation)
    centred = signal - signal.mean(axis=-1, keepdims=True)
    spread = centred.std(axis=-1, keepdims=True)
    standard = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return np.asarray(correlation * standard + math.sqrt(1 - correlation**2) * rng.normal(size=signal.shape))


METRIC: Final = "metric"
"""What the metric of simulated systems is called."""
_TRUTH_DRAWS: Final = 200_000


@dataclass(frozen=True, slots=True)
class RatingWorld:
    """Systems, outputs and people of `settings`, whose ratings a protocol asks for.

    An output of system s is worth mean_s + f, with f of standard deviation sigma_f, of which a share `common` is the
    same for all systems on an item (hard inputs are hard for all). A person adds a severity of their own (standard
    deviation `severity`), noise (sigma_a) and `drift` for every rating that they have given. What is left of it on the
    scale, rounded where ratings are whole numbers, is the rating; one below `edit_below` comes with an edit.
    """

    settings: RaterSettings

    @property
    def systems(self) -> tuple[str, ...]:
        """Their names."""
        count = len(self.settings.means)
        return tuple(f"s{number:0{len(str(count))}d}" for number in range(1, count + 1))

    def study(self, scores: pl.DataFrame | None = None) -> Study:
        """Texts that differ."""
        items = [f"i{k:06d}" for k in range(self.settings.number_of_items)]
        names = np.repeat(items, len(self.systems)), np.tile(self.systems, len(items))
        texts = [f"{system} on {item}" for item, system in zip(*names, strict=True)]
        outputs = pl.DataFrame({"item": names[0], "system": names[1], "text": texts})
        return Study.from_tables(outputs=outputs, items=pl.DataFrame({"item": items}), scores=scores, name="simulated")

    def scores(self, worth: Floats, criteria: Sequence[str], rng: np.random.Generator) -> pl.DataFrame:
        """What the metric says of outputs that are `worth` so much (items, systems, criteria)."""
        said = np.empty_like(worth)
        for place in np.ndindex(worth.shape[1:]):
            said[:, *place] = correlated_scores(worth[:, *place], self.settings.metric_quality_correlation or 0.0, rng)
        item, system, criterion = (of.ravel() for of in np.indices(worth.shape))
        return pl.DataFrame({
            "item": [f"i{k:06d}" for k in item], "system": np.array(self.systems)[system], "metric": METRIC,
            "criterion": np.array(criteria)[criterion], "value": said.ravel(),
        })  # fmt: skip

    def worth(self, criteria: int, rng: np.random.Generator, items: int | None = None) -> Floats:
        """What outputs are worth (items, systems, criteria), before anybody looks at them."""
        of = self.settings
        count = of.number_of_items if items is None else items
        shape = (count, len(of.means), criteria)
        own, alike = rng.normal(size=shape), rng.normal(size=(count, 1, criteria))
        f = math.sqrt(of.common) * alike + math.sqrt(1 - of.common) * own
        return np.asarray(np.array(of.means)[:, None] + of.sigma_f * f)

    def true_means(self, protocol: Protocol) -> Floats:
        """(systems, criteria): the mean rating of a system by a person at random, from many draws of a fixed seed."""
        rng = np.random.default_rng(20260101)
        criteria = protocol.rated_criteria
        worth = self.worth(len(criteria), rng, _TRUTH_DRAWS // len(self.settings.means))
        seen = worth + math.hypot(self.settings.severity, self.settings.sigma_a) * rng.normal(size=worth.shape)
        rated = [rating_of(seen[..., k], of, protocol) for k, of in enumerate(criteria)]
        return np.stack([values.mean(axis=0) for values in rated], axis=-1)


def rating_of(seen: Floats, criterion: RatedCriterion, protocol: Protocol) -> Floats:
    """What a person writes who finds an output worth this. A share of words is worth as much of its scale as of that
    of the first criterion.
    """
    if criterion.name == EDIT_WORDS:
        first = protocol.ratings.criteria[0]
        seen = criterion.low + (seen - first.low) * (criterion.high - criterion.low) / (first.high - first.low)
    kept = np.clip(seen, criterion.low, criterion.high)
    return np.asarray(np.round(kept) if protocol.is_whole(criterion) else kept)


class Raters:
    """The people of one run: they are as severe as they are drawn, and rate what they get."""

    def __init__(
        self, world: RatingWorld, plan: CampaignPlan, rng: np.random.Generator, worth: Floats | None = None
    ) -> None:
        """`worth`: of the outputs (items, systems, criteria); None: as they are drawn now."""
        self._of, self._plan, self._rng = world.settings, plan, rng
        self._criteria = plan.protocol.rated_criteria
        self._worth = world.worth(len(self._criteria), rng) if worth is None else worth
        self.people = world.settings.raters
        self._severity = world.settings.severity * rng.normal(size=self.people)
        self._given = np.zeros(self.people, dtype=np.int64)
        self._column = {name: k for k, name in enumerate(world.systems)}

    def answer(self, person: int, task: TaskAssigned) -> SimulatedAnswer:
        """By the kind of label."""
        protocol, item = self._plan.protocol, self._plan.item_numbers[task.item]
        extra = self._severity[person] + self._of.drift * self._given[person]
        worth = {name: self._worth[item, self._column[name]] + extra for name in task.systems}
        eyes = _Eyes(worth, [of.name for of in self._criteria], self._of.sigma_a, protocol, self._rng)
        response = kind_of(protocol).simulated(protocol, task, eyes)
        self._given[person] += 1
        seconds = float(self._rng.gamma(4.0, self._of.seconds_per_rating / 4.0))
        return SimulatedAnswer(response, seconds, protocol.labels.price or 0.0)

    def means_of_items(self, tracks: Sequence[TrackState]) -> Floats:
        """(systems, criteria): the mean ratings of these items as they are, or would be if the people rated the rest of
        them, too.
        """
        protocol, people = self._plan.protocol, self._plan.least_labels
        means = np.empty((len(self._column), len(self._criteria)))
        for plan, track in zip(self._plan.tracks, tracks, strict=True):
            column = self._column[plan.systems[0]]
            for number, of in enumerate(self._criteria):
                who = self._rng.integers(self.people, size=(plan.order.size, people))
                seen = self._worth[plan.order, column, number, None] + self._severity[who]
                ratings = rating_of(seen + self._of.sigma_a * self._rng.normal(size=seen.shape), of, protocol).mean(1)
                for place, value in enumerate(rated_outputs(protocol, track, number)):
                    if value.for_a == value.for_b:
                        ratings[place] = of.from_unit(value.for_a)
                means[column, number] = ratings.mean()
        return means


@dataclass(frozen=True, slots=True)
class _Eyes(SimulatedPerson):
    """What a person sees in outputs that are `worth` so much to them: by system, an array over criteria."""

    worth: Mapping[str, Floats]
    criteria: Sequence[str]
    noise: float
    protocol: Protocol
    rng: np.random.Generator

    def rates(self, system: str, criterion: RatedCriterion) -> float:
        """With noise of its own."""
        seen = self.worth[system][self.criteria.index(criterion.name)] + self.noise * self.rng.normal()
        return float(rating_of(np.asarray(seen), criterion, self.protocol))
