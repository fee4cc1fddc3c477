"""A campaign in the terminal: verdicts, what is left, people."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tiebreak.cli.terminal import console_for_results
from tiebreak.live import LiveCampaign
from tiebreak.results.numbers import counted, known_number, number, rounded
from tiebreak.results.progress import Account, CampaignProgress
from tiebreak.results.records import CompareResult, CriterionResult
from tiebreak.results.words import verdict_words

_STYLE = {"a": "bold green", "b": "bold green", "equivalent": "cyan", "undecided": "dim"}


def show_status(live: LiveCampaign, found: CompareResult) -> None:
    """Print everything."""
    console = console_for_results()
    progress, (criterion,) = progress_of(found), found.results
    console.print(f"[bold]{escape(str(live.folder))}[/]: {escape(live.protocol.question)}")
    console.print(escape(headline(found)))
    console.print(escape(f"Verdicts {found.terms.guarantee}."), style="dim")
    console.print(_verdict_table(criterion, found))
    order = criterion.order
    if order.edges and len(live.state.plan.systems) > 2:
        console.print("Order (a system is one tier below the lowest that is decided to beat it):")
        for rank, tier in enumerate(order.tiers, 1):
            console.print(Padding(f"{rank}. {escape(', '.join(tier))}", (0, 0, 0, 2), expand=False))
    for cycle in order.cycles:
        loop = " beats ".join([*cycle, cycle[0]])
        console.print(f"[yellow]Cycle:[/] {escape(loop)}: no ranking can honour all of these verdicts.")
    for line in _spending(progress, found.undecided):
        console.print(escape(line))
    if progress.people:
        console.print()
        console.print(_people_table(progress.people))
        for line in _exclusions(progress.people):
            console.print(escape(line))
    console.print(what_next(live), soft_wrap=True)


def progress_of(found: CompareResult) -> CampaignProgress:
    """Where the campaign stands whose result this is."""
    if found.campaign is None:
        raise ValueError("this is no campaign's result")
    return found.campaign


def headline(found: CompareResult) -> str:
    """Labels and pairs in one line."""
    progress = progress_of(found)
    pairs, labels = found.terms.family, counted(progress.labels, "label")
    decided = f"{pairs - found.undecided} of {counted(pairs, 'pair')} decided"
    if progress.ended_because is None:
        return f"{labels} so far, {counted(progress.labels_out, 'task')} out with people; {decided}."
    why = f" ({progress.stop_reason})" if progress.stop_reason else ""
    return f"The campaign is over: {progress.ended_because}{why}. {labels}; {decided}."


def _verdict_table(found: CriterionResult, result: CompareResult) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("A", overflow="fold")
    table.add_column("B", overflow="fold")
    table.add_column("Verdict", overflow="fold", min_width=16)
    table.add_column("A minus B", justify="right", no_wrap=True)
    table.add_column("interval", no_wrap=True)
    table.add_column("items", justify="right", no_wrap=True)
    table.add_column("labels", justify="right", no_wrap=True)
    table.add_column("decided\nafter", justify="right", no_wrap=True)
    for pair in found.pairs:
        table.add_row(
            Text(pair.system_a),
            Text(pair.system_b),
            Text(verdict_words(pair, result.terms.margin, str(result.study["currency"])), style=_STYLE[pair.verdict]),
            known_number(pair.difference.estimate),
            f"\\[{number(pair.difference.low)}, {number(pair.difference.high)}]",
            f"{pair.items:,}",
            f"{pair.labels:,}",
            "" if pair.labels_at_stop is None else counted(pair.labels_at_stop, "label"),
        )
    return table


def _spending(progress: CampaignProgress, undecided: int) -> list[str]:
    """Labels and money: spent, waiting, left, and projected."""
    parts = [f"Spent: {counted(progress.labels, 'label')}"]
    if progress.cost is not None:
        parts.append(f"{progress.currency}{progress.cost:,.2f}")
    if progress.late:
        parts.append(f"{progress.late:,} of the labels came too late to count")
    if progress.labels_left is not None:
        parts.append(f"the budget leaves {counted(progress.labels_left, 'label')}")
    lines = [", ".join(parts) + "."]
    if progress.labels_waiting:
        one = progress.labels_waiting == 1
        lines.append(
            f"{counted(progress.labels_waiting, 'label')} {'waits' if one else 'wait'} behind tasks that are out: "
            f"{'it becomes' if one else 'they become'} evidence when those are answered."
            if progress.ended is None
            else f"{counted(progress.labels_waiting, 'label')} waited behind tasks that were out at the end, and "
            f"{'is' if one else 'are'} no evidence."
        )
    if progress.ended is None and undecided and progress.labels_to_decision is not None:
        to_go = f"To go: about {rounded(progress.labels_to_decision)} labels"
        if progress.cost_to_decision is not None:
            to_go += f", {progress.currency}{progress.cost_to_decision:,.2f}"
        lines.append(f"{to_go}, if the shares stay as they are (a projection, not a promise).")
    return lines


def _people_table(people: tuple[Account, ...]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("annotator", overflow="fold")
    table.add_column("labels", justify="right")
    table.add_column("open", justify="right")
    table.add_column("seconds\na label", justify="right")
    table.add_column("for the\nfirst text", justify="right")
    checks = any(person.checks for person in people)
    if checks:
        table.add_column("checks\nright", justify="right")
    pay = any(person.pay is not None for person in people)
    if pay:
        table.add_column("pay", justify="right")
    for person in people:
        cells: list[str | Text] = [
            Text(person.annotator + (" (excluded)" if person.excluded else "")),
            f"{person.labels:,}",
            f"{person.open:,}",
            "" if person.seconds_per_label is None else f"{person.seconds_per_label:,.0f}",
            "" if person.first_text is None else f"{100 * person.first_text:.0f} %",
        ]
        if checks:
            cells.append(f"{person.checks_right} of {person.checks}" if person.checks else "")
        if pay:
            cells.append("" if person.pay is None else Text(f"{person.currency}{person.pay:,.2f}"))
        table.add_row(*cells)
    return table


def _exclusions(people: tuple[Account, ...]) -> list[str]:
    """One line for each person who gets no more tasks."""
    return [
        f"{person.annotator} gets no more tasks" + (f": {person.why_excluded}" if person.why_excluded else "")
        for person in people
        if person.excluded
    ]


def what_next(live: LiveCampaign) -> str:
    """The commands that come next."""
    folder = escape(str(live.folder))
    if live.state.ended is not None:
        return f"Next: tiebreak report {folder} -o report.html, or tiebreak campaign export {folder} -o EXPORT"
    return f"Next: tiebreak campaign sheet {folder} --annotator NAME -o FILE.xlsx, or collect {folder} FILE.xlsx"
