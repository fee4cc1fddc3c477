"""An evaluation beside a reference in the terminal: the totals, then the pairs that differ, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from tiebreak.cli.tables import Cell, Column, name_column, show_table, words_column
from tiebreak.cli.terminal import console_for_results, heading, say
from tiebreak.comparison.against import CriterionAgainst, EvaluationComparison, PairAgainst, Totals
from tiebreak.kernels.partial_order import ERROR_TYPES, ErrorType
from tiebreak.records import Verdict
from tiebreak.results.numbers import in_percent, number, some_names
from tiebreak.settings.name_lists import listed_names

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
    heading(console, f"Against the reference{where}")
    if not comparison.same_labels:
        say(console, "The reference rests on other human labels than this evaluation.", style="dim")
    for name, here, there in comparison.terms_that_differ:
        say(console, f"{name}: here {_setting(here)}, reference {_setting(there)}", style="dim")
    _show_totals(comparison, console)
    say(console, _MEANING, style="dim")
    named = len(comparison.criteria) > 1
    for found in comparison.criteria:
        _show_errors(found, console, named)
    for found in comparison.criteria:
        _show_unmatched(found, console, named)
    _list(console, "Criteria only here", [_criterion(name) for name in comparison.criteria_only_evaluation])
    _list(console, "Criteria only in the reference", [_criterion(name) for name in comparison.criteria_only_reference])


def _show_totals(comparison: EvaluationComparison, console: Console) -> None:
    columns = [
        name_column("Criterion"),
        Column("pairs", said="{} pairs"),
        *(Column(error) for error in ERROR_TYPES),
        Column("mean KLD"),
        Column("labels used"),
    ]
    rows = [(_criterion(found.criterion), *_totals_cells(found.totals)) for found in comparison.criteria]
    if len(comparison.criteria) > 1:
        rows.append(("all", *_totals_cells(comparison.totals)))
    show_table(console, columns, rows)


def _totals_cells(totals: Totals) -> list[Cell]:
    cells: list[Cell] = [totals.pairs]
    for error in ERROR_TYPES:
        share = totals.share(error)
        cells.append("-" if share is None else f"{totals.count(error):,} ({number(share)})")
    cells.append(_kld(totals.mean_kld))
    used = totals.labels_share
    cells.append("-" if used is None else in_percent(used))
    return cells


def _show_errors(found: CriterionAgainst, console: Console, named: bool) -> None:
    wrong = sorted(
        (pair for pair in found.pairs if pair.error != "correct"),
        key=lambda pair: (_WORST_FIRST.index(pair.error), -(pair.kld or 0.0)),
    )
    about = f" on {_criterion(found.criterion)}" if named else ""
    say(console)
    if not found.pairs:
        say(console, f"No pair in common{about}.")
        return
    if not wrong:
        say(console, f"No verdict differs from the reference{about}.")
        return
    say(console, f"Verdicts that differ from the reference{about}:")
    columns = [
        name_column("Pair"),
        words_column("here", "here: {}"),
        words_column("reference", "reference: {}"),
        words_column("error", "{}"),
        Column("KLD"),
    ]
    rows = [
        (
            f"{pair.system_a}, {pair.system_b}",
            _verdict(pair, pair.verdict),
            _verdict(pair, pair.reference_verdict),
            Text(pair.error, style=_STYLE[pair.error]),
            _kld(pair.kld),
        )
        for pair in wrong[:_PAIRS_SHOWN]
    ]
    show_table(console, columns, rows)
    if len(wrong) > _PAIRS_SHOWN:
        say(console, f"... and {len(wrong) - _PAIRS_SHOWN:,} more: see --json")


def _show_unmatched(found: CriterionAgainst, console: Console, named: bool) -> None:
    about = f" ({_criterion(found.criterion)})" if named else ""
    _list(console, f"Pairs only here{about}", [" - ".join(pair) for pair in found.only_evaluation])
    _list(console, f"Pairs only in the reference{about}", [" - ".join(pair) for pair in found.only_reference])


def _list(console: Console, title: str, names: Sequence[str]) -> None:
    """`title, count: first names`, or nothing without names."""
    if names:
        say(console, f"{title}, {len(names):,}, left out: {some_names(names, _NAMES_SHOWN)}", style="yellow")


def _verdict(pair: PairAgainst, verdict: Verdict) -> str:
    return {"a": f"{pair.system_a} is better", "b": f"{pair.system_b} is better"}.get(verdict, verdict)


def _kld(value: float | None) -> str:
    return "-" if value is None else number(value, 3)


def _criterion(name: str | None) -> str:
    return "(unnamed)" if name is None else name


def _setting(value: object) -> str:
    if isinstance(value, list):
        return listed_names(str(part) for part in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
