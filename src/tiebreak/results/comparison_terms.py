"""What a set of verdicts means: the same record for a comparison of finished labels and for a campaign.

What the verdicts of a comparison of finished labels mean: its settings, and the order that the labels allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal

from tiebreak.records import Multiplicity, Notice, OrderOfItems, People, Question, Raters, Target, document
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.anytime import guarantee_of_a_set
from tiebreak.rules.family import correction_in_words
from tiebreak.rules.finished import SOURCES, TestKind
from tiebreak.rules.fixed import fixed_guarantee, tests_in_words
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import ALL_COUNTED, CHANCE_RATED, Guarantee, Looks
from tiebreak.settings.protocol import DecisionSettings


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything that the verdicts of one result depend on, and what they promise.

    `rule`, `title`: the rule by name and in words; `level`: what `alpha` is called there. `guarantee` completes the
    sentence "Verdicts ...". `several`: how several labels on an item become its value: a label rule, or a campaign's
    labelling policy; `labels_in_words`: the same in words. `family`: pairs tested together, over all criteria.
    `correction`: how many pairs are accounted for, in words; None where the rule does not. `tie_threshold` in rating
    points and `metric_tie_threshold` in points of a metric: differences up to them are ties. `human`: whether human
    labels decide. `compare`: the question, with `margin` in rating points where it is about means. `items_per_pair`:
    most items of a pair that will ever be labelled, None without a limit. `raters`: whose ratings of two outputs were
    compared: those of the "same" person, or those of "any". `people`: whether verdicts are about these annotators
    ("fixed") or about people like these ("random"). `systems`, `annotators` (globs): the part of the data that
    was asked for; None: all. `exclude` (globs): people left out. `only_pairs`: the pairs that a campaign names, ()
    where none are named. `seed` of the order of items.
    """

    rule: str
    title: str
    level: str
    alpha: float
    guarantee: Guarantee
    several: str
    labels_in_words: str
    family: int
    order: OrderOfItems
    looks: Looks
    margin: float | None = None
    target: Target = "inputs"
    multiplicity: Multiplicity = "holm"
    correction: str | None = None
    criteria: tuple[str | None, ...] = (None,)
    systems: Sequence[str] | None = None
    baseline: str | None = None
    only_pairs: Sequence[tuple[str, str]] = ()
    raters: Raters = "same"
    people: People = "fixed"
    annotators: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    metrics: Sequence[str] = ()
    judges: Sequence[str] = ()
    human: bool = True
    compare: Question = "wins"
    tie_threshold: float = 0.0
    metric_tie_threshold: float = 0.0
    items_per_pair: int | None = None
    seed: int = 0
    sources: tuple[str, ...] = ()

    @property
    def counted(self) -> bool:
        """Whether every verdict is a count of all items there are, so that no chance is left to be bounded."""
        return self.guarantee.says == ALL_COUNTED.says

    @property
    def automatic(self) -> tuple[str, ...]:
        """Metrics and judges."""
        return (*self.metrics, *self.judges)

    @property
    def going_on(self) -> bool:
        """Whether labels are added under these terms, as in a campaign; else going on would be another study."""
        return self.order in ("sealed", "listed", "seen")

    @property
    def trusted(self) -> bool:
        """Whether the verdicts rest on people and on evidence whose error rate is controlled."""
        return RULES[self.rule].controls_error and self.human

    def to_dict(self) -> dict[str, Any]:
        """All by name; `terms` of the JSON document."""
        return document(self, guarantee=str(self.guarantee))


_TERMS_SET: Final = {of.name for of in fields(Terms)} - {"criteria"}
"""Terms that are as they were set, where there is a setting of their name; criteria are those that were compared."""

_LABEL_RULES: Final = {
    "mean": "the mean of the labels of each item",
    "majority": "the majority label of each item",
    "first": "the earliest label of each item, of equally early ones the mean",
}


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
    title = tests_in_words(tests) if rule.looks == "one" else rule.title
    return Terms(
        **{of.name: getattr(settings, of.name) for of in fields(settings) if of.name in _TERMS_SET},
        title=title,
        level=rule.level,
        guarantee=guarantee(settings, tests),
        labels_in_words=_value_of_item(settings, one_label),
        family=family,
        order=order,
        looks=_looks(settings),
        correction=correction_of(settings),
        criteria=tuple(criteria),
        sources=tuple(dict.fromkeys((*rule.sources, *(key for kind in tests for key in SOURCES.get(kind, ())))))
        if rule.looks == "one"
        else rule.sources,
    )


def _value_of_item(settings: CompareSettings, one_label: Literal["label", "comparison"] | None) -> str:
    """What enters of each item."""
    if settings.people == "random":
        return "every label of each item by itself"
    if settings.compare == "means":
        return "the mean difference of each item"
    return _LABEL_RULES[settings.several] if one_label is None else f"one {one_label} of each item"


def correction_of(settings: CompareSettings | DecisionSettings) -> str | None:
    """How a rule accounts for many pairs, in words; None where it does not."""
    rule = RULES[settings.rule]
    if not rule.controls_error or rule.rates:
        return None
    return correction_in_words(settings.multiplicity, settings.margin, at_one_look=rule.looks == "one")


def _looks(settings: CompareSettings) -> Looks:
    rule = RULES[settings.rule]
    if rule.plans_items:
        return "finished"
    return "one" if rule.by_batches else rule.looks


def guarantee(settings: CompareSettings, tests: Sequence[TestKind] = ("outcomes",)) -> Guarantee:
    """What the verdicts promise: of metrics and judges alone nothing, whatever the size of a sample."""
    if not settings.human:
        return Guarantee("promise nothing: nothing bounds the mistakes of metrics and judges")
    rule, on_trust = RULES[settings.rule], (CHANCE_RATED,) if settings.raters == "any" else ()
    if rule.looks == "one":
        return fixed_guarantee(settings, tests, on_trust)
    if rule.plans_items:
        return guarantee_of_a_set(settings, on_trust, with_budget=bool(settings.items_per_pair))
    return rule.guarantee((), settings)


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
    several = notice.details.get("one_unit") is False and isinstance(inputs, int) and inputs > 1
    return several or "neighbours" in notice.details
