"""`tiebreak campaign status`: what is decided, what is still to come, and who has done what.

`tiebreak campaign export`: the labels as a study.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, check_outside
from tiebreak.cli.campaign.show_status import show_rating_status, show_status
from tiebreak.cli.setting_options import JsonOption, option
from tiebreak.cli.terminal import console_for_results, say, say_command, write_json, write_remark
from tiebreak.files import check_place, write_bytes
from tiebreak.live import open_campaign
from tiebreak.live.accounts import accounts, accounts_csv
from tiebreak.live.export import write_export
from tiebreak.live.result import standing_of
from tiebreak.numbers import counted
from tiebreak.results.records import CompareResult


def status_command(
    campaign: CampaignArgument,
    csv: Annotated[
        Path | None,
        option("Also write labels, time and pay of each person as CSV.", "FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the verdicts so far, labels and money spent and to go, and what each person has done.

    Changes nothing; look as often as you like.

    Example: tiebreak campaign status my-campaign --csv pay.csv
    """
    if csv is not None:
        check_place(csv)
        check_outside(campaign, csv)
    live = open_campaign(campaign)
    found = standing_of(live)
    if csv is not None:
        write_bytes(csv, accounts_csv(accounts(live)))
        write_remark(f"Wrote {csv}")
    if as_json:
        write_json(found.to_dict())
        return

    if isinstance(found, CompareResult):
        show_status(live, found)
    else:
        show_rating_status(live, found)


def export_command(
    campaign: CampaignArgument,
    out: Annotated[Path, option("The new study folder.", "EXPORT", "--out", "-o")],
    tables: Annotated[
        str, typer.Option("--tables", metavar="NAME", help="Format of the tables: csv | jsonl | parquet.")
    ] = "csv",
    overwrite: Annotated[bool, option("Replace the tables of a study there.", "", "--overwrite")] = False,
    keep_names: Annotated[
        bool, option("People keep their names (else: person-1, person-2, ...).", "", "--keep-names")
    ] = False,
    comments: Annotated[bool, option("With comments, and reasons to stop and exclude.", "", "--comments")] = False,
) -> None:
    """Write the campaign's texts and labels as a study folder, with the campaign itself in it.

    compare, report and plot show the campaign's own verdict of it; everything else takes it as a study.

    Example: tiebreak campaign export my-campaign -o labelled
    """
    check_outside(campaign, out)
    live = open_campaign(campaign)
    study = write_export(
        live,
        out,
        format=tables,  # type: ignore[arg-type]  # checked there
        overwrite=overwrite,
        keep_names=keep_names,
        comments=comments,
    )
    rates = live.protocol.rates
    rows = study.ratings if rates else study.preferences
    console = console_for_results()
    say(console, f"Wrote {out}: {counted(0 if rows is None else rows['task'].n_unique(), 'label')}")
    say_command(console, "estimate" if rates else "compare", out, before="Next: ")
