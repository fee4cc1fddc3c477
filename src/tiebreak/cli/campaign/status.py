"""`tiebreak campaign status`: what is decided, what is still to come, and who has done what.

`tiebreak campaign export`: the labels as a study.

A campaign in the terminal: how far it is and what comes next, verdicts, what was spent, people.

What a new campaign will ask, what it costs at most, and how to go on.

How a campaign stands, whatever people are asked in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from tiebreak.cli.campaign.options import CampaignArgument, check_outside
from tiebreak.cli.compare import show_order, show_pairs
from tiebreak.cli.estimate import show_measures, show_metric_use
from tiebreak.cli.setting_options import JsonOption, option
from tiebreak.cli.terminal import (
    Cell,
    Name,
    bullets,
    console_for_results,
    heading,
    say,
    say_command,
    show_table,
    write_json,
    write_remark,
)
from tiebreak.files import check_place, write_bytes
from tiebreak.live import LiveCampaign, open_campaign
from tiebreak.live.accounts import accounts, accounts_csv
from tiebreak.live.export import write_export
from tiebreak.live.outlook import outlook
from tiebreak.live.result import headline_of, progress_of, standing_of
from tiebreak.messages.campaign import exclusion_words, spending_words
from tiebreak.messages.claims import interval_words
from tiebreak.messages.measured import question_words
from tiebreak.messages.outlook import outlook_words, size_words
from tiebreak.numbers import counted, in_percent, money
from tiebreak.records import Notice
from tiebreak.results.measured import MeasuredResult
from tiebreak.results.progress import CampaignAccount, CampaignProgress
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


def show_status(live: LiveCampaign, found: CompareResult) -> None:
    """Print everything."""
    console = console_for_results()
    progress, (criterion,) = progress_of(found), found.results
    say(console, Text.assemble((str(live.folder), "bold"), f": {live.protocol.asked}"))
    say(console, headline_of(found))
    show_next(live, progress, console)
    show_order(criterion, console)
    show_pairs(criterion, found, console)
    say(console)
    for sentence in spending_words(progress, found.undecided):
        say(console, sentence)
    show_metric_use(criterion, console)
    say(console, f"Verdicts {found.terms.guarantee}.", style="dim")
    say(console, f"Intervals: {interval_words(criterion.pairs, found.terms)}", style="dim")
    _show_rest(found.warnings, progress, console)


def show_rating_status(live: LiveCampaign, found: MeasuredResult) -> None:
    """Print everything of a campaign of ratings."""
    console, progress = console_for_results(), found.campaign
    say(console, Text.assemble((str(live.folder), "bold"), f": {question_words(found)}"))
    say(console, headline_of(found))
    show_next(live, progress, console)
    show_measures(found, console)
    say(console)
    for sentence in spending_words(progress, found.undecided, "ratings go on"):
        say(console, sentence)
    _show_rest(found.warnings, progress, console)


def _show_rest(warnings: Sequence[Notice], progress: CampaignProgress, console: Console) -> None:
    if warnings:
        heading(console, "Warnings", "bold yellow")
        bullets(console, [warning.text for warning in warnings])
    if progress.people:
        say(console)
        _show_people(progress.people, console)
        for line in exclusion_words(progress):
            say(console, line)


def show_next(live: LiveCampaign, progress: CampaignProgress, console: Console) -> None:
    """The commands that come next."""
    if progress.ended is not None and not progress.labels:
        return
    if progress.ended is not None:
        if live.protocol.rates:
            say_command(console, "estimate", live.folder, before="Next: ")
        else:
            say_command(console, "report", live.folder, "-o", "report.html", before="Next: ")
        say_command(console, "campaign", "export", live.folder, "-o", "EXPORT", before="Or: ")
        return
    sheet: tuple[str | Path, ...] = ("campaign", "sheet", live.folder, "--annotator", "NAME", "-o", "FILE.xlsx")
    collect: tuple[str | Path, ...] = ("campaign", "collect", live.folder, "FILE.xlsx")
    all_given = progress.labels_left is not None and progress.labels_left <= progress.labels_out
    steps = [sheet, collect] if progress.labels_out else [sheet]
    if progress.labels_out and (all_given or any(of.is_waited_for for of in progress.people)):
        steps = [collect] if all_given else [collect, sheet]
    for step, before in zip(steps, ("Next: ", "Or: "), strict=False):
        say_command(console, *step, before=before)


def _show_people(people: tuple[CampaignAccount, ...], console: Console) -> None:
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
    show_table(console, columns, rows)


def show_created(campaign: LiveCampaign) -> None:
    """Print it."""
    console, folder = console_for_results(), campaign.folder
    found = outlook(campaign.state, campaign.study)
    say(console, Text.assemble((str(folder), "bold"), f": {size_words(found)}"))
    for text in outlook_words(found):
        say(console, text)
    for text in found.notices:
        say(console, text, style="yellow")
    say(
        console,
        "The protocol is fixed from now on. Keep the folder to yourself: it holds the order of items and names the "
        "systems. Let people answer in a browser, or give them sheets:",
    )
    say_command(console, "campaign", "serve", folder, indent=2)
    say_command(console, "campaign", "sheet", folder, "--annotator", "NAME", "-o", "sheet.xlsx", indent=2)


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
