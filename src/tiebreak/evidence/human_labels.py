"""Human preferences and ratings as one value per item and pair.

The label rule says how several annotators of one item become one value:

- `mean`: the mean of their outcomes (a = 1, tie = 0, b = -1). Ratings are averaged per output first, and then
  compared: nearer than the tie threshold is a tie.
- `majority`: the outcome with the most votes; a shared lead is a tie. Depends on the size of the panel.
- `first`: one label per item: the earliest `decided_at`, or a random one where times are missing or the same.

Where a pair has preferences and ratings on the same criterion, the preferences count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.preferences import decision_times, rating_matrix
from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.label_draws import Draws, label_hashes, pair_draws
from tiebreak.records import OUTCOME_CODES, LabelRule

Floats = NDArray[np.float64]

_ROUNDING = 1e-9  # means of ratings that differ by less are equal


@dataclass(frozen=True, slots=True)
class PairValues:
    """One pair's items (n,) sorted, values (n,) in [-1, 1], labels behind each (n,).

    `times` (n,): microseconds of the last label of each item, None if any is missing. `from_ratings`: the values
    compare ratings. `rated_items_unused`: items with ratings of both systems that preferences replaced. `variances`
    (n,): variance of the labels of each item where its value is their mean (0 of a single label); None where every
    value is one outcome, whatever the labels behind it.
    """

    system_a: str
    system_b: str
    items: NDArray[np.intp]
    item_names: tuple[str, ...]
    values: Floats
    labels: NDArray[np.int64]
    times: NDArray[np.int64] | None
    from_ratings: bool
    rated_items_unused: int = 0
    variances: Floats | None = None

    def swapped(self) -> PairValues:
        """The same labels with the other system as system_a."""
        return replace(self, system_a=self.system_b, system_b=self.system_a, values=-self.values)


def pair_values(
    study: Study, criterion: str | None, index: ItemIndex, rule: LabelRule, tie_threshold: float, seed: int
) -> list[PairValues]:
    """All pairs with labels on a criterion, sorted by name, system_a before system_b."""
    pairs = {
        (pair.system_a, pair.system_b): pair
        for pair in _from_ratings(study, criterion, index, rule, tie_threshold, seed)
    }
    for pair in _from_preferences(study, criterion, index, rule, seed):
        key = (pair.system_a, pair.system_b)
        unused = pairs[key].items.size if key in pairs else 0
        pairs[key] = replace(pair, rated_items_unused=unused)
    return [pairs[key] for key in sorted(pairs)]


def oriented_preferences(study: Study, criterion: str | None) -> pl.DataFrame:
    """Preferences of a criterion with system_a < system_b, `value` in {-1, 0, 1} and `time` in microseconds or null."""
    frame = study.preferences
    if frame is None:
        return pl.DataFrame(schema={"item": pl.String, "system_a": pl.String, "system_b": pl.String, "value": pl.Int8})
    same = pl.col("criterion").is_null() if criterion is None else pl.col("criterion") == criterion
    frame = frame.with_columns(time=decision_times(frame).dt.epoch("us")).filter(same)
    flipped = pl.col("system_a") > pl.col("system_b")
    value = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int8)
    return frame.with_columns(
        system_a=pl.min_horizontal("system_a", "system_b"),
        system_b=pl.max_horizontal("system_a", "system_b"),
        value=pl.when(flipped).then(-value).otherwise(value),
    )


def _from_preferences(
    study: Study, criterion: str | None, index: ItemIndex, rule: LabelRule, seed: int
) -> list[PairValues]:
    frame = oriented_preferences(study, criterion)
    if frame.height == 0:
        return []
    keys = ["system_a", "system_b", "item"]
    frame = frame.sort(*keys, "annotator")
    if rule == "first":
        frame = frame.with_columns(draw=_draws(frame, criterion, seed))
    wins, losses = (pl.col("value") > 0).sum(), (pl.col("value") < 0).sum()
    ties = (pl.col("value") == 0).sum()
    aggregate = {
        "mean": pl.col("value").mean(),
        "majority": pl.when((wins > losses) & (wins > ties))
        .then(1.0)
        .when((losses > wins) & (losses > ties))
        .then(-1.0)
        .otherwise(0.0),
        "first": pl.col("value").sort_by("time", "draw", nulls_last=True).first().cast(pl.Float64),
    }[rule]
    time = pl.col("time").min() if rule == "first" else pl.col("time").max()
    labels = pl.lit(1, dtype=pl.Int64) if rule == "first" else pl.len().cast(pl.Int64)
    values = frame.group_by(keys, maintain_order=True).agg(
        value=aggregate,
        labels=labels,
        time=time,
        timed=pl.col("time").is_not_null().all(),
        variance=pl.col("value").cast(pl.Float64).var().fill_null(0.0),
    )
    return _pairs_from(values, index, of_means=rule == "mean")


def _draws(frame: pl.DataFrame, criterion: str | None, seed: int) -> Draws:
    """A random number (n,) per label; `frame` is sorted by pair."""
    hashes = label_hashes(zip(frame["item"].to_list(), frame["annotator"].to_list(), strict=True))
    ends = np.cumsum(_sizes(frame)["len"].to_numpy())[:-1]
    pairs = zip(_sizes(frame).iter_rows(), np.split(hashes, ends), strict=True)
    return np.concatenate([pair_draws(own, criterion, a, b, seed) for (a, b, _), own in pairs])


def _sizes(frame: pl.DataFrame) -> pl.DataFrame:
    """Pairs in the order of the frame, and their rows; `frame` is sorted by pair."""
    return frame.group_by("system_a", "system_b", maintain_order=True).len()


def _pairs_from(values: pl.DataFrame, index: ItemIndex, *, of_means: bool) -> list[PairValues]:
    """From rows sorted by pair and item to a record per pair; columns are cut, as cutting frames is slow."""
    variances = values["variance"].to_numpy()
    names, items = values["item"].to_list(), index.numbers(values["item"])
    outcomes = values["value"].cast(pl.Float64).to_numpy()
    labels, timed = values["labels"].to_numpy().astype(np.int64), values["timed"].to_numpy()
    times = values["time"].fill_null(0).to_numpy().astype(np.int64)
    pairs = []
    end = 0
    for system_a, system_b, size in _sizes(values).iter_rows():
        start, end = end, end + size
        part = slice(start, end)
        pairs.append(
            PairValues(
                system_a=system_a,
                system_b=system_b,
                items=items[part],
                item_names=tuple(names[part]),
                values=outcomes[part].copy(),
                labels=labels[part],
                times=times[part] if timed[part].all() else None,
                from_ratings=False,
                variances=variances[part] if of_means and (labels[part] > 1).any() else None,
            )
        )
    return pairs


def _from_ratings(
    study: Study, criterion: str | None, index: ItemIndex, rule: LabelRule, tie_threshold: float, seed: int
) -> list[PairValues]:
    if study.ratings is None or criterion not in set(study.ratings["criterion"]):
        return []
    matrix = rating_matrix(study, str(criterion))
    names = np.array(matrix.items)
    items = np.array([index.position[name] for name in matrix.items], dtype=np.intp)
    votes = None if rule == "mean" else rating_cube(study, str(criterion), matrix.items, matrix.systems)
    hashes = None if votes is None or rule != "first" else _rating_hashes(study, str(criterion), matrix.items, votes)
    pairs = []
    for i, system_a in enumerate(matrix.systems):
        for j in range(i + 1, len(matrix.systems)):
            if votes is None:
                values = compared(matrix.mean[:, i] - matrix.mean[:, j], tie_threshold)
                labels = matrix.count[:, i] + matrix.count[:, j]
            else:
                outcomes = compared(votes[:, :, i] - votes[:, :, j], tie_threshold)
                draws = None if hashes is None else pair_draws(hashes, criterion, system_a, matrix.systems[j], seed)
                values, labels = _one_vote(outcomes, draws)
            rated = ~np.isnan(values)
            if rated.any():
                pairs.append(
                    PairValues(
                        system_a,
                        matrix.systems[j],
                        items[rated],
                        tuple(names[rated]),
                        values[rated],
                        labels[rated].astype(np.int64),
                        None,
                        from_ratings=True,
                    )
                )
    return pairs


def compared(difference: Floats, tie_threshold: float) -> Floats:
    """Sign of the difference, 0 within the threshold (a threshold of 0: equal only), NaN where one is missing."""
    return np.asarray(np.where(np.abs(difference) <= tie_threshold + _ROUNDING, 0.0, np.sign(difference)))


def rating_cube(study: Study, criterion: str, items: list[str], systems: list[str]) -> Floats:
    """Ratings (annotators, items, systems), NaN where absent."""
    if study.ratings is None:
        return np.empty((0, len(items), len(systems)))
    frame = study.ratings.filter(pl.col("criterion") == criterion)
    people = {name: k for k, name in enumerate(_raters(study, criterion))}
    cube = np.full((len(people), len(items), len(systems)), np.nan)
    position = (people, {name: k for k, name in enumerate(items)}, {name: k for k, name in enumerate(systems)})
    where = tuple(
        frame[column].replace_strict(numbers, return_dtype=pl.Int64).to_numpy()
        for column, numbers in zip(("annotator", "item", "system"), position, strict=True)
    )
    cube[where] = frame["value"].to_numpy()
    return cube


def _raters(study: Study, criterion: str) -> list[str]:
    """Everybody with a rating on a criterion, in the order of `rating_cube`."""
    return (
        []
        if study.ratings is None
        else sorted(set(study.ratings.filter(pl.col("criterion") == criterion)["annotator"]))
    )


def _rating_hashes(study: Study, criterion: str, items: list[str], votes: Floats) -> Draws:
    """A number (annotators, items) per label, 0 where somebody rated nothing of an item."""
    people = _raters(study, criterion)
    rated = ~np.isnan(votes).all(axis=2)
    hashes = np.zeros(rated.shape, dtype=np.uint64)
    hashes[rated] = label_hashes((items[item], people[person]) for person, item in np.argwhere(rated).tolist())
    return hashes


def _one_vote(outcomes: Floats, draws: Draws | None) -> tuple[Floats, NDArray[np.int64]]:
    """From outcomes (annotators, items), NaN where absent, to one value per item and the ratings behind it.

    The majority without `draws`; with them, as ratings carry no time, the annotator with the smallest.
    """
    wins, losses, ties = ((outcomes == code).sum(axis=0) for code in (1.0, -1.0, 0.0))
    total = wins + losses + ties
    if draws is None:
        value = np.where((wins > losses) & (wins > ties), 1.0, np.where((losses > wins) & (losses > ties), -1.0, 0.0))
        return np.where(total > 0, value, np.nan), 2 * total
    draws = np.where(np.isnan(outcomes), np.iinfo(np.uint64).max, draws)
    chosen = np.take_along_axis(outcomes, draws.argmin(axis=0)[None, :], axis=0)[0]
    return np.where(total > 0, chosen, np.nan), np.where(total > 0, 2, 0)
