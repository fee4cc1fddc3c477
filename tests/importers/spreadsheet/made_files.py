"""Tables of people, made for a test, and what is understood of them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from tiebreak.data.study import Study
from tiebreak.importers.importer import Proposal
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

Rows = Sequence[Sequence[object]]


def save(folder: Path, name: str, rows: Rows) -> str:
    """A CSV file of these rows, the header first."""
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return str(path)


def proposed(folder: Path, *tables: Rows, columns: Sequence[str] = ()) -> Proposal:
    """How files `table0.csv`, `table1.csv`, ... would be read; `columns`: what `--map` says."""
    files = [save(folder, f"table{number}.csv", rows) for number, rows in enumerate(tables)]
    return TABLES_IMPORTER.read(files, TableSettings(columns=columns))


def imported(folder: Path, *tables: Rows, columns: Sequence[str] = ()) -> Study:
    """The study that the files make."""
    return proposed(folder, *tables, columns=columns).build("s").study


def bound(proposal: Proposal, file: int = 0) -> dict[str, tuple[str, ...]]:
    """The columns of each target of one file."""
    return {field.target: field.columns for field in proposal.files[file].fields}
