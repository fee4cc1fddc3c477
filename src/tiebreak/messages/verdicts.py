"""Verdicts and what an undecided pair still needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.numbers import about, about_labels, counted, interval, plain
from tiebreak.results.records import (
    BEYOND_BUDGET,
    BEYOND_ITEMS,
    CAMPAIGN_OVER,
    CONTRADICTION,
    FEW_UNITS,
    NEW_ITEMS,
    NOT_PROJECTED,
    WITH_THE_OTHERS,
    PairResult,
)

_POSTERIOR_REASONS: Final = {
    "no-labels": "no human labels",
    "few-labels": "fewer than 10 human labels",
    "heavy-tail": "could not be computed well enough",
    "not-converged": "could not be computed well enough",
}

_CHANCE: Final = "for an 80% chance"
"""What a projection of further labels means."""

_NO_PROJECTION: Final = {
    BEYOND_ITEMS: "unlikely with the items left",
    BEYOND_BUDGET: "unlikely with the budget left",
    NOT_PROJECTED: "not projected by this rule",
    FEW_UNITS: "too few items to tell",
}


def verdict_words(pair: PairResult, margin: float | None, currency: str = "$", *, anew: bool = False) -> str:
    """ "CGA is better", "equivalent within 0.1, by [-0.05, 0.09]", "undecided: about 140 more items, 280 labels".

    `anew`: labels cannot be added, so that going on is another study: "undecided: about 240 items for an 80% chance".
    """
    if pair.winner is not None:
        small = f", but by less than the margin{_rests_on(pair.equivalence_interval)}"
        return f"{pair.winner} is better" + (small if pair.also == "equivalent" else "")
    if pair.verdict == "equivalent":
        return f"equivalent within {plain(margin or 0.0)}{_rests_on(pair.equivalence_interval)}"
    missing = missing_words(pair, currency)
    if anew and pair.items_to_decision is not None:
        missing = f"{anew_words(pair, currency)} {_CHANCE}"
    return f"undecided: {missing}" if missing else "undecided"


def too_few_words(pairs: Iterable[PairResult]) -> str:
    """Why there is no difference beside the interval of some of these pairs; "" where every one has it."""
    without = [pair for pair in pairs if pair.difference.estimate is None]
    noun = "items" if any(pair.clusters is None for pair in without) else "clusters"
    return f"too few {noun}" if without else ""


def _rests_on(shown_by: tuple[float, float] | None) -> str:
    """The interval whose place inside the margin shows equivalence, where the rule has one."""
    return "" if shown_by is None else f", by {interval(*shown_by)}"


def missing_words(pair: PairResult, currency: str = "$", chance: str = _CHANCE) -> str:
    """Why a pair is undecided: what it still needs, or what is wrong; "" where the rule says neither."""
    if pair.mean_p is None or _closed_words(pair):
        return further_words(pair, currency, chance)
    wrong = next((_POSTERIOR_REASONS[flag] for flag in pair.flags if flag in _POSTERIOR_REASONS), "")
    # A posterior says nothing about further labels, a campaign by it only when it looks again.
    looks = "" if pair.next_look is None else f"next look at {counted(pair.next_look, 'item')}"
    return "; ".join(part for part in (wrong, looks) if part)


def needed_words(pair: PairResult, currency: str = "$") -> str:
    """The same below the words "To a verdict (80%)"."""
    return missing_words(pair, currency, chance="")


def anew_words(pair: PairResult, currency: str = "$") -> str:
    """What an undecided pair takes where labelling begins again: "about 240 items, 240 labels, $24"; more than it has,
    since these did not decide it.
    """
    parts = [f"about {about(pair.items_to_decision or 0, 'item', pair.items)}"]
    if pair.labels_to_decision:
        parts.append(about_labels(pair.labels_to_decision, pair.cost_to_decision, currency, pair.labels))
    return ", ".join(parts)


def _closed_words(pair: PairResult) -> str:
    """Why nothing more will come; "" where something may."""
    if CONTRADICTION in pair.flags:
        return "the evidence contradicts itself"
    if WITH_THE_OTHERS in pair.flags:
        return "to be decided with the other pairs"
    if pair.budget_left == 0:
        return "the limit of items per pair is reached"
    if pair.exhausted:
        return "no items left"
    return "the campaign is over" if CAMPAIGN_OVER in pair.flags else ""


def further_words(pair: PairResult, currency: str = "$", chance: str = _CHANCE) -> str:
    """What an undecided pair needs, as far as it can be told: "about 140 more items, 280 labels for an 80% chance";
    where no `chance` is told, the words above say that these are more.
    """
    if closed := _closed_words(pair):
        return closed
    if pair.next_look is not None:
        return f"to be decided at {counted(pair.next_look, 'item')}"
    if not pair.labels:
        return "no evidence yet"
    if pair.items_to_decision is None:
        return next((words for flag, words in _NO_PROJECTION.items() if flag in pair.flags), "no end in sight")
    noun = "new item" if NEW_ITEMS in pair.flags else "more item" if chance else "item"
    parts = [f"about {about(pair.items_to_decision, noun)}"]
    if pair.labels_to_decision:
        parts.append(about_labels(pair.labels_to_decision, pair.cost_to_decision, currency))
    elif pair.waiting:
        parts.append("whose answers wait already")
    return f"{', '.join(parts)} {chance}".rstrip()
