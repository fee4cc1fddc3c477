"""A plan in the terminal: the answer first, then what was assumed, the alternatives, and what a budget finds."""

from __future__ import annotations

from collections.abc import Callable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiebreak.cli.terminal import console_for_results
from tiebreak.planning.budget import rough
from tiebreak.planning.ranges import Range
from tiebreak.planning.result import PlanResult, PlanRow
from tiebreak.results.numbers import counted, number, plain

_PAIRS_SHOWN = 30
_RULES = {
    "anytime": "anytime (default)",
    "anytime, metric": "anytime, with metric",
    "posterior": "posterior per batch",
    "hoeffding": "Hoeffding",
    "fixed": "fixed number",
}


def show_plan(result: PlanResult, console: Console | None = None) -> None:
    """Print the whole plan to `console` (default: standard output)."""
    console = console_for_results() if console is None else console
    _show_heading(result, console)
    if result.budget is not None:
        _show_budget(result, console)
    _show_rows(result, console)
    if result.pair_plans:
        _show_pairs(result, console)
    _show_power(result, console)


def _show_heading(result: PlanResult, console: Console) -> None:
    settings, rates = result.settings, result.rates
    who = f" of {counted(result.number_of_systems, 'system')}" if result.number_of_systems is not None else ""
    scope = "inputs like these" if settings.target == "inputs" else f"these {settings.number_of_items:,} items"
    tests = f"{result.number_of_pairs:,} pairs{who}, tested together" if result.number_of_pairs > 1 else f"1 pair{who}"
    margin = f", margin {plain(settings.margin)}" if settings.margin is not None else ""
    console.print(f"[bold]Plan[/]: {escape(tests)}, alpha {plain(settings.alpha)}{margin}, a claim about {scope}")
    how = "measured" if result.agreement_known and result.source is not None else "assumed"
    agreement = f"two people's labels correlate by {number(rates.agreement)} ({how})"
    if result.source is not None:
        console.print(
            escape(
                f"From the pilot {result.source}: {100 * rates.ties:.0f} % ties, {agreement}; the differences are as "
                f"uncertain as it leaves them."
            )
        )
    else:
        metric = (
            ""
            if result.metric_correlation is None
            else f", a metric that correlates by {number(result.metric_correlation)}"
        )
        console.print(
            f"Assumed: a difference of {plain(round(rates.difference, 4))} in every pair, "
            f"{100 * rates.ties:.0f} % ties, {agreement}{metric}."
        )
    console.print(f"{result.repetitions:,} simulated campaigns.", style="dim")
    console.print(f"\n{escape(_summary(result))}", style="bold")


def _summary(result: PlanResult) -> str:
    """What the planned way costs, in one sentence."""
    row = result.planned
    what = "One label per item" if row.policy in ("one", "fixed") else f"{row.policy} on each item"
    metric = " with the metric" if row.rule == "anytime, metric" else ""
    cost = f"{_span(row.total, rough)} labels"
    if row.money is not None:
        cost += f", {_span(row.money, lambda value: f'{result.settings.currency}{_money(value)}')}"
    if row.days is not None and row.hours is not None:
        people = counted(result.settings.crowd, "person").replace("persons", "people")
        cost += f", {_span(row.hours, _decimal)} hours, {_span(row.days, _decimal)} days for {people}"
    goal = "all pairs are decided" if result.number_of_pairs > 1 else "the verdict"
    return f"{what}{metric}, until {goal}: {cost}."


def _show_budget(result: PlanResult, console: Console) -> None:
    if result.budget is None:
        return
    style = "green" if not result.budget.ways else "yellow"
    console.print(f"\n{escape(result.budget.words)}", style=style)
    if result.budget.ways:
        console.print("What would help:")
    for way in result.budget.ways:
        row = Table.grid(padding=(0, 1))
        row.add_row("-", escape(way))
        console.print(row)


def _show_rows(result: PlanResult, console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title_justify="left")
    for name in ("labelling", "stopping"):
        table.add_column(name, no_wrap=True)
    for name in ("items", "labels", "10-90 %"):
        table.add_column(name, justify="right", no_wrap=True)
    extra = result.planned.money is not None, result.planned.hours is not None
    if extra[0]:
        table.add_column("money" + (", all pairs" if result.number_of_pairs > 1 else ""), justify="right")
    if extra[1]:
        table.add_column("days" + (", all pairs" if result.number_of_pairs > 1 else ""), justify="right")
    table.add_column("right", justify="right")
    table.add_column("wrong", justify="right")
    for row in _rows_to_show(result):
        cells = [row.policy, _RULES[row.rule], _mean(row.items), _mean(row.labels), _ends(row.labels)]
        if row.money is not None:
            cells.append(_mean(row.money, lambda value: f"{result.settings.currency}{_money(value)}"))
        if row.days is not None:
            cells.append(_mean(row.days, _decimal))
        cells += [_percent(row.right), _percent(row.wrong) if row.holds else f"{_percent(row.wrong)} *"]
        table.add_row(*cells, style=None if row.holds else "dim")
    console.print(
        "\nA pair until its verdict"
        + (
            " (mean; > where some campaigns did not get there)"
            if any(row.items.open > 0 and row.rule != "fixed" for row in result.rows)
            else ""
        )
    )
    console.print(table)
    if any(not row.holds for row in result.rows):
        console.print("* these rules do not control the error when looked at again and again", style="dim")
    if result.settings.target == "items":
        console.print(
            "right, wrong: of the assumed difference. The verdict is about the items at hand, whose own difference "
            "varies around it; about these the default rule errs no more often than alpha.",
            style="dim",
        )


def _rows_to_show(result: PlanResult) -> list[PlanRow]:
    """All policies under the default rule, and all rules under the first policy."""
    first = result.settings.policies[0]
    return [row for row in result.rows if row.rule.startswith("anytime") or row.policy == str(first)]


def _show_pairs(result: PlanResult, console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("A", "B"):
        table.add_column(name, overflow="fold")
    for name in ("items in pilot", "A minus B", "10-90 %", "labels", "10-90 %"):
        table.add_column(name, justify="right", no_wrap=True)
    shown = sorted(result.pair_plans, key=lambda pair: pair.labels.mean)[:_PAIRS_SHOWN]
    for pair in shown:
        table.add_row(
            escape(pair.system_a),
            escape(pair.system_b),
            f"{pair.pilot_items:,}",
            number(pair.difference),
            f"[{number(pair.low)}, {number(pair.high)}]".replace("[", "\\["),
            _mean(pair.labels),
            _ends(pair.labels),
        )
    console.print(f"\nPair by pair, {result.planned.policy}, from a fresh start")
    console.print(table)
    if len(result.pair_plans) > len(shown):
        console.print(f"... and {len(result.pair_plans) - len(shown):,} harder pairs: see --json")


def _show_power(result: PlanResult, console: Console) -> None:
    if not result.reach:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("labels on a pair", justify="right")
    for curve in result.curves:
        table.add_column(f"finds {plain(curve.difference)}", justify="right")
    table.add_column("finds with 80 % chance", justify="right")
    for reach in result.reach:
        chances = [_percent(curve.chance_of(reach.labels)) for curve in result.curves]
        found = "nothing" if reach.difference is None else f"{number(reach.difference)} or more"
        table.add_row(f"{reach.labels:,}", *chances, found)
    console.print("\nWhat labels can find (one per item, default rule)")
    console.print(table)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.01 else "<1 %"


def _mean(costs: Range, show: Callable[[float], str] = rough) -> str:
    return f"{'> ' if costs.open > 0 and costs.low != costs.high else ''}{show(costs.mean)}"


def _ends(costs: Range, show: Callable[[float], str] = rough) -> str:
    if costs.low == costs.high:
        return ""
    return f"{show(costs.low)} to {'more' if costs.high is None else show(costs.high)}"


def _span(costs: Range, show: Callable[[float], str]) -> str:
    """`about 640 (150 to 1,200)`."""
    about = "more than" if costs.open > 0 else "about"
    return f"{about} {show(costs.mean)} ({_ends(costs, show) or 'fixed'})"


def _money(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else rough(value)


def _decimal(value: float) -> str:
    return f"{value:.1f}" if value < 10 else rough(value)
