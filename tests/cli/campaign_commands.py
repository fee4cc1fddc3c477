"""Commands on a campaign as tests give them, and sheets filled by hand."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tests.docs.documents import run_command
from tests.sheets.sheet_makers import fill_csv

from tiebreak.store import SqliteStore, StoredEvent

CREATE = "tiebreak campaign create study -o camp"


def ok(command: str) -> str:
    code, output = run_command(command)
    assert code == 0, output
    return output


def refused(command: str, code: int) -> str:
    found, output = run_command(command)
    assert found == code, output
    assert "Traceback" not in output
    return " ".join(output.split())


def tasks_in(path: Path) -> list[str]:
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    return [row[0] for row in rows[1:]]


def fill(
    path: Path, answers: Sequence[str], target: Path | None = None, comments: Mapping[str, str] = MappingProxyType({})
) -> Path:
    """The CSV sheet with these answers in its first rows, and these comments by task."""
    target = target or path
    target.write_bytes(fill_csv(path.read_bytes(), dict(zip(tasks_in(path), answers, strict=False)), comments=comments))
    return target


def events_in(campaign: Path) -> tuple[StoredEvent, ...]:
    """The log of a campaign."""
    return SqliteStore(campaign / "events.sqlite").read()
