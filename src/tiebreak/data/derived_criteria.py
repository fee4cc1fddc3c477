"""Criteria that nobody rates, because their ratings follow from other labels: which there are, and from what.

`evidence/derived` makes the ratings.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from tiebreak.data.schema import TableName

SENSIBLE: Final = "sensible"
PLAUSIBLE: Final = "plausible"
YES_OR_NO: Final = (SENSIBLE, PLAUSIBLE)
"""Criteria of ratings by which an answer is not correct whatever the passages say: 0 says that the question makes no
sense, or that the answer is not plausible."""


@dataclass(frozen=True, slots=True)
class DerivedCriterion:
    """`source`: the labels that it follows from, of which one is one rating or a part of one; `needs`: tables without
    which there is none. `meaning`: what a rating is, in words. `by_name`: made only where somebody names it, as it
    says nearly the same as another. `scale`: the lowest and the highest rating, None where there is no lowest.
    """

    name: str
    source: TableName
    needs: tuple[TableName, ...]
    meaning: str
    by_name: bool = False
    scale: tuple[float, float] | None = (0.0, 1.0)


_EDITS: Final[tuple[TableName, ...]] = ("edits", "outputs")

DERIVED: Final[dict[str, DerivedCriterion]] = {
    found.name: found
    for found in (
        DerivedCriterion("AnyCorrect", "spans", ("spans",), "1 if some passage supports the answer, else 0"),
        DerivedCriterion("AvgCorrect", "spans", ("spans",), "the share of passages that support it"),
        DerivedCriterion("EditWords", "edits", _EDITS, "1 - edit distance / longer length, in words"),
        DerivedCriterion("EditCharacters", "edits", _EDITS, "the same in characters", by_name=True),
        DerivedCriterion("HTER", "edits", _EDITS, "minus the TER of the output against its edit", True, None),
    )
}


def derivable(tables: Collection[TableName]) -> tuple[DerivedCriterion, ...]:
    """Those that a study with these tables can have."""
    return tuple(found for found in DERIVED.values() if set(found.needs) <= set(tables))
