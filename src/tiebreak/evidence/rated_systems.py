"""The ratings of one criterion as estimates of means want them: per system, and of two systems item by item.

The unit is the item (or its cluster). A system's several samples for an item are averaged: an item's value is the mean
over its samples of their mean ratings. Two systems are compared on the ratings of people who rated both outputs of an
item, as in `compare` (`evidence/ratings.py`).

What metrics say of every rated output: of the sample that people rated, where a system has several for an item.

A study of single outputs: systems that have several samples of an item become as many as there are samples.

What a judge says and what people say is about two outputs. Where systems have several of an item, a comparison is one
of a sample of each. So every sample gets a place, its number within its item and system, and every place a system of
its own: all tables are then about one output per item and system, as everywhere else. The units stay the items, however
many of their samples are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.schema import TABLES
from tiebreak.data.study import Study, without_samples
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import AutomaticValues, serving
from tiebreak.evidence.human_labels import PairValues, ValuesByPair
from tiebreak.evidence.items import ItemIndex, name_numbers
from tiebreak.evidence.ordering import drawn_clusters
from tiebreak.evidence.ratings import CriterionRatings
from tiebreak.kernels.rated_outputs import RatedOutputs
from tiebreak.kernels.rating_mean import MeanRatings
from tiebreak.records import Raters, Target

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Scale = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RatedItems:
    """Values that a mean is estimated from. `items` (n,): numbers of items, ascending; `mean`: what is known of them.

    `pool` (N,): all items that could have been rated, the rated ones first, in their order; `ratings`: how many are
    behind the values.
    """

    items: Places
    mean: MeanRatings
    pool: Places
    ratings: int

    def metrics(self, scores: Floats) -> tuple[Floats, Floats]:
        """Values (n, M) and (N, M) of metrics, from those of all items (n_items, M); NaN where absent."""
        of_pool = scores[self.pool]
        return of_pool[: self.items.size], of_pool


@dataclass(frozen=True)
class RatedSystem:
    """One system. `outputs`: its rated outputs, each sample of an item being one, by `codes` item * samples + sample.

    `output_items` (n,): the item's number of each.
    """

    name: str
    outputs: RatedOutputs
    output_items: Places
    rated: RatedItems


@dataclass(frozen=True)
class RatedSystems:
    """All systems that somebody rated on a criterion, by name. `scale`: as study.toml declares it, or None. `samples`:
    by their numbers in codes, the first being that without a name.
    """

    index: ItemIndex
    ratings: CriterionRatings
    systems: tuple[RatedSystem, ...]
    scale: Scale | None
    target: Target
    samples: tuple[str | None, ...]

    @classmethod
    def of(cls, study: Study, criterion: str, index: ItemIndex, target: Target) -> RatedSystems | None:
        """Those of a study; None where nobody rated anything on this criterion."""
        ratings = CriterionRatings.of(study, criterion)
        if ratings is None or study.ratings is None:
            return None
        frame = study.ratings.filter(pl.col("criterion") == criterion)
        samples = frame["sample"].rank("dense").fill_null(0).to_numpy().astype(np.int64)
        names = (None, *frame["sample"].unique().drop_nulls().sort().to_list())
        items, most = index.numbers(frame["item"]), len(names)
        numbers, values = name_numbers(frame["system"], ratings.systems), frame["value"].to_numpy()
        scale = study.settings.scale.get(criterion)
        found = []
        for k, name in enumerate(ratings.systems):
            own = numbers == k
            outputs = RatedOutputs.of(items[own] * most + samples[own], values[own])
            output_items = (outputs.codes // most).astype(np.intp)
            rated = _of_outputs(outputs, output_items, index, _pool(index, name), scale, target)
            found.append(RatedSystem(name, outputs, output_items, rated))
        return cls(index, ratings, tuple(found), scale, target, names)

    def difference(self, first: int, second: int, raters: Raters) -> RatedItems | None:
        """The first system's values minus the second's, on the items where they can be compared; None without any."""
        a, b = self.systems[first], self.systems[second]
        pool = np.intersect1d(_pool(self.index, a.name), _pool(self.index, b.name))
        scale = None if self.scale is None else (self.scale[0] - self.scale[1], self.scale[1] - self.scale[0])
        rated = partial(_rated, index=self.index, pool=pool, scale=scale, target=self.target, difference=True)
        if raters == "any":
            return _of_anybody(a.rated, b.rated, rated)
        same = self.ratings.same_person(first, second)
        if not same.keys.size:
            return None
        items = self._positions[self.ratings.item_of[same.keys]]
        outputs = RatedOutputs.of(items, same.differences)
        found = outputs.codes.astype(np.intp)
        return rated(found, outputs.means, outputs.counts, outputs.variances, int(same.given.sum()))

    @cached_property
    def _positions(self) -> Places:
        """The number in the index of each item of the ratings."""
        return np.array([self.index.position[name] for name in self.ratings.items], dtype=np.intp)


def _of_anybody(a: RatedItems, b: RatedItems, rated: Callable[..., RatedItems]) -> RatedItems | None:
    items, of_a, of_b = np.intersect1d(a.items, b.items, assume_unique=True, return_indices=True)
    if not items.size:
        return None
    counts = a.mean.counts[of_a] + b.mean.counts[of_b]
    noise = a.mean.variances[of_a] / a.mean.counts[of_a] + b.mean.variances[of_b] / b.mean.counts[of_b]
    return rated(items, a.mean.values[of_a] - b.mean.values[of_b], counts, noise * counts, int(counts.sum()))


def metric_scores(automatic: AutomaticValues, system: str) -> Floats:
    """Values (n_items, M) of the metrics on one system's outputs, NaN where absent."""
    row = automatic.system_row[system]
    return automatic.scores[:, row].T


def rating_differences(study: Study, criterion: str | None, index: ItemIndex, raters: Raters) -> ValuesByPair:
    """All pairs of systems by their differences of mean ratings, item by item, over the width of the declared scale.

    Raises:
        UsageError: nobody declared the scale of the ratings.
    """
    rated = None if criterion is None else RatedSystems.of(study, criterion, index, "inputs")
    if rated is None:
        return {}
    if rated.scale is None:
        raise UsageError(
            f"to compare mean ratings, what ratings of {criterion} can be must be known: write [scale] "
            f'"{criterion}" = [lowest, highest] into study.toml'
        )
    points = rated.scale[1] - rated.scale[0]
    return {
        (rated.systems[i].name, rated.systems[j].name): partial(_values_of, rated, i, j, raters, points)
        for i, j in combinations(range(len(rated.systems)), 2)
    }


def _values_of(rated: RatedSystems, first: int, second: int, raters: Raters, points: float) -> PairValues:
    """Two ratings make one difference: `labels` are ratings, and the variance is such that over half of them it is that
    of the mean.
    """
    of, same = rated.difference(first, second, raters), rated.ratings.same_person(first, second)
    nothing = np.empty(0)
    items, values, variances = nothing.astype(np.intp), nothing, nothing
    labels = np.empty(0, dtype=np.int64)
    if of is not None:
        items, values, labels = of.items, of.mean.values / points, of.mean.counts.astype(np.int64)
        variances = of.mean.variances / points**2
        if raters == "same":
            labels = same.means()[2].astype(np.int64)
        else:
            variances = variances / 2
    names = rated.systems[first].name, rated.systems[second].name
    return PairValues(
        *names, items, rated.index.items, values, labels, from_ratings=True, variances=variances,
        apart=same.apart, partly=same.partly, points=points,
    )  # fmt: skip


def _pool(index: ItemIndex, system: str) -> Places:
    """Items with an output of the system; without outputs of it, all that the study lists."""
    known = index.has_output(system)
    return np.arange(len(index.items) if index.listed else 0, dtype=np.intp) if known is None else np.flatnonzero(known)


def _of_outputs(
    outputs: RatedOutputs, output_items: Places, index: ItemIndex, pool: Places, scale: Scale | None, target: Target
) -> RatedItems:
    """Means over the samples of each item, with a variance such that over the count it is that of the mean."""
    items, start, samples = np.unique(output_items, return_index=True, return_counts=True)
    if items.size == output_items.size:
        means, counts, variances = outputs.means, outputs.counts, outputs.variances
    else:
        means = np.add.reduceat(outputs.means, start) / samples
        counts = np.add.reduceat(outputs.counts, start)
        squares = np.add.reduceat((outputs.means - np.repeat(means, samples)) ** 2, start)
        between = counts * squares / np.maximum(samples - 1, 1) / samples
        variances = np.where(samples > 1, between, outputs.variances[start])
    ratings = int(outputs.ratings.size)
    return _rated(items, means, counts, variances, ratings, index=index, pool=pool, scale=scale, target=target)


def _rated(
    items: Places,
    values: Floats,
    counts: Places,
    variances: Floats,
    ratings: int,
    *,
    index: ItemIndex,
    pool: Places,
    scale: Scale | None,
    target: Target,
    difference: bool = False,
) -> RatedItems:
    whole = np.concatenate([items, np.setdiff1d(pool, items, assume_unique=True)])
    numbers = index.clusters[items]
    clusters = None if np.unique(numbers).size == items.size else numbers
    pool_size = pool_clusters = None
    if target == "items":
        drawn = drawn_clusters(items, whole, index.clusters)
        clusters, pool_clusters = (None, None) if drawn is None else (drawn.numbers, drawn.in_pool)
        # Where clusters are labelled in part, it is as if they came from any number of them.
        pool_size = whole.size if drawn is None or drawn.in_pool is not None else None
    mean = MeanRatings(
        values=values,
        counts=counts,
        variances=variances,
        scale=scale,
        clusters=clusters,
        pool_size=pool_size,
        pool_clusters=pool_clusters,
        difference=difference,
    )
    return RatedItems(items, mean, whole, ratings)


@dataclass(frozen=True, slots=True)
class OutputScores:
    """Values (M, n) of the metrics `names` by system, in the order of its rated outputs; higher is better, NaN where
    absent.
    """

    names: tuple[str, ...]
    by_system: dict[str, Floats]

    @classmethod
    def of(cls, study: Study, criterion: str, rated: RatedSystems, automatic: AutomaticValues) -> Self:
        """Of metrics that `automatic` has by item, as means over samples."""
        found = {}
        for one in rated.systems:
            values = automatic.scores[:, automatic.system_row[one.name]][:, one.output_items]
            if len(rated.samples) > 1:
                for row, metric in zip(values, automatic.names, strict=True):
                    row[:] = _of_samples(study, criterion, metric, rated, one, row)
            found[one.name] = values
        return cls(automatic.names, found)


def _of_samples(
    study: Study, criterion: str, metric: str, rated: RatedSystems, one: RatedSystem, by_item: Floats
) -> Floats:
    """Scores (n,) of one metric by sample; `by_item` where its scores name no samples."""
    frame = serving(study.scores, "metric", metric, criterion)
    if frame["sample"].null_count() == frame.height:
        return by_item
    number = {name: k for k, name in enumerate(rated.samples)}
    sign = 1.0 if study.settings.higher_is_better.get(metric, True) else -1.0
    scores = np.full(by_item.size, np.nan)
    place = {code: k for k, code in enumerate(one.outputs.codes.tolist())}
    for item, system, sample, value in frame.select("item", "system", "sample", "value").iter_rows():
        if system == one.name and sample in number:
            at = place.get(rated.index.position[item] * len(number) + number[sample])
            if at is not None:
                scores[at] = sign * value
    return scores


_KEY = ("item", "system", "sample")


@dataclass(frozen=True, slots=True)
class SingleOutputs:
    """The `study` of places; `system_of`: the system that each of its systems is a place of, sorted as they are."""

    study: Study
    system_of: Mapping[str, str]

    @classmethod
    def of(cls, study: Study) -> SingleOutputs:
        """A study without several samples keeps the names of its systems."""
        columns = [(frame, *side) for name, frame in study.tables.items() for side in TABLES[name].samples]
        if all(frame[sample].null_count() == frame.height for frame, _, sample in columns):
            return cls(study, {name: name for name in study.systems})
        mentioned = [
            frame.select("item", system=pl.col(system), sample=pl.col(sample)) for frame, system, sample in columns
        ]
        outputs = pl.concat(mentioned).unique().with_columns(place=_place())
        if not outputs["place"].max():
            return cls(without_samples(study), {name: name for name in study.systems})
        names = pl.DataFrame({"system": study.systems}).with_row_index("number")
        numbered = pl.col("number").cast(pl.String).str.zfill(9) + "." + pl.col("place").cast(pl.String).str.zfill(9)
        outputs = outputs.join(names, on="system").with_columns(name=numbered)
        known = outputs.select("name", "system").unique().sort("name")
        return cls(_with_places(study, outputs), dict(known.iter_rows()))


def _place() -> pl.Expr:
    """The number of a sample within its item and system. A row that names none is about the only one, where there is
    one, and else about an output of which nobody knows which it is.
    """
    within, named = ("item", "system"), pl.col("sample").n_unique() - pl.col("sample").has_nulls().cast(pl.UInt32)
    nameless = pl.when(named.over(within) > 1).then(named.over(within)).otherwise(0)
    return (pl.col("sample").rank("dense").over(within) - 1).fill_null(nameless)


def _with_places(study: Study, outputs: pl.DataFrame) -> Study:
    """Names of places for those of systems, also where a table says what was shown on the left."""
    named = outputs.select(*_KEY, "name")
    tables = {}
    for name, frame in study.tables.items():
        sides = TABLES[name].samples
        if not sides:
            continue
        for system, sample in sides:
            found = named.rename({"system": system, "sample": sample, "name": f"place of {system}"})
            frame = frame.join(found, on=["item", system, sample], how="left", nulls_equal=True, maintain_order="left")
        if "left" in frame.columns:
            frame = frame.with_columns(
                left=pl.when(pl.col("left") == pl.col("system_a"))
                .then("place of system_a")
                .when(pl.col("left") == pl.col("system_b"))
                .then("place of system_b")
            )
        renamed = [pl.col(f"place of {system}").alias(system) for system, _ in sides]
        nameless = [pl.lit(None, pl.String).alias(sample) for _, sample in sides]
        tables[name] = frame.with_columns(*renamed, *nameless).drop(f"place of {system}" for system, _ in sides)
    return replace(study, **tables)  # type: ignore[arg-type]
