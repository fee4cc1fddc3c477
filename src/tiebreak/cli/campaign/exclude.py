"""`tiebreak campaign exclude`: no more tasks for a person."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, ReasonOption, now, one_line
from tiebreak.cli.plain_output import write_json


def exclude_command(
    campaign: CampaignArgument,
    person: Annotated[
        str, typer.Argument(metavar="PERSON", help="Name of the person, as in status.", show_default=False)
    ],
    reason: ReasonOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Give a person no more tasks, for good. Labels given so far stay and count.

    For reasons that have nothing to do with what they prefer: somebody left, never answers, or fails check tasks (these
    exclude by themselves). To exclude people for their answers on the pairs that are compared bends the error rate.

    Example: tiebreak campaign exclude my-campaign ann --reason "has left"
    """
    from tiebreak.live import open_campaign
    from tiebreak.live.by_hand import exclude

    live = open_campaign(campaign)
    name = one_line(person)
    excluded = exclude(live, name, now=now(), reason=one_line(reason))
    found = live.state.annotators[name]
    if as_json:
        document = {
            "campaign": str(campaign),
            "annotator": name,
            "excluded": excluded,
            "labels": found.labels,
            "open": found.open,
        }
        write_json(document)
        return
    from tiebreak.cli.terminal import console_for_results, say
    from tiebreak.results.numbers import counted, plain

    console = console_for_results()
    say(console, f"{name} gets no more tasks" + ("." if excluded else ", and got none before this."))
    stay = "stays and counts" if found.labels == 1 else "stay and count"
    say(console, f"{counted(found.labels, 'label')} of theirs {stay}.")
    if found.open:
        say(
            console,
            f"{counted(found.open, 'task')} {'is' if found.open == 1 else 'are'} out with them: answers still count; "
            f"what they do not answer is asked of others after {plain(live.protocol.people.hours)} hours.",
        )
