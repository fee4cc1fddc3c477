"""What the verdicts of a comparison of finished labels mean: its settings, and the order that the labels allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from tiebreak.records import Notice, OrderOfItems, Target
from tiebreak.results.guarantee import ALL_COUNTED, CHANCE_RATED, FIXED_BUDGET, Guarantee, Validity
from tiebreak.results.numbers import percent, plain
from tiebreak.results.settings import CompareSettings
from tiebreak.results.terms import Looks, Terms
from tiebreak.rules.finished import EXACT, TEST_WORDS, TestKind
from tiebreak.rules.finished_family import FinishedFamily
from tiebreak.rules.registry import RULES, Multiplicity
from tiebreak.settings.protocol import DecisionSettings

_LABEL_RULES: Final = {
    "mean": "the mean of the labels of each item",
    "majority": "the majority label of each item",
    "first": "the earliest label of each item, of equally early ones the mean",
}

BOUNDED: Final[dict[Multiplicity, str]] = {
    "holm": "the chance of any wrong verdict",
    "bonferroni": "the chance of any wrong verdict",
    "fdr": "the expected share of wrong verdicts among those given",
    "fdr-any": "the expected share of wrong verdicts among those given",
    "none": "the chance of a wrong verdict on a single pair",
}
"""What alpha bounds."""

ONE_LOOK: Final = "for one look"
AT_THE_END: Final = "at the number of items fixed beforehand"
"""When an interval of the rule `fixed` holds: where it is the one look, and before that."""


def comparison_terms(
    settings: CompareSettings,
    family: int,
    order: OrderOfItems,
    criteria: Sequence[str | None] = (None,),
    tests: Sequence[TestKind] = ("outcomes",),
    one_label: Literal["label", "comparison"] | None = None,
) -> Terms:
    """The terms of a comparison of `family` pairs over these criteria, whose items came in this order.

    `tests`: those that the rule `fixed` takes; `one_label`: what every item has one of, so that no rule for several
    labels does anything, None where some have several.
    """
    rule = RULES[settings.rule]
    title = "; ".join(TEST_WORDS[kind] for kind in tests) if settings.rule == "fixed" else rule.title
    return Terms(
        rule=settings.rule,
        title=title,
        level=rule.level,
        alpha=settings.alpha,
        guarantee=guarantee(settings, tests),
        several=settings.several,
        labels_in_words=_LABEL_RULES[settings.several] if one_label is None else f"one {one_label} of each item",
        family=family,
        order=order,
        looks=_looks(settings),
        margin=settings.margin,
        target=settings.target,
        multiplicity=settings.multiplicity,
        correction=_correction(settings) if rule.uses_multiplicity else None,
        criteria=tuple(criteria),
        systems=settings.systems,
        baseline=settings.baseline,
        raters=settings.raters,
        annotators=settings.annotators,
        exclude=settings.exclude,
        metrics=settings.metrics,
        judges=settings.judges,
        human=settings.human,
        tie_threshold=settings.tie_threshold,
        metric_tie_threshold=settings.metric_tie_threshold,
        items_per_pair=settings.items_per_pair,
        seed=settings.seed,
    )


def correction_in_words(multiplicity: Multiplicity, margin: float | None, rule: str) -> str:
    """How a rule accounts for many pairs. Where labels keep coming pairs stop because of each other: so a false
    discovery rate is controlled under any dependence.
    """
    return {
        "holm": "Holm" if margin is None else "Bonferroni",
        "bonferroni": "Bonferroni",
        "fdr": "Benjamini-Hochberg" if rule == "fixed" else "Benjamini-Yekutieli",
        "fdr-any": "Benjamini-Yekutieli",
        "none": "no adjustment",
    }[multiplicity]


def campaign_correction(decision: DecisionSettings) -> str | None:
    """How a campaign accounts for many pairs, in words; None where its rule does not."""
    if not RULES[decision.rule].uses_multiplicity:
        return None
    return correction_in_words(decision.multiplicity, decision.margin, decision.rule)


def _correction(settings: CompareSettings) -> str:
    return correction_in_words(settings.multiplicity, settings.margin, settings.rule)


def _looks(settings: CompareSettings) -> Looks:
    if settings.rule == "anytime":
        return "finished"
    return "uncontrolled" if RULES[settings.rule].sequential else "one"


def guarantee(settings: CompareSettings, tests: Sequence[TestKind] = ("outcomes",)) -> Guarantee:
    """What the verdicts promise."""
    if settings.rule == "fixed" and set(tests) == {"whole-pool"}:
        return replace(ALL_COUNTED, provided=_on_trust(settings))
    if settings.rule == "fixed":
        return finished_guarantee(settings, tests)
    if settings.rule != "anytime":
        return Guarantee(RULES[settings.rule].guarantee)
    return Guarantee(
        "hold for these labels as a finished set",
        chance=f"{BOUNDED[settings.multiplicity]} is at most {plain(settings.alpha)}",
        provided=((FIXED_BUDGET,) if settings.items_per_pair else ()) + _on_trust(settings),
        advice="To look again and again while labels come, use a campaign",
    )


def doubted(terms: Terms, notices: Sequence[Notice]) -> Terms:
    """The terms with what a warning takes away from their promise: items that belong together are fewer than they seem.

    A claim about these items only is not in doubt: they were drawn one by one.
    """
    if terms.target == "items" or not any(_doubts(notice) for notice in notices):
        return terms
    return replace(terms, guarantee=terms.guarantee.doubted())


def _doubts(notice: Notice) -> bool:
    """Whether items may not be independent: of one input that all share nothing is known, of several more."""
    inputs = notice.details.get("inputs")
    several = notice.code == "shared-inputs" and isinstance(inputs, int) and inputs > 1
    return several or notice.code == "neighbouring-items-correlate"


def finished_guarantee(settings: CompareSettings | DecisionSettings, tests: Sequence[TestKind]) -> Guarantee:
    """What the rule `fixed` promises by these tests, in a comparison or at the end of a campaign."""
    # A margin rests on intervals, which are exact at 0 only; Benjamini-Hochberg is proven for independent pairs.
    exact = set(tests) <= EXACT and settings.margin is None and settings.multiplicity != "fdr"
    most = "at most" if exact else "about"
    return Guarantee(
        "hold for one look at a number of labels fixed beforehand",
        chance=f"{BOUNDED[settings.multiplicity]} is {most} {plain(settings.alpha)}",
        provided=_on_trust(settings),
    )


def _on_trust(settings: CompareSettings | DecisionSettings) -> tuple[str, ...]:
    """What has to be believed where ratings of different people are compared."""
    across = isinstance(settings, CompareSettings) and settings.raters == "any"
    return (CHANCE_RATED,) if across else ()


def scope_words(target: Target) -> str:
    """About what an interval is."""
    return "on inputs like these" if target == "inputs" else "on these items"


def anytime_validity(settings: CompareSettings | DecisionSettings, family: int, *, every_look: bool) -> Validity:
    """When an interval of the rule `anytime` holds, in a comparison of finished labels or in a campaign."""
    level = f"{percent(1 - settings.alpha)}{' at every look' if every_look else ''}"
    scope = scope_words(settings.target)
    if settings.multiplicity in ("holm", "bonferroni") and family > 1:
        return Validity(f"{level}, for all {family:,} pairs at once, {scope}")
    return Validity(f"{level}, {'for this pair, ' if family > 1 else ''}{scope}")


def finished_validity(
    settings: CompareSettings | DecisionSettings, family: FinishedFamily, pairs: int, when: str = ONE_LOOK
) -> Validity:
    """When an interval of the rule `fixed` holds: about, since the tests are exact, if at all, at a difference of 0."""
    scope = scope_words(settings.target)
    if pairs > 1 and family.simultaneous:
        return Validity(f"about {percent(1 - settings.alpha)} {when}, for all {pairs:,} pairs at once, {scope}")
    whom = ", for each pair by itself" if pairs > 1 else ""
    digits = math.ceil(-math.log10(2 * family.level))  # 95%, 98.3%, 99.95%: never 100%
    return Validity(f"about {percent(round(1 - 2 * family.level, digits + 1))} {when}{whom}, {scope}")


def counts_validity(settings: CompareSettings, *, clustered: bool) -> Validity:
    """When an interval of the rules `hoeffding` and `dirichlet` holds."""
    if settings.rule == "dirichlet":
        words = f"{percent(1 - settings.alpha)} posterior probability under a uniform prior, for this pair"
    else:
        words = hoeffding_validity(settings.alpha)
    return Validity(words + (", if items were independent (clusters are ignored)" if clustered else ""))


def hoeffding_validity(d: float) -> str:
    """When the bound of the Hoeffding rule holds as an interval: each of its two sides errs with chance d."""
    return f"{percent(max(0.0, 1 - 2 * d))} for one look at this number of items, for this pair"
