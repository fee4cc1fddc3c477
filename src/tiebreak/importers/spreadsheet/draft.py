"""The mapping of one file while it is being guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from tiebreak.data.schema import TABLES, TableName
from tiebreak.importers.importer import Origin
from tiebreak.importers.spreadsheet.mapping import Binding
from tiebreak.importers.spreadsheet.profile import Profile
from tiebreak.tabular.spreadsheet import Sheet

Role = Literal["plain", "judge", "scores"]
"""What a file is beside the others: nothing in particular, what a model said, or metrics' scores."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of a file from outside it: its role, the systems of the other files (for judges and scores),
    whether it is one of several with outputs or labels, and the systems of the study that it is for (`known`).
    """

    role: Role = "plain"
    systems: tuple[str, ...] = ()
    one_of_several: bool = False
    known: tuple[str, ...] = ()


@dataclass(slots=True)
class Draft:
    """What is bound so far, and which columns are still `free`; what the user said is never replaced or released."""

    sheet: Sheet
    bound: dict[str, Binding]
    profiles: dict[str, Profile]
    beside: Beside
    free: list[str] = field(default_factory=list)

    def bind(self, target: str, columns: Sequence[str], origin: Origin) -> None:
        if self.stated(target):
            return
        self.bound[target] = Binding(target, tuple(columns), origin=origin)
        self.free = [column for column in self.free if column not in columns]

    def release(self, target: str) -> None:
        """Forget a guess; its columns are free again, in the file's order."""
        binding = self.bound.get(target)
        if binding is None or self.stated(target):
            return
        del self.bound[target]
        self.free = [c for c in self.sheet.columns if c in self.free or c in binding.columns]

    def stated(self, target: str) -> bool:
        return target in self.bound and self.bound[target].origin == "option"

    def guessed(self, target: str) -> bool:
        return target in self.bound and self.bound[target].origin not in ("option", "other file")

    def columns(self, target: str) -> tuple[str, ...]:
        return self.bound[target].columns if target in self.bound else ()

    def is_own_table(self, table: TableName) -> bool:
        """Whether the file has all that a table of a study folder must have, under the names that it has there."""
        return set(TABLES[table].required) <= set(self.sheet.columns)

    def keys(self, columns: Sequence[str]) -> list[str]:
        """The cells of several columns together, row by row."""
        return ["\x1f".join(row) for row in zip(*map(self.sheet.values, columns), strict=True)]

    def values_of(self, *targets: str) -> set[str]:
        found = {value for t in targets for c in self.columns(t) for value in self.profiles[c].distinct}
        return found | {b.constant for t in targets if (b := self.bound.get(t)) and b.constant is not None}
