"""The result of `simulate` in the terminal and as a JSON document.

Simulated campaigns of ratings in the terminal.
"""

from __future__ import annotations

from typing import Any

from rich.text import Text

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.policies import PAIR_POLICIES
from tiebreak.campaign.protocol import Protocol
from tiebreak.cli.terminal import Cell, Name, Terminal
from tiebreak.messages.claims import account_of_pairs
from tiebreak.numbers import counted, in_percent, listed_names, money, number, plain
from tiebreak.rules.registry import RULES
from tiebreak.simulate.engines.step_engine import RUN_ENDS
from tiebreak.simulate.runs.rating_runs import RatingSummary
from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment
from tiebreak.simulate.runs.table import RunEstimate, RunSummary

_ROWS_SHOWN = 60
Experiment = AgentExperiment | ReplayExperiment


def simulation_document(
    experiment: Experiment, summary: RunSummary, engine: str, why: str | None, seed: int
) -> dict[str, Any]:
    """What `--json` prints."""
    study = experiment.replay.study.name if isinstance(experiment, ReplayExperiment) else None
    return {
        "source": "agents" if study is None else "replay",
        "study": study,
        "engine": engine,
        "engine_why": why,
        "seed": seed,
        "protocol": _protocol(experiment).to_dict(),
        **summary.to_dict(),
    }


def show_simulation(
    experiment: Experiment, summary: RunSummary, engine: str, why: str | None, console: Terminal
) -> None:
    """Print what the campaigns came to."""
    replayed = isinstance(experiment, ReplayExperiment)
    _show_heading(experiment, summary, engine, why, console)
    _show_pairs(summary, console, replayed=replayed)
    _show_totals(summary, _protocol(experiment), console, replayed=replayed)


def _protocol(experiment: Experiment) -> Protocol:
    return experiment.replay.protocol if isinstance(experiment, ReplayExperiment) else experiment.protocol


def _show_heading(experiment: Experiment, summary: RunSummary, engine: str, why: str | None, console: Terminal) -> None:
    protocol = _protocol(experiment)
    pairs = counted(len(summary.pairs), "pair")
    if isinstance(experiment, ReplayExperiment):
        on = f" ({protocol.criterion})" if protocol.criterion is not None else ""
        title, told = experiment.replay.study.name, f"{on}, replayed: {pairs}"
    else:
        people, items = len(experiment.workers), experiment.world.items
        title, told = "simulated", f": {pairs}, {counted(items, 'item')}, {people:,} people"
    console.say(Text.assemble((title, "bold"), f"{told}, {counted(summary.repetitions, 'campaign')}"))
    decision = protocol.decision
    parts = [RULES[decision.rule].title, f"alpha {plain(decision.alpha)}"]
    if len(summary.pairs) > 1:
        parts.append(account_of_pairs(decision))
    if decision.margin is not None:
        parts.append(f"margin {plain(decision.margin)}")
    if len(summary.pairs) > 1:
        parts.append(PAIR_POLICIES[protocol.pairs.pair_policy].title)
    if decision.target == "items":
        parts.append("about these items")
    parts.append(LABELLING_POLICIES[protocol.labels.labelling].in_words(protocol.labels.per_item))
    used = (*decision.metrics, *decision.judges)
    if used:
        parts.append("with " + listed_names(used))
    console.say(", ".join(parts))
    if engine == "vectorised":
        console.say("vectorised engine: labels up to the verdict, time shared evenly by all people")
    else:
        because = f" (not the vectorised one: {why})" if why else ""
        console.say(f"step engine, event by event{because}")


def _show_pairs(summary: RunSummary, console: Terminal, *, replayed: bool) -> None:
    """One row per pair; figures that all pairs lack have no column."""
    with_margin = any(pair.equivalent.value > 0 for pair in summary.pairs)
    verdicts = ("A is better", "B is better", "equivalent", "undecided")
    columns = [Name("A"), Name("B"), "all labels" if replayed else "truth", *verdicts, "labels, mean", "10-90%"]
    rows: list[tuple[Cell, ...]] = [
        (
            pair.system_a,
            pair.system_b,
            "" if pair.truth is None else number(pair.truth),
            _share(pair.a),
            _share(pair.b),
            _share(pair.equivalent) if with_margin else "",
            _share(pair.undecided),
            _count(pair.labels),
            _range(pair.labels),
        )
        for pair in summary.pairs
    ]
    console.say()
    console.table(columns, rows, most=_ROWS_SHOWN, rest="--json or --out")
    console.say()


def _show_totals(summary: RunSummary, protocol: Protocol, console: Terminal, *, replayed: bool) -> None:
    console.say(f"Labels of a campaign: {_count(summary.labels)}, 80% of campaigns {_range(summary.labels)}.")
    if summary.late.value > 0:
        console.say(f"Of them too late to count: {summary.late.value:,.1f}.")
    if summary.cost.value > 0:
        currency = protocol.labels.currency
        low, high = summary.cost.p10 or 0.0, summary.cost.p90 or 0.0
        spent = f"80% of campaigns {money(low, currency)} to {money(high, currency)}"
        console.say(f"Cost: {money(summary.cost.value, currency)}, {spent}.")
    console.say(f"Hours from start to end: {summary.hours.value:,.1f}; of work: {summary.work_hours.value:,.1f}.")
    if len(summary.pairs) > 1:
        decided = summary.decided_pairs
        of = f"of {len(summary.pairs)}, 80% of campaigns {decided.p10 or 0:,.0f} to {decided.p90 or 0:,.0f}"
        console.say(f"Pairs decided: {decided.value:,.1f} [{decided.low:,.1f}, {decided.high:,.1f}] {of}.")
    words: dict[str, str] = {end: text for end, text in RUN_ENDS.items()}  # noqa: C416  (keys of another type)
    if protocol.budget.items_per_pair is not None:
        words["items"] = "items, or limit of items per pair, used up"
    ends = ", ".join(f"{words[end]} {_share(share)}" for end, share in summary.ended.items())
    console.say(f"Ended: {ends}.")
    if summary.any_wrong is not None:
        what = "the difference over all labels contradicts" if replayed else "is wrong"
        console.say(f"Campaigns with a verdict that {what}: {_share(summary.any_wrong)}.")
    elif protocol.decision.target == "items":
        console.say("Wrong verdicts are not counted: these items, and what is true of them, are others every time.")
    if summary.repetitions > 1:
        console.say(f"In brackets: 95% intervals; {summary.repetitions:,} campaigns leave that much to chance.")


def _share(estimate: RunEstimate) -> str:
    return f"{in_percent(estimate.value)} [{100 * estimate.low:.0f}, {100 * estimate.high:.0f}]"


def _count(estimate: RunEstimate) -> str:
    return f"{estimate.value:,.0f} [{estimate.low:,.0f}, {estimate.high:,.0f}]"


def _range(estimate: RunEstimate) -> str:
    return f"{estimate.p10 or 0:,.0f} to {estimate.p90 or 0:,.0f}"


def show_rating_simulation(found: RatingSummary, console: Terminal, *, protocol: Protocol) -> None:
    """How the campaigns ended, what they took, and whether their intervals held."""
    title = RULES[protocol.decision.rule].title
    console.say(f"{counted(found.runs, 'simulated campaign')} of ratings: {title}, "
                 f"alpha {plain(protocol.decision.alpha)}.")  # fmt: skip
    ends = ", ".join(f"{RUN_ENDS[why]} {count:,}" for why, count in found.ended.items())  # type: ignore[index]
    console.say(f"Ended: {ends}.")
    cost = "" if protocol.labels.price is None else f", {money(found.cost, protocol.labels.currency)}"
    console.say(
        f"Ratings: {found.labels:,.0f} on average ({found.labels_low:,.0f} to {found.labels_high:,.0f} in eight of "
        f"ten){cost}."
    )
    console.say(f"All intervals held at once in {in_percent(found.covers)} of the campaigns.")
    if protocol.ratings.until == "directions":
        console.say(f"A wrong direction was found in {in_percent(found.wrong)} of them.")
    console.heading("Measures")
    what = "System" if all(len(of.systems) == 1 for of in found.measures) else "Difference"
    rows = []
    for of in found.measures:
        shares = (in_percent(of.known), in_percent(of.covers))
        rows.append((" - ".join(of.systems), of.criterion, number(of.truth), *shares, f"{of.items:,.0f}"))
    console.table([Name(what), "Criterion", "Truth", "Known", "Interval held", "Items"], rows)
