"""What became of a file that was to be added to a study: counts, by table, of what was new and what was not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tiebreak.data.schema import TableName
from tiebreak.errors import Problem
from tiebreak.importers.entries import ItemSource, Reading, Skipped


@dataclass(frozen=True, slots=True)
class TableAccount:
    """Rows of one table: `new` ones; those that the study has already, `known`; judgements made `again` by the same
    person with the same answer at another time, and those that `differ` from an earlier answer (both are added: which
    of them counts is for whoever compares); rows about known items to which a detail was `completed`; rows that were
    left out because they are about nothing in the study, `unmatched`.
    """

    table: TableName
    new: int = 0
    known: int = 0
    again: int = 0
    differ: int = 0
    completed: int = 0
    unmatched: int = 0

    @property
    def added(self) -> int:
        """Rows that the study did not have."""
        return self.new + self.again + self.differ

    @property
    def changes(self) -> bool:
        """Whether the study's table is another one afterwards."""
        return self.added + self.completed > 0


@dataclass(frozen=True, slots=True)
class NewName:
    """A name that the study did not have, how many rows name it, and what it may be a misspelling of (or "")."""

    name: str
    rows: int
    near: str


@dataclass(frozen=True, slots=True)
class FileAccount:
    """What became of one file. `new_signatures`: how many it says what they stand for, which the study did not know;
    `new_checkpoints`: of how many systems it says which checkpoint they are, and study.toml did not; `run_assumed`: the
    run that they are taken to be of, as the file names none; `lacking`: by system, lines that study.toml, which has a
    table of it, could say, too.
    `problems`: why nothing of it was taken, empty where it was.
    """

    file: str
    items_by: ItemSource | None = None
    tables: tuple[TableAccount, ...] = ()
    new_items: int = 0
    new_systems: tuple[NewName, ...] = ()
    new_people: tuple[NewName, ...] = ()
    new_signatures: int = 0
    new_checkpoints: int = 0
    run_assumed: str | None = None
    lacking: tuple[tuple[str, tuple[str, ...]], ...] = ()
    readings: tuple[Reading, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0

    @property
    def taken(self) -> bool:
        """Whether all of it is in the study."""
        return not self.problems

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        fields = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        own: dict[str, object] = {
            "tables": {str(counts.pop("table")): counts for counts in fields["tables"]},
            "lacking": {name: list(lines) for name, lines in self.lacking},
            "problems": [str(problem) for problem in self.problems],
        }
        return {"file": self.file, "taken": self.taken} | fields | own


def total(accounts: Sequence[FileAccount]) -> int:
    """Rows that were added from all files."""
    return sum(table.added + table.completed for account in accounts for table in account.tables)
