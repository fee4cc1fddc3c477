"""Scores of outputs and systems in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tiebreak.cli.evaluator.show_use import show_use
from tiebreak.cli.tables import Column, name_column, show_table
from tiebreak.cli.terminal import bullets, console_for_results, say
from tiebreak.results.numbers import counted

if TYPE_CHECKING:
    from tiebreak.scoring.evaluator.scores.score import Scored


def show_scored(found: Scored, study: Path) -> None:
    """Systems by their mean scores and by their own rating, what that took, and what next."""
    console = console_for_results()
    columns = [name_column("System"), Column("Outputs")]
    columns += [Column(f"Mean {metric}", said=f"mean {metric} {{}}") for metric in found.metrics]
    rated = found.comparisons.get("systems", 0) > 0
    columns += [Column("Rating", said="rating {}")] if rated else []
    rows = []
    for one in found.systems:
        means = [_score(mean) for mean in one.means.values()]
        rating = [] if not rated else ["-" if one.rating is None else f"{one.rating:.0f}"]
        rows.append((one.system, f"{one.outputs:,}", *means, *rating))
    show_table(console, columns, rows)
    for metric in found.metrics:
        if metric in found.comparisons:
            against = f" with {counted(found.references, 'common reference')}" if metric.endswith("-points") else ""
            say(console, f"{metric}: {counted(found.comparisons[metric], 'comparison')}{against}.")
    if rated:
        say(console, f"Rating: a tournament of systems, {counted(found.comparisons['systems'], 'comparison')}.")
    elif "systems" in found.comparisons and len(found.systems) > 1:
        say(console, "No rating of systems: no two of them have outputs for the same item.")
    if rated and found.converged is False:
        say(console, "Its order had not settled: more --system-games, or systems that it cannot tell apart.")
    bullets(console, found.notes)
    show_use(study, "--metric", found.metrics[0])


def _score(mean: float) -> str:
    return f"{mean:.0f}" if abs(mean) >= 1000 else f"{mean:.3g}"
