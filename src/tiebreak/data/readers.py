"""Reads a study folder: all is checked, and either all of it is loaded or one error names all problems."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Final

from tiebreak.data.problems import ProblemLog
from tiebreak.data.provenance import read_signatures
from tiebreak.data.schema import FORMATS, NEEDED, SETTINGS_FILE, TABLE_FILES, TABLES, TableName
from tiebreak.data.settings import StudySettings, read_settings
from tiebreak.data.study import Study, assemble
from tiebreak.data.tables import read_table
from tiebreak.data.validation import CheckedTable, check_scales, check_table
from tiebreak.errors import InputError, Problem, did_you_mean
from tiebreak.messages.tables import unread_file
from tiebreak.records import Notice

_NEEDED: Final = (
    "a study folder needs outputs, labels, scores or judge preferences, each as .csv, .jsonl or .parquet "
    "(outputs: item, system, text; preferences: item, system_a, system_b, annotator, outcome; "
    "ratings: item, system, annotator, criterion, value)"
)

_FOREIGN: Final = (".csv", ".tsv", ".xlsx", ".json", ".jsonl")
"""Files of which `import` makes a study."""


def read_study(path: str | os.PathLike[str], *, strict: bool = False) -> Study:
    """The study in a folder of tables.

    Rows that repeat others are made one, with a notice; `strict` refuses them. Raises InputError, which holds every
    problem of every file, if anything is wrong; nothing is half-loaded.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise InputError([_no_folder(folder)])
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    except OSError as error:
        raise InputError([Problem(str(folder), f"cannot be read: {error.strerror or error}")]) from error
    log = ProblemLog()
    files = _table_files(folder, names, log)
    if not set(NEEDED) & set(files):
        log.add(_no_tables(folder, names))
    tables: dict[TableName, CheckedTable] = {}
    for table, file in files.items():
        checked = check_table(partial(read_table, folder / file, TABLES[table]), TABLES[table], log, strict=strict)
        if checked is not None:
            tables[table] = checked
    settings = StudySettings()
    if SETTINGS_FILE in names:
        settings = _settings(folder / SETTINGS_FILE, log)
    if "ratings" in tables:
        check_scales(tables["ratings"].frame, settings.scale, str(folder / files["ratings"]), log)
    log.raise_if_any()
    study = assemble(folder.resolve().name, folder, tables, settings, [*log.notices, *_near_misses(names)])
    return study.with_signatures(read_signatures(folder))


def _settings(path: Path, log: ProblemLog) -> StudySettings:
    try:
        data = path.read_bytes()
    except OSError as error:
        log.add(Problem(str(path), f"cannot be read: {error.strerror or error}"))
        return StudySettings()
    return read_settings(data, str(path), log)


def _no_folder(folder: Path) -> Problem:
    if folder.exists():
        return Problem(str(folder), f"this is a file, not a study folder; {_with_file(folder)}")
    siblings = [entry.name for entry in folder.parent.iterdir() if entry.is_dir()] if folder.parent.is_dir() else []
    return Problem(str(folder), f"no such folder{did_you_mean(folder.name, siblings)}")


def _with_file(path: Path) -> str:
    """What to do with a file in place of a folder: a table of a study lies in one, of another table one can be made."""
    if path.suffix.lower() in _FOREIGN and path.stem not in TABLES:
        return "to make one of it: tiebreak import"
    return f"name the folder it is in: {_NEEDED}"


def _no_tables(folder: Path, names: list[str]) -> Problem:
    known = known_files()
    hints = [(name, did_you_mean(name, known)) for name in names if name not in known]
    near = "; ".join(f"{name}{hint}" for name, hint in hints if hint)
    foreign = [name for name in names if Path(name).suffix.lower() in _FOREIGN and name not in known]
    message = f"no study here: {_NEEDED}"
    if near:
        message += f". {near}"
    elif foreign:
        message += f". To convert another table, such as {foreign[0]}: tiebreak import"
    return Problem(str(folder), message)


def _table_files(folder: Path, names: list[str], log: ProblemLog) -> dict[TableName, str]:
    files: dict[TableName, str] = {}
    for table in TABLES:
        candidates = [f"{table}.{suffix}" for suffix in FORMATS if f"{table}.{suffix}" in names]
        if len(candidates) > 1:
            message = f"{' and '.join(candidates)} both hold the table {table}; keep one and remove the rest"
            log.add(Problem(str(folder), message))
        if candidates:
            files[table] = candidates[0]
    return files


def known_files() -> list[str]:
    """The names that files of a study may have."""
    return [*TABLE_FILES, SETTINGS_FILE]


def _near_misses(names: list[str]) -> list[Notice]:
    """Files that look as if they were meant as tables; they are not read."""
    known = known_files()
    notices = []
    for name in names:
        stem, suffix = Path(name).stem, Path(name).suffix
        if name in known or suffix.lower().lstrip(".") not in (*FORMATS, "toml"):
            continue
        candidates = [other for other in known if Path(other).suffix == suffix.lower()]
        hint = did_you_mean(name, candidates)
        near = did_you_mean(stem, [Path(other).stem for other in candidates])
        if hint and near:
            notices.append(unread_file(name, hint))
    return notices
