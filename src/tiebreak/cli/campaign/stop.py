"""`tiebreak campaign stop`: end a campaign before it ends by itself."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, ReasonOption, now, one_line
from tiebreak.cli.plain_output import write_json


def stop_command(
    campaign: CampaignArgument,
    reason: ReasonOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """End the campaign, for good; the verdicts so far stay, and pairs without one stay undecided.

    Collect the sheets that are out first: answers that come after the end are kept and paid, but are no evidence.

    Example: tiebreak campaign stop my-campaign --reason "the money is needed elsewhere"
    """
    from tiebreak.cli.campaign.standing import headline, progress_of, standing_of
    from tiebreak.live import open_campaign
    from tiebreak.live.by_hand import stop

    live = open_campaign(campaign)
    stopped = stop(live, now=now(), reason=one_line(reason))
    found = standing_of(live)
    if as_json:
        document = {
            "campaign": str(campaign),
            "stopped": stopped,
            "ended": live.state.ended,
            "ended_at": live.state.ended_at,
            "labels": live.state.labels,
            "labels_out": len(live.state.tasks),
            "undecided": found.undecided,
        }
        write_json(document)
        return
    from tiebreak.cli.campaign.show_status import show_next
    from tiebreak.cli.terminal import console_for_results, say
    from tiebreak.results.numbers import counted

    console = console_for_results()
    if not stopped:
        say(console, "Already over:")
    say(console, headline(found))
    out = len(live.state.tasks)
    if out:
        say(
            console,
            f"{counted(out, 'task')} {'is' if out == 1 else 'are'} out with people: answers "
            "that come from now on are kept and paid, but are no evidence.",
        )
    show_next(live, progress_of(found), console)
