"""`tiebreak campaign withdraw`: what a task asked counts against either side from now on."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, ReasonOption, now, one_line
from tiebreak.cli.plain_output import write_json


def withdraw_command(
    campaign: CampaignArgument,
    tasks: Annotated[
        list[str], typer.Argument(metavar="TASK...", help="Tasks, as in sheets and exports.", show_default=False)
    ],
    reason: ReasonOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Take back labels that were a mistake, for good. Their items count against either side and are not asked again.

    So nobody can bend a verdict by it, whatever they have seen; each item costs about ten further labels. All its
    labels in that pair stop to count. Verdicts that were reached stand; every result says what was withdrawn, and why.

    Example: tiebreak campaign withdraw my-campaign t000g-7k2m --reason "hit the wrong key"
    """
    from tiebreak.cli.campaign.standing import headline, standing_of
    from tiebreak.live import open_campaign
    from tiebreak.live.by_hand import withdraw
    from tiebreak.results.words.campaign import named_systems

    live = open_campaign(campaign)
    found = withdraw(live, tasks, now=now(), reason=one_line(reason))
    result = standing_of(live)
    if as_json:
        document = {
            "campaign": str(campaign),
            "withdrawn": [{"task": of.task, **named_systems(of.systems), "item": of.item} for of in found],
            "labels_withdrawn": live.state.labels_withdrawn,
            "ended": live.state.ended,
        }
        write_json(document)
        return
    from tiebreak.cli.terminal import console_for_results, say

    console = console_for_results()
    for of in found:
        say(console, f"{of.task}: item {of.item} of {' and '.join(of.systems)} is withdrawn.")
    (notice,) = [notice for notice in result.warnings if notice.code == "items-withdrawn"]
    say(console, notice.text)
    say(console, headline(result))
