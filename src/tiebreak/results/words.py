"""Verdicts and results in words: the same sentences in the terminal, the tables and the report."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.results.numbers import counted, known_number, number, plain, rounded
from tiebreak.results.records import PairResult
from tiebreak.results.terms import Terms
from tiebreak.version import __version__

_POSTERIOR_REASONS = {
    "no-labels": "no human labels",
    "few-labels": "fewer than 10 human labels",
    "heavy-tail": "could not be computed well enough",
    "not-converged": "could not be computed well enough",
}


def verdict_words(pair: PairResult, margin: float | None, currency: str = "$") -> str:
    """ "CGA is better", "equivalent within .1", "undecided: about 140 more items, 280 labels, $2.80"."""
    if pair.winner is not None:
        small = pair.also == "equivalent"
        return f"{pair.winner} is better" + (", but by less than the margin" if small else "")
    if pair.verdict == "equivalent":
        return f"equivalent within {plain(margin or 0.0)}"
    if pair.mean_p is not None:  # a posterior says nothing about further labels
        reasons = [_POSTERIOR_REASONS[flag] for flag in pair.flags if flag in _POSTERIOR_REASONS]
        return f"undecided: {reasons[0]}" if reasons else "undecided"
    return f"undecided: {further_words(pair, currency)}"


def further_words(pair: PairResult, currency: str = "$") -> str:
    """What an undecided pair still needs, as far as it can be told."""
    if pair.exhausted:
        return "no items left"
    if not pair.labels:
        return "no labels yet"
    if pair.budget_left == 0:
        return "the budget is spent"
    if pair.items_to_decision is None:
        return "no end in sight" if pair.budget_left is None else "unlikely within the budget"
    parts = [f"about {rounded(pair.items_to_decision)} more item{'s' if pair.items_to_decision != 1 else ''}"]
    if pair.labels_to_decision:
        parts.append(f"{rounded(pair.labels_to_decision)} label{'s' if pair.labels_to_decision != 1 else ''}")
    if pair.cost_to_decision is not None:
        cost = pair.cost_to_decision
        parts.append(f"{currency}{cost:,.2f}" if cost < 100 else f"{currency}{rounded(round(cost))}")
    return ", ".join(parts)


def paper_sentence(
    pairs: Sequence[PairResult],
    terms: Terms,
    *,
    criterion: str | None,
    from_ratings: bool,
    people: int,
    labels: int,
) -> str:
    """One sentence (with a second for the findings) to paste into a paper: method, alpha, estimand, n."""
    about = f" on {criterion}" if criterion else ""
    if not pairs:
        return f"No two systems were judged on the same item{about}."
    if not terms.human:
        return _naive_sentence(pairs, terms)
    kind = "human rating" if from_ratings else "pairwise human preference"
    what = counted(labels, kind) + (", compared item by item," if from_ratings else "")
    items = sorted(pair.items for pair in pairs)
    spread = counted(items[-1], "item") if items[0] == items[-1] else f"{items[0]:,} to {counted(items[-1], 'item')}"
    scope = "inputs like these" if terms.target == "inputs" else "these items"
    unit = ", one unit of evidence per cluster of items" if any(pair.clusters is not None for pair in pairs) else ""
    setup = (
        f"From {what}{about} by {counted(people, 'annotator')} "
        f"({spread} per pair; {terms.labels_in_words}{unit}) we estimated P(first preferred) - P(second "
        f"preferred) on {scope} and decided by {_method_words(terms)} "
        f"(tiebreak {__version__})"
    )
    return f"{setup}: {_findings(pairs, terms)}. Verdicts {_in_a_paper(terms)}."


def _in_a_paper(terms: Terms) -> str:
    """The guarantee without advice to the person who runs the command."""
    return terms.guarantee.split(". To look again")[0]


def _naive_sentence(pairs: Sequence[PairResult], terms: Terms) -> str:
    """For a metric without human labels: says what it is, so that nobody pastes it as evidence."""
    return (
        f"Not evidence of quality: {', '.join(terms.automatic)} alone, without human labels, decided by "
        f"{_method_words(terms)} (tiebreak {__version__}): "
        f"{_findings(pairs, terms)}. A metric's systematic mistakes do not shrink with more items, and no number "
        "here accounts for them."
    )


def _method_words(terms: Terms) -> str:
    automatic = ", ".join(terms.automatic)
    if terms.correction is None:
        source = f" ({automatic})" if automatic else ""
        return f"the {terms.title}{source}, at {terms.level} = {plain(terms.alpha)} for each pair"
    article = "an" if terms.title[0] in "aeiou" else "a"
    tests = f"{terms.correction} over {terms.family:,} pairs" if terms.family > 1 else "one pair, both directions"
    margin = f", margin {plain(terms.margin)}" if terms.margin is not None else ""
    helped = f", with {automatic} as a control variate" if automatic and terms.human else ""
    budget = (
        f", betting towards at most {counted(terms.items_per_pair, 'item')} per pair" if terms.items_per_pair else ""
    )
    return f"{article} {terms.title} at alpha = {plain(terms.alpha)} ({tests}{margin}{helped}{budget})"


def _findings(pairs: Sequence[PairResult], terms: Terms) -> str:
    if len(pairs) == 1:
        return _one_finding(pairs[0], terms)
    better = sum(pair.winner is not None for pair in pairs)
    equivalent = sum(pair.verdict == "equivalent" for pair in pairs)
    undecided = len(pairs) - better - equivalent
    parts = [f"{better} of {len(pairs)} pairs have a better system"]
    if terms.margin is not None:
        parts.append(f"{equivalent} are equivalent within {plain(terms.margin)}")
    parts.append(f"{undecided} remain{'s' if undecided == 1 else ''} undecided")
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"


def _one_finding(pair: PairResult, terms: Terms) -> str:
    found = pair.difference
    figures = f"difference {known_number(found.estimate)}, interval [{number(found.low)}, {number(found.high)}]"
    if pair.winner is not None:
        loser = pair.system_b if pair.winner == pair.system_a else pair.system_a
        return f"{pair.winner} is better than {loser} ({pair.system_a} minus {pair.system_b}: {figures})"
    if pair.verdict == "equivalent":
        return f"{pair.system_a} and {pair.system_b} are equivalent within {plain(terms.margin or 0.0)} ({figures})"
    return f"{pair.system_a} and {pair.system_b} remain undecided ({figures})"
