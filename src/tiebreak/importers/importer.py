"""What a format is to the rest of the program: how its files are read, shown, asked about and turned into a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from tiebreak.errors import Problem, UsageError

if TYPE_CHECKING:
    import polars as pl

    from tiebreak.data.provenance import Meaning
    from tiebreak.data.schema import TableName
    from tiebreak.data.study import Study
    from tiebreak.data.study_toml import SystemSettings

Origin = Literal["option", "name", "content", "file name", "other file"]
"""Why a column is what it is: an option said so, its name, its cells, the file's name, or the same in another file."""

ORIGIN_WORDS: Final[dict[Origin, str]] = {
    "option": "as you said",
    "name": "its name",
    "content": "its cells",
    "file name": "file name",
    "other file": "another file",
}

LEFT_OUT: Final = "ignore"
"""The target of columns that an option leaves out."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the study (`target`) that is read from `columns`, or is always `constant`. `examples`: for each column
    its first cell that is not blank, "" if all are.
    """

    target: str
    columns: tuple[str, ...]
    constant: str | None
    origin: Origin
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a plan may be wrong (`reason`, a sentence without its stop), what would be right (`cure`), and the share of
    plans with such a doubt that are right (`chance`, 0 to 1; 0: the plan is refused).
    """

    reason: str
    cure: str
    chance: float = 0.0


SURE_ENOUGH: Final = 0.9
"""The least confidence with which a plan is accepted unseen."""


@dataclass(frozen=True, slots=True)
class UnderstoodFile:
    """A file as it will be read. `file`: as the user named it; `shape`: what kind of table it is, in words; `rows`: how
    many it has; `fields` in the order in which they are shown; `unused`: columns that are not read; `doubts`: what
    speaks against this reading; `confidence`: how often a reading like this is right, 0 to 1.
    """

    file: str
    shape: str
    rows: int
    fields: tuple[Field, ...]
    unused: tuple[str, ...]
    doubts: tuple[Doubt, ...] = ()
    confidence: float = 1.0

    @property
    def nonsense(self) -> tuple[Doubt, ...]:
        """The doubts with which no plan is accepted."""
        return tuple(doubt for doubt in self.doubts if doubt.chance == 0)

    def get(self, target: str) -> Field | None:
        """The field of this target, if the file has it."""
        return next((field for field in self.fields if field.target == target), None)


@dataclass(frozen=True, slots=True)
class Reading:
    """How often a cell of an outcome column occurs and what it was read as."""

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


@dataclass(frozen=True, slots=True)
class Imported:
    """A checked study that is not written yet, and what a user should know about how it came about.

    `assumptions`: sentences about what the files do not say (who labelled, which row is which item).
    """

    study: Study
    readings: tuple[Reading, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    assumptions: tuple[str, ...] = ()


ItemSource = Literal["column", "input", "position"]
"""Where the items of files come from: a column, their distinct inputs, or the position of each row."""


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """What files say, as rows of a study's tables that are not checked yet, for a study that exists already.

    Items that come from inputs or positions have made-up names, in the order of their rows. `unnamed`: labels that name
    nobody. `scales`: the lowest and the highest rating by criterion, where the files say it. `systems`: which
    checkpoint each is, where the files say it; one without a run is of the only one. `signatures`: what those of the
    rows stand for, as far as the files' folders say it. `place` gives the problem that a name (of an item, system, ...)
    is where it stands first in the files.
    """

    tables: Mapping[TableName, pl.DataFrame]
    items_by: ItemSource
    unnamed: int
    scales: Mapping[str, tuple[float, float]]
    systems: Mapping[str, SystemSettings]
    signatures: Mapping[str, Meaning]
    readings: tuple[Reading, ...]
    skipped: tuple[Skipped, ...]
    place: Callable[[str, str, str], Problem]


@dataclass(frozen=True, slots=True)
class Proposal:
    """How files will be read: shown and asked about before `build` makes a study of this name of them all, or the
    `rows` of one of them go into a study that exists.

    Both raise InputError with every problem of every file, each with file, line, column and value.
    """

    files: tuple[UnderstoodFile, ...]
    build: Callable[[str], Imported]
    rows: Callable[[str], ImportedRows]

    @property
    def guessed(self) -> bool:
        """Whether anything was understood that the user did not say."""
        return any(field.origin in ("name", "content") for file in self.files for field in file.fields)

    @property
    def confidence(self) -> float:
        """How often a plan like this is right, 0 to 1: that of its least certain file."""
        return min((file.confidence for file in self.files), default=1.0)

    def refuse_nonsense(self) -> None:
        """Raise UsageError if a file cannot mean what was understood, with the reasons and what would be right."""
        found = [f"{file.file}: {doubt.reason}.\n  Try {doubt.cure}" for file in self.files for doubt in file.nonsense]
        if found:
            raise UsageError("\n".join(["this plan makes no sense, so it is not offered:", *found]))

    def refuse_guesses(self, correction: str) -> None:
        """Raise UsageError where anything was guessed, and nobody is there to be asked."""
        if self.guessed:
            raise UsageError(
                "some columns were guessed and there is no terminal to ask; pass --yes to accept the plan above, "
                f"or {correction} to say what every column is (--dry-run shows the plan only)"
            )

    def refuse_unsure(self, correction: str, least: float = SURE_ENOUGH) -> None:
        """Raise UsageError for a plan that is too uncertain to be accepted unseen, with what is doubtful."""
        if self.confidence >= least:
            return
        doubts = [f"{file.file}: {doubt.reason}.\n  Try {doubt.cure}" for file in self.files for doubt in file.doubts]
        sure = f"a plan like this is right in about {self.confidence:.0%} of cases; it takes {least:.0%} to be accepted"
        raise UsageError("\n".join([f"{sure} without a question. Say what is doubtful with {correction}:", *doubts]))


class Read(Protocol):
    """How an importer reads files."""

    def __call__(self, files: Sequence[str], settings: Any, known_systems: Sequence[str] = ()) -> Proposal:
        """What the files are taken to say; `known_systems`: of the study that they are for."""


@dataclass(frozen=True, slots=True)
class Importer:
    """A format: `tiebreak import NAME FILE... STUDY`.

    `help`: paragraphs for its command, the first a phrase, the last an example. `endings`: of its files; `file_hint`:
    what else may be said of a file. `settings`: a record whose fields are the command's own options. `correction`: the
    option that says what a guess should have been. `read` takes the files, a record of settings and the systems of the
    study that they are for, if it exists, and writes nothing; it raises UsageError (no such file, an impossible option)
    or InputError (all problems of all files).
    """

    name: str
    help: str
    endings: tuple[str, ...]
    file_hint: str
    settings: type[Any]
    correction: str
    read: Read
