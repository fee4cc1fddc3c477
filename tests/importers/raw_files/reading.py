"""Reads a made-up file as `tiebreak import csv FILE STUDY` would, and compares the study with the file's meaning."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, Literal

from tests.importers.raw_files.shapes import Meaning, RawFile, choice

from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError
from tiebreak.importers.importer import Proposal
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

NOBODY: Final = "annotator"

End = Literal["right", "wrong", "refused", "error"]


@dataclass(frozen=True, slots=True)
class Read:
    """How reading a file ended: `right` or `wrong` studies, `refused` as nonsense or not understood, or an `error` that
    names a cell; `confidence` of the plan, 0 to 1, where there was one."""

    file: RawFile
    end: End
    confidence: float
    said: str


def save(file: RawFile, folder: Path, seed: int) -> Path:
    """The table as a CSV file of some kind."""
    random = Random(seed)
    delimiter = random.choice((",", ",", ";", "\t"))
    path = folder / f"{random.choice(('data', 'export', 'batch_3', 'results'))}.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(file.table)
        writer.writerows(zip(*file.table.values(), strict=True))
    return path


def read(file: RawFile, path: Path) -> Read:
    """How the file is read without a word of the user."""
    try:
        proposal: Proposal = TABLES_IMPORTER.read([str(path)], TableSettings())
        proposal.refuse_nonsense()
    except TiebreakError as error:
        return Read(file, "refused", 0.0, str(error))
    try:
        study = proposal.build("study").study
    except TiebreakError as error:
        return Read(file, "error", proposal.confidence, str(error))
    found = _meaning(study)
    right = file.meaning is not None and _same(found, file.meaning)
    plan = ", ".join(f"{field.target}={'|'.join(field.columns)}" for f in proposal.files for field in f.fields)
    return Read(file, "right" if right else "wrong", proposal.confidence, plan)


def _same(found: Meaning, truth: Meaning) -> bool:
    return (found.texts, found.choices, found.numbers) == (truth.texts, truth.choices, truth.numbers)


def _meaning(study: Study) -> Meaning:
    """What a study holds, without the names of items and of people whom nobody named."""
    texts: Counter[tuple[str, ...]] = Counter()
    if study.outputs is not None:
        texts.update((row["system"], row["text"]) for row in study.outputs.iter_rows(named=True))
    choices: Counter[tuple[str, ...]] = Counter()
    for table, kind, column in (("preferences", "person", "annotator"), ("judge_preferences", "judge", "judge")):
        frame = study.tables.get(table)  # type: ignore[call-overload]
        for row in frame.iter_rows(named=True) if frame is not None else ():
            choices[choice(kind, _who(row[column]), row["system_a"], row["system_b"], row["outcome"])] += 1
    numbers: Counter[tuple[str, ...]] = Counter()
    for table, kind, column in (("ratings", "person", "annotator"), ("scores", "metric", "metric")):
        frame = study.tables.get(table)  # type: ignore[call-overload]
        for row in frame.iter_rows(named=True) if frame is not None else ():
            numbers[kind, _who(row[column]), row["system"], f"{row['value']:g}"] += 1
    return Meaning(texts, choices, numbers)


def _who(name: str) -> str:
    return "" if name.removeprefix(NOBODY).isdigit() and name.startswith(NOBODY) else name
