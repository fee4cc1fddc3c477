"""A diagnosis in the terminal: Holds, Supports, Blocks, Looks wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from tiebreak.cli.terminal import (
    Cell,
    ShownColumn,
    bullets,
    console_for_results,
    heading,
    name_column,
    say,
    say_command,
    sentence,
    show_table,
)
from tiebreak.diagnosis.capabilities import from_to
from tiebreak.diagnosis.doctor import Diagnosis
from tiebreak.diagnosis.holdings import Holdings, JudgeHolding, MetricHolding, SystemHolding
from tiebreak.diagnosis.support import PairSupport
from tiebreak.numbers import counted, in_percent, listed_names, number, plain

if TYPE_CHECKING:
    from pathlib import Path

_SYSTEMS_SHOWN = 20
_ROWS_SHOWN = 10
_PAIRS_SHOWN = 15
_BANDS = (0.1, 0.2, 0.3, 0.5)

_CAPABILITIES = {
    "compare": "compare",
    "estimate": "estimate",
    "target-items": "--target items",
    "target-inputs": "--target inputs",
    "agreement": "agreement between annotators",
    "derived-criteria": "derived criteria",
    "metrics-in-verdict": "metrics in the verdict",
    "judges-in-verdict": "judges in the verdict",
    "evaluator": "an evaluator",
}


def show_diagnosis(diagnosis: Diagnosis, console: Console | None = None) -> None:
    """Print the whole diagnosis to `console` (default: standard output); long lists are counted, not printed."""
    console = console_for_results() if console is None else console
    _show_heading(diagnosis, console)
    _section(console, "Holds")
    _show_holdings(diagnosis.holds, console)
    _section(console, "Supports")
    _show_supports(diagnosis, console)
    _section(console, "Blocks")
    _bullets(console, [blocker.text for blocker in diagnosis.blocks], "Nothing.")
    _section(console, "Looks wrong")
    _bullets(console, [sentence(notice.text) for notice in diagnosis.looks_wrong], "Nothing that tiebreak checks.")


def show_next(diagnosis: Diagnosis, study: Path) -> None:
    """The commands that the study supports."""
    able = [found.name for found in diagnosis.supports if found.possible]
    commands = [name for name in ("compare", "estimate") if name in able]
    console = console_for_results()
    if commands:
        say(console)
    for name in commands:
        say_command(console, name, study, before="Next: " if name == commands[0] else "Or: ")


def _show_heading(diagnosis: Diagnosis, console: Console) -> None:
    held = diagnosis.holds
    line = Text(diagnosis.study, style="bold")
    references = len(held.systems) - held.candidates
    parts = [
        counted(held.candidates, "system"),
        *([counted(references, "reference")] if references else []),
        counted(held.items, "item"),
        counted(held.outputs, "output"),
        counted(held.human_labels, "human label") + f" by {counted(len(held.annotators), 'annotator')}",
    ]
    if not held.human_labels:
        parts[-1] = "no human labels"
    line.append(": " + ", ".join(parts), style="not bold")
    say(console, line)
    if diagnosis.about:
        say(console, diagnosis.about, style="yellow")


def _show_holdings(held: Holdings, console: Console) -> None:
    if held.systems:
        _show_systems(held.systems, held.outputs > 0, console)
    extras = []
    if held.inputs:
        extras.append(f"inputs for {held.inputs:,} of {held.items:,} items")
    if held.references:
        extras.append(f"references for {held.references:,}")
    if held.clusters is not None:
        extras.append(f"{counted(held.clusters, 'independent unit')} by {held.clustered_by}")
    gaps = [found.missing for found in held.systems if found.outputs and found.missing]
    if gaps:
        extras.append(f"{counted(sum(gaps), 'output')} missing in {counted(len(gaps), 'system')}")
    if extras:
        say(console)
        say(console, ", ".join(extras), indent=1)
    if held.labels:
        rows = [
            (found.criterion or "-", found.kind, found.labels, found.items, found.systems, found.annotators)
            for found in held.labels
        ]
        rows += [
            (found.criterion or "-", f"from {found.kind}", found.labels, found.items, found.systems, found.annotators)
            for found in held.derived
        ]
        heads = ("Human labels on", "Kind", "Labels", "Items", "Systems", "Annotators")
        _show_rows(console, heads, rows, "criteria", names=2)
    _show_annotators(held, console)
    if held.metrics:
        _show_metrics(held, console)
    if held.judges:
        judges = [
            (judge.judge, judge.criterion or "-", judge.replies, judge.unparsed, judge.pairs, _doubt([judge]))
            for judge in held.judges
        ]
        heads = ("Judge", "Criterion", "Answers", "Unparsed", "Pairs", "Beside people")
        _show_rows(console, heads, judges, "rows of judges", names=2)


def _show_systems(systems: Sequence[SystemHolding], with_outputs: bool, console: Console) -> None:
    """In the order of their names; of too many, those with most labels and most outputs."""
    shown = list(systems)
    if len(shown) > _SYSTEMS_SHOWN:
        shown.sort(key=lambda found: (-found.labels, -found.outputs, found.system))
        shown = shown[:_ROWS_SHOWN]
    labelled = any(found.labels for found in systems)
    heads = ["System"]
    heads += ["Outputs", "Missing", "Empty", "Median characters"] if with_outputs else []
    heads += ["Labels"] if labelled else []
    rows: list[tuple[Cell, ...]] = []
    for found in shown:
        length = "-" if found.median_characters is None else f"{found.median_characters:,.0f}"
        outputs = (found.outputs, found.missing or "-", found.empty or "-", length) if with_outputs else ()
        name = found.system if found.candidate else f"{found.system} (reference)"
        rows.append((name, *outputs, *((found.labels or "-",) if labelled else ())))
    what = "systems, with fewer labels" if labelled else "systems, with fewer outputs"
    _show_rows(console, heads, rows, what, hidden=len(systems) - len(shown))


def _show_annotators(held: Holdings, console: Console) -> None:
    if not held.annotators:
        return
    shown = held.annotators[:_ROWS_SHOWN]
    timed = any(found.median_seconds is not None for found in held.annotators)
    rows: list[tuple[Cell, ...]] = []
    for found in shown:
        seconds = "-" if found.median_seconds is None else f"{found.median_seconds:,.1f}"
        rows.append((found.annotator, found.labels, f"{100 * found.share:.1f}%", *((seconds,) if timed else ())))
    heads = ("Annotator", "Labels", "Share", *(("Median seconds",) if timed else ()))
    rest = sum(found.share for found in held.annotators[_ROWS_SHOWN:])
    hidden = len(held.annotators) - len(shown)
    _show_rows(console, heads, rows, f"annotators, with {100 * rest:.1f}% of the labels", hidden=hidden)


def _show_metrics(held: Holdings, console: Console) -> None:
    rows: list[tuple[Cell, ...]] = []
    for name, group in groupby(held.metrics, key=lambda found: found.metric):
        found = list(group)
        shares = [metric.share for metric in found if metric.share is not None]
        share = "-" if not shares else in_percent(min(shares))
        criteria = ", ".join(metric.criterion or "every" for metric in found)
        rows.append((name, criteria, sum(metric.scores for metric in found), share, _doubt(found)))
    _show_rows(console, ("Metric", "Criteria", "Scores", "Outputs scored", "Beside people"), rows, "metrics", names=2)


def _doubt(found: Sequence[MetricHolding | JudgeHolding]) -> str:
    """That people labelled nothing of what it says, on all of its criteria or on some."""
    without = [held.criterion or "every" for held in found if not held.validated]
    if len(without) < len(found) and without:
        return f"unvalidated on {listed_names(without)}"
    return "unvalidated" if without else ""


def _show_rows(
    console: Console,
    heads: Sequence[str],
    rows: Sequence[tuple[Cell, ...]],
    what: str,
    names: int = 1,
    hidden: int = 0,
) -> None:
    """A table whose first `names` columns are names and whose others are figures."""
    most = max(_ROWS_SHOWN, _SYSTEMS_SHOWN)
    columns = [name_column(head) if place < names else ShownColumn(head) for place, head in enumerate(heads)]
    say(console)
    show_table(console, columns, rows[:most], indent=1)
    hidden += max(0, len(rows) - most)
    if hidden:
        say(console, f"... and {hidden:,} more {what} (--json lists all)", style="dim", indent=1)


def _show_supports(diagnosis: Diagnosis, console: Console) -> None:
    for found in diagnosis.supports:
        mark = ("yes ", "green") if found.possible else ("no  ", "yellow")
        name = _CAPABILITIES[found.name] + (f" ({found.criterion})" if found.criterion else "")
        say(console, Text.assemble(mark, (f"{name}: ", "bold"), sentence(found.why)), indent=1, hanging=4)
    pairs = [pair for support in diagnosis.criteria for pair in support.pairs]
    if pairs:
        say(console)
        together = f", all {len(pairs):,} pairs tested together" if len(pairs) > 1 else ""
        rule = f"--rule fixed, alpha {plain(diagnosis.alpha)}{together}"
        title = f"Smallest difference that one look at the labels would find in 80% of studies ({rule})"
        say(console, title, style="italic", indent=1)
        if len(pairs) <= _PAIRS_SHOWN:
            _show_pairs(pairs, console)
        else:
            _show_bands(diagnosis, console)


def _show_pairs(pairs: Sequence[PairSupport], console: Console) -> None:
    with_criterion = any(pair.criterion is not None for pair in pairs)
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        found = "none" if pair.usual_ends is None else from_to([pair.usual_ends])
        found += ", with fewer ties" if pair.fewer_tie else ""
        first = (pair.criterion or "-",) if with_criterion else ()
        rows.append(
            (*first, pair.system_a, pair.system_b, pair.items, pair.labels, in_percent(pair.ties / pair.items), found)
        )
    heads = (*(("Criterion",) if with_criterion else ()), "A", "B", "Items", "Labels", "Ties", "Would find")
    _show_rows(console, heads, rows, "pairs", names=3 if with_criterion else 2)


def _show_bands(diagnosis: Diagnosis, console: Console) -> None:
    """How many pairs would find how small a difference."""
    rows: list[tuple[Cell, ...]] = []
    for support in diagnosis.criteria:
        limits = (0.0, *_BANDS)
        smallest = [2.0 if p.detectable_difference is None else p.detectable_difference for p in support.pairs]
        counts = [sum(low < value <= high for value in smallest) for low, high in zip(limits, _BANDS, strict=False)]
        counts += [sum(_BANDS[-1] < value <= 1 for value in smallest), sum(value > 1 for value in smallest)]
        rows.append((support.criterion or "-", len(support.pairs), *(count or "-" for count in counts)))
    heads = ("Criterion", "Pairs", *(f"to {number(band, 1)}" for band in _BANDS), "larger", "none")
    _show_rows(console, heads, rows, "criteria")


def _section(console: Console, title: str) -> None:
    heading(console, title, "bold underline")


def _bullets(console: Console, texts: Iterable[str], nothing: str) -> None:
    told = list(texts)
    bullets(console, told, indent=1)
    if not told:
        say(console, nothing, indent=1)
