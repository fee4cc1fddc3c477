"""A judge's single replies: one per order shown, where its table says which output stood on the left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.auditing.comparisons import Comparisons
from tiebreak.data.study import Study
from tiebreak.evidence.automatic_names import serving
from tiebreak.evidence.items import ItemIndex, name_numbers
from tiebreak.records import OUTCOME_CODES

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Replies:
    """The scored replies of a judge, sorted by comparison; `unscored` have no outcome.

    Arrays (r,): `cell`, a number for the comparison; `item`; `left`: 1 where the system first by name stood
    on the left, -1 where the other one did, 0 where that is not known; `said`, positive for the first by name.
    """

    systems: tuple[str, ...]
    item_count: int
    cell: Places
    item: Places
    left: NDArray[np.int8]
    said: Floats
    unscored: int

    @classmethod
    def of(cls, study: Study, index: ItemIndex, judge: str, criterion: str | None) -> Replies:
        """Those that serve a criterion."""
        frame = serving(study.judge_preferences, "judge", judge, criterion)
        scored = frame.filter(pl.col("outcome").is_not_null())
        flipped = pl.col("system_a") > pl.col("system_b")
        value = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int8)
        first, second = pl.min_horizontal("system_a", "system_b"), pl.max_horizontal("system_a", "system_b")
        left = pl.when(pl.col("left") == first).then(1).when(pl.col("left") == second).then(-1).otherwise(0)
        rows = scored.select(
            "item",
            first=first,
            second=second,
            left=left.cast(pl.Int8),
            said=pl.when(flipped).then(-value).otherwise(value),
        )
        items = index.numbers(rows["item"])
        one, other = (name_numbers(rows[name], study.systems) for name in ("first", "second"))
        cells = _cells(one, other, items, len(study.systems), len(index.items))
        order = np.lexsort((rows["left"].to_numpy(), cells))
        said = rows["said"].to_numpy().astype(np.float64)
        return cls(
            study.systems,
            len(index.items),
            cells[order],
            items[order],
            rows["left"].to_numpy()[order],
            said[order],
            frame.height - scored.height,
        )

    def cells_of(self, of: Comparisons) -> Places:
        """The number (n,) of each comparison."""
        first, second = of.sides({name: place for place, name in enumerate(self.systems)})
        return _cells(first, second, of.item, len(self.systems), self.item_count)

    def both_orders(self) -> tuple[Places, Places]:
        """Places of the replies with the first by name on the left, and with the other, of comparisons with both."""
        right_first, left_first = np.flatnonzero(self.left == -1), np.flatnonzero(self.left == 1)
        _, of_right, of_left = np.intersect1d(self.cell[right_first], self.cell[left_first], return_indices=True)
        return left_first[of_left], right_first[of_right]


def _cells(first: Places, second: Places, items: Places, systems: int, count: int) -> Places:
    return np.asarray((first * systems + second) * count + items, dtype=np.intp)
