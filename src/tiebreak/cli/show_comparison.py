"""The result of `compare` in the terminal: verdicts first, then order, agreement, advice and warnings."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tiebreak.cli.show_metric_use import show_metric_use
from tiebreak.cli.terminal import console_for_results
from tiebreak.kernels.agreement import Agreement
from tiebreak.results.numbers import counted, known_number, number, plain
from tiebreak.results.records import AnnotatorAgreement, CompareResult, CriterionResult, PairResult
from tiebreak.results.words import verdict_words

_ROWS_SHOWN = 150  # 16 systems have 120 pairs
_ROWS_SHOWN_OF_MANY = 60
_NAMES_SHOWN = 6
_STYLE = {"a": "bold green", "b": "bold green", "equivalent": "cyan", "undecided": "dim"}


def show_comparison(result: CompareResult, console: Console | None = None) -> None:
    """Print the whole result to `console` (default: standard output)."""
    console = console_for_results() if console is None else console
    _show_heading(result, console)
    for found in result.results:
        _show_criterion(found, result, console)
    if result.warnings:
        console.print("\n[bold yellow]Warnings[/]")
        for warning in result.warnings:
            _bullet(console, warning.text)
    console.print("\n[bold]For the paper[/]")
    for found in result.results:
        console.print(Padding(escape(found.sentence), (0, 0, 0, 2), expand=False))


def _show_heading(result: CompareResult, console: Console) -> None:
    terms, study = result.terms, result.study
    systems = study["systems"]
    count = len(systems) if isinstance(systems, list) else 0
    items = study["items"] if isinstance(study["items"], int) else 0
    console.print(
        f"[bold]{escape(str(study['name']))}[/]: {count} systems, {counted(items, 'item')}, "
        + (f"{terms.family:,} pairs tested together" if terms.family > 1 else "1 pair")
    )
    scope = "inputs like these" if terms.target == "inputs" else "these items only"
    parts = [terms.title, f"{terms.level} {plain(terms.alpha)}"]
    if terms.correction is not None and terms.family > 1:
        parts.append(terms.correction)
    if terms.margin is not None:
        parts.append(f"margin {plain(terms.margin)}")
    if terms.items_per_pair is not None:
        parts.append(f"a budget of {counted(terms.items_per_pair, 'item')} a pair")
    parts.append(f"a claim about {scope}")
    if terms.automatic:
        parts.append(f"{'with' if terms.human else 'from'} {_sources(terms.metrics, terms.judges)}")
    console.print(escape(", ".join(parts)))
    if result.campaign is not None:
        console.print(escape(result.campaign.standing))
    if result.own_analysis is not None:
        console.print(escape(result.own_analysis.warning), style="yellow")
    console.print(escape(f"Verdicts {terms.guarantee}."), style="dim" if terms.rule == "anytime" else "yellow")


def _sources(metrics: Sequence[str], judges: Sequence[str]) -> str:
    """Metrics and judges by name, or that all of them were taken."""
    return ", ".join(
        [
            f"all {kind}" if names == ("all",) else ", ".join(names)
            for kind, names in (("metrics", metrics), ("judges", judges))
            if names
        ]
    )


def _show_criterion(found: CriterionResult, result: CompareResult, console: Console) -> None:
    title = f"\n[bold underline]{escape(found.criterion)}[/]  " if found.criterion else "\n"
    if result.terms.human:
        console.print(f"{title}{counted(found.labels, 'label')} by {escape(_who(found.annotators))}")
    else:
        console.print(f"{title}[bold red]No human labels:[/] what metrics alone would say, for comparison only")
    if not found.pairs:
        console.print(escape(found.sentence))
        return
    shown = _rows_to_show(found.pairs)
    console.print(_verdict_table(shown, result))
    if len(found.pairs) > len(shown):
        hidden = len(found.pairs) - len(shown)
        console.print(f"... and {hidden:,} more pairs, farther from a verdict: see --out FILE.csv or --json\n")
    _show_counts(found, console)
    _show_order(found, console)
    show_metric_use(found, console)
    for agreement in found.agreement:
        console.print(f"Agreement ({agreement.kind}): {_agreement_words(agreement)}")
    for advice in found.advice:
        _bullet(console, advice)


def _rows_to_show(pairs: Sequence[PairResult]) -> Sequence[PairResult]:
    """All pairs, or if they are too many, those with a verdict and those nearest to one."""
    if len(pairs) <= _ROWS_SHOWN:
        return pairs

    def distance(pair: PairResult) -> float:
        return float("inf") if pair.items_to_decision is None else pair.items_to_decision

    return sorted(pairs, key=distance)[:_ROWS_SHOWN_OF_MANY]


def _who(annotators: Sequence[str]) -> str:
    if len(annotators) == 1:
        return f"1 annotator ({annotators[0]})"
    names = ", ".join(annotators[:_NAMES_SHOWN]) + (", ..." if len(annotators) > _NAMES_SHOWN else "")
    return f"{len(annotators):,} annotators, pooled ({names})"


def _verdict_table(pairs: Sequence[PairResult], result: CompareResult) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("A", overflow="fold")
    table.add_column("B", overflow="fold")
    table.add_column("Verdict", overflow="fold", min_width=16)
    table.add_column("A minus B", justify="right", no_wrap=True)
    table.add_column("interval", no_wrap=True)
    table.add_column("items", justify="right", no_wrap=True)
    table.add_column("labels", justify="right", no_wrap=True)
    stops = any(pair.stopped_at is not None for pair in pairs)
    thetas = any(pair.theta is not None for pair in pairs)
    if thetas:
        table.add_column("P(A better)", justify="right", no_wrap=True)
    if stops:
        table.add_column("decided\nafter", justify="right", no_wrap=True)
    currency = str(result.study["currency"])
    for pair in pairs:
        words = Text(verdict_words(pair, result.terms.margin, currency), style=_STYLE[pair.verdict])
        gap = pair.difference
        cells: list[Text | str] = [
            Text(pair.system_a),
            Text(pair.system_b),
            words,
            known_number(gap.estimate),
            f"\\[{number(gap.low)}, {number(gap.high)}]",
            f"{pair.items:,}",
            f"{pair.labels:,}",
        ]
        if thetas:
            cells.append("" if pair.theta is None else number(pair.theta, 3))
        if stops:
            cells.append("" if pair.stopped_at is None else counted(pair.stopped_at, "item"))
        table.add_row(*cells)
    return table


def _show_counts(found: CriterionResult, console: Console) -> None:
    better = sum(pair.winner is not None for pair in found.pairs)
    equivalent = sum(pair.verdict == "equivalent" for pair in found.pairs)
    total = len(found.pairs)
    if total > 1:
        console.print(
            f"{better} of {total:,} pairs have a better system, "
            + (f"{equivalent} {'is' if equivalent == 1 else 'are'} equivalent, " if equivalent else "")
            + f"{total - better - equivalent} undecided."
        )
    validity = found.pairs[0].difference.validity if found.pairs else ""
    console.print(f"Intervals hold with {escape(validity)}.", style="dim")
    identical = sum(pair.identical for pair in found.pairs)
    if identical:
        console.print(f"{identical:,} comparisons had identical outputs: ties, without asking anyone.", style="dim")


def _show_order(found: CriterionResult, console: Console) -> None:
    systems = sum(len(tier) for tier in found.order.tiers)
    if systems <= 2:
        return
    if found.order.edges:
        console.print("Order (a system is one tier below the lowest that is decided to beat it):")
        for rank, tier in enumerate(found.order.tiers, 1):
            console.print(Padding(f"{rank}. {escape(', '.join(tier))}", (0, 0, 0, 2), expand=False))
    else:
        console.print("Order: none, no pair has a better system.")
    for cycle in found.order.cycles:
        loop = " beats ".join([*cycle, cycle[0]])
        console.print(f"[yellow]Cycle:[/] {escape(loop)}: no ranking can honour all of these verdicts.")


def _agreement_words(agreement: AnnotatorAgreement) -> str:
    if agreement.alpha is None and agreement.agreeing is None:
        return "cannot be told, too few items with two labels"
    parts = []
    if agreement.alpha is not None:
        parts.append(f"Krippendorff's alpha {_with_interval(agreement.alpha)}")
    if agreement.agreeing is not None:
        parts.append(f"{100 * agreement.agreeing.estimate:.0f} % of label pairs agree")
    return "; ".join(parts)


def _with_interval(found: Agreement) -> str:
    return f"{number(found.estimate)} \\[{number(found.low)}, {number(found.high)}] (95 %, over items)"


def _bullet(console: Console, text: str) -> None:
    row = Table.grid(padding=(0, 1))
    row.add_row("-", escape(text))
    console.print(row)
