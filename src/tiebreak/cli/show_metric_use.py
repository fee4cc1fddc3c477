"""What metrics and judges did for a comparison, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from tiebreak.cli.tables import Column, name_column, show_table
from tiebreak.cli.terminal import say
from tiebreak.results.records import CriterionResult
from tiebreak.results.words import OUTCOMES, metrics_of_criterion, order_words
from tiebreak.settings.name_lists import listed_names


def show_metric_use(found: CriterionResult, console: Console) -> None:
    """Agreement with people, what was saved, and the confusion over all pairs; nothing without metrics."""
    for summary in metrics_of_criterion(found.pairs):
        told = Text.assemble((f"{listed_names(summary.names)}: ", "bold"), " ".join(summary.sentences))
        say(console, told, indent=2, hanging=2)
        if any(map(sum, summary.confusion)):
            columns = [name_column("It says"), *(Column(f"people: {outcome}") for outcome in OUTCOMES)]
            rows: list[tuple[str | int, ...]] = [
                (outcome, *row) for outcome, row in zip(OUTCOMES, summary.confusion, strict=True)
            ]
            show_table(console, columns, rows, indent=4)
    for judge in found.judges:
        say(console, order_words(judge), indent=2, hanging=2)
