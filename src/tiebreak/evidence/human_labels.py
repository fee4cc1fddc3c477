"""Human preferences and ratings as one value per item and pair.

The label rule says how several annotators of one item become one value:

- `mean`: the mean of their outcomes (a = 1, tie = 0, b = -1). Ratings are averaged per output first, over the people
  who rated both outputs, and then compared: nearer than the tie threshold is a tie.
- `majority`: the outcome with the most votes; a shared lead is a tie. Depends on the size of the panel.
- `first`: the label with the earliest `decided_at`; of several that are equally early, or none of which has a time, the
  mean, so that nothing is chosen that no datum chooses. For ratings it is `mean`.

Where systems have several samples, each pair of samples has one value by the rule, and the item the mean over its pairs
of samples; a person's ratings of one system's samples are averaged first. A sample is never a unit of its own.

Ratings of different people are compared only by `mean`, and only where that is asked for (`evidence/ratings.py`).
Where a pair has preferences and ratings on the same criterion, the preferences count.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.columns import decision_times, one_way_round
from tiebreak.data.study import Study
from tiebreak.data.tables import distinct
from tiebreak.evidence.items import ItemIndex, name_numbers
from tiebreak.evidence.ratings import CriterionRatings
from tiebreak.records import OUTCOME_CODES, LabelRule, Raters

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_ROUNDING = 1e-9  # means of ratings that differ by less are equal


@dataclass(frozen=True, slots=True)
class PairValues:
    """One pair's items (n,) sorted, values (n,) in [-1, 1], labels behind each (n,).

    `names`: of all items that the numbers in `items` refer to. `from_ratings`: the values compare ratings.
    `rated_items_unused`: items with ratings of both systems that preferences replaced. `variances` (n,): variance of
    the labels of each item where its value is their mean (0 of a single label); None where every value is one outcome,
    whatever the labels behind it. `apart`, `partly`: items with ratings of both outputs, none of whose raters, or not
    all of whom, rated both; a pair of which all items are apart may have none left. `points`: rating points of a value
    of 1 where values are differences of mean ratings, None where they are who is better.
    """

    system_a: str
    system_b: str
    items: NDArray[np.intp]
    names: tuple[str, ...]
    values: Floats
    labels: NDArray[np.int64]
    from_ratings: bool
    rated_items_unused: int = 0
    variances: Floats | None = None
    apart: int = 0
    partly: int = 0
    points: float | None = None

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names (n,) of the pair's items."""
        return tuple(self.names[item] for item in self.items.tolist())

    def swapped(self) -> PairValues:
        """The same labels with the other system as system_a."""
        return replace(self, system_a=self.system_b, system_b=self.system_a, values=-self.values)


ValuesByPair = dict[tuple[str, str], Callable[[], PairValues]]
"""What makes the values of a pair, by its systems: those of all pairs of many systems would not fit into memory."""


def pair_values(
    study: Study,
    criterion: str | None,
    index: ItemIndex,
    rule: LabelRule,
    tie_threshold: float,
    raters: Raters = "same",
) -> list[PairValues]:
    """`values_by_pair`, made: of all pairs with labels of both systems on any item."""
    made = (make() for make in values_by_pair(study, criterion, index, rule, tie_threshold, raters).values())
    return [pair for pair in made if pair.items.size or pair.apart]


def values_by_pair(
    study: Study,
    criterion: str | None,
    index: ItemIndex,
    rule: LabelRule,
    tie_threshold: float,
    raters: Raters = "same",
) -> ValuesByPair:
    """All pairs that may have labels on a criterion, sorted by name, system_a before system_b.

    A pair whose two outputs the same person never rated has no items, and counts them as `apart`; it may have none of
    those either.
    """
    makers = _from_ratings(study, criterion, index, rule, tie_threshold, raters)
    for pair in _from_preferences(study, criterion, index, rule):
        key = (pair.system_a, pair.system_b)
        unused = makers[key]().items.size if key in makers else 0
        makers[key] = partial(replace, pair, rated_items_unused=unused)
    return {key: makers[key] for key in sorted(makers)}


def oriented_preferences(study: Study, criterion: str | None) -> pl.DataFrame:
    """Preferences of a criterion with system_a < system_b, `value` in {-1, 0, 1} and `time` in microseconds or null."""
    frame = study.preferences
    if frame is None:
        return pl.DataFrame(schema={"item": pl.String, "system_a": pl.String, "system_b": pl.String, "value": pl.Int8})
    same = pl.col("criterion").is_null() if criterion is None else pl.col("criterion") == criterion
    frame = frame.with_columns(time=decision_times(frame).dt.epoch("us")).filter(same)
    value = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int8)
    return one_way_round(frame).with_columns(value=value)


def earliest_labels(frame: pl.DataFrame) -> pl.DataFrame:
    """Of `oriented_preferences` those of each item and pair of outputs that came first: all that share the earliest
    time, and all where none has a time."""
    samples = [name for name in ("sample_a", "sample_b") if name in frame.columns]
    first = pl.col("time").min().over("system_a", "system_b", "item", *samples)
    return frame.filter(first.is_null() | (pl.col("time") == first))


def labels_passed_over(study: Study, criterion: str | None) -> int:
    """How many preferences on a criterion the rule `first` makes no use of."""
    frame = oriented_preferences(study, criterion)
    return frame.height - earliest_labels(frame).height if frame.height else 0


def _from_preferences(study: Study, criterion: str | None, index: ItemIndex, rule: LabelRule) -> list[PairValues]:
    """A record per pair, from counts of each item's wins, ties and losses: exact, whatever the order of the labels."""
    frame = oriented_preferences(study, criterion)
    if frame.height == 0:
        return []
    if rule == "first":
        frame = earliest_labels(frame)
    systems = sorted(distinct(frame["system_a"]) | distinct(frame["system_b"]))
    first, second = (name_numbers(frame[column], systems) for column in ("system_a", "system_b"))
    cells = (first * len(systems) + second) * len(index.items) + index.numbers(frame["item"])
    given, kinds, kind = frame["value"].to_numpy(), *_sample_pairs(frame)
    own, own_of, labels = np.unique(cells * kinds + kind, return_inverse=True, return_counts=True)
    wins, losses = (np.bincount(own_of[given == side], minlength=own.size) for side in (1, -1))
    values, variances = _majorities(wins, losses, labels) if rule == "majority" else _means(wins, losses, labels)
    cells = own
    if kinds > 1:
        cells, values, variances, labels = _over_samples(own // kinds, values, variances, labels)
    pairs, items = np.divmod(cells, len(index.items))
    found = []
    for pair, start, size in zip(*np.unique(pairs, return_index=True, return_counts=True), strict=True):
        part = slice(start, start + size)
        found.append(
            PairValues(
                system_a=systems[pair // len(systems)],
                system_b=systems[pair % len(systems)],
                items=items[part],
                names=index.items,
                values=values[part],
                labels=labels[part],
                from_ratings=False,
                variances=variances[part] if variances is not None and (labels[part] > 1).any() else None,
            )
        )
    return found


def _sample_pairs(frame: pl.DataFrame) -> tuple[int, NDArray[np.intp]]:
    """How many different pairs of samples there are, at least 1, and the number of each row's."""
    if all(frame[name].null_count() == frame.height for name in ("sample_a", "sample_b")):
        return 1, np.zeros(frame.height, dtype=np.intp)
    ranks = frame.select(pl.struct("sample_a", "sample_b").rank("dense")).to_series().to_numpy().astype(np.intp) - 1
    return int(ranks.max()) + 1, ranks


def _over_samples(
    cells: NDArray[np.intp], values: Floats, variances: Floats | None, labels: Counts
) -> tuple[NDArray[np.intp], Floats, Floats | None, Counts]:
    """From pairs of samples (m,), sorted by cell, to cells (n,): means over their pairs of samples, which are no
    independent units.

    The variance of a cell is such that over its labels it is that of the mean: pairs of samples differ by more than
    their labels do, and what is claimed of a system is not about the samples at hand.
    """
    cells, start, pairs = np.unique(cells, return_index=True, return_counts=True)
    means, total = np.add.reduceat(values, start) / pairs, np.add.reduceat(labels, start)
    squares = np.add.reduceat((values - np.repeat(means, pairs)) ** 2, start)
    between = total * squares / np.maximum(pairs - 1, 1) / pairs
    within = np.zeros(cells.size) if variances is None else variances[start]
    return cells, means, np.where(pairs > 1, between, within), total


def _means(wins: Counts, losses: Counts, labels: Counts) -> tuple[Floats, Floats]:
    """Means of outcomes, and their variances, 0 of a single label."""
    lead = wins - losses
    return lead / labels, (wins + losses - lead**2 / labels) / np.maximum(labels - 1, 1)


def _majorities(wins: Counts, losses: Counts, labels: Counts) -> tuple[Floats, None]:
    ties = labels - wins - losses
    won, lost = wins > np.maximum(losses, ties), losses > np.maximum(wins, ties)
    return won.astype(np.float64) - lost, None


def _from_ratings(
    study: Study,
    criterion: str | None,
    index: ItemIndex,
    rule: LabelRule,
    tie_threshold: float,
    raters: Raters,
) -> ValuesByPair:
    ratings = CriterionRatings.of(study, criterion)
    if ratings is None:
        return {}
    positions = np.array([index.position[name] for name in ratings.items], dtype=np.intp)

    def made(first: int, second: int) -> PairValues:
        """The values of two systems, by their numbers."""
        systems = ratings.systems[first], ratings.systems[second]
        same = ratings.same_person(first, second)
        if rule == "mean" and raters == "any":
            items, differences, labels = ratings.means(first, second)
            values = compared(differences, tie_threshold)
        elif rule != "majority":
            items, means, labels = same.means()
            values = compared(means, tie_threshold)
        else:
            outcomes = compared(same.differences, tie_threshold)
            items, values, labels = _majority(ratings.item_of[same.keys], outcomes, same.given)
        return PairValues(
            *systems,
            positions[items],
            index.items,
            values,
            labels.astype(np.int64, copy=False),
            from_ratings=True,
            apart=same.apart,
            partly=same.partly,
        )

    numbered = itertools.combinations(range(len(ratings.systems)), 2)
    return {(ratings.systems[i], ratings.systems[j]): partial(made, i, j) for i, j in numbered}


def compared(difference: Floats, tie_threshold: float) -> Floats:
    """Sign of the difference, 0 within the threshold (a threshold of 0: equal only), NaN where one is missing."""
    outcome = np.sign(difference)
    outcome[np.abs(difference) <= tie_threshold + _ROUNDING] = 0.0
    return outcome


def _majority(
    rated: NDArray[np.intp], outcomes: Floats, given: NDArray[np.intp]
) -> tuple[NDArray[np.intp], Floats, NDArray[np.int64]]:
    """From the item (m,), outcome (m,) and ratings (m,) of every person to items (n,), their values and ratings."""
    items, item, people = np.unique(rated, return_inverse=True, return_counts=True)
    wins, losses = (np.bincount(item[outcomes == code], minlength=items.size) for code in (1.0, -1.0))
    values, _ = _majorities(wins, losses, people)
    return items, values, np.bincount(item, weights=given, minlength=items.size).astype(np.int64)


def labels_of_people(study: Study, criteria: Sequence[str | None]) -> Counter[str]:
    """Labels of each annotator on these criteria."""
    found: Counter[str] = Counter()
    for criterion in criteria:
        for frame in (study.preferences, study.ratings):
            if frame is not None:
                found.update(frame.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))["annotator"])
    return found
