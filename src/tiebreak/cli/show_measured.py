"""What a campaign of ratings has found out, in the terminal."""

from __future__ import annotations

from rich.console import Console

from tiebreak.cli.tables import Column, name_column, show_table, words_column
from tiebreak.cli.terminal import bullets, console_for_results, heading, say
from tiebreak.results.measured.records import MeasuredCriterion, MeasuredResult
from tiebreak.results.measured.words import figures, headline_words, name_of, need_words, question_words
from tiebreak.results.numbers import known_number, number, plain


def show_measured(result: MeasuredResult, console: Console | None = None) -> None:
    """Print headline, tables, what intervals promise, warnings, and the sentence for a paper."""
    console = console_for_results() if console is None else console
    say(console, f"{question_words(result)}.")
    say(console, headline_words(result))
    show_measures(result, console)
    if result.warnings:
        heading(console, "Warnings", "bold yellow")
        bullets(console, [warning.text for warning in result.warnings])
    if result.sentence:
        heading(console, "For the paper")
        say(console, result.sentence, indent=2)


def show_measures(result: MeasuredResult, console: Console) -> None:
    """The tables, and what intervals promise."""
    for found in result.results:
        low, high = found.scale
        heading(console, f"{found.criterion} ({plain(low)} to {plain(high)})", "bold underline")
        _show_table(found, console)
    say(console)
    say(console, f"Intervals {result.guarantee}.", style="dim")


def _show_table(found: MeasuredCriterion, console: Console) -> None:
    what = "System" if any(len(of.systems) == 1 for of in found.measures) else "Difference"
    columns = [
        name_column(what),
        Column("Mean", said="mean {}"),
        Column("Interval", said="interval {}"),
        Column("±", said="±{}"),
        Column("Items", said="{} items"),
        Column("Ratings", said="{} ratings"),
        words_column("Needs"),
    ]
    ranked = sorted(found.measures, key=lambda of: -(of.mean.estimate if of.mean.estimate is not None else -1e300))
    rows = [
        (
            name_of(of),
            *figures(of),
            "-" if of.half_width is None else number(of.half_width),
            of.items,
            of.ratings,
            need_words(of),
        )
        for of in ranked
    ]
    show_table(console, columns, rows)
    if found.systems:
        means = [f"{of.system} {known_number(of.estimate)} ({of.items:,})" for of in found.systems]
        say(console, f"Mean ratings so far, without intervals (items): {', '.join(means)}.", style="dim")
