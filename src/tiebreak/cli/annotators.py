"""`tiebreak annotators`: who labelled, how far they agree, and whose labels to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiebreak.cli.setting_options import AllOption, JsonOption, StrictOption, StudyArgument
from tiebreak.cli.terminal import (
    ShownColumn,
    bullets,
    console_for_results,
    heading,
    name_column,
    say,
    sentence,
    show_table,
    words_column,
    write_json,
    write_remark,
)
from tiebreak.numbers import counted, in_percent, interval, listed_names, number
from tiebreak.report.formats import ENDINGS, check_table, write_table

if TYPE_CHECKING:
    from rich.console import Console

    from tiebreak.kernels.agreement import Agreement
    from tiebreak.results.annotators import AnnotatorRow, AnnotatorsResult, Panel

_SHOWN = 10


def annotators_command(
    study: StudyArgument,
    criterion: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Criterion of the labels; repeatable.", show_default=False)
    ] = None,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Also write the annotators: {ENDINGS}.", show_default=False)
    ] = None,
) -> None:
    """Say who labelled a study, how far they agree, and whose labels to look at.

    Each annotator against the others: agreement with an interval, competence by MACE, seconds, sides, and answers that
    are always the same or another's. Then how far all agree: percentage, Fleiss' kappa, Krippendorff's alpha. Nobody is
    left out: see with compare --exclude what changes without somebody.

    Example: tiebreak annotators my-study --criterion fluency
    """
    from contextlib import nullcontext

    from tiebreak.cli.terminal import console_for_messages
    from tiebreak.files import refuse_inside
    from tiebreak.panel.annotators import annotators
    from tiebreak.places import labels_that_count, study_at

    if out is not None:
        check_table(out)
        refuse_inside(study, out)
    chosen, _ = labels_that_count(study_at(study, strict=strict))
    console = console_for_messages()
    with console.status("Comparing annotators ...") if console.is_terminal else nullcontext():
        found = annotators(chosen, criteria=criterion)
    if out is not None:
        write_table(found, out)
        write_remark(f"Wrote {out}")
    if as_json:
        write_json(found.to_dict())
    else:
        show_annotators(found, console_for_results(), everything=everything)


def show_annotators(found: AnnotatorsResult, console: Console, *, everything: bool = False) -> None:
    """Print who to look at, the agreement of all, and a table of the annotators."""
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
    shown = found.people if everything else found.people[:_SHOWN]
    show_table(console, _COLUMNS, [_cells(of) for of in shown])
    if len(shown) < len(found.people):
        say(console, f"... and {len(found.people) - len(shown):,} more (--all)")
    reasons = [f"{of.annotator} {reason}." for of in shown for reason in of.reasons]
    if reasons:
        heading(console, "Why")
        bullets(console, [sentence(reason) for reason in reasons], indent=2)
    say(console)
    say(console, _EXPLAINED)


_EXPLAINED = (
    "Agrees: with the most frequent answer of the others (95% interval), or how ratings correlate with the others' "
    "mean. Competence: the chance not to guess, by MACE, which takes what most people say for the truth. Same answer: "
    "the share of the most frequent one. Intervals are about more items and these annotators."
)
_COLUMNS = [
    name_column("Annotator"),
    ShownColumn("Labels", said="{} labels"),
    ShownColumn("Seconds", said="{} seconds per label"),
    ShownColumn("Agrees"),
    ShownColumn("Competence"),
    ShownColumn("First text"),
    ShownColumn("Same answer"),
    ShownColumn("Later"),
]
_PANEL_COLUMNS = [
    name_column("Criterion"),
    words_column("Of"),
    ShownColumn("Questions", said="{} questions"),
    ShownColumn("Alike"),
    ShownColumn("Fleiss"),
    ShownColumn("Cohen"),
    ShownColumn("Krippendorff's alpha"),
]


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
        in_percent(of.usual),
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
