"""The result of `simulate` in the terminal and as a JSON document."""

from __future__ import annotations

import math
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.pair_policies import PAIR_POLICIES
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.stopping import STOPPING_RULES
from tiebreak.cli.terminal import console_for_results
from tiebreak.results.numbers import counted, plain
from tiebreak.simulate.engines.step_engine import RUN_ENDS
from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment
from tiebreak.simulate.runs.table import Estimate, RunSummary

_ROWS_SHOWN = 60
_LEAST_NAME = 6  # characters of a line of a system's name
Experiment = AgentExperiment | ReplayExperiment


def simulation_document(
    experiment: Experiment, summary: RunSummary, engine: str, why: str | None, seed: int
) -> dict[str, Any]:
    """What `--json` prints."""
    replayed = isinstance(experiment, ReplayExperiment)
    protocol = _protocol(experiment)
    return {
        "source": "replay" if replayed else "agents",
        "study": experiment.replay.study.name if isinstance(experiment, ReplayExperiment) else None,
        "engine": engine,
        "engine_why": why,
        "seed": seed,
        "protocol": protocol.to_dict(),
        **summary.to_dict(),
    }


def show_simulation(
    experiment: Experiment, summary: RunSummary, engine: str, why: str | None, console: Console | None = None
) -> None:
    """Print what the campaigns came to."""
    console = console_for_results() if console is None else console
    protocol = _protocol(experiment)
    _show_heading(experiment, summary, protocol, engine, why, console)
    _show_pairs(summary, console, replayed=isinstance(experiment, ReplayExperiment))
    _show_totals(summary, protocol, console, replayed=isinstance(experiment, ReplayExperiment))


def _protocol(experiment: Experiment) -> Protocol:
    return experiment.replay.protocol if isinstance(experiment, ReplayExperiment) else experiment.protocol


def _show_heading(
    experiment: Experiment, summary: RunSummary, protocol: Protocol, engine: str, why: str | None, console: Console
) -> None:
    pairs = counted(len(summary.pairs), "pair")
    if isinstance(experiment, ReplayExperiment):
        on = f" ({protocol.criterion})" if protocol.criterion is not None else ""
        console.print(f"[bold]{escape(experiment.replay.study.name)}[/]{escape(on)}, replayed: {pairs}", end="")
    else:
        people, items = len(experiment.workers), experiment.world.items
        console.print(f"[bold]simulated[/]: {pairs}, {counted(items, 'item')}, {people:,} people", end="")
    console.print(f", {counted(summary.runs, 'campaign')}")
    decision = protocol.decision
    account = f" ({_account(protocol)})" if len(summary.pairs) > 1 else ""
    parts = [STOPPING_RULES[decision.rule].title, f"alpha {plain(decision.alpha)}{account}"]
    if decision.margin is not None:
        parts.append(f"margin {plain(decision.margin)}")
    if len(summary.pairs) > 1:
        parts.append(PAIR_POLICIES[protocol.pairs.pair_policy].title)
    if decision.target == "items":
        parts.append("about these items")
    panel = f" ({protocol.labels.per_item})" if protocol.labels.labelling == "majority" else ""
    parts.append(LABELLING_POLICIES[protocol.labels.labelling].title + panel)
    used = (*decision.metrics, *decision.judges)
    if used:
        parts.append("with " + ", ".join(used))
    console.print(escape(", ".join(parts)))
    if engine == "vectorised":
        console.print("vectorised engine: labels up to the verdict, time shared evenly by all people")
    else:
        because = f" (not the vectorised one: {why})" if why else ""
        console.print(f"step engine, event by event{because}")


def _account(protocol: Protocol) -> str:
    """What is done about many pairs."""
    decision = protocol.decision
    if decision.multiplicity == "none" or decision.rule in ("posterior", "hoeffding"):
        return "each pair by itself"
    bonferroni = decision.multiplicity == "holm" and decision.margin is not None
    names = {"holm": "Bonferroni" if bonferroni else "Holm", "fdr": "false discovery rate", "bonferroni": "Bonferroni"}
    return names[decision.multiplicity]


def _show_pairs(summary: RunSummary, console: Console, *, replayed: bool) -> None:
    table = _pair_table(summary, replayed=replayed, intervals=True)
    if console.measure(table, options=console.options.update(width=1000)).maximum > console.width:
        console.print(_pair_table(summary, replayed=replayed, intervals=False))
        console.print(
            f"Shares: give or take {_widest(summary):.0f} points; --json, or a wider terminal: each one's own."
        )
    else:
        console.print(table)
    if len(summary.pairs) > _ROWS_SHOWN:
        console.print(f"{len(summary.pairs) - _ROWS_SHOWN:,} more pairs: see --json or --out")


def _pair_table(summary: RunSummary, *, replayed: bool, intervals: bool) -> Table:
    """One row per pair; without intervals it fits 80 columns."""
    with_margin = any(pair.equivalent.value > 0 for pair in summary.pairs)
    with_truth = any(pair.truth is not None for pair in summary.pairs)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=not intervals)
    for name in ("A", "B"):
        table.add_column(name, min_width=None if intervals else min(_LEAST_NAME, _longest_name(summary)))
    if with_truth:
        table.add_column("all labels" if replayed else "truth", justify="right", no_wrap=True)
    better = " is better" if intervals else " better"
    equivalent = ("equivalent" if intervals else "equiv.",) if with_margin else ()
    for name in ("A" + better, "B" + better, *equivalent, "undecided"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("labels, mean" if intervals else "labels", justify="right", no_wrap=True)
    table.add_column("10-90 %", justify="right", no_wrap=True)
    for pair in summary.pairs[:_ROWS_SHOWN]:
        shares = (pair.a, pair.b, *((pair.equivalent,) if with_margin else ()), pair.undecided)
        table.add_row(
            escape(pair.system_a),
            escape(pair.system_b),
            *(("" if pair.truth is None else _signed(pair.truth),) if with_truth else ()),
            *(_share(estimate) if intervals else f"{100 * estimate.value:.0f} %" for estimate in shares),
            _count(pair.labels) if intervals else f"{pair.labels.value:,.0f}",
            _range(pair.labels),
        )
    return table


def _longest_name(summary: RunSummary) -> int:
    return max(len(name) for pair in summary.pairs for name in (pair.system_a, pair.system_b))


def _widest(summary: RunSummary) -> float:
    """The largest distance of a share from an end of its interval, in points, rounded up."""
    shares = [share for pair in summary.pairs for share in (pair.a, pair.b, pair.equivalent, pair.undecided)]
    return math.ceil(100 * max(max(share.high - share.value, share.value - share.low) for share in shares))


def _show_totals(summary: RunSummary, protocol: Protocol, console: Console, *, replayed: bool) -> None:
    console.print(f"Labels of a campaign: {_count(summary.labels)}, 80 % of campaigns {_range(summary.labels)}.")
    if summary.late.value > 0:
        console.print(f"Of them too late to count: {summary.late.value:,.1f}.")
    if summary.cost.value > 0:
        currency = protocol.labels.currency
        low, high = summary.cost.p10 or 0.0, summary.cost.p90 or 0.0
        spent = f"80 % of campaigns {currency}{low:,.2f} to {currency}{high:,.2f}"
        console.print(f"Cost: {currency}{summary.cost.value:,.2f}, {spent}.")
    console.print(f"Hours from start to end: {summary.hours.value:,.1f}; of work: {summary.work_hours.value:,.1f}.")
    if len(summary.pairs) > 1:
        decided = summary.decided_pairs
        of = f"of {len(summary.pairs)}, 80 % of campaigns {decided.p10 or 0:,.0f} to {decided.p90 or 0:,.0f}"
        console.print(f"Pairs decided: {decided.value:,.1f} [{decided.low:,.1f}, {decided.high:,.1f}] {of}.")
    ends = ", ".join(f"{RUN_ENDS[end]} {_share(share)}" for end, share in summary.ended.items())  # type: ignore[index]
    console.print(f"Ended: {ends}.")
    if summary.any_wrong is not None:
        what = "the difference over all labels contradicts" if replayed else "is wrong"
        console.print(f"Campaigns with a verdict that {what}: {_share(summary.any_wrong)}.")
    elif protocol.decision.target == "items":
        console.print("Wrong verdicts are not counted: these items, and what is true of them, are others every time.")
    if summary.runs > 1:
        console.print(f"In brackets: 95 % intervals, for the luck of {summary.runs:,} campaigns.")


def _share(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.0f} % [{100 * estimate.low:.0f}, {100 * estimate.high:.0f}]"


def _count(estimate: Estimate) -> str:
    return f"{estimate.value:,.0f} [{estimate.low:,.0f}, {estimate.high:,.0f}]"


def _range(estimate: Estimate) -> str:
    return f"{estimate.p10 or 0:,.0f} to {estimate.p90 or 0:,.0f}"


def _signed(value: float) -> str:
    return f"{value + 0.0:.2f}".replace("0.", ".", 1) if abs(value) >= 0.005 else ".00"
