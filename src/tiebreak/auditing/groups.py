"""Groups of items, by a column of the items table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.evidence.items import ItemIndex

MOST_GROUPS: Final = 20
_DEFAULT: Final = "cluster"


@dataclass(frozen=True, slots=True)
class Groups:
    """The `column` that items are grouped by, and the group of every item (n_items,), None for items without one."""

    column: str
    of_items: tuple[str | None, ...]

    @property
    def are_clusters(self) -> bool:
        """Whether a group is itself what items depend on one another in."""
        return self.column == _DEFAULT


def groups_of(study: Study, index: ItemIndex, column: str | None) -> Groups | None:
    """The groups by a column; without one named, by clusters where there are few of them, and None where not.

    Raises:
        UsageError: a column that items do not have, or with fewer than 2 or more than 20 groups.
    """
    if column is not None:
        columns = [] if study.items is None else [name for name in study.items.columns if name != "item"]
        check_known("column of items", [column], columns)
    name = column or _DEFAULT
    if study.items is None:
        return None
    text = pl.col(name).cast(pl.String, strict=False).str.strip_chars()
    named = study.items.select("item", group=text).filter(pl.col("group").fill_null("") != "")
    count = named["group"].n_unique()
    if column is not None and not 2 <= count <= MOST_GROUPS:
        raise UsageError(
            f"--group {column} has {count:,} group{'' if count == 1 else 's'}: name a column of items with 2 to "
            f"{MOST_GROUPS}"
        )
    if not 2 <= count <= MOST_GROUPS:
        return None
    group = dict(named.iter_rows())
    return Groups(name, tuple(group.get(item) for item in index.items))
