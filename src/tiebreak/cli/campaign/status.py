"""`tiebreak campaign status`: what is decided, what is still to come, and who has done what."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, check_outside
from tiebreak.cli.plain_output import write_json, write_remark


def status_command(
    campaign: CampaignArgument,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write labels, time and pay of each person as CSV.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show the verdicts so far, labels and money spent and to go, and what each person has done.

    Changes nothing; look as often as you like.

    Example: tiebreak campaign status my-campaign --csv pay.csv
    """
    from tiebreak.cli.campaign.standing import standing_of
    from tiebreak.files import check_place, write_bytes
    from tiebreak.live import open_campaign
    from tiebreak.live.accounts import accounts, accounts_csv

    if csv is not None:
        check_place(csv)
        check_outside(campaign, csv)
    live = open_campaign(campaign)
    found = standing_of(live)
    if csv is not None:
        write_bytes(csv, accounts_csv(accounts(live.state, live.ledger)))
        write_remark(f"Wrote {csv}")
    if as_json:
        write_json(found.to_dict())
        return
    from tiebreak.cli.campaign.show_status import show_rating_status, show_status
    from tiebreak.results.records import CompareResult

    if isinstance(found, CompareResult):
        show_status(live, found)
    else:
        show_rating_status(live, found)
