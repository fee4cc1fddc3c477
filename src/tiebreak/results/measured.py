"""What a campaign of ratings has found out: frozen records that know how to become a JSON-ready dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import polars as pl

from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.records import Notice, Target, document
from tiebreak.results.estimates import DIFFERENCES, SYSTEMS
from tiebreak.results.progress import CampaignProgress
from tiebreak.results.shown import SummarisedResult
from tiebreak.rules.rule import Guarantee
from tiebreak.settings.protocol import Until
from tiebreak.version import __version__

Found = Literal["a", "b", "narrow", "undecided"]
"""`a`, `b`: which system is better; `narrow`: the interval is as narrow as was asked; `undecided`: nothing yet."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A system's mean, or the difference of two systems' means (the first minus the second), in points of the ratings.

    `items`: those of which the ratings are evidence; `ratings`: so many of them; `clusters`: units of evidence where
    items belong together, else None. `wanted`: the half-width that ends it, None where only a direction does.
    `items_to_go`, `ratings_to_go`: projected, None where that is not known or not to be had. `stopped_at`,
    `ratings_at_stop`: items and ratings when it ended. `abandoned`: items without a rating that counts; `waiting`:
    those with ratings that are no evidence yet. `exhausted`: no more items are left for it.
    """

    systems: tuple[str, ...]
    found: Found
    items: int
    ratings: int
    clusters: int | None
    mean: IntervalEstimate
    wanted: float | None
    items_to_go: int | None
    ratings_to_go: int | None
    stopped_at: int | None
    ratings_at_stop: int | None
    abandoned: int
    waiting: int
    exhausted: bool

    @property
    def half_width(self) -> float | None:
        """Half of the width of the interval; None before there is one."""
        low, high = self.mean.low, self.mean.high
        return None if low is None or high is None else (high - low) / 2

    def to_dict(self) -> dict[str, Any]:
        """Without the names of its systems."""
        return document(self, "systems", half_width=self.half_width)


@dataclass(frozen=True, slots=True)
class SystemMean:
    """A system's mean as far as its ratings are evidence, without an interval: differences were asked for."""

    system: str
    items: int
    ratings: int
    estimate: float | None


@dataclass(frozen=True, slots=True)
class MeasuredCriterion:
    """All that was asked on one criterion. `scale`: the lowest and the highest rating. `systems`: of a campaign that
    asks for differences.
    """

    criterion: str
    scale: tuple[float, float]
    measures: tuple[Measured, ...]
    systems: tuple[SystemMean, ...]

    def to_dict(self) -> dict[str, object]:
        """In the shape of `estimate --json`: systems and differences."""
        means = [of for of in self.measures if len(of.systems) == 1]
        differences = [of for of in self.measures if len(of.systems) > 1]
        return {
            "criterion": self.criterion,
            "scale": list(self.scale),
            "systems": [{"system": of.systems[0], **of.to_dict()} for of in means]
            or [
                {"system": of.system, "items": of.items, "ratings": of.ratings, "mean": {"estimate": of.estimate}}
                for of in self.systems
            ],
            "differences": [
                {"system_a": of.systems[0], "system_b": of.systems[1], **of.to_dict()} for of in differences
            ],
        }


@dataclass(frozen=True)
class MeasuredResult(SummarisedResult):
    """A campaign of ratings: what it asks for (`until`), what it found, and what that rests on.

    `study`: as in `CompareResult`; `rule`, `title`: the rule by name and in words; `guarantee` completes "Intervals
    ..."; `target`: what the means are about; `metrics`: what helped.
    """

    study: Mapping[str, object]
    until: Until
    rule: str
    title: str
    alpha: float
    multiplicity: str
    target: Target
    guarantee: Guarantee
    labels_in_words: str
    results: tuple[MeasuredCriterion, ...]
    warnings: tuple[Notice, ...]
    campaign: CampaignProgress
    sentence: str = ""
    folder: str = ""
    metrics: tuple[str, ...] = ()

    @property
    def measures(self) -> tuple[Measured, ...]:
        """Of all criteria."""
        return tuple(of for found in self.results for of in found.measures)

    @cached_property
    def systems(self) -> pl.DataFrame:
        """One row per criterion and mean, as `EstimateResult.systems`; none where differences were asked for."""
        rows = [
            (found.criterion, *of.systems, of.items, of.ratings, of.mean.estimate, of.mean.low, of.mean.high)
            for found in self.results
            for of in found.measures
            if len(of.systems) == 1
        ]
        return pl.DataFrame(rows, schema=SYSTEMS, orient="row")

    @cached_property
    def differences(self) -> pl.DataFrame:
        """One row per criterion and pair, as `EstimateResult.differences`; none where means were asked for."""
        rows = [
            (found.criterion, *of.systems, of.items, of.mean.estimate, of.mean.low, of.mean.high)
            for found in self.results
            for of in found.measures
            if len(of.systems) > 1
        ]
        return pl.DataFrame(rows, schema=DIFFERENCES, orient="row")

    @property
    def undecided(self) -> int:
        """Measures that are not known as well as was asked."""
        return sum(of.found == "undecided" for of in self.measures)

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-ready lists and dictionaries."""
        return document(
            self, "title", "labels_in_words", "folder", "metrics", tiebreak=__version__, guarantee=str(self.guarantee)
        )
