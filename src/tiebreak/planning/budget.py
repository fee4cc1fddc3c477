"""What a budget decides, and what could be done if that is too little."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tiebreak.messages import advice as messages
from tiebreak.planning.assumptions import pairs_of
from tiebreak.planning.question import Question
from tiebreak.planning.records import BudgetAnswer
from tiebreak.rules.power import CHANCE
from tiebreak.simulate.engines.policies import SimulatedLabelling


def budget_answer(question: Question) -> BudgetAnswer | None:
    """What the budget decides under the first policy; None without a budget.

    Every pair is planned for its even share of the labels.
    """
    settings, pairs = question.settings, question.assumed.number_of_pairs
    budget = settings.budget_in_labels
    if budget is None:
        return None
    share = _share(question, budget)
    enough = share >= CHANCE
    words = messages.budget_decides(
        budget, pairs, share, money_spent=settings.max_money, currency=settings.currency, enough=enough
    )
    if enough:
        return BudgetAnswer(budget, share, words, ())
    ways = [
        _more_labels(question),
        _larger_difference(question, budget),
        *(_without_the_hardest(question, budget) if len(question.differences) > 1 else _fewer_pairs(question, budget)),
    ]
    return BudgetAnswer(budget, share, words, tuple(filter(None, ways)))


def _items(question: Question, budget: int, policy: SimulatedLabelling | None = None) -> int:
    """Items per pair that an even share of the budget pays for."""
    asked = question.asked(policy or question.settings.policies[0])
    return min(int(budget / (question.assumed.number_of_pairs * asked.people)), asked.most)


def _share(question: Question, budget: int) -> float:
    """The expected share of pairs that the budget decides."""
    return question.asked(question.settings.policies[0]).chance(_items(question, budget))


def _more_labels(question: Question) -> str:
    settings = question.settings
    asked = question.asked(settings.policies[0])
    planned = asked.enough()
    labels = (planned or asked.most) * asked.people * question.assumed.number_of_pairs
    return messages.more_labels(labels, settings.price, settings.currency, enough=planned is not None)


def _larger_difference(question: Question, budget: int) -> str:
    """With one label per item."""
    one = SimulatedLabelling("one")
    items = _items(question, budget, one)
    found = question.asked(one).power.found(items) if items else None
    return "" if found is None else messages.larger_difference(items, found)


def _without_the_hardest(question: Question, budget: int) -> list[str]:
    """For pairs that differ: how many of the hardest to leave out, so that the budget decides the others."""
    asked = question.asked(question.settings.policies[0])
    pairs = len(question.differences)
    chances = asked.endings(max(_items(question, budget), 1)).right.reshape(pairs, -1).mean(axis=1)
    easiest_first = np.argsort(-chances, kind="stable")
    ordered = Question(question.assumed, question.settings, question.population, question.differences[easiest_first])

    def share(kept: int) -> float:
        return _share(ordered.with_pairs(kept), budget)

    kept = _largest(lambda kept: share(kept) >= CHANCE, pairs - 1)
    return [messages.without_hardest(pairs - kept, kept, share(kept))] if kept >= 2 else []


def _fewer_pairs(question: Question, budget: int) -> list[str]:
    """For pairs that are alike: a baseline instead of all pairs, and the most systems that the budget decides."""
    systems, pairs = question.assumed.number_of_systems, question.assumed.number_of_pairs
    if systems is None or pairs <= 1:
        return []

    def share(count: int) -> float:
        return _share(question.with_pairs(count), budget)

    ways = []
    with_baseline = pairs_of(systems, baseline=True)
    if with_baseline < pairs:
        ways.append(messages.with_baseline(with_baseline, pairs, share(with_baseline)))
    enough = _largest(lambda count: share(pairs_of(count, baseline=False)) >= CHANCE, systems - 1)
    if enough >= 2:
        ways.append(messages.fewer_systems(enough, pairs_of(enough, baseline=False)))
    else:
        ways.append(messages.too_little_for_one_pair(share(1)))
    return ways


def _largest(holds: Callable[[int], bool], most: int) -> int:
    """The largest number in [2, `most`] of which something holds that holds of all smaller ones, or 1."""
    low, high = 1, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
