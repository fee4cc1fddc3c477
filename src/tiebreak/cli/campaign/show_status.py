"""A campaign in the terminal: how far it is and what comes next, verdicts, what was spent, people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tiebreak.cli.campaign.standing import headline, progress_of
from tiebreak.cli.show_comparison import show_order, show_pairs
from tiebreak.cli.show_measured import show_measures
from tiebreak.cli.show_metric_use import show_metric_use
from tiebreak.cli.tables import Cell, Column, name_column, show_table
from tiebreak.cli.terminal import bullets, console_for_results, heading, say, say_command
from tiebreak.live import LiveCampaign
from tiebreak.records import Notice
from tiebreak.results.measured.records import MeasuredResult
from tiebreak.results.measured.words import question_words
from tiebreak.results.numbers import in_percent, money
from tiebreak.results.progress import Account, CampaignProgress
from tiebreak.results.records import CompareResult
from tiebreak.results.words import interval_words
from tiebreak.results.words.campaign import exclusion_words, spending_words


def show_status(live: LiveCampaign, found: CompareResult) -> None:
    """Print everything."""
    console = console_for_results()
    progress, (criterion,) = progress_of(found), found.results
    say(console, Text.assemble((str(live.folder), "bold"), f": {live.protocol.question}"))
    say(console, headline(found))
    show_next(live, progress, console)
    show_order(criterion, console)
    show_pairs(criterion, found, console)
    say(console)
    for sentence in spending_words(progress, found.undecided):
        say(console, sentence)
    show_metric_use(criterion, console)
    say(console, f"Verdicts {found.terms.guarantee}.", style="dim")
    say(console, f"Intervals {interval_words(criterion.pairs, found.terms)}", style="dim")
    _show_rest(found.warnings, progress, console)


def show_rating_status(live: LiveCampaign, found: MeasuredResult) -> None:
    """Print everything of a campaign of ratings."""
    console, progress = console_for_results(), found.campaign
    say(console, Text.assemble((str(live.folder), "bold"), f": {question_words(found)}"))
    say(console, headline(found))
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
    if progress.labels_out and (progress.labels_waiting or all_given):  # what is out holds everything up
        steps = [collect] if all_given else [collect, sheet]
    for step, before in zip(steps, ("Next: ", "Or: "), strict=False):
        say_command(console, *step, before=before)


def _show_people(people: tuple[Account, ...], console: Console) -> None:
    columns = [
        name_column("Annotator"),
        Column("Labels", said="{} labels"),
        Column("Open", said="{} open"),
        Column("Seconds per label", said="{} seconds per label"),
        Column("First text chosen", said="first text chosen {}"),
        Column("Checks right", said="{} checks right"),
        Column("Pay"),
    ]
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
