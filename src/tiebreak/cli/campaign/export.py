"""`tiebreak campaign export`: the labels as a study."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, check_outside


def export_command(
    campaign: CampaignArgument,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="STUDY", help="The new study folder.", show_default=False)
    ],
    format_: Annotated[
        str, typer.Option("--format", metavar="NAME", help="Format of the tables: csv | jsonl | parquet.")
    ] = "csv",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the tables of a study there.")] = False,
) -> None:
    """Write the campaign's texts and labels as a study folder, for compare, report and everything else.

    Example: tiebreak campaign export my-campaign -o labelled
    """
    from tiebreak.data.writers import write_study
    from tiebreak.live import open_campaign
    from tiebreak.live.export import exported
    from tiebreak.results.numbers import counted

    check_outside(campaign, out)
    study = exported(open_campaign(campaign))
    write_study(study, out, format=format_, overwrite=overwrite)  # type: ignore[arg-type]  # checked there
    labels = 0 if study.preferences is None else study.preferences.height
    sys.stdout.write(f"Wrote {out}: {counted(labels, 'label')}\nNext: tiebreak compare {out}\n")
