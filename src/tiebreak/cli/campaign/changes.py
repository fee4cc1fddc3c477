"""`tiebreak campaign exclude`: no more tasks for a person.

`tiebreak campaign repair`: go on with a log that is not the one of its head.

`tiebreak campaign stop`: end a campaign before it ends by itself.

`tiebreak campaign withdraw`: what a task asked counts against either side from now on.

`tiebreak campaign verify`: is the log of a campaign whole, and is it still the one that it was?
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, ReasonOption, now, one_line
from tiebreak.cli.terminal import write_json


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
    from tiebreak.live.answers import exclude

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
    from tiebreak.numbers import counted, plain

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
    from tiebreak.live.accounts import repair

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


def stop_command(
    campaign: CampaignArgument,
    reason: ReasonOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """End the campaign, for good; the verdicts so far stay, and pairs without one stay undecided.

    Collect the sheets that are out first: answers that come after the end are kept and paid, but are no evidence.

    Example: tiebreak campaign stop my-campaign --reason "the money is needed elsewhere"
    """
    from tiebreak.cli.campaign.show_status import headline, progress_of, standing_of
    from tiebreak.live import open_campaign
    from tiebreak.live.answers import stop

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
    from tiebreak.numbers import counted

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
    from tiebreak.cli.campaign.show_status import headline, standing_of
    from tiebreak.live import open_campaign
    from tiebreak.live.answers import withdraw
    from tiebreak.messages.campaign import named_systems

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
    from tiebreak.live.accounts import holds, log_notices, report_of
    from tiebreak.live.export import open_export, origin_of
    from tiebreak.live.folder import CAMPAIGN_FOLDER, EVENTS_FILE, open_campaign
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
    from tiebreak.messages.log import torn_sentence
    from tiebreak.numbers import counted

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
