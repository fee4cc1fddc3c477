"""Labels as games between systems, one row per label, for ratings: who met whom on which item, and what came out.

An item of a pair is one comparison and counts 1, however many labels it has: under the label rule `mean` each of its n
labels is a game that counts 1/n, under `first` the earliest ones are, under `majority` there is one game with the
majority's outcome. Where systems have several samples each pair of samples has an equal share. Ratings are compared as
`human_labels` compares them, one game per item and pair. A judge that was asked in both orders gives one game, a tie
where it contradicted itself; with sides each of its answers is a game. Labels on identical outputs are ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.columns import one_way_round
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import serving
from tiebreak.evidence.human_labels import earliest_labels, oriented_preferences, values_by_pair
from tiebreak.evidence.items import ItemIndex, name_numbers
from tiebreak.records import OUTCOME_CODES, LabelRule, Raters

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Codes = NDArray[np.int8]
Labelled = Literal["preferences", "ratings"]

MOST_GAMES: Final = 20_000_000
"""Rows that fit into memory with what is computed of them, some 4 GB."""

_PAIR: Final = ("system_a", "system_b", "item")
_SAMPLES: Final = ("sample_a", "sample_b")


@dataclass(frozen=True, slots=True)
class GameRows:
    """Games on one criterion. `first`, `second` (n,): numbers of systems in the study, first < second; `item` (n,): of
    the item index. `outcome` (n,): 1, 0 or -1 for the first; `side` (n,): 1 where the first was shown on the left, -1
    where the second was, 0 where that is not known. `weight` (n,): what a row counts for; those of one comparison sum
    to 1.
    """

    first: Integers
    second: Integers
    item: Integers
    outcome: Codes
    side: Codes
    weight: Floats

    def __len__(self) -> int:
        return int(self.first.size)

    def weighted(self, weight: float) -> GameRows:
        """The same games, each counting for so much of itself."""
        return replace(self, weight=self.weight * weight)

    @property
    def comparisons(self) -> Integers:
        """(m, 3): the two systems and the item of each comparison, once."""
        if not len(self):
            return np.empty((0, 3), dtype=np.intp)
        systems, items = int(self.second.max()) + 1, int(self.item.max()) + 1
        code = np.sort((self.first * systems + self.second) * items + self.item)
        once = np.append(True, code[1:] != code[:-1])  # `np.unique` takes ten times as long
        pair, item = np.divmod(code[once], items)
        return np.stack([*np.divmod(pair, systems), item], axis=1)

    def renumbered(self, kept: Integers) -> GameRows:
        """The same games with the systems `kept` (K,), ascending, numbered from 0; they are all that there are."""
        first, second = (np.searchsorted(kept, of).astype(np.intp) for of in (self.first, self.second))
        return replace(self, first=first, second=second)

    @classmethod
    def together(cls, parts: Iterable[GameRows]) -> GameRows:
        """All games of several sources, one after the other."""
        known = list(parts)
        columns = ("first", "second", "item", "outcome", "side", "weight")
        return cls(*(np.concatenate([getattr(part, column) for part in known]) for column in columns))


def preference_games(study: Study, criterion: str | None, index: ItemIndex, rule: LabelRule) -> GameRows:
    """Games from the preferences on a criterion."""
    frame = oriented_preferences(study, criterion)
    if not frame.height:
        return _nothing()
    if rule == "first":
        frame = earliest_labels(frame)
    if rule == "majority":
        frame = _majorities(frame)
    return _of_labels(frame, study.systems, index)


def rating_games(
    study: Study,
    criterion: str | None,
    index: ItemIndex,
    rule: LabelRule,
    tie_threshold: float,
    raters: Raters,
    *,
    beside_preferences: bool,
) -> GameRows:
    """Games from the ratings on a criterion: of all pairs, or beside preferences of those pairs that have none.

    Raises:
        UsageError: more games than fit into memory.
    """
    if study.ratings is None:
        return _nothing()
    number = {name: k for k, name in enumerate(study.systems)}
    parts, games = [_nothing()], 0
    rated = study if beside_preferences else replace(study, preferences=None)
    for (first, second), make in values_by_pair(rated, criterion, index, rule, tie_threshold, raters).items():
        pair = make()
        if not pair.from_ratings or not pair.items.size:
            continue
        games += pair.items.size
        if games > MOST_GAMES:
            raise UsageError(
                f"rank takes at most {MOST_GAMES:,} comparisons of an item and two systems, and the ratings on "
                f"{criterion} make more: name fewer systems with --systems"
            )
        ones = np.ones(pair.items.size)
        same = index.have_identical_outputs(first, second, pair.items)
        outcome = np.where(same, 0, np.rint(pair.values)).astype(np.int8)
        one, other = (np.full(ones.size, number[name], dtype=np.intp) for name in (first, second))
        parts.append(GameRows(one, other, pair.items, outcome, np.zeros(ones.size, dtype=np.int8), ones))
    return GameRows.together(parts)


def judge_games(study: Study, criterion: str | None, index: ItemIndex, judge: str, *, sided: bool) -> GameRows:
    """Games from what a judge answered on a criterion, or on none in particular."""
    frame = serving(study.judge_preferences, "judge", judge, criterion)
    frame = one_way_round(frame.filter(pl.col("outcome").is_not_null()))
    frame = frame.with_columns(value=pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int8))
    if not sided:
        agreed = pl.col("value").min() == pl.col("value").max()
        answer = pl.when(agreed).then(pl.col("value").min()).otherwise(0).cast(pl.Int8)
        frame = frame.group_by(*_PAIR, *_SAMPLES).agg(value=answer)
    return _of_labels(frame, study.systems, index)


def _of_labels(frame: pl.DataFrame, systems: Sequence[str], index: ItemIndex) -> GameRows:
    """Rows with `value` and, where sides are known, `left`; labels of a pair of samples share its weight."""
    first, second = (name_numbers(frame[name], systems) for name in _PAIR[:2])
    item = index.numbers(frame["item"])
    frame = frame.with_columns(pair=(first * len(systems) + second) * len(index.items) + item)
    samples = [name for name in _SAMPLES if frame[name].null_count() < frame.height]
    order = frame.select(row=pl.arg_sort_by("pair", *samples, "value"))["row"].to_numpy()
    frame = frame[order]  # sums must not depend on the order of rows
    first, second, item = first[order], second[order], item[order]
    share = pl.len().over("pair", *samples)
    if samples:
        share = share * pl.struct(_SAMPLES).n_unique().over("pair")
    return GameRows(
        first=first,
        second=second,
        item=item,
        outcome=np.where(_identical(first, second, item, systems, index), 0, frame["value"].to_numpy()).astype(np.int8),
        side=_sides(frame),
        weight=1 / frame.select(share.alias("share"))["share"].to_numpy().astype(np.float64),
    )


def _majorities(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per pair of outputs: the outcome that leads, a tie where several do."""
    counts = frame.group_by(*_PAIR, *_SAMPLES).agg(
        won=(pl.col("value") == 1).sum(), tied=(pl.col("value") == 0).sum(), lost=(pl.col("value") == -1).sum()
    )
    won = pl.col("won") > pl.max_horizontal("lost", "tied")
    lost = pl.col("lost") > pl.max_horizontal("won", "tied")
    return counts.with_columns(value=(won.cast(pl.Int8) - lost.cast(pl.Int8)))


def _sides(frame: pl.DataFrame) -> Codes:
    if "left" not in frame.columns:
        return np.zeros(frame.height, dtype=np.int8)
    left = pl.when(pl.col("left") == pl.col("system_a")).then(1).when(pl.col("left") == pl.col("system_b")).then(-1)
    return frame.select(left.otherwise(0).cast(pl.Int8).alias("side"))["side"].to_numpy()


def _identical(
    first: Integers, second: Integers, item: Integers, systems: Sequence[str], index: ItemIndex
) -> NDArray[np.bool_]:
    """Which rows (n,) are about two outputs with the same text."""
    if index.texts is None:
        return np.zeros(first.size, dtype=np.bool_)
    row = np.array([index.text_row.get(name, -1) for name in systems], dtype=np.intp)
    texts, others = (np.where(row[of] >= 0, index.texts[row[of], item], -1) for of in (first, second))
    return np.asarray((texts >= 0) & (texts == others))


def _nothing() -> GameRows:
    whole, codes = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int8)
    return GameRows(whole, whole, whole, codes, codes, np.empty(0))


def labellers(study: Study, criterion: str | None, rule: LabelRule, raters: Raters, *, of: Labelled) -> pl.DataFrame:
    """Who labelled outputs of each `system`, each `annotator` once, of preferences or ratings on a criterion.

    Ratings count where they were compared with others: of the same person, unless `raters` are "any".
    """
    if of == "preferences":
        frame = oriented_preferences(study, criterion)
        if rule == "first" and frame.height:
            frame = earliest_labels(frame)
        if not frame.height:
            return pl.DataFrame(schema={"system": pl.String, "annotator": pl.String})
        both = [frame.select(system=name, annotator="annotator") for name in _PAIR[:2]]
        return pl.concat(both).unique()
    if study.ratings is None:
        return pl.DataFrame(schema={"system": pl.String, "annotator": pl.String})
    frame = study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))
    together = ["item", "annotator"] if raters == "same" else ["item"]
    compared = pl.col("system").n_unique().over(together) > 1
    return frame.filter(compared).select("system", "annotator").unique()
