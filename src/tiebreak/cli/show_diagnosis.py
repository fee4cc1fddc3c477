"""A diagnosis in the terminal: Holds, Supports, Blocks, Looks wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tiebreak.cli.terminal import console_for_results
from tiebreak.diagnosis.doctor import Diagnosis
from tiebreak.diagnosis.holdings import Holdings, SystemHolding
from tiebreak.diagnosis.support import PairSupport
from tiebreak.results.numbers import number, plain

_SYSTEMS_SHOWN = 20
_ROWS_SHOWN = 10
_PAIRS_SHOWN = 15
_BANDS = (0.1, 0.2, 0.3, 0.5)

_CAPABILITIES = {
    "compare": "compare",
    "target-items": "--target items",
    "target-inputs": "--target inputs",
    "recorded-order": "labels in their recorded order",
    "agreement": "agreement between annotators",
    "metrics-in-verdict": "metrics in the verdict",
    "judges-in-verdict": "judges in the verdict",
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
    _bullets(console, [_sentence(notice.text) for notice in diagnosis.looks_wrong], "Nothing that tiebreak checks.")


def _show_heading(diagnosis: Diagnosis, console: Console) -> None:
    held = diagnosis.holds
    line = Text(diagnosis.study, style="bold")
    parts = [
        _count(len(held.systems), "system"),
        _count(held.items, "item"),
        _count(held.outputs, "output"),
        _count(held.human_labels, "human label") + (f" by {_count(len(held.annotators), 'annotator')}"),
    ]
    if not held.human_labels:
        parts[-1] = "no human labels"
    line.append(": " + ", ".join(parts), style="not bold")
    console.print(line)


def _show_holdings(held: Holdings, console: Console) -> None:
    if held.systems:
        _show_systems(held.systems, held.outputs > 0, console)
    extras = []
    if held.inputs:
        extras.append(f"inputs for {held.inputs:,} of {held.items:,} items")
    if held.references:
        extras.append(f"references for {held.references:,}")
    if held.clusters is not None:
        extras.append(f"{held.clusters:,} independent units by {held.clustered_by}")
    gaps = [found.missing for found in held.systems if found.outputs and found.missing]
    if gaps:
        extras.append(f"{_count(sum(gaps), 'output')} missing in {_count(len(gaps), 'system')}")
    if extras:
        console.print(Padding(Text(", ".join(extras)), (0, 1)))
        console.print()
    if held.labels:
        rows = [
            (found.criterion or "-", found.kind, found.labels, found.items, found.systems, found.annotators)
            for found in held.labels
        ]
        heads = ("Human labels on", "Kind", "Labels", "Items", "Systems", "Annotators")
        _show_rows(console, heads, rows, "criteria", names=2)
    _show_annotators(held, console)
    if held.metrics:
        _show_metrics(held, console)
    if held.judges:
        judges = [
            (judge.judge, judge.criterion or "-", judge.replies, judge.unparsed, judge.pairs) for judge in held.judges
        ]
        _show_rows(console, ("Judge", "Criterion", "Answers", "Unparsed", "Pairs"), judges, "rows of judges", names=2)


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
    rows: list[tuple[object, ...]] = []
    for found in shown:
        length = "-" if found.median_characters is None else f"{found.median_characters:,.0f}"
        outputs = (found.outputs, found.missing or "-", found.empty or "-", length) if with_outputs else ()
        rows.append((found.system, *outputs, *((found.labels or "-",) if labelled else ())))
    what = "systems, with fewer labels" if labelled else "systems, with fewer outputs"
    _show_rows(console, heads, rows, what, hidden=len(systems) - len(shown))


def _show_annotators(held: Holdings, console: Console) -> None:
    if not held.annotators:
        return
    shown = held.annotators[:_ROWS_SHOWN]
    timed = any(found.median_seconds is not None for found in held.annotators)
    rows: list[tuple[object, ...]] = []
    for found in shown:
        seconds = "-" if found.median_seconds is None else f"{found.median_seconds:,.1f}"
        rows.append((found.annotator, found.labels, f"{100 * found.share:.1f} %", *((seconds,) if timed else ())))
    heads = ("Annotator", "Labels", "Share", *(("Median seconds",) if timed else ()))
    rest = sum(found.share for found in held.annotators[_ROWS_SHOWN:])
    hidden = len(held.annotators) - len(shown)
    _show_rows(console, heads, rows, f"annotators, with {100 * rest:.1f} % of the labels", hidden=hidden)


def _show_metrics(held: Holdings, console: Console) -> None:
    rows: list[tuple[object, ...]] = []
    for name, group in groupby(held.metrics, key=lambda found: found.metric):
        found = list(group)
        shares = [metric.share for metric in found if metric.share is not None]
        share = "-" if not shares else f"{100 * min(shares):.0f} %"
        criteria = ", ".join(metric.criterion or "every" for metric in found)
        rows.append((name, criteria, sum(metric.scores for metric in found), share))
    _show_rows(console, ("Metric", "Criteria", "Scores", "Outputs scored"), rows, "metrics", names=2)


def _show_rows(
    console: Console,
    heads: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    what: str,
    names: int = 1,
    hidden: int = 0,
) -> None:
    """A table whose first `names` columns are names, which fold, and whose others are figures, which do not."""
    table = Table(box=SIMPLE_HEAD, pad_edge=True, show_edge=False, padding=(0, 1))
    for place, head in enumerate(heads):
        if place < names:
            table.add_column(Text(head), overflow="fold")
        else:
            table.add_column(Text(head), justify="right", overflow="fold", min_width=max(map(len, head.split())))
    for row in rows[: max(_ROWS_SHOWN, _SYSTEMS_SHOWN)]:
        table.add_row(*(Text(f"{cell:,}" if isinstance(cell, int) else str(cell)) for cell in row))
    console.print(table)
    hidden += max(0, len(rows) - max(_ROWS_SHOWN, _SYSTEMS_SHOWN))
    if hidden:
        console.print(Padding(Text(f"... and {hidden:,} more {what} (--json lists all)", style="dim"), (0, 1)))
    console.print()


def _show_supports(diagnosis: Diagnosis, console: Console) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold", max_width=24)
    grid.add_column(overflow="fold")
    for found in diagnosis.supports:
        mark = Text(" yes", style="green") if found.possible else Text(" no ", style="yellow")
        name = _CAPABILITIES[found.name] + (f" ({found.criterion})" if found.criterion else "")
        grid.add_row(mark, Text(name), Text(_sentence(found.why)))
    console.print(grid)
    pairs = [pair for support in diagnosis.criteria for pair in support.pairs]
    if pairs:
        console.print()
        together = f", all {len(pairs):,} pairs tested together" if len(pairs) > 1 else ""
        title = f"Smallest difference that the labels could decide (alpha {plain(diagnosis.alpha)}{together})"
        console.print(Padding(Text(title, style="italic"), (0, 1)))
        if len(pairs) <= _PAIRS_SHOWN:
            _show_pairs(pairs, console)
        else:
            _show_bands(diagnosis, console)


def _show_pairs(pairs: Sequence[PairSupport], console: Console) -> None:
    with_criterion = any(pair.criterion is not None for pair in pairs)
    rows: list[tuple[object, ...]] = []
    for pair in pairs:
        smallest = pair.detectable_difference
        found = "none" if smallest is None else number(smallest)
        first = (pair.criterion or "-",) if with_criterion else ()
        rows.append(
            (*first, pair.system_a, pair.system_b, pair.items, pair.labels, f"{100 * pair.tie_rate:.0f} %", found)
        )
    heads = (*(("Criterion",) if with_criterion else ()), "A", "B", "Items", "Labels", "Ties", "Difference")
    _show_rows(console, heads, rows, "pairs", names=3 if with_criterion else 2)


def _show_bands(diagnosis: Diagnosis, console: Console) -> None:
    """How many pairs could decide how small a difference."""
    rows: list[tuple[object, ...]] = []
    for support in diagnosis.criteria:
        limits = (0.0, *_BANDS)
        smallest = [2.0 if p.detectable_difference is None else p.detectable_difference for p in support.pairs]
        counts = [sum(low < value <= high for value in smallest) for low, high in zip(limits, _BANDS, strict=False)]
        counts += [sum(_BANDS[-1] < value <= 1 for value in smallest), sum(value > 1 for value in smallest)]
        rows.append((support.criterion or "-", len(support.pairs), *(count or "-" for count in counts)))
    heads = ("Criterion", "Pairs", *(f"to {number(band, 1)}" for band in _BANDS), "larger", "none")
    _show_rows(console, heads, rows, "criteria")


def _section(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, style="bold underline"))


def _bullets(console: Console, texts: Iterable[str], nothing: str) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for text in texts:
        grid.add_row(Text(" -"), Text(text))
    if grid.row_count == 0:
        grid.add_row(Text(""), Text(nothing))
    console.print(grid)


def _count(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _sentence(text: str) -> str:
    """With a full stop."""
    return text if text.endswith(".") else text + "."
