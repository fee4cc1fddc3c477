"""A campaign in the terminal: verdicts, what is left, people."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tiebreak.campaign import CampaignVerdicts, PairVerdict
from tiebreak.cli.terminal import console_for_results
from tiebreak.live import LiveCampaign
from tiebreak.live.accounts import Account
from tiebreak.results.numbers import counted, number, plain, rounded

_STYLE = {"a": "bold green", "b": "bold green", "equivalent": "cyan", "undecided": "dim"}


def show_status(live: LiveCampaign, found: CampaignVerdicts, people: tuple[Account, ...]) -> None:
    """Print everything."""
    console = console_for_results()
    console.print(f"[bold]{escape(str(live.folder))}[/]: {escape(live.protocol.question)}")
    console.print(escape(headline(live, found)))
    console.print(escape(f"Verdicts {found.guarantee}."), style="dim")
    console.print(_verdict_table(found, live))
    if found.edges and len(live.state.plan.systems) > 2:
        console.print("Order (a system is one tier below the lowest that is decided to beat it):")
        for rank, tier in enumerate(found.tiers, 1):
            console.print(Padding(f"{rank}. {escape(', '.join(tier))}", (0, 0, 0, 2), expand=False))
    for cycle in found.cycles:
        loop = " beats ".join([*cycle, cycle[0]])
        console.print(f"[yellow]Cycle:[/] {escape(loop)}: no ranking can honour all of these verdicts.")
    for line in _spending(found):
        console.print(escape(line))
    if people:
        console.print()
        console.print(_people_table(people))
        for line in _exclusions(people):
            console.print(escape(line))
    console.print(what_next(live, found), soft_wrap=True)


def headline(live: LiveCampaign, found: CampaignVerdicts) -> str:
    """Labels and pairs in one line."""
    pairs, labels = len(found.pairs), counted(found.labels, "label")
    decided = f"{pairs - found.undecided} of {counted(pairs, 'pair')} decided"
    if found.ended_because is None:
        return f"{labels} so far, {counted(found.labels_out, 'task')} out with people; {decided}."
    why = f" ({live.stop_reason})" if live.stop_reason else ""
    return f"The campaign is over: {found.ended_because}{why}. {labels}; {decided}."


def verdict_text(pair: PairVerdict, margin: float | None) -> str:
    """The verdict in words, with what is still missing."""
    if pair.verdict in ("a", "b"):
        winner = pair.system_a if pair.verdict == "a" else pair.system_b
        return f"{winner} is better" + (", but by less than the margin" if pair.also == "equivalent" else "")
    if pair.verdict == "equivalent":
        return f"equivalent within {plain(margin or 0.0)}"
    if pair.exhausted:
        return "undecided: no items left"
    if not pair.items:
        return "undecided: no labels yet"
    if pair.items_to_decision is None:
        return "undecided: no end in sight"
    return f"undecided: about {rounded(pair.items_to_decision)} more item{'s' if pair.items_to_decision != 1 else ''}"


def _verdict_table(found: CampaignVerdicts, live: LiveCampaign) -> Table:
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
            Text(verdict_text(pair, live.protocol.decision.margin), style=_STYLE[pair.verdict]),
            "" if pair.estimate is None else number(pair.estimate),
            f"\\[{number(pair.low)}, {number(pair.high)}]",
            f"{pair.items:,}",
            f"{pair.labels:,}",
            "" if pair.decided_labels is None else counted(pair.decided_labels, "label"),
        )
    return table


def _spending(found: CampaignVerdicts) -> list[str]:
    """Labels and money: spent, left, and projected."""
    parts = [f"Spent: {counted(found.labels, 'label')}"]
    if found.cost is not None:
        parts.append(f"{found.currency}{found.cost:,.2f}")
    if found.late:
        parts.append(f"{found.late:,} of the labels came too late to count")
    if found.labels_left is not None:
        parts.append(f"the budget leaves {counted(found.labels_left, 'label')}")
    lines = [", ".join(parts) + "."]
    missing = [pair.labels_to_decision for pair in found.pairs if pair.verdict == "undecided"]
    if found.ended is None and missing and all(count is not None for count in missing):
        to_go = f"To go: about {rounded(sum(count or 0 for count in missing))} labels"
        if found.cost_to_decision is not None:
            to_go += f", {found.currency}{found.cost_to_decision:,.2f}"
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


def what_next(live: LiveCampaign, found: CampaignVerdicts) -> str:
    """The commands that come next."""
    folder = escape(str(live.folder))
    if found.ended is not None:
        return f"Next: tiebreak campaign export {folder} -o STUDY"
    return f"Next: tiebreak campaign sheet {folder} --annotator NAME -o FILE.xlsx, or collect {folder} FILE.xlsx"
