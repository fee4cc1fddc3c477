"""Annotators in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.console import Console

from tiebreak.cli.terminal import (
    Name,
    Words,
    bullets,
    console_for_results,
    heading,
    say,
    sentence,
    show_table,
)
from tiebreak.kernels.agreement import Agreement
from tiebreak.numbers import counted, in_percent, interval, listed_names, number
from tiebreak.results.annotators import AnnotatorRow, AnnotatorsResult, Panel

_SHOWN: Final = 10


def show_annotators(found: AnnotatorsResult, console: Console | None = None, *, everything: bool = False) -> None:
    """Print to `console` (default: standard output) who to look at, the agreement of all, and a table of annotators;
    `everything`: all of them.
    """
    console = console_for_results() if console is None else console
    names = {of.annotator for of in found.people}
    look = list(dict.fromkeys(of.annotator for of in found.people if of.reasons))
    labels = sum(of.labels for of in found.people)
    whom = f"Look at the labels of {listed_names(look[:_SHOWN])}" if look else "Nobody's labels look odd"
    more = f" and {len(look) - _SHOWN:,} more" if len(look) > _SHOWN else ""
    say(
        console,
        f"{found.study['name']}: {counted(labels, 'label')} by {counted(len(names), 'annotator')}. {whom}{more}.",
    )
    heading(console, "How far all agree")
    kinds = {of.kind for of in found.panels}
    if all(of.agreeing is None for of in found.panels):
        say(console, "No two questions have labels of two annotators each, so that agreement cannot be measured.")
    else:
        cells = [_panel_cells(of, of.kind if len(kinds) > 1 else "") for of in found.panels]
        show_table(console, _PANEL_COLUMNS, cells)
    heading(console, "Annotators")
    most = None if everything else _SHOWN
    show_table(console, _COLUMNS, [_cells(of) for of in found.people], most=most)
    shown = found.people[:most]
    reasons = list(dict.fromkeys(f"{of.annotator} {reason}." for of in shown for reason in of.reasons))
    if reasons:
        heading(console, "Why")
        bullets(console, [sentence(reason) for reason in reasons], indent=2)
    say(console)
    told = (words for words, is_shown in _EXPLAINED if any(is_shown(of) for of in shown))
    say(console, " ".join([*told, "Intervals are about more items and these annotators."]))


_EXPLAINED: Final[tuple[tuple[str, Callable[[AnnotatorRow], bool]], ...]] = (
    ("Agrees: with the most frequent answer of the others (95% interval).", lambda of: of.agrees is not None),
    ("Agrees, r: the rank correlation with the mean of the others.", lambda of: of.correlation is not None),
    (
        "Competence: the chance not to guess, by MACE, which takes what most people say for the truth.",
        lambda of: of.competence is not None,
    ),
    ("Same answer: the share of the most frequent one.", lambda of: of.usual is not None),
)
"""What a column says, and whose rows have something there."""
_COLUMNS = [Name("Annotator"), "Labels", "Seconds", "Agrees", "Competence", "First text", "Same answer", "Later"]
_PANEL_COLUMNS = [Name("Criterion"), Words("Of"), "Questions", "Alike", "Fleiss", "Cohen", "Krippendorff's alpha"]


def _cells(of: AnnotatorRow) -> tuple[str | int, ...]:
    agrees = "" if of.correlation is None else f"r {number(of.correlation)}"
    if of.agrees is not None:
        low, high = of.agrees.low, of.agrees.high
        ends = "" if low is None or high is None else f" [{in_percent(low)}, {in_percent(high)}]"
        agrees = f"{in_percent(of.agrees.value)}{ends}"
    return (
        of.annotator,
        of.labels,
        "" if of.seconds is None else f"{of.seconds:,.0f}",
        agrees,
        "" if of.competence is None else number(of.competence),
        "" if of.first_text is None else in_percent(of.first_text),
        "" if of.usual is None else in_percent(of.usual),
        "" if of.later is None else f"{of.later:+.2f}",
    )


def _panel_cells(of: Panel, kind: str) -> tuple[str | int, ...]:
    counts = next((each.n_items for each in (of.agreeing, of.fleiss, of.alpha) if each is not None), 0)
    alike = "" if of.agreeing is None else in_percent(of.agreeing.estimate)
    alpha = _coefficient(of.alpha)
    return (
        of.criterion or "all",
        kind,
        counts,
        alike,
        _coefficient(of.fleiss),
        _coefficient(of.cohen),
        f"{alpha}, {of.level}" if alpha else "",
    )


def _coefficient(of: Agreement | None) -> str:
    if of is None:
        return ""
    return number(of.estimate) + ("" if of.low is None or of.high is None else f" {interval(of.low, of.high)}")
