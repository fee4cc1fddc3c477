"""Arguments that several commands have."""

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

RateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rate",
        metavar="NAME=LOW:HIGH",
        help="Have outputs rated on this criterion, such as fluency=1:5; repeatable.",
        show_default=False,
    ),
]
