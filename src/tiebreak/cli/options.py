"""Arguments that several commands have, and how options with several names are written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PlaceArgument = Annotated[
    Path,
    typer.Argument(metavar="STUDY", help="Folder of a study, of a campaign or of its export.", show_default=False),
]
OwnAnalysisOption = Annotated[
    bool, typer.Option("--own-analysis", help="Analyse the labels of a campaign or export afresh.")
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Refuse a study in which rows repeat others.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def names(listed: str | None) -> list[str] | None:
    """`"A, B"` as `["A", "B"]`; None stays None. A comma that belongs to a name is written `\\,`."""
    if listed is None:
        return None
    parts = [part.replace("\0", ",").strip() for part in listed.replace("\\,", "\0").split(",")]
    return [part for part in parts if part]
