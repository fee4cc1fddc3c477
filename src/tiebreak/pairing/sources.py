"""Reads the outputs of one generator: one text a row, and the attributes that it was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.csv_files import check_text
from tiebreak.data.problems import ProblemLog, RawTable
from tiebreak.data.schema import Column, Kind, TableSpec
from tiebreak.data.tables import read_table
from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.importers.draft import plain
from tiebreak.importers.entries import FIELDS
from tiebreak.tabular.source import read_sheet, split_source

SUFFIXES: Final = (".csv", ".tsv", ".xlsx", ".xls", ".ods", ".jsonl", ".parquet", ".txt")

_TEXT_NAMES: Final = (*FIELDS["text"].names, "sentence", "content", "message")
_BELONGS_TO_ITEMS: Final = frozenset({"item", "system"})
_TAKEN: Final = frozenset({"text", "source_line"})


@dataclass(frozen=True, slots=True)
class PairingSource:
    """A file of outputs, as the user named it, and the system that wrote them."""

    file: str
    system: str


def parse_sources(named: Sequence[str]) -> list[PairingSource]:
    """`FILE` (the system is the file's name without folder and ending) or `NAME=FILE`.

    Raises UsageError for fewer than two files, a file that does not exist or is of an unknown kind, a file named twice,
    and two files of one system.
    """
    sources = [_parse(entry) for entry in named]
    if len(sources) < 2:
        raise UsageError("pairing needs the outputs of at least two systems: tiebreak pair FILE_A FILE_B -o STUDY")
    for source in sources:
        path, _ = split_source(source.file)
        if path.suffix.lower() not in SUFFIXES:
            raise UsageError(f"{source.file}: files of outputs end in {', '.join(SUFFIXES)}")
    files = [source.file for source in sources]
    repeated = next((file for file in files if files.count(file) > 1), None)
    if repeated is not None:
        raise UsageError(f"{repeated} is named twice; name one file of outputs for each system")
    systems = [source.system for source in sources]
    shared = next((system for system in systems if systems.count(system) > 1), None)
    if shared is not None:
        both = " and ".join(source.file for source in sources if source.system == shared)
        raise UsageError(f"{both} would both be the system {shared}; name one of them: NAME=FILE")
    return sources


def _parse(entry: str) -> PairingSource:
    name, equals, file = entry.partition("=")
    if not equals or Path(entry).is_file():
        file, name = entry, ""
    elif not name.strip() or not file.strip():
        raise UsageError(f"{entry!r}: write FILE or NAME=FILE")
    if Path(file.strip()).is_dir():
        raise UsageError(f"{file.strip()} is a folder; name files of outputs, and with --out the study to create")
    path, sheet = split_source(file.strip())
    return PairingSource(file.strip(), name.strip() or sheet or path.stem)


def check_match(match: Sequence[str]) -> None:
    """Raises UsageError for an attribute that is named twice, or that a study uses for something else."""
    for name in match:
        if name in _BELONGS_TO_ITEMS:
            raise UsageError(
                f"--match {name}: outputs that belong to the same {name} are no outputs without inputs; to read them, "
                "use tiebreak import"
            )
        if name in _TAKEN:
            raise UsageError(f"--match {name}: the study has a column of this name for the outputs; rename the column")
        if list(match).count(name) > 1:
            raise UsageError(f"--match names {name} twice")


def read_outputs(source: PairingSource, text_column: str | None, match: Sequence[str]) -> pl.DataFrame:
    """All rows of the file: `text` (missing text is empty), `source_line` (its row, as spreadsheet programs number it),
    and the attributes of `match` as text without outer spaces (null where empty).

    Raises InputError with every problem of the file; UsageError for an attribute or text column that it does not have.
    """
    path, _ = split_source(source.file)
    suffix = path.suffix.lower()
    if suffix == ".txt":
        frame = _plain_text(path, source, match)
    elif suffix in (".jsonl", ".parquet"):
        frame = _typed(path, source, text_column, match)
    else:
        frame = _spreadsheet(source, text_column, match)
    return frame.with_columns(pl.col("text").fill_null(""))


def _plain_text(path: Path, source: PairingSource, match: Sequence[str]) -> pl.DataFrame:
    """One text a line."""
    if match:
        raise UsageError(f"{source.file}: a text file has no attributes to match on; use a table, or leave out --match")
    log = ProblemLog()
    data = check_text(path.read_bytes(), source.file, log)
    log.raise_if_any()
    lines = (data or b"").decode("utf-8").removesuffix("\n").split("\n")
    texts = [line.removesuffix("\r") for line in lines]
    return _frame(texts, list(range(1, len(texts) + 1)), {})


def _spreadsheet(source: PairingSource, text_column: str | None, match: Sequence[str]) -> pl.DataFrame:
    sheet = read_sheet(source.file)
    column = _text_column(source, sheet.columns, text_column, match)
    attributes = {name: pl.Series(name, sheet.values(name), dtype=pl.String) for name in match}
    return _frame(sheet.values(column), list(sheet.lines), attributes)


def _typed(path: Path, source: PairingSource, text_column: str | None, match: Sequence[str]) -> pl.DataFrame:
    """JSON Lines and Parquet: read once to know the columns, and again to have texts checked as texts."""
    columns = _read(path, TableSpec("outputs", (), ())).frame.columns
    column = _text_column(source, columns, text_column, match)
    kind: Kind = "text"
    raw = _read(path, TableSpec("outputs", (Column(column, kind),), ()), whole=match)
    lines = raw.lines(list(range(raw.frame.height)))
    attributes = {name: _as_text(raw.frame[name], source) for name in match}
    return _frame(raw.frame[column].to_list(), lines, attributes)


def _read(path: Path, spec: TableSpec, whole: Sequence[str] = ()) -> RawTable:
    """The table; raises InputError for problems, and for columns of `whole` whose values are of different types."""
    log = ProblemLog()
    raw = read_table(path, spec, log)
    for notice in log.notices:
        if notice.details.get("column") in whole:
            message = "values of different types (such as numbers and text); make them all of one type"
            log.add(Problem(str(path), message, column=str(notice.details["column"])))
    log.raise_if_any()
    if raw is None:
        raise InputError([Problem(str(path), "cannot be read")])
    return raw


def _text_column(source: PairingSource, columns: Sequence[str], asked: str | None, match: Sequence[str]) -> str:
    """The column with the texts: as asked, else by its name."""
    for name, option in [(asked, "--text")] * (asked is not None) + [(name, "--match") for name in match]:
        if name not in columns:
            hint = did_you_mean(str(name), columns)
            raise UsageError(
                f"{option}: {source.file} has no column {name}{hint} (it has {', '.join(map(str, columns))})"
            )
    if asked is not None and asked in match:
        raise UsageError(f"--match {asked}: this column holds the outputs (--text); match on an attribute of them")
    if asked is not None:
        return asked
    called = {plain(column): column for column in columns if column not in match}
    known = next((called[name] for name in _TEXT_NAMES if name in called), None)
    if known is None:
        raise UsageError(
            f"{source.file}: none of the columns ({', '.join(columns)}) is called text or a word for it; say which one "
            "holds the outputs: --text COLUMN. A file without a header line can be read as .txt, one text a line"
        )
    return known


def _as_text(series: pl.Series, source: PairingSource) -> pl.Series:
    """Numbers and truth values as a person writes them: 1, not 1.0; true, false."""
    if series.dtype.is_nested() or series.dtype == pl.Binary:
        message = "lists or objects; an attribute must be text, a number or a truth value"
        raise InputError([Problem(source.file, message, column=series.name)])
    if series.dtype.is_float() and bool((series.is_null() | (series == series.round())).all()):
        series = series.cast(pl.Int64, strict=False)
    return series.cast(pl.String)


def _frame(texts: Sequence[str | None], lines: Sequence[int], attributes: dict[str, pl.Series]) -> pl.DataFrame:
    stripped = [
        pl.when(values.str.strip_chars() == "").then(None).otherwise(values.str.strip_chars()).alias(name)
        for name, values in attributes.items()
    ]
    own = pl.DataFrame({"text": pl.Series(texts, dtype=pl.String), "source_line": pl.Series(lines, dtype=pl.Int64)})
    return own.with_columns(stripped)
