"""`tiebreak campaign exclude`: no more tasks for a person.

`tiebreak campaign erase`: delete what a person wrote.

`tiebreak campaign price`: what labels to come cost.

`tiebreak campaign stop`: end a campaign before it ends by itself.

`tiebreak campaign withdraw`: what a task asked counts against either side from now on.

`tiebreak campaign log`: its events, and whether they are still those that were written.

`tiebreak campaign backup`: a copy of a campaign.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, ReasonOption, check_outside, now, one_line
from tiebreak.cli.campaign.status import show_next
from tiebreak.cli.setting_options import JsonOption, argument, option
from tiebreak.cli.terminal import console_for_results, write_json, write_remark
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.live import open_campaign
from tiebreak.live.answers import change_price, exclude, release, stop, texts_of, withdraw
from tiebreak.live.export import event_line
from tiebreak.live.folder import back_up, store_of
from tiebreak.live.result import headline_of, progress_of, standing_of
from tiebreak.messages.campaign import CHANGED, named_systems, price_words
from tiebreak.numbers import counted, plain
from tiebreak.settings.shared import PRICE
from tiebreak.settings.written import number
from tiebreak.store import Head


def exclude_command(
    campaign: CampaignArgument,
    person: Annotated[str, argument("Name of the person, as in status.", "PERSON")],
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> None:
    """Give a person no more tasks, for good. Labels given so far stay and count.

    For reasons that have nothing to do with what they prefer: somebody left, never answers, or fails check tasks (these
    exclude by themselves). To exclude people for their answers on the pairs that are compared bends the error rate.

    Example: tiebreak campaign exclude my-campaign ann --reason "has left"
    """
    live = open_campaign(campaign)
    name = one_line(person)
    excluded = exclude(live, name, now=now(), reason=one_line(reason))
    found = live.state.annotators[name]
    if as_json:
        document = {"campaign": str(campaign), "annotator": name, "excluded": excluded}
        write_json(document | {"labels": found.labels, "open": found.open})
        return

    console = console_for_results()
    console.say(f"{name} gets no more tasks" + ("." if excluded else ", and got none before this."))
    stay = "stays and counts" if found.labels == 1 else "stay and count"
    console.say(f"{counted(found.labels, 'label')} of theirs {stay}.")
    if found.open:
        console.say(
            f"{counted(found.open, 'task')} {'is' if found.open == 1 else 'are'} out with them: answers still count; "
            f"of others they are asked where answers wait for them, all the same after "
            f"{plain(live.protocol.people.hours)} hours."
        )


def erase_command(
    campaign: CampaignArgument,
    person: Annotated[str, argument("Name of the person, as in status.", "PERSON")],
    as_json: JsonOption = False,
) -> None:
    """Delete what a person wrote, comments and edits, for good. Their answers stay, and so does every verdict.

    The log keeps a digest of each text, so that it is still the log that was written. Backups, exports and sheets made
    earlier have the texts; a name is erased by an export without names.

    Example: tiebreak campaign erase my-campaign ann
    """
    name = one_line(person)
    live = open_campaign(campaign)
    release(live, now(), name)  # a label that is made later would have the texts again
    erased = store_of(campaign).erase_texts(texts_of(live, name))
    if as_json:
        write_json({"campaign": str(campaign), "annotator": name, "texts_erased": erased})
        return

    gone = "is" if erased == 1 else "are"
    console_for_results().say(f"{counted(erased, 'text')} of {name} {gone} erased; answers and verdicts stay.")


def price_command(
    campaign: CampaignArgument,
    price: Annotated[
        float, typer.Argument(metavar="AMOUNT", help="What one label costs.", parser=number("AMOUNT", PRICE))
    ],
) -> None:
    """Let labels of tasks that are handed out from now on cost another price. Tasks that are out keep theirs.

    The number of items that is planned for stays as it was fixed; what is left of --max-money pays for more labels or
    fewer.

    Example: tiebreak campaign price my-campaign 0.15
    """
    live = open_campaign(campaign)
    changed = change_price(live, price, now=now())
    console_for_results().say(price_words(changed, live.state.most_labels, live.state.labels))


def stop_command(campaign: CampaignArgument, reason: ReasonOption = "", as_json: JsonOption = False) -> None:
    """End the campaign, for good; the verdicts so far stay, and pairs without one stay undecided.

    Collect the sheets that are out first: answers that come after the end are kept and paid, but are no evidence.

    Example: tiebreak campaign stop my-campaign --reason "the money is needed elsewhere"
    """
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

    console = console_for_results()
    if not stopped:
        console.say("Already over:")
    console.say(headline_of(found))
    out = len(live.state.tasks)
    if out:
        console.say(
            f"{counted(out, 'task')} {'is' if out == 1 else 'are'} out with people: answers "
            "that come from now on are kept and paid, but are no evidence."
        )
    show_next(live, progress_of(found), console)


def withdraw_command(
    campaign: CampaignArgument,
    tasks: Annotated[list[str], argument("Tasks, as in sheets and exports.", "TASK...")],
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> None:
    """Take back labels that were a mistake, for good. Their items count against either side and are not asked again.

    So nobody can bend a verdict by it, whatever they have seen; each item costs about ten further labels. All its
    labels in that pair stop to count. Verdicts that were reached stand; every result says what was withdrawn, and why.

    Example: tiebreak campaign withdraw my-campaign t000g-7k2m --reason "hit the wrong key"
    """
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

    console = console_for_results()
    for of in found:
        console.say(f"{of.task}: item {of.item} of {' and '.join(of.systems)} is withdrawn.")
    (notice,) = [notice for notice in result.warnings if notice.code == CHANGED.code]
    console.say(notice.text)
    console.say(headline_of(result))


def log_command(
    campaign: CampaignArgument,
    check: Annotated[bool, option("Print its length and head instead of the events.", "", "--check")] = False,
    head: Annotated[
        str | None, option("Head that was noted earlier, to see that the log has only grown since.", "HEAD")
    ] = None,
    as_json: Annotated[bool, option("With --check: print one JSON document.", "", "--json")] = False,
) -> None:
    """Print the events as JSON Lines, after a check that every one fits the one before it, and the last one the head.

    The head stands for the whole log: note it where you cannot change it, in an e-mail or a registry, and --head tells
    later whether the log is still the one that it was. Exit status 1 if it is not.

    Example: tiebreak campaign log my-campaign > events.jsonl
    """
    if as_json and not check:
        raise UsageError("--json is for --check; without it the events are JSON Lines already")
    live = open_campaign(campaign)
    store = store_of(campaign)
    if head is not None and not store.holds(Head.parse(head)):
        what = "the log never had this head: it was written anew since, or the head is another log's"
        raise InputError([Problem(store.where, what, value=head)])
    if not check:
        for event in store.read():
            sys.stdout.write(event_line(event).decode())
        write_remark(f"{counted(live.head.events, 'event')}; head: {live.head}")
        return
    if as_json:
        write_json({"campaign": str(campaign), "events": live.head.events, "head": str(live.head)})
        return
    console = console_for_results()
    console.say(f"{counted(live.head.events, 'event')}: every one fits the one before it, and the last one the head.")
    console.say(f"Its head: {live.head}")
    if head is not None:
        console.say("It has only grown since the head that you noted.")


def backup_command(
    campaign: CampaignArgument, out: Annotated[Path, option("The new folder.", "FOLDER", "--out", "-o")]
) -> None:
    """Copy a campaign into a new folder, while others may write to it. The copy is a campaign of its own.

    To restore, put it in the place of the first one; never go on with both. Of a campaign in PostgreSQL the server
    makes backups.

    Example: tiebreak campaign backup my-campaign -o backups/monday
    """
    check_outside(campaign, out)
    write_remark(f"Wrote {out}: {counted(back_up(campaign, out).head.events, 'event')}")
