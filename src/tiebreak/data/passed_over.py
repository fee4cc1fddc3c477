"""Metrics and judges that say something in a study, but nothing of the systems chosen from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import polars as pl

from tiebreak.data.row_text import distinct
from tiebreak.data.schema import TABLES, TableName
from tiebreak.settings.name_lists import listed_names

Kind = Literal["metric", "judge"]

SPEAKERS: Final[Mapping[TableName, Kind]] = {"scores": "metric", "judge_preferences": "judge"}
"""By table of what programs say, the column that names them."""

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A metric or judge none of whose rows is about the systems chosen. `about`: the systems that it scored, or the
    pairs that it judged, sorted.
    """

    kind: Kind
    name: str
    about: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> str:
        """That it cannot help here, what it can help with, and what to do."""
        shown = [" and ".join(listed_names([name]) for name in one) for one in self.about[:_SHOWN]]
        more = f" and {len(self.about) - _SHOWN:,} more" if len(self.about) > _SHOWN else ""
        listed = ", ".join(shown) + more
        if self.kind == "judge":
            return (
                f"the judge {self.name!r} judged none of these pairs, but only {listed}: choose systems of pairs that "
                "it judged, or have it judge these"
            )
        return (
            f"the metric {self.name!r} scored none of these systems, but only {listed}: choose systems that it scored, "
            "or have it score these"
        )


def passed_over(
    before: Mapping[TableName, pl.DataFrame], after: Mapping[TableName, pl.DataFrame]
) -> dict[tuple[Kind, str], PassedOver]:
    """By kind and name, those that the tables lost when systems were chosen."""
    found: dict[tuple[Kind, str], PassedOver] = {}
    for table, kind in SPEAKERS.items():
        if table not in before:
            continue
        left = distinct(after[table][kind]) if table in after else set()
        for name in sorted(distinct(before[table][kind]) - left):
            rows = before[table].filter(pl.col(kind) == name).select(TABLES[table].system_columns).unique().rows()
            about = tuple(sorted({tuple(sorted(row)) for row in rows}))
            found[kind, name] = PassedOver(kind, name, about)
    return found
