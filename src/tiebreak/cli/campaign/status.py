"""`tiebreak campaign status`: what is decided, what is still to come, and who has done what.

`tiebreak campaign export`: the labels as a study.

A campaign in the terminal: how far it is and what comes next, verdicts, what was spent, people.

What a new campaign will ask, what it costs at most, and how to go on.

How a campaign stands, whatever people are asked in it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tiebreak.cli.campaign.options import CampaignArgument, check_outside
from tiebreak.cli.compare import show_order, show_pairs
from tiebreak.cli.estimate import show_measures, show_metric_use
from tiebreak.cli.setting_options import JsonOption, option
from tiebreak.cli.terminal import Cell, Name, Terminal, console_for_results
from tiebreak.cli.writing import check_files, print_result, write_files
from tiebreak.files import check_place, write_bytes
from tiebreak.live import LiveCampaign, open_campaign
from tiebreak.live.accounts import accounts, accounts_csv
from tiebreak.live.export import write_export
from tiebreak.live.outlook import outlook
from tiebreak.live.result import Standing, headline_of, progress_of, standing_of
from tiebreak.messages.campaign import exclusion_words, spending_words
from tiebreak.messages.claims import interval_words
from tiebreak.messages.measured import question_words
from tiebreak.messages.outlook import outlook_words, size_words
from tiebreak.numbers import counted, in_percent, money
from tiebreak.results.progress import CampaignAccount, CampaignProgress
from tiebreak.results.records import CompareResult


def status_command(
    campaign: CampaignArgument,
    csv: Annotated[Path | None, option("Also write labels, time and pay of each person as CSV.", "FILE")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the verdicts so far, labels and money spent and to go, and what each person has done.

    Changes nothing; look as often as you like.

    Example: tiebreak campaign status my-campaign --csv pay.csv
    """
    check_files(None, (csv, check_place), (csv, partial(check_outside, campaign)))
    live = open_campaign(campaign)
    found = standing_of(live)
    write_files((csv, lambda path: write_bytes(path, accounts_csv(accounts(live)))))
    print_result(found, partial(show_status, live=live), as_json=as_json)


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
    console.say(f"Wrote {out}: {counted(0 if rows is None else rows['task'].n_unique(), 'label')}")
    console.command("estimate" if rates else "compare", out, before="Next: ")


def show_status(found: Standing, console: Terminal, *, live: LiveCampaign) -> None:
    """Print everything."""
    progress = progress_of(found)
    asked = live.protocol.asked if isinstance(found, CompareResult) else question_words(found)
    console.say(Text.assemble((str(live.folder), "bold"), f": {asked}"))
    console.say(headline_of(found))
    show_next(live, progress, console)
    if isinstance(found, CompareResult):
        (criterion,) = found.results
        show_order(criterion, console)
        show_pairs(criterion, found, console)
        console.say()
        console.say_each(spending_words(progress, found.undecided))
        show_metric_use(criterion, console)
        console.say(f"Verdicts {found.terms.guarantee}.", style="dim")
        console.say(f"Intervals: {interval_words(criterion.pairs, found.terms)}", style="dim")
    else:
        show_measures(found, console)
        console.say()
        console.say_each(spending_words(progress, found.undecided, "ratings go on"))
    console.warnings(found.warnings)
    if progress.people:
        console.say()
        _show_people(progress.people, console)
        console.say_each(exclusion_words(progress))


def show_next(live: LiveCampaign, progress: CampaignProgress, console: Terminal) -> None:
    """The commands that come next."""
    if progress.ended is not None and not progress.labels:
        return
    if progress.ended is not None:
        if live.protocol.rates:
            console.command("estimate", live.folder, before="Next: ")
        else:
            console.command("report", live.folder, "-o", "report.html", before="Next: ")
        console.command("campaign", "export", live.folder, "-o", "EXPORT", before="Or: ")
        return
    sheet: tuple[str | Path, ...] = ("campaign", "sheet", live.folder, "--annotator", "NAME", "-o", "FILE.xlsx")
    collect: tuple[str | Path, ...] = ("campaign", "collect", live.folder, "FILE.xlsx")
    all_given = progress.labels_left is not None and progress.labels_left <= progress.labels_out
    steps = [sheet, collect] if progress.labels_out else [sheet]
    if progress.labels_out and (all_given or any(of.is_waited_for for of in progress.people)):
        steps = [collect] if all_given else [collect, sheet]
    for step, before in zip(steps, ("Next: ", "Or: "), strict=False):
        console.command(*step, before=before)


def _show_people(people: tuple[CampaignAccount, ...], console: Terminal) -> None:
    columns = [Name("Annotator"), "Labels", "Open", "Seconds per label", "First text chosen", "Checks right", "Pay"]
    rows: list[tuple[Cell, ...]] = [
        (
            person.annotator + (" (excluded)" if person.excluded else ""),
            person.labels,
            person.open,
            "" if person.seconds_per_label is None else f"{person.seconds_per_label:,.0f}",
            "" if person.first_text is None else in_percent(person.first_text),
            f"{person.checks_right} of {person.checks}" if person.checks else "",
            "" if person.pay is None else money(person.pay, person.currency),
        )
        for person in people
    ]
    console.table(columns, rows)


def show_created(campaign: LiveCampaign) -> None:
    """Print it."""
    console, folder = console_for_results(), campaign.folder
    found = outlook(campaign.state, campaign.study)
    console.say(Text.assemble((str(folder), "bold"), f": {size_words(found)}"))
    console.say_each(outlook_words(found))
    console.say_each(found.notices, style="yellow")
    console.say(
        "The protocol is fixed from now on. Keep the folder to yourself: it holds the order of items and names the "
        "systems. Let people answer in a browser, or give them sheets:"
    )
    console.command("campaign", "serve", folder, indent=2)
    console.command("campaign", "sheet", folder, "--annotator", "NAME", "-o", "sheet.xlsx", indent=2)


def created_document(campaign: LiveCampaign) -> dict[str, object]:
    """The same for programs."""
    found = outlook(campaign.state, campaign.study)
    return {
        "campaign": str(campaign.folder),
        "protocol": campaign.protocol.to_dict(),
        "fingerprint": campaign.protocol.fingerprint,
        "systems": list(campaign.state.plan.systems),
        "pairs": found.pairs,
        "items": found.study_items,
        "identical": found.known,
        "most_labels": found.labels,
        "most_money": found.money,
        "currency": found.currency,
        "warnings": list(found.notices),
    }
