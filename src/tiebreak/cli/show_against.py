"""An evaluation beside a reference in the terminal: the totals, then the pairs that differ, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tiebreak.cli.terminal import console_for_results
from tiebreak.comparison.against import CriterionAgainst, EvaluationComparison, PairAgainst, Totals
from tiebreak.kernels.evaluation_errors import ERROR_TYPES, ErrorType
from tiebreak.records import Verdict
from tiebreak.results.numbers import number

_PAIRS_SHOWN: Final = 20
_NAMES_SHOWN: Final = 6
_WORST_FIRST: Final[tuple[ErrorType, ...]] = ("inversion", "omission", "insertion")
_STYLE: Final[dict[ErrorType, str]] = {
    "correct": "green",
    "inversion": "bold red",
    "omission": "blue",
    "insertion": "yellow",
}
_MEANING: Final = (
    "Inversion: the other system is called better. Omission: a difference that the reference has is missed. "
    "Insertion: a difference that the reference does not have. Equivalent and undecided count alike."
)


def show_against(comparison: EvaluationComparison, console: Console | None = None) -> None:
    """Print the comparison to `console` (default: standard output)."""
    console = console_for_results() if console is None else console
    where = "" if comparison.study == comparison.reference_study else f" of {comparison.reference_study}"
    console.print(f"\n[bold]Against the reference{escape(where)}[/]")
    if not comparison.same_labels:
        console.print("The reference rests on other human labels than this evaluation.", style="dim")
    for name, here, there in comparison.terms_that_differ:
        console.print(f"{name}: here {escape(_setting(here))}, reference {escape(_setting(there))}", style="dim")
    console.print(_totals_table(comparison))
    console.print(_MEANING, style="dim")
    named = len(comparison.criteria) > 1
    for found in comparison.criteria:
        _show_errors(found, console, named)
    for found in comparison.criteria:
        _show_unmatched(found, console, named)
    _list(console, "Criteria only here", [_criterion(name) for name in comparison.criteria_only_evaluation])
    _list(console, "Criteria only in the reference", [_criterion(name) for name in comparison.criteria_only_reference])


def _totals_table(comparison: EvaluationComparison) -> Table:
    table = _table()
    table.add_column("Criterion", overflow="fold")
    table.add_column("pairs", justify="right", no_wrap=True)
    for error in ERROR_TYPES:
        table.add_column(error, justify="right", no_wrap=True)
    table.add_column("mean KLD", justify="right", no_wrap=True)
    table.add_column("labels used", justify="right", no_wrap=True)
    for found in comparison.criteria:
        table.add_row(Text(_criterion(found.criterion)), *_totals_cells(found.totals))
    if len(comparison.criteria) > 1:
        table.add_row(Text("all", style="bold"), *_totals_cells(comparison.totals))
    return table


def _totals_cells(totals: Totals) -> list[str]:
    cells = [f"{totals.pairs:,}"]
    for error in ERROR_TYPES:
        share = totals.share(error)
        cells.append("-" if share is None else f"{totals.count(error):,} ({number(share)})")
    cells.append(_kld(totals.mean_kld))
    used = totals.labels_share
    cells.append("-" if used is None else f"{100 * used:.0f} %")
    return cells


def _show_errors(found: CriterionAgainst, console: Console, named: bool) -> None:
    wrong = sorted(
        (pair for pair in found.pairs if pair.error != "correct"),
        key=lambda pair: (_WORST_FIRST.index(pair.error), -(pair.kld or 0.0)),
    )
    about = f" on {escape(_criterion(found.criterion))}" if named else ""
    if not found.pairs:
        console.print(f"\nNo pair in common{about}.")
        return
    if not wrong:
        console.print(f"\nNo verdict differs from the reference{about}.")
        return
    console.print(f"\nVerdicts that differ from the reference{about}:")
    table = _table()
    for name in ("A", "B", "here", "reference"):
        table.add_column(name, overflow="fold")
    table.add_column("error", no_wrap=True)
    table.add_column("KLD", justify="right", no_wrap=True)
    for pair in wrong[:_PAIRS_SHOWN]:
        table.add_row(
            Text(pair.system_a),
            Text(pair.system_b),
            Text(_verdict(pair, pair.verdict)),
            Text(_verdict(pair, pair.reference_verdict)),
            Text(pair.error, style=_STYLE[pair.error]),
            _kld(pair.kld),
        )
    console.print(table)
    if len(wrong) > _PAIRS_SHOWN:
        console.print(f"... and {len(wrong) - _PAIRS_SHOWN:,} more: see --json")


def _show_unmatched(found: CriterionAgainst, console: Console, named: bool) -> None:
    about = f" ({_criterion(found.criterion)})" if named else ""
    _list(console, f"Pairs only here{about}", [" - ".join(pair) for pair in found.only_evaluation])
    _list(console, f"Pairs only in the reference{about}", [" - ".join(pair) for pair in found.only_reference])


def _list(console: Console, title: str, names: Sequence[str]) -> None:
    """`title, count: first names`, or nothing without names."""
    if names:
        shown = ", ".join(names[:_NAMES_SHOWN]) + (", ..." if len(names) > _NAMES_SHOWN else "")
        console.print(escape(f"{title}, {len(names):,}, left out: {shown}"), style="yellow")


def _verdict(pair: PairAgainst, verdict: Verdict) -> str:
    return {"a": f"{pair.system_a} is better", "b": f"{pair.system_b} is better"}.get(verdict, verdict)


def _kld(value: float | None) -> str:
    return "-" if value is None else number(value, 3)


def _criterion(name: str | None) -> str:
    return "(unnamed)" if name is None else name


def _setting(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(part) for part in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _table() -> Table:
    return Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
