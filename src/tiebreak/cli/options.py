"""Arguments that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.settings.shared import MORE

PlaceArgument = Annotated[
    Path,
    typer.Argument(metavar="STUDY", help="Folder of a study, of a campaign or of its export.", show_default=False),
]
StudyArgument = Annotated[
    Path, typer.Argument(metavar="STUDY", help="Folder with the study's tables.", show_default=False)
]
CheckpointsArgument = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY", help="Folder with outputs of checkpoints, which study.toml names.", show_default=False
    ),
]
EvaluatorArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="What evaluator train made.", show_default=False)
]
OwnAnalysisOption = Annotated[
    bool,
    typer.Option("--own-analysis", help="Analyse the labels of a campaign or export afresh.", rich_help_panel=MORE),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Refuse a study in which rows repeat others.", rich_help_panel=MORE)
]
AllOption = Annotated[
    bool,
    typer.Option("--all", help="Show all pairs, and all that is said on each criterion.", rich_help_panel=MORE),
]
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
