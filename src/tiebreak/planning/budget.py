"""What a budget decides, and what could be done if that is too little: plain sentences with figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from tiebreak.numbers import counted, in_percent, money, number, rounded
from tiebreak.planning.assumptions import PlanSettings, pairs_of
from tiebreak.planning.question import Question
from tiebreak.planning.records import BudgetAnswer
from tiebreak.rules.power import CHANCE
from tiebreak.simulate.engines.policies import SimulatedLabelling

_WORTH_SAYING: Final = 0.05
_USUAL_CORRELATION: Final = 0.5
_LEAST_CORRELATION: Final = 0.1
_UNLABELLED: Final = 10  # times the budget's items: what a metric is taken to have scored
_LARGEST_MARGIN: Final = 0.4


def budget_answer(question: Question) -> BudgetAnswer | None:
    """What the budget decides under the first policy; None without a budget.

    Every pair is planned for its even share of the labels.
    """
    settings, pairs = question.settings, question.assumed.number_of_pairs
    budget = settings.budget_in_labels
    if budget is None:
        return None
    share = _share(question, budget)
    cost = f"{money(settings.max_money, settings.currency)} pays for " if settings.max_money is not None else ""
    per_pair = f", {budget // pairs:,} per pair" if pairs > 1 else ""
    expectation = f"{in_percent(share)} of the pairs" if pairs > 1 else f"the pair in {in_percent(share)} of campaigns"
    head = f"{cost}{counted(budget, 'label')}{per_pair}. These are expected to decide {expectation}."
    if share >= CHANCE:
        return BudgetAnswer(budget, share, f"The budget is enough: {head}", ())
    ways = [
        _more_labels(question),
        _larger_difference(question, budget),
        *(_without_the_hardest(question, budget) if len(question.differences) > 1 else _fewer_pairs(question, budget)),
        _metric(question, budget, share),
        _margin(question, budget),
    ]
    return BudgetAnswer(budget, share, f"The budget is too small for this question: {head}", tuple(filter(None, ways)))


def _items(question: Question, budget: int, policy: SimulatedLabelling | None = None) -> int:
    """Items per pair that an even share of the budget pays for."""
    asked = question.asked(policy or question.settings.policies[0])
    return min(int(budget / (question.assumed.number_of_pairs * asked.people)), asked.most)


def _share(question: Question, budget: int) -> float:
    """The expected share of pairs that the budget decides."""
    return question.asked(question.settings.policies[0]).chance(_items(question, budget))


def _in_money(labels: float, settings: PlanSettings) -> str:
    """`20,000 labels` or, with a price, `20,000 labels ($2,000)`."""
    if settings.price is None:
        return f"{rounded(labels)} labels"
    return f"{rounded(labels)} labels ({settings.currency}{rounded(labels * settings.price)})"


def _more_labels(question: Question) -> str:
    asked = question.asked(question.settings.policies[0])
    planned = asked.enough()
    labels = _in_money((planned or asked.most) * asked.people * question.assumed.number_of_pairs, question.settings)
    if planned is None:
        return f"More labels: even a budget of {labels} would decide less than {in_percent(CHANCE)} of the pairs."
    return f"More labels: a budget of {labels} decides {in_percent(CHANCE)} of the pairs on average."


def _larger_difference(question: Question, budget: int) -> str:
    """With one label per item."""
    one = SimulatedLabelling("one")
    items = _items(question, budget, one)
    found = question.asked(one).power.found(items) if items else None
    if found is None:
        return ""
    return (
        f"A larger difference: {counted(items, 'label')} per pair find one of {number(found)} or more with a chance of "
        f"{in_percent(CHANCE)}."
    )


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
    if kept < 2:
        return []
    left_out = pairs - kept
    which = "the hardest pair" if left_out == 1 else f"the {left_out} hardest pairs"
    return [f"Fewer pairs: without {which}, {in_percent(share(kept))} of the other {kept} are decided."]


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
        ways.append(
            f"A baseline: of its {with_baseline} pairs instead of {pairs}, chosen before looking, "
            f"{in_percent(share(with_baseline))} are decided."
        )
    enough = _largest(lambda count: share(pairs_of(count, baseline=False)) >= CHANCE, systems - 1)
    if enough >= 2:
        ways.append(
            f"Fewer systems: the budget is enough for {enough} of them "
            f"({counted(pairs_of(enough, baseline=False), 'pair')})."
        )
    else:
        ways.append(f"Fewer systems: even a single pair is decided in only {in_percent(share(1))} of campaigns.")
    return ways


def _largest(holds: Callable[[int], bool], most: int) -> int:
    """The largest number in [2, `most`] of which something holds that holds of all smaller ones, or 1."""
    low, high = 1, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _metric(question: Question, budget: int, share: float) -> str:
    """A metric that is not assumed yet, with a correlation of 0.5 or of what people's agreement allows."""
    assumed, settings = question.assumed, question.settings
    one = SimulatedLabelling("one")
    items = _items(question, budget, one)
    if assumed.metric_correlation is not None or settings.margin is not None or items < 1:
        return ""
    possible = question.population.largest_correlation()
    correlation = math.floor(100 * min(_USUAL_CORRELATION, 0.95 * possible)) / 100
    scored = settings.number_of_items or _UNLABELLED * max(items, 100)
    if correlation < _LEAST_CORRELATION or (settings.target == "inputs" and scored < 3 * items):
        return ""
    helped = question.asked(one, correlation, scored).chance(items)
    what = f"one that correlates by {number(correlation)} with single labels"
    best = (
        f" (a perfect one would by {number(possible)}, as far as people agree)"
        if correlation < _USUAL_CORRELATION
        else ""
    )
    if helped < share + _WORTH_SAYING:
        return f"A metric or judge: {what}{best} would help little."
    return (
        f"A metric or judge: {what}{best}, on {scored:,} items: with {counted(items, 'label')} per pair, "
        f"{in_percent(helped)} of the pairs are decided instead of {in_percent(share)}."
    )


def _margin(question: Question, budget: int) -> str:
    """The smallest margin within which the budget would show that equal systems are equivalent, in hundredths."""
    one = SimulatedLabelling("one")
    items = _items(question, budget, one)
    if items < 1 or question.settings.margin is not None:
        return ""
    margin = math.ceil(100 * question.asked(one).power.margin_shown(items)) / 100
    if margin > _LARGEST_MARGIN:
        return ""
    return (
        f"A margin: if a difference below {margin:g} does not matter, --margin {margin:g} shows with a chance of "
        f"{in_percent(CHANCE)} that equal systems are equivalent."
    )
