"""A judge's probabilities of the three outcomes, where its table has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.auditing.comparisons import PairOfSystems
from tiebreak.data.pairs import one_way_round
from tiebreak.data.schema import PROBABILITIES
from tiebreak.data.study import Study
from tiebreak.evidence.automatic_names import serving
from tiebreak.evidence.items import ItemIndex

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_NEARLY_ONE: Final = 0.02
"""How far three rounded probabilities may be from 1 in all."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Of each pair of places, the first by name first: items (k,) and probabilities (k, 3) of a win, a tie and a loss
    of the first, the mean over the orders shown.

    `replies` have probabilities, `scaled` of them probabilities that were not 1 in all; `size`: number of items.
    """

    of_pair: Mapping[PairOfSystems, tuple[Places, Floats]]
    replies: int
    scaled: int
    size: int

    @classmethod
    def of(cls, study: Study, index: ItemIndex, judge: str, criterion: str | None) -> Chances | None:
        """Those that serve a criterion; None without any.

        A reply counts where it says how probable a win of either is; a tie has what they leave where it does not say.
        What is not 1 in all is scaled, as where they are those of three words among others that might have come.
        """
        rows = serving(study.judge_preferences, "judge", judge, criterion)
        left = (1 - pl.col("p_a") - pl.col("p_b")).clip(0.0)
        known = rows.filter(pl.col("p_a").is_not_null() & pl.col("p_b").is_not_null())
        known = one_way_round(known).with_columns(pl.col("p_tie").fill_null(left))
        total = pl.sum_horizontal(PROBABILITIES)
        known = known.with_columns(total=total).filter(pl.col("total") > 0)
        if not known.height:
            return None
        scaled = int(((known["total"] - 1).abs() > _NEARLY_ONE).sum())
        shares = known.with_columns(pl.col(name) / pl.col("total") for name in PROBABILITIES)
        pair = ("system_a", "system_b")
        means = shares.group_by(*pair, "item").agg(pl.col(name).mean() for name in PROBABILITIES)
        found = {
            (part["system_a"][0], part["system_b"][0]): (
                index.numbers(part["item"]),
                part.select(PROBABILITIES).to_numpy(),
            )
            for part in means.sort(*pair, "item").partition_by(*pair, maintain_order=True)
        }
        return cls(found, known.height, scaled, len(index.items))

    def on_pair(self, pair: PairOfSystems) -> Floats:
        """Probabilities (n_items, 3) of a pair, the first by name first; NaN where there are none."""
        found = np.full((self.size, 3), np.nan)
        if pair in self.of_pair:
            items, chances = self.of_pair[pair]
            found[items] = chances
        return found

    def expected(self, pair: PairOfSystems) -> Floats:
        """The expected outcome (n_items,), in [-1, 1]."""
        chances = self.on_pair(pair)
        return np.asarray(chances[:, 0] - chances[:, 2])
