"""Studies to judge, and the command as a user gives it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from tests.docs.documents import run_command

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study, StudySettings
from tiebreak.data.writers import write_study

Row = dict[str, object]
SOON = {"retry-after": "0.01"}


def outputs_of(qualities: Mapping[str, Iterable[int]]) -> list[Row]:
    """An output per item i0, i1, ... of each system, whose text tells how good it is."""
    return [
        {"item": f"i{k}", "system": system, "text": f"{system} on i{k}: quality {value}"}
        for system, values in qualities.items()
        for k, value in enumerate(values)
    ]


def write_qualities(folder: Path, qualities: Mapping[str, Iterable[int]], **more: Any) -> Path:
    """A study folder of such outputs; `more`: its other tables and settings."""
    settings = more.pop("settings", StudySettings())
    write_study(Study.from_tables(outputs=outputs_of(qualities), settings=settings, **more), folder)
    return folder


def small(folder: Path, items: int = 4) -> Path:
    """Two systems, of which `bee` is better on every item."""
    return write_qualities(folder, {"ant": [1] * items, "bee": [2] * items})


def score(study: Path, *words: str, judge: str = "model-x", yes: bool = True) -> tuple[int, str]:
    """Exit code and output of `tiebreak score`."""
    parts = ["tiebreak", "score", str(study), "--judge", judge, *(["--yes"] if yes else []), *words]
    return run_command(shlex.join(parts))


def scored(study: Path, *words: str, judge: str = "model-x", code: int = 0) -> dict[str, Any]:
    """What `--json` says of the judge."""
    found, output = score(study, *words, "--json", judge=judge)
    assert found == code, output
    documents = [line for line in output.splitlines() if line.startswith("{")]
    (told,) = json.loads(documents[0])["judges"]
    return dict(told)


def answers(study: Path) -> pl.DataFrame:
    """The table of judge preferences, in the order of what was asked."""
    frame = read_study(study).judge_preferences
    return frame.sort("item", "system_a", "system_b", "left")


def outcomes(study: Path) -> list[str | None]:
    """Their outcomes."""
    return answers(study)["outcome"].to_list()


def add_judges(study: Path, text: str) -> None:
    """Put tables of judges into study.toml."""
    path = study / "study.toml"
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    path.write_text(f"{before}\n{text}\n", encoding="utf-8")


def labels(outcome: Sequence[str], system_a: str = "ant", system_b: str = "bee") -> list[Row]:
    """One person's preferences on the items i0, i1, ..."""
    return [
        {"item": f"i{k}", "system_a": system_a, "system_b": system_b, "annotator": "ann", "outcome": said}
        for k, said in enumerate(outcome)
    ]
