"""A campaign that has just begun, or would: what it will ask, what its plan finds, and what it costs at most."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.messages.claims import account_of_pairs
from tiebreak.numbers import counted, in_percent, listed_names, money, number, plain
from tiebreak.results.progress import Outlook, PlannedItems
from tiebreak.rules.power import ASSUMED_TIES
from tiebreak.settings.protocol import DecisionSettings


def size_words(found: Outlook) -> str:
    """A campaign of so many systems, pairs and items."""
    sizes = counted(found.systems, "system") + ("" if found.rates else f", {counted(found.pairs, 'pair')}")
    kind = "a campaign of ratings" if found.rates else "a campaign"
    return f"{kind} with {sizes}, {counted(found.study_items, 'item')}"


def outlook_words(found: Outlook) -> list[str]:
    """What it asks, decides and costs, a line each."""
    known = f"{counted(found.known, 'comparison')} with identical outputs: ties, without asking anyone."
    lines = (
        found.asks,
        f"Labels: {found.labelling}.",
        _decision_words(found),
        f"{found.wants}.{_need_words(found.needs)}" if found.wants else "",
        "" if found.plan is None else _plan_words(found.plan),
        known if found.known else "",
        _most_words(found),
        "" if found.companions is None else _companions_words(found.decision, found.companions),
        f"A task without an answer goes to somebody else after {plain(found.hours)} hours, or sooner where answers "
        "wait for it.",
    )
    return [line for line in lines if line]


def blinding_words(told: Sequence[str], outputs: int) -> list[str]:
    """Where annotators could read the name of a system: those `told` them, and how many `outputs` name their own."""
    found = []
    if told:
        found.append(f"The question or the instructions name a system ({listed_names(told)}): people will look for it.")
    if outputs:
        found.append(
            f"{counted(outputs, 'output')} {'names' if outputs == 1 else 'name'} the system that wrote "
            f"{'it' if outputs == 1 else 'them'}, which people will read."
        )
    return found


def _decision_words(found: Outlook) -> str:
    decision = found.decision
    parts = [f"Stops by: {found.rule}", f"alpha {plain(decision.alpha)}"]
    if found.rates and found.pairs > 1:
        parts.append("each by itself" if decision.multiplicity == "none" else f"all {found.pairs:,} intervals at once")
    elif found.pairs > 1:
        parts.append(account_of_pairs(decision))
    if decision.margin is not None:
        parts.append(f"margin {plain(decision.margin)}")
    parts.append("a claim about " + ("inputs like these" if decision.target == "inputs" else "these items only"))
    if decision.metrics or decision.judges:
        parts.append(f"with {listed_names((*decision.metrics, *decision.judges))}")
    return ", ".join(parts) + "."


def _need_words(items: int | None) -> str:
    """What a campaign may take: if ratings take all values of their scales equally often."""
    if items is None:
        return ""
    return f" If all ratings of a scale come equally often, that takes about {counted(items, 'item')} per system."


def _plan_words(plan: PlannedItems) -> str:
    """What the shortest plan of a pair finds, and what another plan would."""
    if plan.finds is None:
        return f"{counted(plan.items, 'item')} of a pair are too few to find any difference with a chance of 80%."
    at = f"with a chance of 80%, if {in_percent(ASSUMED_TIES)} of items are ties"
    more = "" if plan.others_find is None else f"; a plan for {plan.others:,} items finds {number(plan.others_find)}"
    return f"This plan finds a difference of {number(plan.finds)} or more {at}{more}."


def _most_words(found: Outlook) -> str:
    cost = "" if found.money is None else f", {money(found.money, found.currency)}"
    most = f"At most {counted(found.labels, 'label')}{cost}"
    if found.look:
        why = " (the budget)" if found.within_budget else ""
        return f"{most}{why}; all pairs are decided together, when each has its items."
    if found.rates:
        why = "the budget" if found.within_budget else "if every output had to be rated"
        return f"{most} ({why}); a system of which enough is known is asked about no more."
    why = "the budget" if found.within_budget else "if every item of every pair had to be asked"
    return f"{most} ({why}); a pair that is decided is asked no more."


def _companions_words(decision: DecisionSettings, limit: int) -> str:
    """Why not all items are labelled: for the metrics' sake."""
    names = listed_names((*decision.metrics, *decision.judges))
    return (
        f"{names} can help only through items that nobody labels: of a pair at most {counted(limit, 'item')} "
        f"{'is' if limit == 1 else 'are'} labelled (--items-per-pair)."
    )
