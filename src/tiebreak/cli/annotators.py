"""`tiebreak annotators`: who labelled, how far they agree, and whose labels to look at.

Annotators in the terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Final, cast

from tiebreak.cli.progress import working
from tiebreak.cli.setting_options import AllOption, JsonOption, StrictOption, StudyArgument, option
from tiebreak.cli.terminal import Name, Terminal, Words, sentence, write_remark
from tiebreak.cli.writing import check_files, print_result, write_files
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError
from tiebreak.kernels.agreement import Agreement
from tiebreak.numbers import counted, in_percent, interval, number, some_names
from tiebreak.panel.aggregated import Aggregation, aggregated
from tiebreak.panel.annotators import annotators
from tiebreak.places import labels_that_count, study_at
from tiebreak.report.formats import ENDINGS, check_table, write_table
from tiebreak.results.annotators import AnnotatorRow, AnnotatorsResult, Panel


def annotators_command(
    study: StudyArgument,
    criterion: Annotated[list[str] | None, option("Criterion of the labels; repeatable.", "NAME")] = None,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[Path | None, option(f"Also write the annotators: {ENDINGS}.", "FILE")] = None,
    aggregate: Annotated[
        str | None,
        option(
            "Write the study with one label for each question, by a model of annotators, into --into: mace | "
            "dawid-skene.",
            "NAME",
        ),
    ] = None,
    into: Annotated[Path | None, option("New folder for --aggregate.", "FOLDER")] = None,
) -> None:
    """Say who labelled a study, how far they agree, and whose labels to look at.

    Each annotator against the others: agreement with an interval, competence by MACE, seconds, sides, and answers that
    are always the same or another's. Then how far all agree: percentage, Fleiss' kappa, Krippendorff's alpha. Nobody is
    left out: see with compare --exclude what changes without somebody.

    Example: tiebreak annotators my-study --criterion fluency

    Example: tiebreak annotators my-study --aggregate mace --into one-label-each
    """
    if (aggregate is None) != (into is None):
        raise UsageError("--aggregate and --into go together: a model, and a new folder for the study that it gives")
    check_files(study, (out, check_table))
    chosen, _ = labels_that_count(study_at(study, strict=strict))
    with working("Comparing annotators ..."):
        found = annotators(chosen, criteria=criterion)
        if aggregate is not None and into is not None:
            write_study(aggregated(chosen, cast(Aggregation, aggregate)), into)
            write_remark(f"Wrote {into}: one label for each question, by {aggregate}")
    write_files((out, partial(write_table, found)))
    print_result(found, partial(show_annotators, everything=everything), as_json=as_json)


_SHOWN: Final = 10


def show_annotators(found: AnnotatorsResult, console: Terminal, *, everything: bool = False) -> None:
    """Print who to look at, the agreement of all, and a table of annotators;
    `everything`: all of them.
    """
    names = {of.annotator for of in found.people}
    look = list(dict.fromkeys(of.annotator for of in found.people if of.reasons))
    labels = sum(of.labels for of in found.people)
    whom = f"Look at the labels of {some_names(look, _SHOWN)}" if look else "Nobody's labels look odd"
    console.say(f"{found.study['name']}: {counted(labels, 'label')} by {counted(len(names), 'annotator')}. {whom}.")
    console.heading("How far all agree")
    kinds = {of.kind for of in found.panels}
    if all(of.agreeing is None for of in found.panels):
        console.say("No two questions have labels of two annotators each, so that agreement cannot be measured.")
    else:
        cells = [_panel_cells(of, of.kind if len(kinds) > 1 else "") for of in found.panels]
        console.table(_PANEL_COLUMNS, cells)
    console.heading("Annotators")
    most = None if everything else _SHOWN
    console.table(_COLUMNS, [_cells(of) for of in found.people], most=most)
    shown = found.people[:most]
    reasons = list(dict.fromkeys(f"{of.annotator} {reason}." for of in shown for reason in of.reasons))
    if reasons:
        console.heading("Why")
        console.bullets([sentence(reason) for reason in reasons], indent=2)
    console.say()
    told = (words for words, is_shown in _EXPLAINED if any(is_shown(of) for of in shown))
    console.say(" ".join([*told, "Intervals are about more items and these annotators."]))


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
