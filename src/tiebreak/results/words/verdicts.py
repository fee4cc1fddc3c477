"""Verdicts and what an undecided pair still needs."""

from __future__ import annotations

from typing import Final

from tiebreak.results.numbers import about, about_money, plain
from tiebreak.results.records import PairResult

_POSTERIOR_REASONS: Final = {
    "no-labels": "no human labels",
    "few-labels": "fewer than 10 human labels",
    "heavy-tail": "could not be computed well enough",
    "not-converged": "could not be computed well enough",
}


def verdict_words(pair: PairResult, margin: float | None, currency: str = "$") -> str:
    """ "CGA is better", "equivalent within 0.1", "undecided: about 140 more items, 280 labels, $2.80"."""
    if pair.winner is not None:
        small = pair.also == "equivalent"
        return f"{pair.winner} is better" + (", but by less than the margin" if small else "")
    if pair.verdict == "equivalent":
        return f"equivalent within {plain(margin or 0.0)}"
    return f"undecided: {missing}" if (missing := missing_words(pair, currency)) else "undecided"


def note_words(pair: PairResult, margin: float | None) -> str:
    """What the names of a decided pair and the sign between them do not tell; "" where they tell it all."""
    if pair.verdict == "equivalent":
        return f"equivalent within {plain(margin or 0.0)}"
    return "by less than the margin" if pair.also == "equivalent" else ""


def missing_words(pair: PairResult, currency: str = "$") -> str:
    """Why a pair is undecided: what it still needs, or what is wrong; "" where the rule says neither."""
    return _posterior_words(pair) if pair.mean_p is not None else further_words(pair, currency)


def needed_words(pair: PairResult, currency: str = "$") -> str:
    """The same below the words "still needed"."""
    return _posterior_words(pair) if pair.mean_p is not None else _further_words(pair, currency, "item")


def further_words(pair: PairResult, currency: str = "$") -> str:
    """What an undecided pair still needs, as far as it can be told: "about 140 more items, 280 labels, $2.80"."""
    return _further_words(pair, currency, "more item")


def _posterior_words(pair: PairResult) -> str:
    """A posterior says nothing about further labels."""
    return next((_POSTERIOR_REASONS[flag] for flag in pair.flags if flag in _POSTERIOR_REASONS), "")


def _further_words(pair: PairResult, currency: str, noun: str) -> str:
    if pair.budget_left == 0:
        return "the budget is spent"
    if pair.exhausted:
        return "no items left"
    if "campaign-over" in pair.flags:
        return "the campaign is over"
    if not pair.labels:
        return "no evidence yet"
    if pair.items_to_decision is None:
        return "no end in sight" if pair.budget_left is None else "unlikely within the budget"
    parts = [f"about {about(pair.items_to_decision, noun)}"]
    if pair.labels_to_decision:
        parts.append(about(pair.labels_to_decision, "label"))
    if pair.cost_to_decision is not None:
        parts.append(about_money(pair.cost_to_decision, currency))
    return ", ".join(parts)
