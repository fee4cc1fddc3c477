"""`tiebreak.read_csv`: what `tiebreak import csv` understands of files, as a study in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.importers.importer import SURE_ENOUGH, Reading, Skipped, UnderstoodFile
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

File = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """How files were read.

    `files`: what each column is and why; `confidence`: how often such a plan is right, 0 to 1; `readings`: what each
    outcome was read as; `skipped`: what was left out; `assumptions`: what the files do not say.
    """

    files: tuple[UnderstoodFile, ...] = ()
    confidence: float = 1.0
    readings: tuple[Reading, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for each column that is read, with the reason, then what was assumed."""
        lines = []
        for file in self.files:
            lines.append(f"{file.file}: {file.shape}, {file.rows:,} rows, confidence {file.confidence:.0%}")
            lines += [f"  {f.target}: {' | '.join(f.columns) or f.constant} ({f.origin})" for f in file.fields]
        return "\n".join([*lines, *self.assumptions])


@dataclass(frozen=True, eq=False)
class ImportedStudy(Study):
    """A study read from files of another shape; `plan` says how."""

    plan: ImportPlan = field(default_factory=ImportPlan)


def read_csv(
    *files: File,
    map: Mapping[str, str | Sequence[str]] | None = None,  # noqa: A002  (the option's name)
    winner: Mapping[str, str] | str | None = None,
    systems: Mapping[str, File] | None = None,
    judge_files: Sequence[File] = (),
    scores_files: Sequence[File] = (),
    rename: Mapping[str, str] | None = None,
    same: Mapping[str, str] | None = None,
    name: str = "study",
    accept: float = SURE_ENOUGH,
) -> ImportedStudy:
    """Read tables of any layout (CSV, TSV, JSON, JSON Lines, Excel) into a study in memory.

    The arguments are the options of `tiebreak import csv`: `map` a column (or several, or `:constant`) by target,
    `winner` a, b, tie or skip by cell (or `names`, `positions`), `systems` the file of a system's outputs by its name,
    `rename` and `same` the new name by the old one. `accept`: the least confidence of a plan that is taken, 0 to 1.

    Raises:
        UsageError: no such file or column; a plan that makes no sense, or is less sure than `accept`.
        InputError: cells that cannot be read, with file, row, column and value.
    """
    if not isinstance(accept, int | float) or not 0 <= accept <= 1:
        raise UsageError(f"accept={accept!r}: a confidence is a number from 0 to 1, such as 0.9")
    _check_files(("files", files), ("judge_files", judge_files), ("scores_files", scores_files))
    for option, said, example in (
        ("map", map, "{'outcome': 'vote'}"),
        ("systems", systems, "{'gpt-4': 'run7.csv'}"),
        ("rename", rename, "{'gpt4': 'gpt-4'}"),
        ("same", same, "{'Ann': 'ann'}"),
    ):
        _check_named(option, said, example)
    if not isinstance(winner, str):
        _check_named("winner", winner, "{'good': 'a'}, or 'names' or 'positions'")
    settings = TableSettings(
        columns=[f"{target}={_columns(said)}" for target, said in (map or {}).items()],
        systems=[f"{system}={Path(file)}" for system, file in (systems or {}).items()],
        judge_files=[str(file) for file in judge_files],
        score_files=[str(file) for file in scores_files],
        rename=[f"{old}={new}" for old, new in (rename or {}).items()],
        same=[f"{other}={person}" for other, person in (same or {}).items()],
        winner=winner if winner is None or isinstance(winner, str) else ",".join(f"{c}={m}" for c, m in winner.items()),
    )
    proposal = TABLES_IMPORTER.read([str(file) for file in files], settings)
    proposal.refuse_nonsense()
    proposal.refuse_unsure("map={target: column}, or accept a lower confidence with accept=", accept)
    imported = proposal.build(name)
    plan = ImportPlan(proposal.files, proposal.confidence, imported.readings, imported.skipped, imported.assumptions)
    study = imported.study
    return ImportedStudy(**{f.name: getattr(study, f.name) for f in fields(Study)}, plan=plan)


def _check_files(*stated: tuple[str, object]) -> None:
    for option, files in stated:
        if not isinstance(files, Sequence) or isinstance(files, str | bytes):
            raise UsageError(
                f"{option}: {_shown(files)} is no list; write a list of paths, such as {option}=['scores.csv']"
            )
        for file in files:
            if not isinstance(file, str | PathLike):
                raise UsageError(f"{option}: {_shown(file)} is no path; name files by their paths")


def _check_named(option: str, said: object, example: str) -> None:
    """Raise UsageError for what is no mapping, and for values that are neither text, nor a path, nor texts."""
    if said is None:
        return
    if not isinstance(said, Mapping):
        raise UsageError(f"{option}={_shown(said)}: write a dict, such as {option}={example}")
    for name, value in said.items():
        several = value if option == "map" and isinstance(value, list | tuple) else [value]
        if not all(isinstance(one, str) or (option == "systems" and isinstance(one, PathLike)) for one in several):
            raise UsageError(f"{option}: {name!r} cannot be {_shown(value)}; write for example {option}={example}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _columns(said: str | Sequence[str]) -> str:
    return said if isinstance(said, str) else "|".join(said)
