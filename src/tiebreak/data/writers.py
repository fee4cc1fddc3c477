"""Writes a study folder: a reader finds the old study or the new one, never a part of either.

Writes into study.toml whether more of a metric is better, and which checkpoints systems are; all else in it stays as
somebody wrote it.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, Literal, TypeVar

import polars as pl

from tiebreak.data.problems import ProblemLog
from tiebreak.data.provenance import SIGNATURES_FILE, Meaning, add_signatures, signatures_to_lines
from tiebreak.data.schema import FORMATS, LABEL_TABLES, SETTINGS_FILE, TABLE_FILES, TABLES, TableName
from tiebreak.data.settings import StudySettings, SystemSettings, read_settings, settings_to_toml
from tiebreak.data.study import Study
from tiebreak.errors import ChangedError, TiebreakError, UsageError, did_you_mean
from tiebreak.files import NEW, OLD, REPLACED, bring_back, one_writer, workshop, write_bytes, write_synced, writing
from tiebreak.settings.toml_file import table_lines, toml_key, toml_text

Format = Literal["csv", "jsonl", "parquet"]
Stamp = tuple[int, int]
T = TypeVar("T")

_LABELS_LAST: Final = frozenset(LABEL_TABLES)

_ROWS_AT_ONCE: Final = 50_000
_ATTEMPTS: Final = 9


def write_study(
    study: Study,
    path: str | os.PathLike[str],
    *,
    format: Format = "csv",  # noqa: A002  (the word that users of polars and pandas expect)
    overwrite: bool = False,
    also: Callable[[Path], None] | None = None,
) -> None:
    """Writes the study into a folder, which appears whole or not at all. Reading it back gives the same study.

    Rows that repeat others are written as they came: they are labels too.

    A table with lists, objects or NUL characters in it is written as .jsonl where `format` is csv, which cannot
    hold them; columns that tiebreak does not know come back from CSV as text, and NaN in them is null in JSONL. CSV
    tells a missing text from an empty one by quotes (`""` is empty text). Optional columns without a value and
    tables without rows are not written. Raises UsageError if the folder has anything in it, unless `overwrite`:
    then its tables are replaced, and its other files stay. Raises TiebreakError if one of these cannot be moved; it is
    then kept beside the folder, where the text says. Raises it, too, where something cannot be written: the disk may be
    full. `also` writes more files into the folder, before it appears.
    """
    if format not in FORMATS:
        raise UsageError(f"no format {format!r}{did_you_mean(format, FORMATS)}; formats are {', '.join(FORMATS)}")
    target = Path(path).resolve()  # a link to a study is not to be replaced by the study
    if any("\ud800" <= char <= "\udfff" for char in str(target)):  # how Python keeps bytes that are no UTF-8
        raise UsageError(f"{path}: no tables can be written where a path is no UTF-8; name another folder")
    if target.exists() and not target.is_dir():
        raise UsageError(f"{path} is a file; name a folder for the study")
    if target.is_dir() and any(target.iterdir()) and not overwrite:
        raise UsageError(f"{path} is not empty; name another folder, or ask to overwrite it")
    if not any(frame.height for frame in study.tables.values()):
        raise UsageError("the study has no rows to write")
    with writing(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
    with workshop(target) as folder:  # beside the target, so that renaming stays on one disk
        fresh = folder / NEW
        with writing(target):
            fresh.mkdir()  # a folder within, so that it gets usual permissions
        _fill(study, fresh, target, format)
        if also is not None:
            with writing(target):
                also(fresh)
        _swap(folder, target)
    _sync(target.parent)


def replace_tables(
    path: Path,
    tables: Mapping[TableName, pl.DataFrame],
    read: Mapping[str, Stamp],
    signatures: Mapping[str, Meaning] | None = None,
    systems: Mapping[str, SystemSettings] | None = None,
) -> None:
    """Puts tables into a study folder in place of those that it has, each in its own format; all else stays as it is.

    A new table takes the format of the first that is there; one without rows is no table, and its file goes. All are
    written before the first takes its place, and labels come last: a process that is killed in between leaves whole
    tables, and outputs without labels.

    `read`: the stamps of the folder's files when they were read. `signatures`: what those of new rows stand for,
    `systems`: what study.toml is to say of systems of which it says nothing yet. They are written first: no row is ever
    there without them.

    Raises:
        ChangedError: somebody has changed the folder since.
        InputError: a signature stands there with another meaning. Nothing was changed.
        TiebreakError: something cannot be written, or a table has lists or NUL characters, which CSV cannot hold.
            Nothing was changed.
    """
    suffixes = {name.partition(".")[0]: name.rpartition(".")[2] for name in sorted(read)}
    usual = next(iter(suffixes.values()), "csv")
    with ExitStack() as stack:
        fresh: list[tuple[Path, Path]] = []
        gone: list[Path] = []
        for table in sorted(tables, key=_LABELS_LAST.__contains__):
            kind: Format = suffixes.get(table, usual)  # type: ignore[assignment]
            target, frame = path / f"{table}.{kind}", _without_empty(tables[table], table)
            if not frame.height:
                gone.append(target)
                continue
            if kind == "csv" and not _fits_csv(frame):
                folder_name = repr(str(path))
                raise TiebreakError(
                    f"cannot write {target}: CSV cannot hold lists or NUL characters, which it would have; make it "
                    f"JSON Lines first, in Python: tiebreak.write_study(tiebreak.read_study({folder_name}), "
                    f'{folder_name}, format="jsonl", overwrite=True)'
                )
            folder = stack.enter_context(workshop(target))
            _write_table(frame, folder, path, table, kind)
            fresh.append((folder / target.name, target))
        stack.enter_context(one_writer(path))
        if stamps_of(path) != read:
            raise ChangedError(f"{path} was changed while rows were being added; nothing was added: run it again")
        add_signatures(path, signatures or {})
        add_systems(path, systems or {})
        for new, target in fresh:
            with writing(target):
                new.replace(target)
        for target in gone:
            with writing(target):
                target.unlink(missing_ok=True)
    _sync(path)


def until_unchanged(work: Callable[[], T]) -> T:
    """What work brings that reads a study and writes it: again from the start where somebody else wrote in between.

    Raises:
        ChangedError: somebody writes all the time.
    """
    for _ in range(_ATTEMPTS):
        with suppress(ChangedError):
            return work()
    return work()


def stamps_of(path: Path) -> dict[str, Stamp]:
    """Of each table file in a folder when it was last written, and its size: what changes if somebody writes it."""
    status_of = {name: (path / name).stat() for name in TABLE_FILES if (path / name).is_file()}
    return {name: (status.st_mtime_ns, status.st_size) for name, status in status_of.items()}


def _fill(study: Study, folder: Path, target: Path, format: Format) -> None:  # noqa: A002
    """All files; errors name them as they will be in the `target`."""
    for name, frame in study.tables_as_read.items():
        if frame.height:
            _write_table(_without_empty(frame, name), folder, target, name, format)
    settings = settings_to_toml(study.settings)
    if settings:
        with writing(target / SETTINGS_FILE):
            write_synced(folder / SETTINGS_FILE, settings.encode("utf-8"))
    if study.signatures:
        with writing(target / SIGNATURES_FILE):
            write_synced(folder / SIGNATURES_FILE, signatures_to_lines(study.signatures))
    with writing(target):
        _sync(folder)


def _without_empty(frame: pl.DataFrame, name: TableName) -> pl.DataFrame:
    optional = {column.name for column in TABLES[name].columns if not column.required} & set(frame.columns)
    return frame.drop(column for column in optional if frame[column].null_count() == frame.height)


def _write_table(
    frame: pl.DataFrame,
    folder: Path,
    target: Path,
    name: TableName,
    format: Format,  # noqa: A002
) -> None:
    kind = "jsonl" if format == "csv" and not _fits_csv(frame) else format
    path = folder / f"{name}.{kind}"
    with writing(target / path.name, pl.exceptions.PolarsError):
        if kind == "parquet":
            frame.write_parquet(path)
        elif kind == "csv":
            frame.write_csv(path)
        else:
            with path.open("wb") as stream:
                # JSON has no NaN; only columns that tiebreak does not know can hold one.
                finite = pl.selectors.float().replace([math.nan, math.inf, -math.inf], None)
                for piece in frame.with_columns(finite).iter_slices(_ROWS_AT_ONCE):
                    rows = (json.dumps(row, ensure_ascii=False, default=str) for row in piece.iter_rows(named=True))
                    stream.write(("\n".join(rows) + "\n").encode("utf-8"))
        _sync(path)


def _fits_csv(frame: pl.DataFrame) -> bool:
    """Whether CSV can hold the table: no lists or objects, no NUL characters, no column without a name."""
    if "" in frame.columns or any(dtype.is_nested() for dtype in frame.dtypes):
        return False
    texts = frame.select(pl.selectors.string().str.contains("\0", literal=True).any())
    return not any(texts.row(0)) if texts.width else True


def _swap(folder: Path, target: Path) -> None:
    """The new folder of a workshop in the place of the old one, which steps aside and comes back if that fails."""
    fresh, aside = folder / NEW, folder / OLD
    with writing(target):
        if not target.exists():
            fresh.rename(target)
            return
        replaced = {*TABLE_FILES, SETTINGS_FILE, SIGNATURES_FILE}
        write_synced(folder / REPLACED, "\n".join(sorted(replaced)).encode())
        target.rename(aside)
        try:
            fresh.rename(target)
        except OSError:
            aside.rename(target)
            raise
    bring_back(aside, target, replaced)
    with suppress(OSError):
        shutil.rmtree(aside)


def _sync(path: Path) -> None:
    """Waits until a file or folder is on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows has no handle for folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_TABLE: Final = re.compile(r"^[ \t]*\[[ \t]*higher_is_better[ \t]*\][ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)", re.MULTILINE)


def add_directions(study: Path, directions: Mapping[str, bool]) -> None:
    """Those that the study's settings do not say yet; the others stay as they are.

    Raises:
        InputError: study.toml is damaged.
        TiebreakError: it cannot be written, or says directions in a form to which nothing can be added.
    """
    path = study / SETTINGS_FILE
    with one_writer(study):
        text = _text(path)
        known = _settings_in(text, path).higher_is_better
        fresh = {name: up for name, up in directions.items() if name not in known}
        if not fresh:
            return
        lines = "".join(f"{toml_key(name)} = {toml_text(up)}\n" for name, up in fresh.items())
        if table := _TABLE.search(text):
            before = text[: table.end()]
            text = f"{before}{'' if before.endswith(chr(10)) else chr(10)}{lines}{text[table.end() :]}"
        else:
            text = f"{text.rstrip()}\n\n[higher_is_better]\n{lines}".lstrip("\n")
        if _settings_in(text, path, strict=False).higher_is_better != {**known, **fresh}:
            message = f"[higher_is_better] is not a table of its own; write there:\n{lines.rstrip()}"
            raise TiebreakError(f"{path}: {message}")
        write_bytes(path, text.encode())


def add_systems(study: Path, systems: Mapping[str, SystemSettings]) -> None:
    """Those of which the study's settings say nothing yet, below everything else.

    Raises:
        InputError: study.toml is damaged.
        ChangedError: it says otherwise of one of them.
        TiebreakError: it cannot be written, or says systems in a form to which nothing can be added.
    """
    if not systems:
        return
    path = study / SETTINGS_FILE
    with one_writer(study):
        text = _text(path)
        known = _settings_in(text, path).systems
        if any(known.get(name, settings) != settings for name, settings in systems.items()):
            raise ChangedError(f"{path} was changed while rows were being added; nothing was added: run it again")
        fresh = {name: settings for name, settings in systems.items() if name not in known}
        if not fresh:
            return
        tables = [table_lines(f"systems.{toml_key(name)}", settings) for name, settings in fresh.items()]
        lines = "\n".join(line for table in tables for line in table).strip() + "\n"
        text = f"{text.rstrip()}\n\n{lines}".lstrip("\n")
        if _settings_in(text, path, strict=False).systems != {**known, **fresh}:
            raise TiebreakError(
                f"{path}: its systems are written in one line, to which no table can be added; make tables of them, "
                f"with this one:\n{lines.rstrip()}"
            )
        write_bytes(path, text.encode())


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig") if path.is_file() else ""


def _settings_in(text: str, path: Path, *, strict: bool = True) -> StudySettings:
    """What a text says; not `strict`: nothing where something was added in a way that does not fit the rest."""
    log = ProblemLog()
    settings = read_settings(text.encode(), str(path), log)
    if strict:
        log.raise_if_any()
    return StudySettings() if log.total else settings
