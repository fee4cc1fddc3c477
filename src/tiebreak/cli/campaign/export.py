"""`tiebreak campaign export`: the labels as a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, check_outside


def export_command(
    campaign: CampaignArgument,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="EXPORT", help="The new study folder.", show_default=False)
    ],
    format_: Annotated[
        str, typer.Option("--format", metavar="NAME", help="Format of the tables: csv | jsonl | parquet.")
    ] = "csv",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the tables of a study there.")] = False,
    keep_names: Annotated[
        bool, typer.Option("--keep-names", help="People keep their names (else: person-1, person-2, ...).")
    ] = False,
    comments: Annotated[
        bool, typer.Option("--comments", help="With comments, and reasons to stop and exclude.")
    ] = False,
) -> None:
    """Write the campaign's texts and labels as a study folder, with the campaign itself in it.

    compare, report and plot show the campaign's own verdict of it; everything else takes it as a study.

    Example: tiebreak campaign export my-campaign -o labelled
    """
    from tiebreak.cli.terminal import console_for_results, say, say_command
    from tiebreak.live import open_campaign
    from tiebreak.live.export import write_export
    from tiebreak.results.numbers import counted

    check_outside(campaign, out)
    live = open_campaign(campaign)
    study = write_export(
        live,
        out,
        format=format_,  # type: ignore[arg-type]  # checked there
        overwrite=overwrite,
        keep_names=keep_names,
        comments=comments,
    )
    rates = live.protocol.rates
    labels = study.ratings if rates else study.preferences
    console = console_for_results()
    say(console, f"Wrote {out}: {counted(0 if labels is None else labels.height, 'rating' if rates else 'label')}")
    say_command(console, "estimate" if rates else "compare", out, before="Next: ")
