"""Verdicts and results in words: the same sentences in the terminal, the tables and the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.results.records import PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.registry import RULES, Multiplicity
from tiebreak.version import __version__

_RULES = {
    "mean": "the mean of the labels of each item",
    "majority": "the majority label of each item",
    "first": "one label per item",
}

_POSTERIOR_REASONS = {
    "no-labels": "no human labels",
    "few-labels": "fewer than 10 human labels",
    "heavy-tail": "could not be computed well enough",
    "not-converged": "could not be computed well enough",
}


def number(value: float, digits: int = 2) -> str:
    """A number without the zero before the point, as papers print shares: .05, -.12, 1.00."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-").startswith("0.") else text


def plain(value: float) -> str:
    """A setting as the user gave it, without the leading zero: .05, .1, .001."""
    text = f"{value:g}"
    return text[1:] if text.startswith("0.") else text


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


def rounded(count: int) -> str:
    """Two significant digits: a projection is not known better."""
    if count < 100:
        return str(count)
    scale = 10 ** (len(str(count)) - 2)
    return f"{round(count / scale) * scale:,}"


_WRONG: Final[dict[Multiplicity, str]] = {
    "holm": "the chance of any wrong verdict",
    "bonferroni": "the chance of any wrong verdict",
    "fdr": "the expected share of wrong verdicts among those given",
    "none": "the chance of a wrong verdict on a single pair",
}
"""What alpha bounds."""


def holds_at_every_look(settings: CompareSettings, order_of_items: str) -> bool:
    """Whether evidence stays what it was when labels are added, so that one may look again.

    A random order does not; nor do the unlabelled items that metrics and judges are compared on for a claim about
    inputs like these, because every new label takes one away (20 looks at equal systems: 9-13 % wrong at alpha .05).
    """
    redrawn = bool(settings.metrics or settings.judges) and settings.target == "inputs"
    return settings.rule == "anytime" and order_of_items == "recorded" and not redrawn


def guarantee(settings: CompareSettings, order_of_items: str) -> str:
    """What the verdicts promise, to complete "Verdicts ...": it depends on the method and on the order of items."""
    if settings.rule != "anytime":
        return RULES[settings.rule].guarantee
    chance = f"{_WRONG[settings.multiplicity]} is at most {plain(settings.alpha)}"
    if holds_at_every_look(settings, order_of_items):
        fixed = " and that the budget was fixed before the first label" if settings.items_per_pair else ""
        return (
            "hold at every look, provided that the order in which labels came does not depend on what they say"
            f"{fixed}: {chance}, however often one looks"
        )
    advice = "they must be preferences, one an item, each with its time (decided_at)"
    if order_of_items == "recorded":
        advice = "use no metric, or use it for a claim about these items (--target items)"
    fixed = ", provided that the budget was fixed before the first label" if settings.items_per_pair else ""
    return f"hold for these labels as a finished set{fixed}: {chance}. To look again when labels are added, {advice}"


def anytime_validity(settings: CompareSettings, family: int, order_of_items: str) -> str:
    """When an interval of the default method holds."""
    looks = " at every look" if holds_at_every_look(settings, order_of_items) else ""
    level = f"{_percent(1 - settings.alpha)}{looks}"
    scope = "on inputs like these" if settings.target == "inputs" else "on these items"
    if settings.multiplicity in ("holm", "bonferroni") and family > 1:
        return f"{level}, for all {family:,} pairs at once, {scope}"
    return f"{level}, {'for this pair, ' if family > 1 else ''}{scope}"


def fixed_validity(settings: CompareSettings, family: int, *, clustered: bool) -> str:
    """When an interval of the fixed-sample methods holds."""
    if settings.rule == "dirichlet":
        words = f"{_percent(1 - settings.alpha)} posterior probability under a uniform prior, for this pair"
    elif settings.rule == "hoeffding":
        level = max(0.0, 1 - 2 * settings.alpha)
        words = f"{_percent(level)} for one look at this number of items, for this pair"
    else:
        whom = f"for all {family:,} pairs at once" if family > 1 else "for this pair"
        words = f"{_percent(1 - settings.alpha)} for one look at this number of items, {whom}"
    return words + (", if items were independent (clusters are ignored)" if clustered else "")


def _percent(share: float) -> str:
    return f"{100 * share:.12g} %"


def counted(count: int, noun: str) -> str:
    """`"1 label"`, `"1,200 labels"`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def paper_sentence(
    evidence: CriterionEvidence,
    pairs: Sequence[PairResult],
    settings: CompareSettings,
    family: int,
    people: Sequence[str],
    labels: int,
    order_of_items: str,
) -> str:
    """One sentence (with a second for the findings) to paste into a paper: method, alpha, estimand, n."""
    about = f" on {evidence.criterion}" if evidence.criterion else ""
    if not pairs:
        return f"No two systems were judged on the same item{about}."
    if not settings.human:
        return _naive_sentence(pairs, settings, family, order_of_items)
    kind = "human rating" if evidence.from_ratings else "pairwise human preference"
    what = counted(labels, kind) + (", compared item by item," if evidence.from_ratings else "")
    items = sorted(pair.items for pair in pairs)
    spread = counted(items[-1], "item") if items[0] == items[-1] else f"{items[0]:,} to {counted(items[-1], 'item')}"
    scope = "inputs like these" if settings.target == "inputs" else "these items"
    unit = ", one unit of evidence per cluster of items" if any(pair.clusters is not None for pair in pairs) else ""
    setup = (
        f"From {what}{about} by {counted(len(people), 'annotator')} "
        f"({spread} per pair; {_RULES[settings.several]}{unit}) we estimated P(first preferred) - P(second "
        f"preferred) on {scope} and decided by {_method_words(settings, family, order_of_items)} "
        f"(tiebreak {__version__})"
    )
    return f"{setup}: {_findings(pairs, settings)}. Verdicts {_in_a_paper(settings, order_of_items)}."


def _in_a_paper(settings: CompareSettings, order_of_items: str) -> str:
    """The guarantee without advice to the person who runs the command."""
    return guarantee(settings, order_of_items).split(". To look again")[0]


def _naive_sentence(pairs: Sequence[PairResult], settings: CompareSettings, family: int, order_of_items: str) -> str:
    """For a metric without human labels: says what it is, so that nobody pastes it as evidence."""
    names = ", ".join((*settings.metrics, *settings.judges))
    return (
        f"Not evidence of quality: {names} alone, without human labels, decided by "
        f"{_method_words(settings, family, order_of_items)} (tiebreak {__version__}): "
        f"{_findings(pairs, settings)}. A metric's systematic mistakes do not shrink with more items, and no number "
        "here accounts for them."
    )


def fdr_procedure(settings: CompareSettings, order_of_items: str) -> str:
    """By what `--multiplicity fdr` is done: e-BH needs evidence that one look at complete labels gives."""
    return "e-BH" if settings.rule == "anytime" and order_of_items == "exchangeable" else "Benjamini-Yekutieli"


def _method_words(settings: CompareSettings, family: int, order_of_items: str) -> str:
    method = RULES[settings.rule]
    if not method.uses_multiplicity:
        automatic = ", ".join((*settings.metrics, *settings.judges))
        source = f" ({automatic})" if automatic else ""
        return f"the {method.title}{source}, at {method.level} = {plain(settings.alpha)} for each pair"
    article = "an" if method.title[0] in "aeiou" else "a"
    adjustment = {
        "holm": "Holm" if settings.margin is None else "Bonferroni",
        "bonferroni": "Bonferroni",
        "fdr": "e-BH, false discovery rate"
        if fdr_procedure(settings, order_of_items) == "e-BH"
        else "Benjamini-Yekutieli",
        "none": "no adjustment",
    }[settings.multiplicity]
    tests = f"{adjustment} over {family:,} pairs" if family > 1 else "one pair, both directions"
    margin = f", margin {plain(settings.margin)}" if settings.margin is not None else ""
    automatic = ", ".join((*settings.metrics, *settings.judges))
    helped = f", with {automatic} as a control variate" if automatic and settings.human else ""
    budget = (
        f", betting towards at most {counted(settings.items_per_pair, 'item')} per pair"
        if settings.items_per_pair
        else ""
    )
    return f"{article} {method.title} at alpha = {plain(settings.alpha)} ({tests}{margin}{helped}{budget})"


def _findings(pairs: Sequence[PairResult], settings: CompareSettings) -> str:
    if len(pairs) == 1:
        return _one_finding(pairs[0], settings)
    better = sum(pair.winner is not None for pair in pairs)
    equivalent = sum(pair.verdict == "equivalent" for pair in pairs)
    undecided = len(pairs) - better - equivalent
    parts = [f"{better} of {len(pairs)} pairs have a better system"]
    if settings.margin is not None:
        parts.append(f"{equivalent} are equivalent within {plain(settings.margin)}")
    parts.append(f"{undecided} remain{'s' if undecided == 1 else ''} undecided")
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"


def _one_finding(pair: PairResult, settings: CompareSettings) -> str:
    found = pair.difference
    figures = f"difference {number(found.estimate)}, interval [{number(found.low)}, {number(found.high)}]"
    if pair.winner is not None:
        loser = pair.system_b if pair.winner == pair.system_a else pair.system_a
        return f"{pair.winner} is better than {loser} ({pair.system_a} minus {pair.system_b}: {figures})"
    if pair.verdict == "equivalent":
        return f"{pair.system_a} and {pair.system_b} are equivalent within {plain(settings.margin or 0.0)} ({figures})"
    return f"{pair.system_a} and {pair.system_b} remain undecided ({figures})"
