"""What every format and every recipe makes of a file: entries, each a few fields with the place where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tiebreak.errors import InputError, Problem
from tiebreak.tabular.headers import Place

OTHERS_SHOWN: Final = 4

ItemSource = Literal["column", "input"]
"""Where the items of files come from: a column, or their distinct inputs."""


@dataclass(slots=True)
class Entry:
    """Something that a file says: `fields` by name, texts (a reference may be several) or numbers; a blank or None says
    nothing. `side`: who won (a, tie, b or skip), where that need not be read from an outcome. `columns`: where fields
    stand.
    """

    place: Place
    fields: dict[str, object]
    side: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A field without blanks around it; "" where it says nothing."""
        value = self.fields.get(name)
        return "" if value is None else str(value).strip()

    def column(self, name: str) -> str:
        """The column of a field, or what else it is called."""
        return self.columns.get(name, name)


@dataclass(frozen=True, slots=True)
class Reading:
    """How often a cell of a column occurs and what it was read as."""

    file: str
    column: str
    cell: str
    meaning: str
    count: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was left out of a file, why, and how often."""

    file: str
    reason: str
    count: int


@dataclass(slots=True)
class _Cause:
    """What is wrong in the same way with one or more cells of a column: the first place, the cells, the rows."""

    place: Place
    column: str | None
    message: str
    cells: dict[str | None, None] = field(default_factory=dict)
    rows: set[int | None] = field(default_factory=set)

    def problem(self) -> Problem:
        """The first of them, and how many there are."""
        first, *others = self.cells
        count = len(self.rows)
        also = [f"{_shortened(cell)!r}" for cell in others if cell][:OTHERS_SHOWN]
        more = f", also {', '.join(also)}" + (", ..." if len(others) > len(also) else "") if also else ""
        counted = f" ({count:,} rows{more})" if count > 1 else ""
        return self.place.problem(self.message + counted, self.column, first)


def _shortened(cell: str) -> str:
    return cell if len(cell) <= 20 else cell[:19] + "…"


class Problems:
    """Problems of files, one for each cause."""

    def __init__(self) -> None:
        self._causes: dict[tuple[str, str, str], _Cause] = {}

    def add(self, entry: Entry, name: str, message: str, cause: str = "", cell: str | None = None) -> None:
        """A field that is wrong, whose `cell` need not be what it says; those of one `cause` (else of one message) in
        one column are told together.
        """
        place, column = entry.place, entry.column(name)
        group = self._causes.setdefault((place.file, column, cause or message), _Cause(place, column, message))
        group.cells[entry.text(name) if cell is None else cell] = None
        group.rows.add(place.line)

    def add_blank(self, entry: Entry, name: str, what: str = "row") -> None:
        """A field that says nothing, and has to."""
        message = f"blank; every {what} needs its {name} ([skip] in a recipe leaves rows out)"
        self.add(entry, name, message, cell="")

    def raise_any(self, beside: Iterable[Problem] = ()) -> None:
        """InputError with all problems, in the order of the files."""
        problems = [*beside, *(cause.problem() for cause in self._causes.values())]
        if problems:
            raise InputError(problems)


def texts_of(value: object) -> Sequence[str]:
    """One text or several as several; blank ones are left out."""
    texts = value if isinstance(value, list | tuple) else [value]
    return [str(text) for text in texts if text is not None and str(text).strip()]
