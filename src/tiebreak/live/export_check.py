"""Where the tables of an export are no longer those of the campaign in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from tiebreak.campaign import Protocol
from tiebreak.data.schema import LABEL_TABLES, TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import Problem

_MARKS: Final = ("task", "comment", "late", "withdrawn", "set_aside")
"""Columns that an export has beside those of a study."""

_ANSWERS: Final[Mapping[TableName, tuple[str, ...]]] = {
    "preferences": ("task", "system_a", "system_b"),
    "ratings": ("task", "criterion"),
    "edits": ("task",),
    "spans": ("task", "passage"),
}
"""By table of labels, what tells its rows apart in an export."""


def row_fingerprints(study: Study) -> str:
    """A JSON document with a short fingerprint of each row of each table: it tells later which row was changed."""
    found = {name: dict(_fingerprints(frame, name)) for name, frame in study.tables.items()}
    return json.dumps(found, ensure_ascii=False, indent=0) + "\n"


def without_later(study: Study, protocol: Protocol, rows_file: Path) -> Study:
    """The study without what metrics and judges said that came into the export later: no verdict of the campaign rests
    on them. Its own, which the protocol names, stay as they are, changed or not.
    """
    before = _rows_before(rows_file)
    kept: dict[str, pl.DataFrame] = {}
    for name, who, own in (
        ("scores", "metric", protocol.decision.metrics), ("judge_preferences", "judge", protocol.decision.judges),
    ):  # fmt: skip
        frame = study.tables.get(name)  # type: ignore[call-overload]
        if frame is not None:
            then = before.get(name, {})
            known = [key in then for key, _ in _fingerprints(frame, name)]  # type: ignore[arg-type]
            kept[name] = frame.filter(pl.Series(known, dtype=pl.Boolean) | pl.col(who).is_in(list(own)))
    return replace(study, **kept)  # type: ignore[arg-type]


def changed_texts(study: Study, folder: Path, rows_file: Path) -> list[Problem]:
    """The rows of items, outputs, scores and judge preferences that were changed, added or taken away; at least one
    problem: the study is known to be another.
    """
    before = _rows_before(rows_file)
    if not before:
        return [Problem(str(folder), "the texts are not those of the campaign in this export")]
    problems = []
    for name in TABLES:
        frame = study.tables.get(name)
        now = {} if frame is None else dict(_fingerprints(frame, name))
        rows = {} if frame is None else {key: row for row, (key, _) in enumerate(_fingerprints(frame, name), 1)}
        then = before.get(name, {})
        file = _file(folder, name)
        for key in [*now, *(key for key in then if key not in now)]:
            if key not in then:
                problems.append(Problem(file, f"row {rows[key]:,} ({key}) is not in the campaign"))
            elif key not in now:
                problems.append(Problem(file, f"the row {key} is missing"))
            elif now[key] != then[key]:
                problems.append(Problem(file, f"row {rows[key]:,} ({key}) was changed"))
    return problems or [Problem(str(folder), "the texts are not those of the campaign in this export")]


def _rows_before(rows_file: Path) -> Mapping[str, Mapping[str, str]]:
    """By table and key the fingerprints of its rows when it was exported; none where that is lost."""
    try:
        before = json.loads(rows_file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return before if isinstance(before, dict) else {}


def changed_labels(
    tables: Study, expected: Mapping[TableName, Sequence[Mapping[str, object]]], folder: Path
) -> list[Problem]:
    """The labels of the tables that are not those of the events: changed, added, or taken away.

    `expected`: the rows of each table that the events make.
    """
    problems = []
    for name in LABEL_TABLES:
        frame, rows = tables.tables.get(name), expected.get(name, ())
        if frame is not None or rows:
            problems += _changed(frame, rows, name, _file(folder, name))
    return problems


def _changed(
    frame: pl.DataFrame | None, expected: Sequence[Mapping[str, object]], name: TableName, file: str
) -> list[Problem]:
    if frame is None:
        return [Problem(file, "the labels of the campaign are missing")]
    if "task" not in frame.columns:
        return [Problem(file, "the column task is missing, which says what each label answers", column="task")]
    key = _ANSWERS[name]
    then = {tuple(_plain(row[column]) for column in key): row for row in expected}
    columns = [column for column in (*TABLES[name].known, *_MARKS) if column not in key]
    problems, seen = [], set()
    for number, row in enumerate(_rows(frame), 1):
        which = tuple(_plain(row[column]) for column in key)
        words = f"task {which[0] or '(none)'}{''.join(f', {part}' for part in which[1:])}"
        known = then.get(which)
        if known is None or which in seen:
            what = "is there twice" if which in seen else "is not a label of the campaign"
            problems.append(Problem(file, f"row {number:,}, {words}: {what}"))
            continue
        seen.add(which)
        problems += [
            Problem(file, f"row {number:,}, {words}: {column} is {now!r} in the table, but {before!r} in the events")
            for column in columns
            if (now := _plain(row.get(column))) != (before := _plain(known.get(column)))
        ]
    missing = [which for which in then if which not in seen]
    return problems + [Problem(file, f"task {', '.join(which)}: its label is missing") for which in missing]


@dataclass(frozen=True, slots=True)
class NotCounted:
    """Tasks of labels that an analysis of an export leaves out: `late` for the campaign, or else `withdrawn`, or else
    `set_aside` (too fast, say).
    """

    late: frozenset[str]
    withdrawn: frozenset[str]
    set_aside: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """All of them."""
        return self.late | self.withdrawn | self.set_aside


def not_counted(frame: pl.DataFrame | None) -> NotCounted:
    """By the columns `late`, `withdrawn` and `set_aside` of an export's labels."""
    late, withdrawn, aside = (frozenset(_marked(frame, name)) for name in ("late", "withdrawn", "set_aside"))
    return NotCounted(late, withdrawn - late, aside - withdrawn - late)


def _marked(frame: pl.DataFrame | None, column: str) -> Iterator[str]:
    if frame is not None and column in frame.columns and "task" in frame.columns:
        yield from (_plain(row["task"]) for row in _rows(frame) if _plain(row[column]) == "true")


def _rows(frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    return frame.iter_rows(named=True)


def _plain(value: object) -> str:
    """A value alike in every format of tables: nothing as "", true and false as words, whole numbers as such."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fingerprints(frame: pl.DataFrame, name: TableName) -> Iterator[tuple[str, str]]:
    """The key of each row in words, and a fingerprint of its known columns."""
    spec = TABLES[name]
    columns = [column for column in spec.known if column in frame.columns]
    key = [column for column in spec.known if column in (*spec.key, *spec.system_columns) and column in frame.columns]
    for row in frame.iter_rows(named=True):
        words = ", ".join(_plain(row[column]) for column in key if row[column] is not None)
        text = json.dumps([row[column] for column in columns], ensure_ascii=False, default=str)
        yield words, hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _file(folder: Path, name: TableName) -> str:
    """The file of a table, as it lies there."""
    found = sorted(path for path in folder.glob(f"{name}.*") if path.suffix in (".csv", ".jsonl", ".parquet"))
    return str(found[0] if found else folder / f"{name}.csv")
