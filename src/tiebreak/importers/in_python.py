"""`tiebreak.read_csv`: what `tiebreak import` makes of files, as a study in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from tiebreak.data.readers import read_study
from tiebreak.data.schema import TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.importers.entries import Reading, Skipped
from tiebreak.importers.plans import FilePlan, ReadOptions, plan_files, refuse_open
from tiebreak.importers.reading import imported

File = str | PathLike[str]


class Frame(Protocol):
    """A table of polars or pandas."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


StudySource = Study | File | Frame
"""What functions take where a study is meant: a study, a folder or file, or a table of preferences or ratings."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """How files were read.

    `files`: what each column is; `readings`: what each outcome was read as; `skipped`: what was left out;
    `assumptions`: what the files do not say.
    """

    files: tuple[FilePlan, ...] = ()
    readings: tuple[Reading, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for each field that is read, then what was assumed."""
        lines = []
        for plan in self.files:
            lines.append(f"{plan.file}: read by {plan.by}")
            lines += [f"  {name}: {' | '.join(plan.recipe.columns_of(name))}" for name in plan.recipe.fields]
        return "\n".join([*lines, *self.assumptions])


@dataclass(frozen=True, eq=False)
class ImportedStudy(Study):
    """A study read from files of another shape; `plan` says how."""

    plan: ImportPlan = field(default_factory=ImportPlan)


def study_of(source: StudySource) -> Study:
    """The study that is meant: itself, that in a folder or a file, or preferences or ratings in a table in memory.

    Raises:
        UsageError: a table of which it is not known what it holds.
        InputError: there is no study, or something is wrong with it.
    """
    if isinstance(source, Study):
        return source
    if isinstance(source, str | PathLike):
        path = Path(source)
        return read_csv(path, name=path.stem) if path.is_file() and path.stem not in TABLES else read_study(path)
    columns = set(getattr(source, "columns", ()))
    tables: tuple[TableName, ...] = ("preferences", "ratings")
    table = next((name for name in tables if columns >= set(TABLES[name].required)), None)
    if table is None:
        raise UsageError(
            f"{_shown(source)} is no study; read_study and read_csv make one of files, and Study.from_tables of tables"
        )
    return Study.from_tables(**{table: source})  # type: ignore[arg-type]


def read_csv(
    *files: File,
    recipe: File | Sequence[File] = (),
    map: Mapping[str, str] | None = None,  # noqa: A002  (the option's name)
    ignore: Sequence[str] = (),
    values: Mapping[str, Mapping[str, str]] | None = None,
    format: str | None = None,  # noqa: A002  (the option's name)
    name: str = "study",
) -> ImportedStudy:
    """Read files (CSV, TSV, JSON, JSON Lines, Parquet, Excel, or a tool's own) into a study in memory.

    The arguments are the options of `tiebreak import`: `recipe` a file, or several; `map` the column (or `:constant`)
    of each field; `ignore` columns that are not read, `*` for all others; `values` by field what cells mean; `format`
    the tool that wrote the files. For tables in memory: `Study.from_tables`.

    Raises:
        UsageError: no such file, field or column; a column of which it is not known what it is.
        InputError: cells that cannot be read, with file, row, column and value.
    """
    recipes = list(recipe) if isinstance(recipe, Sequence) and not isinstance(recipe, str) else [recipe]
    for option, listed in (("files", files), ("recipe", recipes)):
        wrong = next((path for path in listed if not isinstance(path, str | PathLike)), None)
        if wrong is not None:
            raise UsageError(f"{option}: {_shown(wrong)} is no path; for tables in memory use Study.from_tables")
    if isinstance(ignore, str):
        raise UsageError(f"ignore={ignore!r}: write a list of columns, such as ignore=[{ignore!r}]")
    for option, given in (("map", map), ("values", values)):
        if given is not None and not isinstance(given, Mapping):
            raise UsageError(f"{option}={_shown(given)}: write a dict")
    options = ReadOptions(
        recipes=[str(path) for path in recipes],
        format=format,
        mapped=[f"{field_}={column}" for field_, column in (map or {}).items()],
        ignored=list(ignore),
        values=[
            f"{field_}:{cell}={value}" for field_, cells in (values or {}).items() for cell, value in cells.items()
        ],
    )
    plans = plan_files([str(file) for file in files], options)
    refuse_open(plans)
    result = imported(plans, name)
    plan = ImportPlan(result.plans, result.readings, result.skipped, result.assumptions)
    return ImportedStudy(**{f.name: getattr(result.study, f.name) for f in fields(Study)}, plan=plan)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
