"""`tiebreak campaign repair`: go on with a log that is not the one of its head."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, ReasonOption, now, one_line
from tiebreak.cli.plain_output import write_json


def repair_command(
    campaign: CampaignArgument,
    reason: ReasonOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Go on with a log whose head is missing, damaged, or another copy's. A backup of the whole folder is better.

    Labels that the log has lost stay lost. What was found and the reason are written into the log and shown by verify
    and status, which promise nothing from then on. A log with changed lines before its last cannot be repaired.

    Example: tiebreak campaign repair my-campaign --reason "the disk was full; restored the log of Monday"
    """
    from tiebreak.live.log_care import repair

    repaired = repair(campaign, now=now(), reason=one_line(reason))
    if as_json:
        document = {"campaign": str(campaign), "found": None if repaired is None else repaired.found}
        write_json(document)
        return
    from tiebreak.cli.terminal import console_for_results, say

    console = console_for_results()
    if repaired is None:
        say(console, "There is nothing to repair: log and head fit.")
        return
    say(console, f"Found: {repaired.found}.")
    say(console, "The log is taken as it is and sealed anew; this repair and its reason stand in it.")
    say(console, "Verdicts carry no promise from now on.")
