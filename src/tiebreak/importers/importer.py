"""What a format is to the rest of the program: how its files are read, shown, asked about and turned into a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from tiebreak.data.study import Study

Origin = Literal["option", "name", "content", "file name"]
"""Why a column is what it is: an option said so, its name, its cells, or the file's name."""

ORIGIN_WORDS: Final[dict[Origin, str]] = {
    "option": "as you said",
    "name": "its name",
    "content": "its cells",
    "file name": "file name",
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
class UnderstoodFile:
    """A file as it will be read. `file`: as the user named it; `shape`: what kind of table it is, in words; `rows`: how
    many it has; `fields` in the order in which they are shown; `unused`: columns that are not read.
    """

    file: str
    shape: str
    rows: int
    fields: tuple[Field, ...]
    unused: tuple[str, ...]

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


@dataclass(frozen=True, slots=True)
class Proposal:
    """How files will be read: shown and asked about before `build` makes a study of this name.

    `build` raises InputError with every problem of every file, each with file, line, column and value.
    """

    files: tuple[UnderstoodFile, ...]
    build: Callable[[str], Imported]

    @property
    def guessed(self) -> bool:
        """Whether anything was understood that the user did not say."""
        return any(field.origin in ("name", "content") for file in self.files for field in file.fields)


@dataclass(frozen=True, slots=True)
class Importer:
    """A format: `tiebreak import NAME FILE... STUDY`.

    `help`: paragraphs for its command, the first a phrase, the last an example. `endings`: of its files; `file_hint`:
    what else may be said of a file. `settings`: a record whose fields are the command's own options. `correction`: the
    option that says what a guess should have been. `read` takes the files and a record of settings, and writes nothing;
    it raises UsageError (no such file, an impossible option) or InputError (all problems of all files).
    """

    name: str
    help: str
    endings: tuple[str, ...]
    file_hint: str
    settings: type[Any]
    correction: str
    read: Callable[[Sequence[str], Any], Proposal]
