"""`tiebreak campaign verify`: is the log of a campaign whole, and is it still the one that it was?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument
from tiebreak.cli.plain_output import write_json


def verify_command(
    campaign: CampaignArgument,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="HEAD",
            help="Head that was noted earlier, to see that the log has only grown since.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check that every line of the log fits the one before it, and the last one its head; print the head.

    Takes an export as well. The head stands for the whole log: note it where you cannot change it, in an e-mail or a
    registry, and --head tells later whether the log is still the one that it was. Exit status 1 if it is not.

    Example: tiebreak campaign verify my-campaign
    """
    from tiebreak.errors import InputError, Problem
    from tiebreak.live.export import open_export, origin_of
    from tiebreak.live.folder import CAMPAIGN_FOLDER, EVENTS_FILE, open_campaign
    from tiebreak.live.log_care import holds, log_notices, report_of
    from tiebreak.places import place_at
    from tiebreak.store import Head

    exported = place_at(campaign).kind == "export"
    log = campaign / CAMPAIGN_FOLDER / EVENTS_FILE if exported else campaign / EVENTS_FILE
    live = open_export(campaign) if exported else open_campaign(campaign)
    found = report_of(live, log)
    origin = origin_of(campaign).head if exported else ""
    if head is not None and not holds(log, Head.parse(head)):
        same = origin and Head.parse(origin) == Head.parse(head)
        if not same:
            what = "never had this head: it was written anew since, or the head is another log's"
            raise InputError([Problem(str(log), f"the log {what}", value=head)])
    if as_json:
        document = {
            "campaign": str(campaign),
            "events": found.events,
            "head": str(found.head),
            "original_head": origin or None,
            "repairs": [asdict(repair) for repair in found.repairs],
            "torn": [str(path) for path in found.torn],
            "clock": [asdict(step) for step in found.clock],
        }
        write_json(document)
        return
    from tiebreak.cli.terminal import console_for_results, say
    from tiebreak.results.numbers import counted
    from tiebreak.results.words.log import torn_sentence

    console = console_for_results()
    say(
        console, f"{counted(found.events, 'event')}: every line fits the one before it, and the last one fits the head."
    )
    say(console, f"Its head: {found.head}")
    if exported:
        say(console, f"The campaign's own log had this head when it was exported: {origin or 'not recorded'}")
    if head is not None:
        say(console, "It has only grown since the head that you noted.")
    torn = torn_sentence([path.name for path in found.torn], repaired=bool(found.repairs))
    for sentence in [*(notice.text for notice in log_notices(live)), torn]:
        if sentence:
            say(console, sentence)
